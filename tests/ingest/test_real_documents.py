"""A sample of real PDFs: each ends in an extraction that holds together, or in a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import ExtractionError
from spanproof.core.span import Span
from spanproof.ingest import Limits
from spanproof.ingest.sandbox import Parser

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

SAMPLED_EVERY = 12


def _check(extraction: Extraction) -> None:
    layout, text = extraction.layout, extraction.text.text
    assert layout is not None
    separator = (layout.flags & np.uint16(CharFlag.SEPARATOR)) != 0
    owners = np.zeros(len(text) + 1, int)
    np.add.at(owners, layout.run_start, 1)
    np.add.at(owners, layout.run_end, -1)
    assert np.array_equal(np.cumsum(owners)[:-1], np.where(separator, 0, 1))
    assert all(text[i] in "\n\f" for i in np.flatnonzero(separator))
    ends = np.array([page.span.end for page in extraction.pages])
    first, last = (
        np.searchsorted(ends, a, "right") for a in (layout.run_start, layout.run_end - 1)
    )
    assert np.array_equal(first, last)
    for page in extraction.pages:
        assert text[page.span.end - 1] == "\f"
        assert separator[page.span.end - 1]
        assert page.counts.characters == len(page.span)
    record = to_record(extraction)
    assert to_record(from_record(record)) == record


def _check_quads(extraction: Extraction) -> None:
    """INGEST.md I8 on spans of every length: a longer span covers what a shorter one covers."""
    step = max(1, len(extraction.text) // 20)
    for start in range(0, len(extraction.text), step):
        short, long = (
            {
                p.page: p
                for p in locate_span(extraction, Span(start, min(len(extraction.text), start + n)))
            }
            for n in (step // 2, step)
        )
        assert set(short) <= set(long)
        for page, locator in short.items():
            inner, outer = locator.bbox, long[page].bbox
            assert outer.x0 <= inner.x0 + 1e-6
            assert outer.y0 <= inner.y0 + 1e-6
            assert outer.x1 >= inner.x1 - 1e-6
            assert outer.y1 >= inner.y1 - 1e-6


@pytest.mark.long
def test_a_sample_of_real_documents_ends_well(test_data: Path) -> None:
    paths = sorted((test_data / "documents").rglob("*.pdf"))[::SAMPLED_EVERY]
    read = refused = characters = stored = 0
    with Parser(Limits(seconds=60)) as parser:
        for path in paths:
            try:
                extraction = parser.extract(path.read_bytes(), filename=path.name)
            except ExtractionError as error:
                refused += 1
                assert error.hint, path.name  # noqa: PT017 - most files are read
                continue
            read += 1
            _check(extraction)
            _check_quads(extraction)
            assert extraction.layout is not None
            if len(extraction.text) >= 500:
                characters += len(extraction.text)
                stored += len(extraction.layout.to_bytes())
    assert read > refused
    assert stored / characters <= 2


@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_real_texts_are_kept_as_they_are(test_data: Path, warm_parser: Parser, suffix: str) -> None:
    for path in sorted((test_data / "documents" / suffix).rglob(f"*.{suffix}")):
        data = path.read_bytes()
        try:
            extraction = warm_parser.extract(data, filename=path.name)
        except ExtractionError as error:
            assert error.hint, path.name  # noqa: PT017 - most files are read
            continue
        if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            codec = extraction.pipeline.guessed_encoding or "utf-8"
            assert extraction.text.text.encode(codec) == data
