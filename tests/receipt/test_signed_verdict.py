"""Redaction: every text of a verdict becomes its digest, everything else stays and can be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from core.digest import Digest
from core.errors import MalformedReceiptError
from receipt import schema
from receipt.redaction import hash_text, redact_verdict
from receipt.signed_verdict import VERDICT

if TYPE_CHECKING:
    from collections.abc import Iterator

DOC_HASH, EXTRACTION_ID = str(Digest.of(b"document")), str(Digest.of(b"extraction"))
SPAN = hash_text("the span")
#: Each text is another one, so that a digest says which text it is of.
WORDS = [f"secret-{number:02d} words" for number in range(24)]


def make_verdict(words: Iterator[str], **support: Any) -> dict[str, Any]:
    """A verdict of the block with every field that can hold text, as ``verdict_to_json`` has it."""
    veto = {
        "kind": "number",
        "claim": next(words),
        "claim_start": 3,
        "claim_end": 5,
        "source": next(words),
        "char_start": 12,
        "char_end": 14,
    }
    probabilities = {"p_entailment": 0.25, "p_neutral": 0.5, "p_contradiction": 0.25}
    return {
        "anchor": 1,
        "citation": 0,
        "claim": {"text": next(words), "start": 0, "end": 9, "hypothesis": next(words)},
        "identity": {
            "status": "MATCH",
            "doc_hash": DOC_HASH,
            "extraction_id": EXTRACTION_ID,
            "chunk": "NOT_GIVEN",
            "newest": {
                "extraction_id": DOC_HASH,
                "status": "EXACT",
                "char_start": None,
                "char_end": None,
            },
        },
        "existence": {
            "status": "ALTERED",
            "char_start": 10,
            "char_end": 18,
            "folds": ["white_space"],
            "candidates": [
                {"doc_hash": DOC_HASH, "char_start": 1, "char_end": 2, "folds": ["line_break"]}
            ],
            "difference": {
                "source": next(words),
                "edits": [
                    {
                        "kind": "replaced",
                        "quote": next(words),
                        "source": next(words),
                        "char_start": 11,
                        "char_end": 12,
                        "protected": True,
                        "touches": [{"side": "quote", "kind": "currency", "text": next(words)}],
                    }
                ],
            },
        },
        "locator": {
            "status": "MATCH",
            "page": 3,
            "bbox": [72.0, 312.5, 540.0, 348.2],
            "quads": [{"page": 3, "points": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5]}],
            "iou": 0.9979,
            "witness": {
                "status": "DISAGREES",
                "engine": "pdfium",
                "read": next(words),
                "moved": 0.25,
                "reason": None,
            },
        },
        "support": {
            "status": "CONTRADICTED",
            "reason": "veto",
            **probabilities,
            "windows": 1,
            "coverage": 1.0,
            "evidence": {"char_start": 10, "char_end": 18},
            "vetoes": [veto],
            "logits": {"entailed": -0.0, "neutral": 1.5, "contradicted": 2.25},
            "terms": [{"name": "uncovered_words", "value": 0.5, "weight": 1.0}],
            "grade": "none",
            "subclaims": [
                {
                    "text": next(words),
                    "start": 0,
                    "end": 4,
                    "hypothesis": next(words),
                    "status": "NOT_RUN",
                    "reason": "no_span",
                    "p_entailment": None,
                    "p_neutral": None,
                    "p_contradiction": None,
                    "logits": {},
                    "vetoes": [veto | {"source": None, "char_start": None, "char_end": None}],
                }
            ],
            "context": "headers",
            "read": {"premise": next(words), "hypothesis": next(words)},
            "joint": {
                "citations": [0, 1],
                "status": "ENTAILED",
                "reason": "joint",
                "p_entailment": 0.75,
                "alone": {"status": "NEUTRAL", "p_entailment": None},
            },
        }
        | support,
        "attribution": {"status": "NOWHERE", "supported_by": []},
        "outcome": "fail",
        "codes": ["IDENTITY_MATCH", "EXISTENCE_ALTERED"],
        "notes": next(words),
        "view_url": f"/view/{DOC_HASH}/{EXTRACTION_ID}/10/18",
        "origin": "native",
        "repaired": False,
        "quotations": [
            {
                "text": next(words),
                "start": 0,
                "end": 3,
                "status": "ABSENT",
                "char_start": None,
                "char_end": None,
            }
        ],
    }


def test_every_text_becomes_its_digest_and_nothing_else_changes() -> None:
    words = iter(WORDS)
    verdict = make_verdict(words)
    used = WORDS[: len(WORDS) - len(list(words))]
    redacted = json.dumps(redact_verdict(verdict, span_sha256=SPAN))
    assert "secret" not in redacted
    for text in used:
        assert hash_text(text) in redacted, text
    read = schema.read(VERDICT, json.loads(redacted), what="the verdict")
    assert read.existence.offsets == (10, 18)
    assert read.existence.span_sha256 == Digest(SPAN)
    assert read.support.logits["entailed"] == "0.000000"
    assert read.locator.bbox == ("72.000000", "312.500000", "540.000000", "348.200000")
    assert read.notes_sha256 == Digest.of(verdict["notes"].encode())
    # The verdict itself is as it was.
    assert verdict == make_verdict(iter(WORDS))


def test_a_reason_of_another_package_is_no_place_for_text() -> None:
    reason = "The claim says $6,000 where the source says $5,000."
    terms = [{"name": reason, "value": 0.5, "weight": 1.0}]
    verdict = make_verdict(iter(WORDS), reason=reason, terms=terms)
    redacted = redact_verdict(verdict, span_sha256=SPAN)
    assert redacted["support"]["reason"] == f"sha256-{hash_text(reason)}"
    assert redacted["support"]["terms"][0]["name"] == redacted["support"]["reason"]
    read = schema.read(VERDICT, json.loads(json.dumps(redacted)), what="the verdict")
    assert read.support.reason == redacted["support"]["reason"]


def test_what_is_null_stays_null() -> None:
    verdict = make_verdict(iter(WORDS), read=None, joint=None, reason=None)
    verdict["existence"] |= {"difference": None, "char_start": None, "char_end": None}
    verdict["locator"]["witness"]["read"] = None
    redacted = redact_verdict(verdict, span_sha256=None)
    assert redacted["existence"]["difference"] is None
    assert redacted["existence"]["span_sha256"] is None
    assert redacted["locator"]["witness"]["read_sha256"] is None
    assert redacted["support"]["read"] is redacted["support"]["joint"] is None
    read = schema.read(VERDICT, json.loads(json.dumps(redacted)), what="the verdict")
    assert read.existence.offsets is None


def test_a_field_that_the_schema_does_not_know_is_not_signed_unseen() -> None:
    verdict = make_verdict(iter(WORDS)) | {"comment": "secret"}
    redacted = json.loads(json.dumps(redact_verdict(verdict, span_sha256=SPAN)))
    with pytest.raises(MalformedReceiptError, match="no other field"):
        schema.read(VERDICT, redacted, what="the verdict")


def test_half_a_surrogate_pair_has_a_digest_too() -> None:
    assert hash_text("\ud800") != hash_text("?")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("support", "context"), ["bare", "headers", "question"]),
        (("support", "grade"), ["full", "partial", "none", None]),
        (("existence", "difference", "edits", 0, "touches", 0, "side"), ["quote", "source"]),
    ],
)
def test_a_word_of_a_list_is_read_and_no_other(
    place: tuple[str | int, ...], words: list[str | None]
) -> None:
    redacted: Any = redact_verdict(make_verdict(iter(WORDS)), span_sha256=SPAN)
    verdict = json.loads(json.dumps(redacted))
    target = verdict
    for part in place[:-1]:
        target = target[part]
    for word in words:
        target[place[-1]] = word
        schema.read(VERDICT, verdict, what="the verdict")
    for word in ("", "other"):
        target[place[-1]] = word
        with pytest.raises(MalformedReceiptError, match=str(place[-1])):
            schema.read(VERDICT, verdict, what="the verdict")


@pytest.mark.parametrize("code", ["", "a", "2A", "A-B", "A" * 65])
def test_a_code_is_a_word_in_capitals(code: str) -> None:
    verdict: Any = redact_verdict(make_verdict(iter(WORDS)), span_sha256=SPAN)
    read = schema.read(VERDICT, json.loads(json.dumps(verdict)), what="the verdict")
    assert read.codes == ("IDENTITY_MATCH", "EXISTENCE_ALTERED")
    wrong = json.loads(json.dumps(verdict | {"codes": [code]}))
    with pytest.raises(MalformedReceiptError, match="a code at /codes/0"):
        schema.read(VERDICT, wrong, what="the verdict")


@pytest.mark.parametrize(("start", "end"), [(None, 18), (10, None)])
def test_half_of_the_offsets_are_none(start: int | None, end: int | None) -> None:
    verdict = make_verdict(iter(WORDS))
    verdict["existence"] |= {"char_start": start, "char_end": end}
    redacted = json.loads(json.dumps(redact_verdict(verdict, span_sha256=SPAN)))
    assert schema.read(VERDICT, redacted, what="the verdict").existence.offsets is None
