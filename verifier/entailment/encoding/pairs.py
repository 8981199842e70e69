"""Token ids of a premise window and a claim, laid out as the model's own tokenizer lays out a pair.

The special tokens around the two texts are learnt from the tokenizer once, so that any window of
the premise's tokens can be set between them without tokenising its slice of text again (which
would break words at the window's edge).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.entailment.models.tokenizer import Tokenizer


Tokens = tuple[list[int], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLayout:
    """Special tokens (ids, type ids) before the premise, between, and after the claim."""

    before: tuple[tuple[int, int], ...]
    between: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    premise_type: int
    claim_type: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, has_types: bool = True) -> PairLayout:
        """Learn the layout from a probe pair; raise ModelUnavailableError for an unpaired one.

        Where ``has_types`` is false every token has type 0; the tokenizer's types do not count.
        """
        encoding = tokenizer.encode("premise", "claim")
        sides = encoding.sequence_ids
        types = encoding.type_ids if has_types else [0] * len(encoding.ids)
        parts = list(zip(encoding.ids, types, strict=True))
        premise = [place for place, side in enumerate(sides) if side == 0]
        claim = [place for place, side in enumerate(sides) if side == 1]
        if not premise or not claim or premise[-1] > claim[0]:
            msg = f"Expected a tokenizer that sets premise before claim, got tokens {sides!r}."
            raise ModelUnavailableError(msg, hint="Use a model trained on pairs of texts.")
        if premise[-1] + 1 == claim[0]:
            msg = "Expected special tokens between premise and claim, got none."
            raise ModelUnavailableError(msg, hint="Use the tokenizer.json of the model itself.")
        return cls(
            before=tuple(parts[: premise[0]]),
            between=tuple(parts[premise[-1] + 1 : claim[0]]),
            after=tuple(parts[claim[-1] + 1 :]),
            premise_type=parts[premise[0]][1],
            claim_type=parts[claim[0]][1],
        )

    @property
    def special_tokens(self) -> int:
        """How many positions the special tokens take."""
        return len(self.before) + len(self.between) + len(self.after)

    def join(self, premise: Sequence[int], claim: Sequence[int]) -> Tokens:
        """Input ids and token type ids of one window and the whole claim."""
        parts = [
            *self.before,
            *((token, self.premise_type) for token in premise),
            *self.between,
            *((token, self.claim_type) for token in claim),
            *self.after,
        ]
        return [token for token, _ in parts], [kind for _, kind in parts]
