"""Free texts: a summary or a suggested question is found by the share of its meaningful words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.fields.types import FieldMatch
from spanproof.verifier.fields.words import (
    FoldedText,
    count_letters,
    find_letter_words,
    gather_words,
    is_spaced,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from spanproof.core.span import Span

#: Only a quick exclusion: ``words`` decides where a word ends.
_WORD = re.compile(r"[^\W_]+")
#: A shorter text has too few words for their share to mean anything.
MIN_CHARACTERS = 10
MIN_LETTERS = 4
MIN_RATIO = 0.6
MAX_CONFIDENCE = 0.7
#: Words of four letters or more that any two texts share.
STOP_WORDS = gather_words(
    "about above after again against also although among another around because been before "
    "being below between both cannot could does doing down during each either else even ever "
    "every from further have having here hers herself himself however into itself just like "
    "made make many might more most much must myself near neither never none once only onto "
    "other others ours ourselves over own quite rather really same several shall should since "
    "some still such than that their theirs them themselves then there therefore these they "
    "this those though through thus together toward towards under until upon very want well "
    "were what when where whether which while will with within without would your yours "
    "yourself yourselves"
)
#: Words that only make a question; in a summary they may mean something.
QUESTION_WORDS = gather_words(
    "anyone anything available can explain give know list long many much often please show "
    "tell what when where which whom whose will would could should does have help need want "
    "there"
)


def match_wording(
    value: str, prose: ProseWords, method: Literal["summary", "suggested_question"]
) -> FieldMatch | None:
    """At least 0.6 of the text's meaningful words stand in the prose, as whole words."""
    if len(value.strip()) < MIN_CHARACTERS:
        return None
    stop_words = STOP_WORDS | QUESTION_WORDS if method == "suggested_question" else STOP_WORDS
    wanted = find_meaningful_words(value, stop_words)
    if not wanted:
        return None
    spans = [prose.first_spans[word] for word in wanted if word in prose.first_spans]
    ratio = len(spans) / len(wanted)
    if ratio < MIN_RATIO:
        return None
    return FieldMatch(
        method=method,
        confidence=round(min(MAX_CONFIDENCE, ratio), 4),
        spans=tuple(sorted(spans)),
    )


def find_meaningful_words(text: str, stop_words: frozenset[str] = STOP_WORDS) -> tuple[str, ...]:
    """Words of four letters or more that are not stop words, each once, in order."""
    words = (word for word, _ in find_letter_words(FoldedText.of(text)))
    return tuple(
        dict.fromkeys(w for w in words if count_letters(w) >= MIN_LETTERS and w not in stop_words)
    )


class ProseWords:
    """The prose's words, looked up when the first free text is matched."""

    def __init__(self, folded: FoldedText) -> None:
        self._folded = folded
        self._first_spans: dict[str, Span] | None = None
        self._runs: frozenset[str] | None = None

    def may_contain(self, needle: str) -> bool:
        """False if the folded text cannot stand in the prose; cheap, so it is asked first."""
        if self._runs is None:
            self._runs = frozenset(_WORD.findall(self._folded.folded))
        if not is_spaced(needle) or not self._folded.is_spaced:
            return True
        return all(run in self._runs for run in _WORD.findall(needle))

    @property
    def first_spans(self) -> Mapping[str, Span]:
        """Each word's first place."""
        if self._first_spans is None:
            found: dict[str, Span] = {}
            for word, span in find_letter_words(self._folded):
                found.setdefault(word, span)
            self._first_spans = found
        return self._first_spans
