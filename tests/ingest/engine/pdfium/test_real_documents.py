"""Real PDFs through both engines: each reads them to the end, and mostly the same."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import ExtractionError
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract
from spanproof.ingest.engine.pdfium import columns
from spanproof.ingest.sandbox import Parser
from tests.engines import ENGINES, needs_mupdf
from tests.ingest.test_real_documents import _check, _check_quads

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.assembly.stream import Points
    from spanproof.ingest.engine.pdfium.library import Calls

SAMPLED_EVERY = 23
#: Two readers of one page agree on its words: shared words over all words.
MEDIAN_AGREEMENT, USUAL_AGREEMENT = 0.99, 0.8


def _words(extraction: Extraction) -> Counter[str]:
    return Counter(re.findall(r"\w+", extraction.text.text))


@pytest.mark.long
@needs_mupdf
def test_both_engines_read_a_sample_alike(test_data: Path) -> None:
    paths = sorted((test_data / "documents" / "pdf").rglob("*.pdf"))[::SAMPLED_EVERY]
    shares: list[float] = []
    framed = differing = 0
    with Parser(Limits(seconds=60), engine=ENGINES[0]) as one, Parser(engine=ENGINES[1]) as other:
        for path in paths:
            data = path.read_bytes()
            try:
                theirs = other.extract(data, filename=path.name)
                ours = one.extract(data, filename=path.name)
            except ExtractionError as error:
                assert error.hint, path.name  # noqa: PT017 - most files are read
                continue
            _check(theirs)
            _check_quads(theirs)
            for page, same in zip(ours.pages, theirs.pages, strict=True):
                framed += 1
                differing += (page.frame, page.label) != (same.frame, same.label)
            mine, yours = _words(ours), _words(theirs)
            if every := mine.total() + yours.total():
                shares.append(2 * (mine & yours).total() / every)
    assert len(shares) > 20
    assert np.median(shares) >= MEDIAN_AGREEMENT
    assert np.mean(np.array(shares) >= USUAL_AGREEMENT) > 0.8
    assert differing <= framed / 20


def test_vertical_lines_run_down_and_stay_whole(test_data: Path) -> None:
    path = test_data / "documents" / "pdf" / "pdf.js" / "vertical.pdf"
    extraction = extract(path.read_bytes(), engine="pdfium")
    assert extraction.text.text.startswith("日本語\nあいうえお\f")
    (mark,) = locate_span(extraction, Span(0, 3))
    (quad,) = mark.quads
    assert quad.ur[1] < quad.ul[1]
    assert mark.bbox.y1 - mark.bbox.y0 > 2.5 * (mark.bbox.x1 - mark.bbox.x0)


def test_the_text_as_a_whole_is_what_it_says_of_each_character(
    test_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_all = columns._read_points
    seen = 0

    def compare(calls: Calls, text: int, count: int) -> Points:
        nonlocal seen
        found = read_all(calls, text, count)
        assert found.tolist() == [calls.unicode(text, index) for index in range(count)]
        seen += count
        return found

    monkeypatch.setattr(columns, "_read_points", compare)
    for path in sorted((test_data / "documents" / "pdf" / "pdf.js").glob("*.pdf"))[::17]:
        try:
            extract(path.read_bytes(), filename=path.name, engine="pdfium")
        except ExtractionError as error:
            assert error.hint  # noqa: PT017 - most files are read
    assert seen > 10_000
