"""The promise of the windows: all of the premise, the claim whole, or NOT_RUN."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.verifier.entailment.encoding.planning import (
    LEAST_PREMISE_TOKENS,
    MAX_POSITIONS,
    MAX_WINDOWS,
    OVERLAP_SHARE,
    PairPlanner,
)
from tests.verifier.entailment.tiny_models import build_tokenizer

TOKENIZER = build_tokenizer()
#: [CLS] premise [SEP] claim [SEP]
SPECIAL_TOKENS = 3
WORDS = st.sampled_from(
    ["man", "stage.", "A", "guitar,", "4,500", "playing", "\n\n", "\t", "é", "日本", "-", "x" * 30]
)


@settings(max_examples=120, deadline=None)
@given(
    premise=st.lists(WORDS, max_size=900).map(" ".join),
    claim_words=st.integers(1, 300),
    positions=st.integers(70, 700),
    window_tokens=st.integers(16, 512),
)
def test_every_premise_token_is_in_a_window_and_the_claim_whole_in_every_one(
    premise: str, claim_words: int, positions: int, window_tokens: int
) -> None:
    claim = "stage " * claim_words
    planner = PairPlanner(TOKENIZER, positions=positions, window_tokens=window_tokens)
    plan = planner.plan(premise, claim)
    source = TOKENIZER.encode(premise, add_special_tokens=False)
    claimed = TOKENIZER.encode(claim, add_special_tokens=False).ids
    room = min(positions, MAX_POSITIONS)
    if not source.ids:
        assert plan.reason == "no_premise"
        return
    space = room - SPECIAL_TOKENS - len(claimed)
    if space < min(LEAST_PREMISE_TOKENS, len(source.ids)):
        assert (plan.reason, plan.calls) == ("claim_too_long", ())
        return
    assert plan.reason is None
    assert plan.coverage == 1.0
    assert len(plan.calls) == len(plan.spans) <= MAX_WINDOWS
    held: set[int] = set()
    for call, span in zip(plan.calls, plan.spans, strict=True):
        assert len(call.ids) == len(call.types) <= room
        assert list(call.ids[-1 - len(claimed) : -1]) == claimed
        assert call.premise == premise[span.start : span.end]
        inside = [
            index
            for index, (start, end) in enumerate(source.offsets)
            if span.start <= start and end <= span.end
        ]
        assert list(call.ids[1 : -2 - len(claimed)]) == [source.ids[index] for index in inside]
        assert len(inside) <= max(window_tokens, 1)
        held |= set(inside)
    assert held == set(range(len(source.ids)))


def test_a_premise_beyond_the_last_window_is_not_read_in_part() -> None:
    size = 16
    planner = PairPlanner(TOKENIZER, positions=512, window_tokens=size)
    step = size - size // OVERLAP_SHARE
    # Single letters: every token is a word, so each window reaches as far as it may.
    fits = planner.plan("a " * (step * (MAX_WINDOWS // 2)), "A man.")
    assert fits.reason is None
    assert fits.coverage == 1.0
    beyond = planner.plan("a " * (size * (MAX_WINDOWS + 1)), "A man.")
    assert (beyond.reason, beyond.calls, beyond.coverage) == ("premise_too_long", (), 0.0)
