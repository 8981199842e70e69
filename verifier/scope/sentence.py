"""A sentence of a claim beside one of its source: which operators govern what both say.

An operator counts if it governs most of the shared words and the claim has no operator of its kind
and no other words for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.word_forms import roots_of
from spanproof.verifier.scope.operators import Operator, find_operators
from spanproof.verifier.slots.polarity import read_opposites

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind
    from spanproof.verifier.slots.words import Word, Words

_DENIALS = frozenset({"negation", "exception", "falsehood"})
_UNSURE = frozenset({"modality", "attribution", "condition", "question"})
#: The kinds of operators in a claim that carry one of the source.
_CARRIED_BY: Mapping[OperatorKind, frozenset[str]] = MappingProxyType(
    {
        "negation": _DENIALS,
        "exception": _DENIALS | {"condition", "quantifier"},
        "condition": frozenset({"condition", "exception"}),
        "attribution": frozenset({"attribution", "modality", "falsehood", "question"}),
        "modality": _UNSURE,
        "falsehood": _DENIALS | {"attribution"},
        "question": frozenset({"attribution", "condition", "question"}),
        "time": frozenset({"time", "negation"}),
        "quantifier": frozenset({"quantifier", "negation"}),
    }
)
#: The share of the claim's content words that its best sentence must hold.
_MATCHED = 0.6
#: The share of the shared words that must be governed; less where the first governed one is shared.
_GOVERNED, _GOVERNED_FIRST = 0.6, 0.3
#: Kinds that only turn the first words that they govern, and how many content words that is.
_NARROW = frozenset({"negation", "quantifier", "time", "falsehood"})
_FIRST = 2
#: The share of a condition's own words with which a claim tells the condition.
_TOLD = 0.5
#: More operators than a real sentence has; the first ones count.
_MAX_OPERATORS = 40
_NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "mis")
_PAST = frozenset({"was", "were", "had", "did"})
_ONCE = _PAST | {"used", "allowed", "erstwhile", "since", "then"}
_PRESENT = frozenset({"is", "are", "has", "have", "will", "can", "may", "must", "shall"})
_IFS = frozenset({"if", "when", "where", "once"})
_ONLY = frozenset({"only", "unless", "until", "not", "no", "never", "must"})
_NEEDS = frozenset(
    {"need", "needs", "needed", "require", "requires", "required", "must", "only", "necessary"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An operator of the source, and a word of the claim that it governs there."""

    operator: Operator
    word: int


class ClaimSentence:
    """A sentence of a claim: its words and the operators in it."""

    def __init__(self, claim: Words, first: int, last: int, locale: Locale) -> None:
        self._claim = claim
        self._words = claim.words[first:last]
        self._first = first
        self._opposites = read_opposites(locale)
        self._lexicon = lexicon_of(locale)
        self._texts = {word.text for word in self._words}
        self._stems = {word.stem for word in self._words}
        #: Where each root first stands, of content words alone.
        self._roots: dict[str, int] = {}
        content = [index for index, word in enumerate(self._words) if word.content]
        for index in content:
            for root in roots_of(self._words[index].text):
                self._roots.setdefault(root, index)
        self._wanted = len({self._words[index].stem for index in content})
        self._operators = tuple(
            operator
            for operator in find_operators(claim.text, locale)
            if first <= operator.low and operator.high <= last
        )

    def compare(
        self, premise: Words, first: int, last: int, inside: list[Operator]
    ) -> Iterator[Dropped]:
        """The operators of a sentence of the premise that this sentence drops."""
        shared = self._find_shared(premise, first, last)
        if not shared or len(set(shared.values())) < _MATCHED * self._wanted:
            return
        inside = inside[:_MAX_OPERATORS]
        for operator in inside:
            governed = [index for index in shared if operator.governs(index)]
            if governed and self._is_governed(premise, operator, shared, governed):
                others = [other for other in inside if other is not operator]
                if not self._carries(premise, (first, last), operator, others, shared):
                    yield Dropped(operator=operator, word=self._first + shared[governed[0]])

    def compare_cut(
        self,
        source: Words,
        sentence: tuple[int, int],
        span: tuple[int, int],
        operators: list[Operator],
        held: list[Operator],
    ) -> Iterator[Dropped]:
        """The operators of a sentence that govern what a span in it shares with this one.

        Those that the span holds are the claim's for that reason alone.
        """
        shared = self._find_shared(source, *span)
        operators = operators[:_MAX_OPERATORS]
        for operator in operators:
            governed = [index for index in shared if operator.governs(index)]
            if not governed:
                continue
            is_near = operator.reach == "near"
            is_first = _governs_first(source, operator, shared, 1 if is_near else _FIRST)
            least = _GOVERNED_FIRST if is_first else _GOVERNED
            if is_near:
                least = 0.0 if is_first else 1.0
            others = [other for other in (*operators, *held) if other is not operator]
            if len(governed) >= least * len(shared) and not self._carries(
                source, sentence, operator, others, shared
            ):
                yield Dropped(operator=operator, word=self._first + shared[governed[0]])

    def has_kind(self, kind: OperatorKind, word: str) -> bool:
        """Whether an operator here says what one of that kind says, or its word stands here."""
        kinds = {own.kind for own in self._operators}
        denied = self._lexicon.negations | self._lexicon.negative_words
        return bool(
            _CARRIED_BY[kind] & kinds
            or self._has(word)
            or (kind in _DENIALS and self._texts & denied)
            or (kind == "modality" and self._texts & self._lexicon.bindings.keys())
        )

    def _find_shared(self, premise: Words, first: int, last: int) -> dict[int, int]:
        """The content words of the premise's sentence that stand here too, and where."""
        shared: dict[int, int] = {}
        for index in range(first, last):
            word = premise.words[index]
            at = self._find(word) if word.content else None
            if at is not None:
                shared[index] = at
        return shared

    def _find(self, word: Word) -> int | None:
        """Where a word of the same root stands."""
        found = (self._roots.get(root) for root in roots_of(word.text))
        return next((at for at in found if at is not None), None)

    def _is_governed(
        self, premise: Words, operator: Operator, shared: dict[int, int], governed: list[int]
    ) -> bool:
        if operator.reach == "near":
            return _governs_first(premise, operator, shared, 1)
        if _governs_first(premise, operator, shared, _FIRST):
            return len(governed) >= _GOVERNED_FIRST * len(shared)
        return operator.kind not in _NARROW and len(governed) >= _GOVERNED * len(shared)

    def _carries(
        self,
        premise: Words,
        sentence: tuple[int, int],
        operator: Operator,
        others: list[Operator],
        shared: dict[int, int],
    ) -> bool:
        """Whether this sentence says in its own way what the operator says."""
        kind = operator.kind
        # A word of an operator that the source has a second time may belong to another operator.
        besides = {premise.words[index].text for other in others for index in other.own}
        # Words that it only governs are not its own: "banned" of "stopped short of banning".
        repeated = {at for index, at in shared.items() if index not in operator.own}
        kinds = {
            own.kind
            for own in self._operators
            if not own.own
            or not (
                {self._claim.words[index].text for index in own.own} <= besides
                or any(index - self._first in repeated for index in own.own)
            )
        }
        trigger = [premise.words[index] for index in operator.own]
        if kind == "condition" and self._weakens(trigger):
            return False
        if _CARRIED_BY[kind] & kinds:
            return True
        if any(word.content and self._has(word.text) for word in trigger):
            return True
        if kind in _DENIALS:
            twice = sum(other.kind in _DENIALS for other in others) % 2 == 1
            return self._denies(premise, sentence, besides, repeated) or (
                twice and bool(self._texts & _NEEDS)
            )
        if kind == "modality":
            binding = {
                word.text
                for word in self._words
                if word.text in self._lexicon.bindings and not (word.text == "may" and word.capital)
            }
            return bool(binding - besides)
        if kind == "time":
            if self._texts & _PAST and not self._texts & _PRESENT:
                return True
            # "… until March" of what is so now limits nothing that was.
            texts = {word.text for word in premise.words[slice(*sentence)]}
            is_past = texts & _ONCE or any(self._is_now(premise, *pair) for pair in shared.items())
            return operator.reach == "clause" and not is_past
        if kind == "condition":
            own = _find_condition(premise, operator)
            told = sum(self._find(premise.words[index]) is not None for index in own)
            # A claim that has the condition's words alone tells it as a fact.
            return bool(own) and told >= _TOLD * len(own) and not shared.keys() <= set(own)
        return False

    def _weakens(self, trigger: list[Word]) -> bool:
        """Whether it says "if" where the source says "only if"."""
        is_only = any(word.text == "only" for word in trigger)
        return is_only and bool(self._texts & _IFS) and not self._texts & _ONLY

    def _is_now(self, premise: Words, theirs: int, ours: int) -> bool:
        """Whether a verb of the past there is one of the present here: supported, supports."""
        word = self._words[ours]
        return premise.words[theirs].text.endswith("ed") and word.text.endswith("s")

    def _has(self, text: str) -> bool:
        """Whether a word of that root stands here, if with a negative prefix."""
        roots = roots_of(text)
        return any(
            root in self._roots
            or any(prefix + root in self._stems for prefix in _NEGATIVE_PREFIXES)
            for root in roots
        )

    def _denies(
        self, premise: Words, sentence: tuple[int, int], besides: set[str], repeated: set[int]
    ) -> bool:
        """Whether a word denies, or is the opposite of one there: closed for open, unpaid, paid."""
        theirs = premise.words[slice(*sentence)]
        texts, stems = {word.text for word in theirs}, {word.stem for word in theirs}
        return any(
            (
                (word.text in self._lexicon.negations or word.text in self._lexicon.negative_words)
                and word.text not in besides
                and at not in repeated
            )
            or (
                word.text in self._opposites
                and word.text not in texts
                and self._opposites[word.text][1] & texts
            )
            or any(
                word.stem.startswith(prefix) and word.stem.removeprefix(prefix) in stems
                for prefix in _NEGATIVE_PREFIXES
            )
            for at, word in enumerate(self._words)
        )


def _governs_first(premise: Words, operator: Operator, shared: dict[int, int], count: int) -> bool:
    """Whether one of the first content words behind an operator is shared."""
    if operator.low < operator.first:
        return True
    seen = 0
    for index in range(operator.low, operator.high):
        if premise.words[index].content and operator.governs(index):
            if index in shared:
                return True
            seen += 1
            if seen == count:
                break
    return False


def _find_condition(premise: Words, operator: Operator) -> list[int]:
    """The content words of a condition, up to the comma that ends it."""
    own: list[int] = []
    # "during breaks only": the words between.
    own += [
        index
        for index in range(operator.first, operator.last)
        if index not in operator.own and premise.words[index].content
    ]
    if own:
        return own
    for index in range(operator.last, operator.high):
        if premise.words[index].content:
            own.append(index)
        if premise.is_cut_after(index):
            break
    return own
