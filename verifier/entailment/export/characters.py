"""Record what the library ``tokenizers`` makes of every character in a BERT tokenizer, uncased.

``python -m spanproof.verifier.entailment.export.characters`` writes models/characters.json again:
only where a later release of that library is to be followed, which changes what models read.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import normalizers, pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Iterable

_SURROGATES, _HANGUL = range(0xD800, 0xE000), range(0xAC00, 0xD7A4)


def record_characters() -> dict[str, Any]:
    """Which characters are dropped, set apart, white space, punctuation, or written otherwise."""
    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    dropped, apart, white, marks = [], [], [], []
    written = {}
    for point in range(0x110000):
        if point in _SURROGATES:
            continue
        character = chr(point)
        result = normalizer.normalize_str(character)
        if not result:
            dropped.append(point)
        elif result == " ":
            white.append(point)
        elif result == f" {character} ":
            apart.append(point)
        elif result != character and point not in _HANGUL:
            written[character] = result
        if result == character and len(splitter.pre_tokenize_str(f"a{character}a")) == 3:
            marks.append(point)
    return {
        "dropped": _to_ranges(dropped),
        "set_apart": _to_ranges(apart),
        "white_space": _to_ranges(white),
        "punctuation": _to_ranges(marks),
        "written": written,
    }


def _to_ranges(points: Iterable[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for point in points:
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return found


def main() -> None:
    """Write the record beside the module that reads it."""
    place = resources.files("spanproof.verifier.entailment.models") / "characters.json"
    content = json.dumps(record_characters(), separators=(",", ":"))
    Path(str(place)).write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
