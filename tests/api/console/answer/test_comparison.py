from __future__ import annotations

from typing import Any

from spanproof.api.console.answer.comparison import compare, mark_claim
from spanproof.api.console.answer.gauge import make_gauge
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.operations.presentation.excerpt import cut_excerpt
from spanproof.verifier.policies import load_policy

SOURCE = "Before it. Payment is due within thirty days of the\ninvoice. After it."
START, END = SOURCE.index("Payment"), SOURCE.index(" After")


def compare_quote(quote: str, *deciding: Span) -> list[tuple[str, str, bool]]:
    excerpt = cut_excerpt(CanonicalText.of(SOURCE), Span(START, END))
    assert excerpt is not None
    found = compare(quote, excerpt, (), deciding)
    assert found.before.endswith("it. ")
    assert found.after.startswith(" After")
    assert found.differs is any(piece.side != "same" for piece in found.pieces)
    return [(piece.side, piece.text, piece.is_deciding) for piece in found.pieces]


def test_a_quote_is_compared_word_by_word_and_white_space_is_no_difference() -> None:
    same = compare_quote("Payment is due within  thirty days of the invoice.")
    assert "".join(text for _, text, _ in same) == SOURCE[START:END]
    assert {side for side, _, _ in same} == {"same"}

    changed = compare_quote("Payment is due within ninety days of the invoice.")

    assert ("quote", "ninety", False) in changed
    assert ("source", "thirty", False) in changed
    assert "".join(t for side, t, _ in changed if side != "quote") == SOURCE[START:END]


def test_deciding_words_are_marked_in_source_and_claim() -> None:
    at = SOURCE.index("thirty") - START
    marked = compare_quote(SOURCE[START:END], Span(at, at + 6))
    assert [text for _, text, is_deciding in marked if is_deciding] == ["thirty"]

    verdict: dict[str, Any] = {
        "claim": {"text": "Paid within [1] ninety days."},
        "support": {
            # The place is one of the hypothesis, from which the anchor was removed.
            "vetoes": [{"claim": "ninety", "claim_start": 12, "claim_end": 18}],
            "unsupported_parts": [{"claim": "Paid", "claim_start": 0, "claim_end": 4}],
        },
    }
    pieces = mark_claim(verdict)
    assert [piece.text for piece in pieces if piece.is_deciding] == ["Paid", "ninety"]
    assert "".join(piece.text for piece in pieces) == verdict["claim"]["text"]


def make_support(p: float | None, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"p_entailment": p, "reason": None, "vetoes": [], "status": "NEUTRAL"}
    return base | {"ordered_coverage": 0.9, "p_contradiction": 0.1} | more


def test_p_stands_beside_its_threshold_and_what_decided() -> None:
    policy = load_policy("balanced")
    block = {
        "model": {"threshold": 0.47, "thresholds": {}},
        "policy": {"name": "balanced", "digest": str(policy.digest)},
    }
    gauge = make_gauge(block, make_support(0.3))
    assert gauge is not None
    assert gauge.band == (0.47 - policy.review_below, 0.47 + policy.review_above)
    assert "p 0.300, threshold 0.47, review from" in gauge.words
    assert "no certificate" in gauge.decided

    other = block | {"policy": {"name": "balanced", "digest": "sha256:" + "0" * 64}}
    vetoed = make_gauge(other, make_support(0.9, vetoes=[{}]))
    assert vetoed is not None
    assert vetoed.band is None
    assert vetoed.decided.startswith("A veto decided")
    assert make_gauge(block, make_support(None)) is None
    by_words = make_gauge(block, make_support(0.2, reason="verbatim"))
    assert by_words is not None
    assert "not p" in by_words.decided
