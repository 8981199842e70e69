"""The words of a text with their stems and sentences, and how like two places of texts are."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Veto
from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import Locale, lexicon_of, stem

if TYPE_CHECKING:
    from collections.abc import Mapping

VetoKind = Literal[
    "number",
    "unit",
    "currency",
    "ordinal",
    "date",
    "negation",
    "antonym",
    "quantifier",
    "modality",
    "name",
    "roles",
]

#: A letter with the combining accents that a decomposed text has after it.
_LETTER = r"[^\W\d_][\u0300-\u036f]*"
_WORD = re.compile(
    rf"(?:{_LETTER})+(?:['’](?:{_LETTER})+)?|\d+(?:[.,]\d+)*|[.!?](?=\s)|\n+|[,;:()|—–]"
)
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_BREAKS = frozenset(".!?\n")
_MARKS = frozenset(",;:()|—–")
#: A stop behind one of these ends no sentence.
_TITLES = frozenset(
    {"dr", "mr", "mrs", "ms", "prof", "vs", "approx", "e.g", "i.e", "rev", "messrs"}
)
#: Beside one of these a form in -ed is not a past tense.
_PASSIVE = frozenset({"is", "are", "was", "were", "be", "been", "being", "am", "has", "have"})
_AFFIRMED = MappingProxyType({"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall"})
#: Words of the claim further from a slot than this do not describe its place.
_NEAR = 7
#: How far around a place of the premise the same words may stand.
_REACH = 12


@dataclass(frozen=True, slots=True)
class Word:
    """One word: lower case, its stem, where it stands; ``content`` unless a function word."""

    text: str
    stem: str
    start: int
    end: int
    sentence: int
    capital: bool
    content: bool

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of one text; ``places`` holds the indexes at which each stem stands, in order.

    ``opens`` are the indexes at which sentences begin, ``cuts`` the offsets of commas, brackets
    and the like, both in order.
    """

    text: str
    words: tuple[Word, ...]
    places: Mapping[str, tuple[int, ...]]
    starts: tuple[int, ...]
    opens: tuple[int, ...]
    cuts: tuple[int, ...]

    def index_at(self, offset: int) -> int:
        """The first word that ends after an offset."""
        place = bisect_left(self.starts, offset)
        return place - 1 if place and self.words[place - 1].end > offset else place

    def within(self, span: Span) -> tuple[int, int]:
        """The half-open range of words that a span touches."""
        return self.index_at(span.start), bisect_left(self.starts, span.end)

    def is_near(self, word: str, low: int, high: int) -> bool:
        """Whether a stem stands at an index from ``low`` to below ``high``."""
        places = self.places.get(word, ())
        found = bisect_left(places, low)
        return found < len(places) and places[found] < high

    def distance(self, word: str, first: int, last: int) -> int | None:
        """How many words from a range of words the nearest place of a stem is, outside it."""
        places = self.places.get(word, ())
        before = bisect_left(places, first)
        after = bisect_left(places, last)
        found = [first - places[before - 1]] if before else []
        found += [places[after] - last + 1] if after < len(places) else []
        return min(found, default=None)

    def is_cut_after(self, index: int) -> bool:
        """Whether a comma, a bracket or the like stands between a word and the next one."""
        cut = bisect_left(self.cuts, self.words[index].end)
        last = self.words[index + 1].start if index + 1 < len(self.words) else len(self.text)
        return cut < len(self.cuts) and self.cuts[cut] < last

    def sentence(self, index: int) -> tuple[int, int]:
        """The half-open range of words of the sentence that holds an index."""
        place = bisect_right(self.opens, index)
        last = self.opens[place] if place < len(self.opens) else len(self.words)
        return self.opens[place - 1], last


@keep_last
def read_words(text: str, locale: Locale = "en") -> Words:
    """Cut a text into words; the last few texts are kept, since one premise meets many claims."""
    lexicon = lexicon_of(locale)
    words: list[Word] = []
    places: dict[str, list[int]] = {}
    cuts: list[int] = []
    opens: list[int] = []
    empty = lexicon.empty_words
    sentence = 0
    for match in _WORD.finditer(text):
        raw = match.group()
        if raw[0] in _BREAKS:
            after_title = raw == "." and words and words[-1].end == match.start()
            if not (after_title and words[-1].text in _TITLES):
                sentence += 1
            continue
        if raw in _MARKS:
            cuts.append(match.start())
            continue
        lower = unicodedata.normalize("NFC", raw.lower()).replace("’", "'")
        root = stem(_plain(lower.removesuffix("'s").removesuffix("'")))
        if raw[0].isupper():
            # Shi'ite and Shiite, O'Brien and OBrien are one name.
            root = root.replace("'", "")
        places.setdefault(root, []).append(len(words))
        if not words or words[-1].sentence != sentence:
            opens.append(len(words))
        words.append(
            Word(
                text=lower,
                stem=root,
                start=match.start(),
                end=match.end(),
                sentence=sentence,
                capital=raw[0].isupper(),
                content=lower not in empty,
            )
        )
    return Words(
        text=text,
        words=tuple(words),
        places={word: tuple(found) for word, found in places.items()},
        starts=tuple(word.start for word in words),
        opens=tuple(opens),
        cuts=tuple(cuts),
    )


def _plain(word: str) -> str:
    """Without accents, which are written or left out."""
    return word if word.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", word))


def share_of_place(claim: Words, slot: Span, premise: Words, place: Span) -> float:
    """Share of the claim's words around a slot that stand around a place of the premise.

    Near words weigh more; numbers and function words do not count. 0 if there is nothing to
    compare.
    """
    first, last = claim.within(slot)
    if first >= len(claim.words):
        return 0.0
    low, high = premise.within(place)
    low, high = max(0, low - _REACH), high + _REACH
    begin, end = claim.sentence(first)
    total = held = 0.0
    for index in range(max(begin, first - _NEAR), min(end, last + _NEAR)):
        word = claim.words[index]
        if first <= index < last or not word.content or word.text[0].isdigit():
            continue
        distance = first - index if index < first else index - last + 1
        weight = 1.0 / (2 + distance)
        total += weight
        if premise.is_near(word.stem, low, high):
            held += weight
    return held / total if total else 0.0


def share_of_sentence(claim: Words, slot: Span, premise: Words, place: Span) -> float:
    """Share of the content words of the slot's sentence that stand in the sentence of a place."""
    first, _ = claim.within(slot)
    index, _ = premise.within(place)
    if first >= len(claim.words) or index >= len(premise.words):
        return 0.0
    begin, end = claim.sentence(first)
    low, high = premise.sentence(index)
    wanted = {
        word.stem
        for word in claim.words[begin:end]
        if word.content and not word.text[0].isdigit() and not slot.start <= word.start < slot.end
    }
    held = sum(premise.is_near(word, low, high) for word in wanted)
    return held / len(wanted) if wanted else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How like a slot of the claim and a place of the premise are: both shares in [0, 1]."""

    place: float
    sentence: float

    @classmethod
    def of(cls, claim: Words, slot: Span, premise: Words, place: Span) -> Likeness:
        """Of the words near by, and of the whole sentence.

        Where the claim has no other content word (``He smokes``) all its words must be the same.
        """
        if _is_bare(claim, slot):
            same = _frame_of(claim, slot) == _frame_of(premise, place) and _is_bare(premise, place)
            return cls(place=float(same), sentence=float(same))
        return cls(
            place=share_of_place(claim, slot, premise, place),
            sentence=share_of_sentence(claim, slot, premise, place),
        )

    @property
    def total(self) -> float:
        """The sum, from 0 to 2."""
        return self.place + self.sentence


def count_beside(claim: Words, slot: Span, premise: Words, place: Span) -> int:
    """On how many sides the next word of the sentence is the same, function words too."""
    (first, last), (low, high) = claim.within(slot), premise.within(place)
    if first >= len(claim.words) or low >= len(premise.words):
        return 0
    (begin, end), (opens, closes) = claim.sentence(first), premise.sentence(low)
    return sum(
        begin <= ours < end
        and opens <= theirs < closes
        and claim.words[ours].stem == premise.words[theirs].stem
        for ours, theirs in ((first - 1, low - 1), (last, high))
    )


def _is_bare(words: Words, slot: Span) -> bool:
    first, last = words.within(slot)
    if first >= len(words.words):
        return False
    begin, end = words.sentence(first)
    return not any(words.words[i].content for i in range(begin, end) if not first <= i < last)


def _frame_of(words: Words, slot: Span) -> frozenset[str]:
    """Who does it and when: the function words around a slot, do-support as the past tense."""
    first, last = words.within(slot)
    begin, end = words.sentence(first)
    frame = set()
    past = False
    for index in range(begin, end):
        text = words.words[index].text
        if first <= index < last:
            past = text.endswith("ed")
        elif not words.words[index].content:
            frame.add(_AFFIRMED.get(text, text.removesuffix("n't")))
    if past and not frame & _PASSIVE:
        frame.add("did")
    return frozenset(frame - {"do", "does", "not", "no", "never", ""})


def to_veto(kind: VetoKind, claim: Words, ours: Span, premise: Words, theirs: Span) -> Veto:
    """A veto that names both sides as they are written."""
    return Veto(
        kind=kind,
        claim=claim.text[ours.start : ours.end],
        claim_span=ours,
        source=premise.text[theirs.start : theirs.end],
        source_span=theirs,
    )
