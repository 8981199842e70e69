from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from tokenizers import Tokenizer

from spanproof.verifier.entailment.export.characters import record_characters
from spanproof.verifier.entailment.loading import embedded_folder
from spanproof.verifier.entailment.models.wordpiece import WordPieceTokenizer

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = (embedded_folder() / "tokenizer.json").read_bytes()
THEIRS = Tokenizer.from_str(CONTENT.decode())
CHARACTERS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]


@pytest.fixture(scope="module")
def ours() -> WordPieceTokenizer:
    read = WordPieceTokenizer.read(CONTENT)
    assert read is not None
    return read


def assert_same(
    ours: WordPieceTokenizer, text: str, pair: str | None = None, *, special: bool = True
) -> None:
    got = ours.encode(text, pair, add_special_tokens=special)
    expected = THEIRS.encode(text, pair, add_special_tokens=special)
    assert got.ids == expected.ids, text
    assert got.offsets == expected.offsets, text
    assert got.type_ids == expected.type_ids
    assert got.sequence_ids == expected.sequence_ids


@pytest.mark.long
def test_every_character_is_read_as_the_library_reads_it(ours: WordPieceTokenizer) -> None:
    for start in range(0, len(CHARACTERS), 20_000):
        assert_same(ours, "a".join(CHARACTERS[start : start + 20_000]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "Unaffordable co\N{SOFT HYPHEN}operation, naïve Café №5\x00!",
        "A[SEP] b [CLS][MASK] [sep]",
        "中文 and 豈 ﬁne Straße İstanbul ΣΊΣΥΦΟΣ 한국어",
        "x" * 100 + " " + "y" * 101,
    ],
)
def test_a_text_and_a_pair_have_the_tokens_and_offsets_of_the_library(
    ours: WordPieceTokenizer, text: str
) -> None:
    assert_same(ours, text)
    assert_same(ours, text, special=False)
    assert_same(ours, text, text[::-1])


def test_drawn_characters_give_the_same_tokens(ours: WordPieceTokenizer) -> None:
    drawn = random.Random(5)  # noqa: S311 - a sample, not a secret
    for _ in range(1000):
        text = "".join(
            CHARACTERS[drawn.randrange(drawn.choice((0x80, 0x3000, len(CHARACTERS))))]
            for _ in range(drawn.randrange(40))
        )
        assert ours.encode(text).ids == THEIRS.encode(text).ids, text


@pytest.mark.long
def test_real_pairs_have_the_same_tokens(ours: WordPieceTokenizer, test_data: Path) -> None:
    with gzip.open(test_data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        assert_same(ours, row["premise"], row["hypothesis"])
        assert_same(ours, row["premise"], special=False)


@pytest.mark.long
def test_the_record_is_what_the_library_does() -> None:
    place = resources.files("spanproof.verifier.entailment.models") / "characters.json"
    assert json.loads(place.read_text(encoding="utf-8")) == record_characters()


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("normalizer", "lowercase", False),
        ("normalizer", "strip_accents", False),
        ("pre_tokenizer", "type", "Whitespace"),
        ("model", "type", "BPE"),
        ("post_processor", "type", "BertProcessing"),
    ],
)
def test_another_kind_is_left_to_the_library(part: str, name: str, value: object) -> None:
    raw = json.loads(CONTENT)
    raw[part][name] = value
    assert WordPieceTokenizer.read(json.dumps(raw).encode()) is None


def test_a_vocabulary_with_marks_is_left_to_the_library() -> None:
    raw = json.loads(CONTENT)
    raw["model"]["vocab"]["\N{COMBINING ACUTE ACCENT}"] = 99_999
    assert WordPieceTokenizer.read(json.dumps(raw).encode()) is None


WITHOUT = """
import sys
sys.modules["tokenizers"] = None
from spanproof.verifier.entailment.loading import load_model
assert load_model(runtime="onnx").judge([("A man is playing.", "A man.")])[0].reason is None
"""


@pytest.mark.long
@pytest.mark.model
def test_the_embedded_model_needs_no_library_of_tokenizers() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)
