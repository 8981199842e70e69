"""Track two: the value of a field found in the prose by the field's type.

Every match stays below 1.0: it says that the words stand there, not that they are true. A common
word such as ``high`` or ``open`` says little unless the field's label is near.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from spanproof.verifier.fields.numbers import MAX_PLACES, NumberIndex, match_number, to_decimal
from spanproof.verifier.fields.types import FieldMatch
from spanproof.verifier.fields.wording import ProseWords, match_wording
from spanproof.verifier.fields.words import FoldedText, fold, gather_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from spanproof.verifier.fields.registry import FieldRegistry
    from spanproof.verifier.fields.types import Field, MatchMethod
    from spanproof.verifier.fields.words import Occurrence

#: Confidence of a value without a type of its own, as whole words.
PLAIN_VALUE = 0.9
#: Confidence of whole words: of an enumerated value as it is written, of ``in_progress`` said with
#: spaces, and of a plain value.
_CONFIDENCE: dict[MatchMethod, float] = {
    "enum": 0.95,
    "enum_spaced": 0.85,
    "plain_value": PLAIN_VALUE,
}
#: A list of which all is named is still a match.
LIST_MAX = 0.95
#: Shorter values are never searched.
MIN_CHARACTERS = 2
#: A label that ends so many code points before the value, or begins so many after it, is near.
LABEL_DISTANCE = 40
#: Confidence of a common word without its label, and of words whose ends the script hides.
CAPPED = 0.5
#: Values that ordinary prose says anyway.
COMMON_WORDS = gather_words(
    "able active all any approved available average bad basic best big black blue central "
    "clear closed cold common complete completed current daily dark default done early east "
    "easy enabled end expert external fair false fast female few final first fixed free full "
    "general global good gray great green grey hard heavy high home hot idle inactive internal "
    "known large last late left less light limited live local long low main major male manual "
    "many medium middle minor mixed mobile moderate monthly more most near negative neutral "
    "new next no none normal north null off old on one open other out own paid partial past "
    "pending personal poor positive possible private public quick rare ready recent red "
    "regular related remote right safe same second short simple single slow small soft some "
    "south special stable standard start strong sure team third top true two unknown up urgent "
    "valid warm weak weekly west white whole work yellow yes young"
)
#: Parts of a field's name that do not say which field it is.
_GENERIC = gather_words(
    "class code field flag grade group id kind label level mode name number rating score state "
    "status type value"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """The clean text, prepared once for all fields."""

    text: str
    folded: FoldedText
    words: ProseWords = field(compare=False)
    numbers: NumberIndex = field(compare=False)
    _found: dict[str, tuple[Occurrence, ...]] = field(compare=False)

    @classmethod
    def of(cls, text: str) -> Prose:
        """Prepare a text."""
        folded = FoldedText.of(text)
        return cls(
            text=text, folded=folded, words=ProseWords(folded), numbers=NumberIndex(text), _found={}
        )

    def find(self, needle: str) -> tuple[Occurrence, ...]:
        """The first places of a folded text, looked for once."""
        if not self.words.may_contain(needle):
            return ()
        if needle not in self._found:
            self._found[needle] = tuple(islice(self.folded.find(needle), MAX_PLACES))
        return self._found[needle]


def match_field(one: Field, prose: Prose, registry: FieldRegistry) -> FieldMatch | None:
    """The best match by the field's type; None if the text does not contain its value."""
    if one.is_group or one.is_empty:
        return None
    if isinstance(one.value, list):
        return _match_list(one, prose, registry)
    return _match_value(one, one.value, prose, registry)


def _match_value(
    one: Field,
    value: Any,  # noqa: ANN401 - any JSON value
    prose: Prose,
    registry: FieldRegistry,
) -> FieldMatch | None:
    if one.type == "numeric":
        return match_number(value, prose.numbers)
    text = to_words(value)
    if one.type == "enum":
        return _match_enum(text, prose, _Vocabulary.of(one, registry))
    if one.type in {"summary", "suggested_question"} and isinstance(value, str):
        method: Literal["summary", "suggested_question"] = (
            "summary" if one.type == "summary" else "suggested_question"
        )
        return match_wording(value, prose.words, method)
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = match_number(value, prose.numbers) if len(text) >= MIN_CHARACTERS else None
        # A plain value is searched as it stands: it is not known to be a share.
        if found is None or found.method != "numeric":
            return None
        return replace(found, method="plain_value", confidence=PLAIN_VALUE)
    if to_decimal(value) is not None and len(text) >= MIN_CHARACTERS:
        # Digits in a string: words would find 14 in 14.5.
        found = match_number(value, prose.numbers)
        if found is not None and found.method == "numeric":
            return replace(found, method="plain_value", confidence=PLAIN_VALUE)
        return None
    return _match_words(fold(text), prose, "plain_value", _Vocabulary.of(one, registry))


def to_words(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as prose would say it: JSON's own words for values that are not strings."""
    if isinstance(value, str):
        return value
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """The labels of a field, and the words that a registry adds to the common ones."""

    labels: tuple[str, ...]
    common: frozenset[str]

    @classmethod
    def of(cls, one: Field, registry: FieldRegistry) -> _Vocabulary:
        given = map(fold, registry.labels.get(one.leaf, ()))
        labels = tuple(dict.fromkeys([*given, *find_label_words(one.leaf)]))
        return cls(labels=labels, common=registry.common_words)


def _match_enum(value: str, prose: Prose, vocabulary: _Vocabulary) -> FieldMatch | None:
    needle = fold(value)
    found = _match_words(needle, prose, "enum", vocabulary)
    spaced = " ".join(needle.replace("_", " ").split())
    if found is None and spaced != needle:
        found = _match_words(spaced, prose, "enum_spaced", vocabulary)
    return found


def _match_words(
    needle: str, prose: Prose, method: MatchMethod, vocabulary: _Vocabulary
) -> FieldMatch | None:
    if len(needle) < MIN_CHARACTERS:
        return None
    found = prose.find(needle)
    if not found:
        return None
    spans = tuple(occurrence.span for occurrence in found)
    if not any(occurrence.is_bounded for occurrence in found):
        return FieldMatch(method=method, confidence=CAPPED, spans=spans, capped="unspaced_script")
    if is_common(needle, vocabulary.common):
        labels = [place for label in vocabulary.labels for place in prose.find(label)]
        near = keep_near(found, labels)
        if not near:
            return FieldMatch(method=method, confidence=CAPPED, spans=spans, capped="common_word")
        # Elsewhere the word may speak of anything: the places beside the label are the field's.
        spans = tuple(occurrence.span for occurrence in near)
    return FieldMatch(method=method, confidence=_CONFIDENCE[method], spans=spans)


def _match_list(one: Field, prose: Prose, registry: FieldRegistry) -> FieldMatch | None:
    """The share of the items that are named; a capped one counts as not named."""
    items = list(dict.fromkeys(to_words(item) for item in one.value if item not in (None, "")))
    values = {to_words(item): item for item in one.value if item not in (None, "")}
    named = [
        (name, match)
        for name in items
        if (match := _match_value(one, values[name], prose, registry)) and match.capped is None
    ]
    if not named:
        return None
    return FieldMatch(
        method="list",
        confidence=round(min(LIST_MAX, len(named) / len(items)), 4),
        spans=tuple(sorted({span for _, match in named for span in match.spans})),
        items=tuple(name for name, _ in named),
        items_total=len(items),
    )


def find_label_words(leaf: str) -> tuple[str, ...]:
    """The words of a field's name that distinguish it; all words if none does."""
    words = fold(_CAMEL.sub(" ", leaf).replace("_", " ").replace("-", " ")).split()
    telling = [word for word in words if word not in _GENERIC and len(word) > 1]
    return tuple(dict.fromkeys(telling or words))


def is_common(folded_value: str, more: Collection[str] = ()) -> bool:
    """Whether ordinary prose says this word."""
    return folded_value in COMMON_WORDS or folded_value in more


def keep_near(found: Iterable[Occurrence], labels: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """The places that have a label within reach before or after them."""
    starts = sorted(label.span.start for label in labels)
    ends = sorted(label.span.end for label in labels)
    return tuple(each for each in found if _is_near(each, starts, ends))


def _is_near(place: Occurrence, starts: Sequence[int], ends: Sequence[int]) -> bool:
    # The last label that ends before the value, and the first that begins after it.
    before = bisect_right(ends, place.span.start)
    after = bisect_left(starts, place.span.end)
    return (before > 0 and ends[before - 1] >= place.span.start - LABEL_DISTANCE) or (
        after < len(starts) and starts[after] <= place.span.end + LABEL_DISTANCE
    )
