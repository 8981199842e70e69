"""Texts for the fuzzer: real documents, extracted once and cached, and generated texts."""

from __future__ import annotations

import random
import sys
from functools import cache
from pathlib import Path

from spanproof.core.digest import Digest
from spanproof.core.documents.document import CharacterCounts, Document, Extraction, Page, Pipeline
from spanproof.core.documents.extraction_record import ExtractionRecord, from_record, to_record
from spanproof.core.errors import SpanproofError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.ingest.extraction import extract

ROOT = Path(__file__).parents[2]
#: Extractions that were made once; the folder is no part of the tree.
CACHE = ROOT / "build" / "extractions"
#: Shorter texts hold no quote of sixty words, longer ones take their time at every search.
LEAST_CHARACTERS, MOST_CHARACTERS = 1_000, 250_000
MOST_BYTES = 4_000_000
_PARTS = ("meta", "text", "layout")

_OPENINGS = (
    "The supplier shall deliver",
    "No tenant may sublet",
    "The court did not award",
    "Each holder must report",
    "The Harbour Board approved",
    "Dr Okafor and Ms Lindqvist measured",
    "Patients received",
    "The fund returned",
)
_FIGURES = (
    "$1,500.25 within 14 days",
    "-3.5 % against 12.75 % in 2019",
    "p<0.05 and a ratio of 1.84 (95 % CI 1.02 to 3.3)",
    "no more than twenty-five units",
    "40 mg twice, not 400 mg once",
    "€3.2 million, or £2,750,000",
    "between 7 and 9 km of pipe",
    "≥ 18 years of age",
    "a loss of −12 units per second",
    "the fourteenth of May 2021, at 10:30",
    "at least 86% of the votes",
)
_CLOSINGS = (
    "unless Northgate Limited objects",
    "and shall never exceed the cap",
    "except where Article 7(2) applies",
    "without the consent of Marta Havel",
    "while the “senior” notes remain unpaid",
    "as Zürich’s office had proposed",
    "東京の事務所でも同じです",
    "and may be renewed only once",
)


def make_text(seed: int, *, sentences: int = 300) -> str:
    """Sentences full of protected tokens, no two alike; the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - a repeatable text, no secret
    made = []
    for number in range(sentences):
        words = (rng.choice(_OPENINGS), rng.choice(_FIGURES), rng.choice(_CLOSINGS))
        made.append(f"{words[0]} in case {number + 1} {words[1]}, {words[2]}.")
    return "".join(sentence + ("\n" if rng.random() < 0.3 else " ") for sentence in made)


def make_extraction(text: str) -> Extraction:
    """An extraction of one page without layout."""
    content = text.encode()
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(text)),
        frame=None,
        text_source="born_digital",
        counts=CharacterCounts(characters=len(text)),
    )
    document = Document(
        doc_hash=Digest.of(content), media_type="text/plain", byte_length=len(content)
    )
    return Extraction(
        document=document,
        pipeline=Pipeline(name="bench@1", config_json="{}"),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=None,
    )


def draw_paths(folder: Path, seed: int) -> list[Path]:
    """Every file that is small enough, in an order that the seed alone decides."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".json")
    random.Random(seed).shuffle(paths)  # noqa: S311 - a sample, not a secret
    return [path for path in paths if path.stat().st_size <= MOST_BYTES]


def load_extraction(path: Path) -> Extraction | None:
    """The extraction of a file, cached; None if it is refused or unsuitable."""
    data = path.read_bytes()
    folder = CACHE / f"{Digest.of(data).hex[:32]}-{_reader_digest()}"
    if not (folder / "layout").exists():
        try:
            record = to_record(extract(data, filename=path.name))
        except SpanproofError as error:
            print(f"  {path.name}: {error.code}", file=sys.stderr)
            record = None
        folder.mkdir(parents=True, exist_ok=True)
        for part in _PARTS:
            content = b"" if record is None else getattr(record, part)
            (folder / part).write_bytes(content)
    parts = {part: (folder / part).read_bytes() for part in _PARTS}
    if not parts["meta"]:
        return None
    extraction = from_record(ExtractionRecord(**parts))
    fits = LEAST_CHARACTERS <= len(extraction.text) <= MOST_CHARACTERS
    return extraction if fits else None


@cache
def _reader_digest() -> str:
    """Identifies the code that reads documents: each version has extractions of its own."""
    sources = sorted([*(ROOT / "ingest").rglob("*.py"), *(ROOT / "core").rglob("*.py")])
    return Digest.of(b"".join(path.read_bytes() for path in sources)).hex[:16]
