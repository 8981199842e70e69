"""The tokenizer of BERT's uncased family, read from its tokenizer.json without another library.

The library ``tokenizers`` brings a client of a model hub along, 15 packages that the embedded model
does not need. What that library does to each single character (which it drops, sets apart, calls
white space or punctuation, and how it writes a letter without case and accent) is recorded in
characters.json, so that the tokens depend on no release of Unicode's tables; a test compares both
on every character. Any other kind of tokenizer is left to the library.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: The only settings of BERT's normaliser and pre-tokenizer that are read here.
_NORMALIZER = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
_PRE_TOKENIZER = {"type": "BertPreTokenizer"}
#: Syllables whose letters are computed, not listed.
_HANGUL = (0xAC00, 0xD7A3)
#: Words whose pieces are kept; a text has some hundred different ones.
_MAX_CACHED = 50_000


@dataclass(frozen=True, slots=True)
class WordPieces:
    """The tokens of a text or pair: as ``tokenizers.Encoding`` has them."""

    ids: list[int] = field(default_factory=list)
    #: Code points of the text that each token stands for.
    offsets: list[tuple[int, int]] = field(default_factory=list)
    type_ids: list[int] = field(default_factory=list)
    sequence_ids: list[int | None] = field(default_factory=list)


class WordPieceTokenizer:
    """Reads whole texts: nothing is cut, nothing padded."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        model = raw["model"]
        self._vocabulary: dict[str, int] = model["vocab"]
        self._unknown: int = self._vocabulary[model["unk_token"]]
        self._prefix: str = model["continuing_subword_prefix"]
        self._longest: int = model["max_input_chars_per_word"]
        self._added = {one["content"]: one["id"] for one in raw["added_tokens"]}
        self._marks = re.compile("|".join(re.escape(one) for one in self._added) or r"(?!)")
        self._layouts = {
            False: raw["post_processor"]["single"],
            True: raw["post_processor"]["pair"],
        }
        self._special = raw["post_processor"]["special_tokens"]
        self._kept: dict[str, tuple[tuple[int, int, int], ...]] = {}

    @classmethod
    def read(cls, content: bytes) -> Self | None:
        """The tokenizer of this tokenizer.json; None where it is of another kind."""
        raw = json.loads(content)
        return cls(raw) if _is_read_here(raw) else None

    @property
    def unknown_id(self) -> int:
        """The token of a word that the vocabulary cannot spell."""
        return self._unknown

    def encode(
        self, sequence: str, pair: str | None = None, *, add_special_tokens: bool = True
    ) -> WordPieces:
        """The tokens of a text, or of two in the order of the model's template."""
        texts = {"A": sequence} if pair is None else {"A": sequence, "B": pair}
        layout = self._layouts[pair is not None]
        if not add_special_tokens:
            layout = [one for one in layout if "Sequence" in one]
        found = WordPieces()
        for one in layout:
            if "SpecialToken" in one:
                added = one["SpecialToken"]
                for token in self._special[added["id"]]["ids"]:
                    _append(found, token, (0, 0), added["type_id"], None)
                continue
            name, kind = one["Sequence"]["id"], one["Sequence"]["type_id"]
            for token, start, end in self._tokenize(texts[name]):
                _append(found, token, (start, end), kind, int(name == "B"))
        return found

    def _tokenize(self, text: str) -> Iterator[tuple[int, int, int]]:
        place = 0
        for mark in self._marks.finditer(text):
            yield from self._tokenize_plain(text[place : mark.start()], place)
            yield self._added[mark[0]], mark.start(), mark.end()
            place = mark.end()
        yield from self._tokenize_plain(text[place:], place)

    def _tokenize_plain(self, text: str, offset: int) -> Iterator[tuple[int, int, int]]:
        written, places = _normalise(text)
        for match in _characters().word.finditer(written):
            begin = match.start()
            for token, start, end in self._split(match[0]):
                first, last = places[begin + start], places[begin + end - 1]
                yield token, offset + first, offset + last + 1

    def _split(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The pieces of a word, the longest first, or one unknown: id, start, end."""
        kept = self._kept.get(word)
        if kept is None:
            if len(self._kept) >= _MAX_CACHED:
                self._kept.clear()
            kept = self._kept[word] = tuple(self._split_anew(word))
        return kept

    def _split_anew(self, word: str) -> list[tuple[int, int, int]]:
        unknown = [(self._unknown, 0, len(word))]
        if len(word) > self._longest:
            return unknown
        pieces: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            prefix = self._prefix if start else ""
            for end in range(len(word), start, -1):
                token = self._vocabulary.get(prefix + word[start:end])
                if token is not None:
                    break
            else:
                return unknown
            pieces.append((token, start, end))
            start = end
        return pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class _Characters:
    #: A run of what is neither white space nor punctuation, or one mark of punctuation.
    word: re.Pattern[str]
    #: What a character is written as, where it is not itself.
    written: Mapping[str, str]


@cache
def _characters() -> _Characters:
    place = resources.files("spanproof.verifier.entailment.models") / "characters.json"
    raw = json.loads(place.read_text(encoding="utf-8"))
    written: dict[str, str] = dict(raw["written"])
    written |= dict.fromkeys(_expand(raw["dropped"]), "")
    written |= {char: f" {char} " for char in _expand(raw["set_apart"])}
    written |= dict.fromkeys(_expand(raw["white_space"]), " ")
    for point in range(_HANGUL[0], _HANGUL[1] + 1):
        written[chr(point)] = unicodedata.normalize("NFD", chr(point))
    marks = "".join(
        f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in raw["punctuation"]
    )
    return _Characters(word=re.compile(f"[^ {marks}]+|[{marks}]"), written=written)


def _expand(ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
    for first, last in ranges:
        yield from map(chr, range(first, last + 1))


def _normalise(text: str) -> tuple[str, range | list[int]]:
    """The text in small letters without accents, and which character each one comes from."""
    written = _characters().written
    lowered = text.lower() if text.isascii() else ""
    if lowered.isprintable() and lowered:
        return lowered, range(len(lowered))
    parts, places = [], []
    for place, character in enumerate(text):
        part = written.get(character, character)
        parts.append(part)
        places.extend([place] * len(part))
    return "".join(parts), places


def _is_read_here(raw: Mapping[str, Any]) -> bool:
    model, added = raw["model"], raw["added_tokens"]
    return (
        raw["normalizer"] == _NORMALIZER
        and raw["pre_tokenizer"] == _PRE_TOKENIZER
        and model["type"] == "WordPiece"
        and raw["post_processor"]["type"] == "TemplateProcessing"
        and all(one["special"] and not one["normalized"] for one in added)
        and not any(one["lstrip"] or one["rstrip"] or one["single_word"] for one in added)
        # Several marks on one letter have an order, which is not looked at here: no word may hang
        # on it. (An unknown word may then end a mark earlier than the library says.)
        and not any(map(unicodedata.combining, {char for word in model["vocab"] for char in word}))
    )


def _append(
    found: WordPieces, token: int, span: tuple[int, int], kind: int, side: int | None
) -> None:
    found.ids.append(token)
    found.offsets.append(span)
    found.type_ids.append(kind)
    found.sequence_ids.append(side)
