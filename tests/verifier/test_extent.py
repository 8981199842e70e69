"""Whatever an answer asks for, its block is bounded by its payload, or the answer is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from spanproof.core.errors import AnswerTooDenseError
from spanproof.core.verdicts.block_json import block_to_json, digest_verdicts
from spanproof.verifier.extent import (
    DETAIL_LEFT_OUT,
    Extent,
    fit_block,
    measure,
    most_block_bytes,
    most_response_bytes,
    require_extent,
)
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.verifier.checking import OTHER, REFUND, check, cite
from tests.verifier.pair_models import AGAINST, NO, OPEN, YES, PairModel

if TYPE_CHECKING:
    from typing import Any

    from spanproof.core.verdicts.verdict import Verdict

EXTENT = Extent(citations=2000, claims=2000, verdicts=4000, documents=2000)
SOURCE = make_extraction(
    (REFUND + " Notices are not sent by post on 4 May. 12 000 of 15,5 goods are no gift.\n") * 20
)
WORDS = (
    "Refunds are paid within four business days. ",
    "Notices are sent by post. ",
    "A. ",
    "“Refunds are paid within five business days” ",
    "12 000 goods, 14 gifts and no post ",
    "\N{CJK UNIFIED IDEOGRAPH-4E00}\N{IDEOGRAPHIC FULL STOP}",
    '"\\\n\x01',
    "(1) ",
    "[2024] ",
    "not ",
)
QUOTES = (
    "e",
    " ",
    "Refunds are paid",
    REFUND,
    REFUND.replace("four", "five"),
    "12000 of 15.5 goods",
    "Refunds are paid within the request. Notices are not sent by post on 5 May. 12 000 of 15",
    SOURCE.text.text[:600].replace(" ", ""),
    SOURCE.text.text[:600].replace("not", "no\u200bt").replace("are", "is"),
    "x" * 300,
)
PIECES = st.tuples(st.sampled_from([*WORDS, "[1]", "[2]", "[3]. ", "[1, 2]. "]), st.integers(1, 40))
CITATIONS = st.tuples(
    st.fixed_dictionaries(
        {"anchor": st.integers(1, 4), "span": st.sampled_from(QUOTES).map(lambda q: {"text": q})}
    ),
    st.integers(1, 30),
)


def _read_result(verdict: Verdict) -> tuple[object, ...]:
    """What no shortening may touch."""
    support = verdict.support
    return (
        verdict.outcome,
        verdict.identity.status,
        verdict.existence.status,
        support.status,
        support.reason,
        support.p_entailment,
        support.p_contradiction,
    )


def _judge(raw: bytes) -> dict[str, Any]:
    """The block by a model that supports, denies and leaves open by turns of the claim's length."""
    parsed = parse_answer(raw)
    require_extent(parsed, EXTENT, size=len(raw))
    says = (YES, NO, OPEN, AGAINST)
    block = verify(
        parsed.answer,
        make_library(SOURCE, OTHER),
        PairModel(lambda premise, claim: says[(len(premise) + len(claim)) % 4]),
        load_policy("strict"),
        verified_at=MOMENT,
        imported=parsed.imported,
    )
    fitted = fit_block(block, most_block_bytes(parsed, len(raw)))
    assert list(map(_read_result, fitted.verdicts)) == list(map(_read_result, block.verdicts))
    for short, whole in zip(fitted.verdicts, block.verdicts, strict=True):
        assert set(whole.codes) <= set(short.codes)
    assert fitted.result is block.result
    shown: dict[str, Any] = dict(block_to_json(fitted))
    return shown


@pytest.mark.long
@tuned(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=12), st.lists(CITATIONS, max_size=6))
def test_block_is_bounded_by_the_payload(
    pieces: list[tuple[str, int]], citations: list[tuple[dict[str, Any], int]]
) -> None:
    cited = str(SOURCE.document.doc_hash)
    listed = [one | {"doc_hash": cited} for one, times in citations for _ in range(times)]
    prose = "".join(words * times for words, times in pieces)
    payload = {"answer": prose, "citations": listed}
    raw = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    try:
        block = _judge(raw)
    except AnswerTooDenseError:
        return
    assert measure(payload) + measure(block) <= most_response_bytes(len(raw))


def test_block_that_is_short_enough_stays_as_it_is() -> None:
    block = check("Refunds take four days [1].", cite(REFUND))
    assert fit_block(block, most_response_bytes(400)) is block


def test_longest_verdicts_lose_most_and_the_digest_follows() -> None:
    altered = (
        "Refunds were paid within five business days on the request."
        " The buyer must not subcontract with consent. Notices were sent by mail."
    )
    block = check(
        "Refunds take four days [1]. Notices go by post [2].", cite(REFUND), cite(altered, anchor=2)
    )
    size = measure(block_to_json(block))
    fitted = fit_block(block, size - 200)
    first, second = fitted.verdicts
    assert DETAIL_LEFT_OUT in second.codes
    assert DETAIL_LEFT_OUT not in first.codes
    assert DETAIL_LEFT_OUT in fitted.codes
    assert measure(block_to_json(fitted)) <= size - 200
    assert fitted.verdicts_digest == digest_verdicts(fitted.verdicts, block.policy, block.model)
    assert fitted.verdicts_digest != block.verdicts_digest


@pytest.mark.parametrize(
    ("over", "pointer"),
    [
        ("citations", "/citations"),
        ("claims", "/answer"),
        ("verdicts", "/answer"),
        ("documents", "/documents"),
    ],
)
def test_each_limit_is_inclusive(over: str, pointer: str) -> None:
    raw = json.dumps(
        {
            "answer": "Refunds take four days [1]. Notices go by post [2][3].",
            "citations": [cite(REFUND), cite("Notices are sent by post.", anchor=2)],
            "documents": ["a", "b"],
            "retrieved": [{"text": "A text."}] * 3,
        }
    ).encode()
    parsed = parse_answer(raw)
    # The third mark names the third text: one more citation.
    counts = {"citations": 3, "claims": 2, "verdicts": 3, "documents": 3}
    require_extent(parsed, Extent(**counts), size=len(raw))
    fewer = counts | {over: counts[over] - 1}
    fewer |= {"documents": 1} if over == "documents" else {}
    with pytest.raises(AnswerTooDenseError, match=f"at most {fewer[over]} ") as caught:
        require_extent(parsed, Extent(**fewer), size=len(raw))
    assert [problem.pointer for problem in caught.value.problems] == [pointer]


def test_nothing_asks_for_nothing() -> None:
    parsed = parse_answer(b'{"answer": "", "citations": []}')
    require_extent(parsed, Extent(citations=1, claims=1, verdicts=1, documents=1), size=30)
