"""A premise and a claim → the windows to run: every token of the one, the other always whole.

A model of English reads the claim with its amounts and dates spelled as the premise spells them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.encoding.pairs import PairLayout
from spanproof.verifier.entailment.encoding.readable_input import InputGate
from spanproof.verifier.entailment.encoding.respelling import VERSION as RESPELLING
from spanproof.verifier.entailment.encoding.respelling import respell
from spanproof.verifier.entailment.encoding.windows import plan_windows

if TYPE_CHECKING:
    from spanproof.verifier.entailment.models.tokenizer import Tokenizer
    from spanproof.verifier.language.lexicon import Locale

#: Tokens of premise in one window (near the longest premises of the training), and the share that
#: neighbours have in common.
WINDOW_TOKENS, OVERLAP_SHARE = 256, 4
#: No pair is read past this many positions, even if the model allows more: attention is quadratic.
MAX_POSITIONS = 512
#: Windows of one pair: 200,000 tokens of premise, far beyond any span that says something. A longer
#: one is not read at all, for a part of it would be taken for the whole.
MAX_WINDOWS = 1024
#: A claim must leave this many tokens to its premise (or all it has): less shows no context.
LEAST_PREMISE_TOKENS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The calls of one pair and where their windows lie in the premise (code points).

    ``reason`` is set, and the rest empty, where the pair cannot be read.
    """

    reason: str | None
    calls: tuple[Call, ...] = ()
    spans: tuple[Span, ...] = ()
    coverage: float = 0.0


class PairPlanner:
    """Plans pairs for one tokenizer and one model's room."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        positions: int,
        window_tokens: int = WINDOW_TOKENS,
        has_types: bool = True,
        gate: InputGate | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._gate = gate or InputGate()
        # The rules of spelling are those of one language, so it has to be the model's.
        self._locale: Locale | None = "en" if "en" in self._gate.languages else None
        self._layout = PairLayout.of(tokenizer, has_types=has_types)
        self._room = min(MAX_POSITIONS, positions) - self._layout.special_tokens
        self._window_tokens = window_tokens

    @property
    def description(self) -> str:
        """Its part of the runtime's name: another cut may give another verdict."""
        overlap = self._window_tokens // OVERLAP_SHARE
        parts = [f"windows-{self._window_tokens}-{overlap}", self._gate.description]
        if self._locale is not None:
            parts.append(f"respell-{RESPELLING}")
        return "+".join(parts)

    def plan(self, premise: str, hypothesis: str) -> Plan:
        """The windows of one pair, or why it has none."""
        unreadable = self._gate.refuse_texts(premise, hypothesis)
        if unreadable is not None:
            return Plan(reason=unreadable)
        claimed = hypothesis
        if self._locale is not None:
            claimed = respell(hypothesis, premise, locale=self._locale)
        source = self._tokenizer.encode(premise, add_special_tokens=False)
        claim = self._tokenizer.encode(claimed, add_special_tokens=False)
        if not source.ids:
            return Plan(reason="no_premise")
        if not claim.ids:
            return Plan(reason="no_claim")
        unknown = self._gate.refuse_tokens(claim.ids)
        if unknown is not None:
            return Plan(reason=unknown)
        space = self._room - len(claim.ids)
        if space < min(LEAST_PREMISE_TOKENS, len(source.ids)):
            return Plan(reason="claim_too_long")
        size = min(self._window_tokens, space)
        windows = plan_windows(premise, source.offsets, size=size, overlap=size // OVERLAP_SHARE)
        if len(windows) > MAX_WINDOWS:
            return Plan(reason="premise_too_long")
        spans = tuple(
            Span(source.offsets[start][0], source.offsets[end - 1][1]) for start, end in windows
        )
        calls = []
        for (start, end), span in zip(windows, spans, strict=True):
            ids, types = self._layout.join(source.ids[start:end], claim.ids)
            text = premise[span.start : span.end]
            calls.append(Call(ids=tuple(ids), types=tuple(types), premise=text, claim=claimed))
        held = {token for start, end in windows for token in range(start, end)}
        return Plan(
            reason=None, calls=tuple(calls), spans=spans, coverage=len(held) / len(source.ids)
        )
