"""The encoding of a text that declares none and is not UTF-8: guessed, and said to be a guess.

charset-normalizer tries the encodings that files still come in and ranks them by how little their
text looks garbled, then by how much its letters look like a language's. A guess is *weak* where
another encoding fits as well, or where there is too little text to tell.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.errors import UnsupportedMediaTypeError

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

    from spanproof.core.documents.document import Pipeline

_LIBRARY = "charset-normalizer"
#: Encodings that readers know (WHATWG Encoding, 4.2), and the two of DOS that files still have.
_WIDE_CODECS = ("gb18030", "big5", "euc_jp", "cp932", "cp949")
_CODECS = (
    *(*_WIDE_CODECS, "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("cp1257", "cp1258", "cp874", "iso8859_2", "iso8859_5", "iso8859_7", "koi8_r", "koi8_u"),
    *("cp437", "cp850", "cp866", "mac_roman", "mac_cyrillic"),
)
#: Where letters tell nothing: what most files without a word are in, and what browsers take.
_USUAL = "cp1252"
# Only what stands around bytes beyond ASCII tells anything, and so many bytes of it are enough.
_SAMPLED_BYTES, _AROUND = 1 << 16, 200
_TELLING, _BETWEEN = re.compile(rb"[\x80-\xff]+"), re.compile(rb"[ \n]")
_TAG = re.compile(rb"<[^<>]{0,2000}>")
# A text has none of these, whatever its encoding.
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
# A share of the letter pairs of a language; of signs that look garbled; a few characters.
_FEW_PAIRS, _GARBLED, _CLOSE, _FEW_SIGNS = 0.2, 0.1, 0.05, 8
_THIN = "and too little of the text tells whether that is right"
_HINT = "Convert the file to UTF-8, or declare its charset."


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A text, the Python name of its codec, and why it may be the wrong one (None: it fits)."""

    text: str
    codec: str
    problem: str | None = None

    def mark(self, pipeline: Pipeline) -> Pipeline:
        """The pipeline, with the guess in its name and configuration."""
        config = json.loads(pipeline.config_json)
        by = f"{_LIBRARY}@{metadata.version(_LIBRARY)}"
        named = canonical_json.dumps({**config, "encoding": {"codec": self.codec, "guessed": by}})
        return replace(
            pipeline,
            name=f"{pipeline.name}+guessed-{self.codec}",
            config_json=named.decode("utf-8"),
        )


def guess_encoding(data: bytes, *, is_markup: bool = False) -> Guess:
    """Decode bytes by the encoding that fits best; raise UnsupportedMediaTypeError if none does.

    ``is_markup``: tags tell nothing of the text's language and are not looked at.
    """
    found = None if _BINARY.search(data) else _find_best(data, _sample(data, is_markup=is_markup))
    if found is None:
        msg = "Expected text, got bytes that are not UTF-8 and fit no other encoding."
        raise UnsupportedMediaTypeError(msg, hint=_HINT)
    return found


def _sample(data: bytes, *, is_markup: bool) -> bytes:
    """The bytes beyond ASCII with the words around them, cut between words."""
    parts, size, at = [], 0, 0
    for found in _TELLING.finditer(data):
        if found.start() < at:
            continue
        first = _BETWEEN.search(data, max(at, found.start() - _AROUND), found.start())
        last = _BETWEEN.search(data, found.end() + _AROUND)
        at = min(last.end() if last else len(data), found.end() + _SAMPLED_BYTES)
        parts.append(data[first.start() if first else found.start() : at])
        size += len(parts[-1])
        if size >= _SAMPLED_BYTES:
            break
    sample = b"".join(parts)
    return _TAG.sub(b" ", sample) if is_markup else sample


def _find_best(data: bytes, sample: bytes) -> Guess | None:
    # Here and not above: only texts that are not UTF-8 need it.
    from charset_normalizer import from_bytes

    ranked = from_bytes(
        sample, cp_isolation=list(_CODECS), preemptive_behaviour=False, enable_fallback=False
    )
    fitting = [one for one in ranked if _is_whole(data, one.encoding)]
    if not fitting:
        return None
    best, codec, rivals = fitting[0], fitting[0].encoding, fitting[1:]
    for one in fitting:
        is_usual = _USUAL in one.could_be_from_charset and _is_whole(data, _USUAL)
        if is_usual and _is_as_good(one, best):
            best, codec, rivals = one, _USUAL, []
    doubt = _find_doubt(best, rivals)
    is_thin = sum(byte > 0x7F for byte in sample) < _FEW_SIGNS
    if doubt is not None and is_thin and _is_whole(data, _USUAL):
        # Browsers read a page so, and a few letters are no reason to read it otherwise.
        codec, doubt = _USUAL, _THIN
    problem = None if doubt is None else f"No encoding is declared: read as {codec}, {doubt}."
    return Guess(text=data.decode(codec), codec=codec, problem=problem)


def _is_as_good(one: CharsetMatch, other: CharsetMatch) -> bool:
    return one.chaos <= other.chaos and one.coherence >= other.coherence


def _find_doubt(best: CharsetMatch, others: list[CharsetMatch]) -> str | None:
    """Why the guess is weak, or None."""
    signs = sum(not character.isascii() for character in str(best))
    if best.encoding in _WIDE_CODECS:
        rivals = [one for one in others if one.chaos <= best.chaos + _CLOSE]
        is_thin = signs < _FEW_SIGNS
    else:
        rivals = [one for one in others if _is_as_good(one, best)]
        is_thin = best.coherence < _FEW_PAIRS
    if rivals:
        return f"and {rivals[0].encoding} fits as well"
    if is_thin or best.chaos > _GARBLED:
        return _THIN
    return None


def _is_whole(data: bytes, codec: str) -> bool:
    """Whether all of the bytes are characters of the codec, not only the sampled ones."""
    try:
        data.decode(codec)
    except UnicodeError:
        return False
    return True
