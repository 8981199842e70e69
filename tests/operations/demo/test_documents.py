import itertools
from typing import Any

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.demo.documents import AGREEMENT, POLICY, DemoDocument, make_pdf
from tests.engines import import_pymupdf

pymupdf = import_pymupdf()


#: Letters and blanks as they are, ligatures kept, nothing invented.
_FLAGS = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE

#: The same bytes on every machine: a change of the text or of the writer shows here.
DIGESTS = {
    POLICY.doc_id: "sha256:eb34b819533756011ce7d180f73da2fd0a5528a78f6e5fc64bd0531a0c402ce0",
    AGREEMENT.doc_id: "sha256:9b2c87cd24b5bd6bffc24aca931d0d756bd5fa2dfd2fbc00e60190b0a5b7c8c6",
}


def _open(document: DemoDocument) -> Any:
    return pymupdf.open(stream=make_pdf(document), filetype="pdf")


def _lines(page: Any) -> list[tuple[float, float, float, str]]:
    """``(x0, x1, font size, text)`` of each line of a page."""
    blocks = page.get_text("dict", flags=_FLAGS)["blocks"]
    return [
        (
            line["bbox"][0],
            line["bbox"][2],
            max(span["size"] for span in line["spans"]),
            "".join(span["text"] for span in line["spans"]),
        )
        for block in blocks
        for line in block["lines"]
    ]


@pytest.mark.parametrize("document", [POLICY, AGREEMENT], ids=lambda d: d.doc_id)
def test_the_same_bytes_come_out_each_time(document: DemoDocument) -> None:
    assert str(Digest.of(make_pdf(document))) == DIGESTS[document.doc_id]


@pytest.mark.parametrize("document", [POLICY, AGREEMENT], ids=lambda d: d.doc_id)
def test_a_reader_opens_it_without_repair(document: DemoDocument) -> None:
    opened = _open(document)
    assert not opened.is_repaired
    assert not opened.needs_pass


def test_the_policy_has_several_pages_and_the_two_documents_differ() -> None:
    assert _open(POLICY).page_count >= 3
    assert make_pdf(POLICY) != make_pdf(AGREEMENT)


def test_ligatures_are_single_characters_of_the_text_layer() -> None:
    text = "".join(page.get_text(flags=_FLAGS) for page in _open(POLICY))
    assert "\ufb01" in text
    assert "\ufb02" in text
    assert "Of\ufb01ce" in text
    assert "fi" not in text


def test_words_are_hyphenated_at_line_ends() -> None:
    lines = [text for page in _open(POLICY) for *_, text in _lines(page)]
    cut = [
        (line, follower)
        for line, follower in itertools.pairwise(lines)
        if line.endswith("-") and follower[:1].islower()
    ]
    assert cut


def test_text_runs_in_two_columns() -> None:
    for page in _open(POLICY):
        middle = page.rect.width / 2
        body = [line for line in _lines(page) if line[2] == 11.0]
        left = [line for line in body if line[1] < middle]
        right = [line for line in body if line[0] > middle]
        assert len(left) + len(right) == len(body)
        assert len(left) >= 10
        assert len(right) >= 3


def test_no_line_runs_past_its_column() -> None:
    for document in (POLICY, AGREEMENT):
        for page in _open(document):
            assert all(x1 <= page.rect.width - 60 for _, x1, _, _ in _lines(page))


def test_a_footnote_stands_below_the_body_and_its_mark_in_it() -> None:
    page = _open(POLICY)[0]
    spans = [
        span
        for block in page.get_text("dict", flags=_FLAGS)["blocks"]
        for line in block["lines"]
        for span in line["spans"]
    ]
    (mark,) = [span for span in spans if span["size"] == 7.0]
    assert mark["text"] == "1"
    (note,) = [span for span in spans if span["text"].startswith("1 A business day")]
    body = [span for span in spans if span["size"] == 11.0 and span["bbox"][0] < 290]
    assert note["bbox"][1] > max(span["bbox"][3] for span in body)
