"""The predicate's fields: the words and the forms that each takes, and their neighbours refused."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import MalformedReceiptError
from spanproof.core.log.checkpoint import LoggedLeaf
from spanproof.receipt.statement.predicate import NOBODY, PREDICATE, Actor, Predicate, read_signed
from tests.receipt.statements import make_predicate

if TYPE_CHECKING:
    from collections.abc import Sequence

INTAKE = LoggedLeaf(origin="log.example.com", index=4, leaf_hash=bytes(range(32)))
HEX = "ab" * 32
DIGEST = f"sha256:{HEX}"
BOUND = {
    "alpha": "0.050000",
    "delta": "0.050000",
    "n": 500,
    "threshold": "0.900000",
    "selected": 300,
    "errors": 2,
    "upper": "0.020000",
    "method": "clopper-pearson",
}
SAMPLED = {"scheme": "hmac", "epoch_commitment": DIGEST, "rate": "0.100000"}
ORPHAN = {"anchor": 3, "start": 4, "end": 7}
#: Where → what may stand there, and what may not.
VALUES: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "schema_version": ([1], [0, 2, "1"]),
    "receipt_id": (
        ["01935a6e-8a00-7fff-bfff-ffffffffffff"],
        ["01935a6e-8a00-4000-8000-000000000001", "01935A6E-8a00-7000-8000-000000000001"],
    ),
    "verification_id": (
        ["01935a6e-8a00-4000-0000-000000000001"],
        ["0b0e7a526c1f4a3e9b3e3f0c7d8a9e10", "0B0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10", None],
    ),
    "nonce": (["ff" * 16], ["ff" * 15, "ff" * 17, "FF" * 16]),
    "verified_at": (
        ["2026-01-02T03:04:05Z"],
        ["2026-01-02T03:04:05.000Z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05+00:00"],
    ),
    "log/origin": (
        ["a", "a-b.c-d", "0.1", "a" * 63, ".".join(["a" * 49] * 5)],
        [
            *("", "A.b", "-a", "a-", "a..b", "a.", ".a", "a_b", "a b", "a" * 64),
            ".".join(["a" * 50] * 5),
        ],
    ),
    "log/intake_leaf_hash": (["00" * 32], ["00" * 31, "00" * 33]),
    "tenant_log": (["tenant.example.com"], ["Tenant"]),
    "actor/key_id": (["key", None], [1]),
    "actor/oidc_sub_hash": ([DIGEST, None], [HEX]),
    "request/form": (["raw_bytes"], ["json", None]),
    "request/offset_unit": (["unicode_code_point"], ["utf16", None]),
    "request/repair": (
        [None, {"sentences": True, "max_repairs": 2}],
        [{"sentences": 1, "max_repairs": 2}, {"sentences": True, "max_repairs": -1}, {}],
    ),
    "request/toggles": ([{"strict": None, "unit": "utf16"}], [{"strict": True}, []]),
    "request/sampled": (
        [None, SAMPLED],
        [SAMPLED | {"rate": "0.1"}, SAMPLED | {"epoch_commitment": HEX}, {}],
    ),
    "verifier/source_commit": ([None, "ab" * 20, HEX], ["ab" * 16, "AB" * 20, "HEAD"]),
    "verifier/lockfile_sha256": ([None, HEX], [DIGEST]),
    "verifier/image_digest": ([None, DIGEST], [HEX]),
    "verifier/sandbox_level": (
        [None, "none", "limits", "landlock", "landlock+seccomp"],
        ["", "seccomp", "NONE"],
    ),
    "policy/thresholds/entail": ([None, "0.900000"], ["0.9"]),
    "policy/thresholds/neutral": (["0.850000"], [None, "1"]),
    "policy/thresholds/contradict": (["0.500000"], [None]),
    "policy/thresholds/margin": (["0.010000"], [None]),
    "model/threshold": ([None, "0.500000"], ["0.5"]),
    "model/thresholds": ([{"claim": None, "field": "0.700000"}], [{"claim": 1}]),
    "model/labels": ([["entailment"], []], ["entailment", [1]]),
    "model/calibration_check/n": ([None, 500], [-1]),
    "model/calibration_check/date": ([None, "2026-11-20"], ["20.11.2026", "2026-11-2", ""]),
    "model/calibration_check/bound": (
        [None, BOUND, BOUND | {"threshold": None, "upper": None}],
        [*({key: value for key, value in BOUND.items() if key != out} for out in BOUND)],
    ),
    "answer/kind": (
        ["answer", "clarifying_question", "abstention", "refusal"],
        ["", "question", "Answer"],
    ),
    "documents/0/canonical_texts/0/sandbox_level": (["limits"], [None, "container"]),
    "documents/0/canonical_texts/0/layout_sha256": ([None, HEX], [DIGEST]),
    "citations/0/unit": ([None, "codepoint", "utf16", "utf8"], ["", "utf-8", "byte"]),
    "citations/0/extraction_id": ([None, DIGEST], [HEX]),
    "digests/question": ([None, DIGEST], [HEX]),
    "repaired": ([[], [0]], [[-1], [True]]),
    "summary/level": (["GREEN", "YELLOW", "RED"], ["", "green", "BLUE"]),
    "summary/recommended_action": (["show", "badge", "review", "withhold"], ["", "hide", "SHOW"]),
    "summary/abstention_reason": (
        [None, "a", "no_source_2", "a" * 64],
        ["", "No", "2a", "a b", "a" * 65],
    ),
    "summary/codes": ([[], ["A", "CLAIM_2", "A" * 64]], [[""], ["a"], ["2A"], ["A" * 65]]),
    "summary/orphan_anchors": (
        [[], [ORPHAN]],
        [*([{key: 1 for key in ORPHAN if key != out}] for out in ORPHAN), [ORPHAN | {"end": -1}]],
    ),
    "summary/unused_citations": ([[], [-1, 5]], [["1"]]),
    "summary/declared/density": (["1.000000"], ["1"]),
    "summary/imported/observed_unit": ([None, "utf16"], [1]),
    "summary/imported/codes": ([["OFFSET_UNIT_AMBIGUOUS"]], [["offset"]]),
    "supersedes": ([None, DIGEST], [HEX]),
    "limitations": (["urn:spanproof:limitations:v1"], ["urn:spanproof:limitations:v2", None]),
}


def read(place: str, value: Any) -> Predicate:
    """The sample with another value at one place."""
    changed: Any = copy.deepcopy(make_predicate(INTAKE))
    *before, last = (int(part) if part.isdigit() else part for part in place.split("/"))
    target = changed
    for part in before:
        target = target[part]
    assert last in (target if isinstance(target, dict) else range(len(target)))
    target[last] = value
    return read_signed(PREDICATE, changed, what="the predicate")


@pytest.mark.parametrize("place", VALUES)
def test_a_field_takes_its_words_and_forms_and_no_others(place: str) -> None:
    right, wrong = VALUES[place]
    for value in right:
        read(place, value)
    for value in wrong:
        with pytest.raises(MalformedReceiptError, match=place.partition("/")[0]):
            read(place, value)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("receipt_id", "a UUID of version 7"),
        ("verification_id", "a UUID"),
        ("verified_at", "a moment in whole seconds"),
        ("log/origin", "a host name"),
        ("verifier/source_commit", "a whole commit id"),
        ("model/calibration_check/date", "a date"),
        ("summary/abstention_reason", "a word in lower case"),
        ("summary/codes", "a code"),
    ],
)
def test_the_words_say_what_was_expected(place: str, words: str) -> None:
    wrong: Any = ["?"] if place == "summary/codes" else "?"
    with pytest.raises(MalformedReceiptError, match=f"(Expected|be) {words}( |,)"):
        read(place, wrong)


def test_nobody_is_neither_a_key_nor_a_person() -> None:
    assert Actor(key_id=None, oidc_sub_hash=None) == NOBODY
