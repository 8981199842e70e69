"""Drift of what is kept: citations of an index's version, and of an extraction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ExtractionNotFoundError, IndexNotFoundError, InputError
from spanproof.core.span import Span
from spanproof.core.verdicts.reanchoring import ReanchorStatus
from spanproof.ingest import extract
from spanproof.ingest.chunking.chunk import ChunkChoice, chunk
from spanproof.ingest.manifest import write_manifest
from spanproof.ingest.manifest.rows import ManifestHeader, to_row
from spanproof.operations.indexes import drift
from spanproof.operations.indexes.comparison import compare, list_lost
from spanproof.operations.indexes.drift import (
    check_budget,
    compare_newest,
    is_over,
    reanchor_citations,
)
from spanproof.operations.indexes.version import register_file
from spanproof.store.indexes.index_rows import NewVersion
from tests.store.examples import HOUR, NOON, add, make_block, make_payload, make_verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.manifest import ManifestRow
    from spanproof.operations.context import Context

OLD = (
    b"The rent is 900 euros a month. The tenant pays it in advance.\n\n"
    b"The lease ends after two years. Either side may give notice.\n"
)
NEW = b"Preface.\n\n" + OLD.replace(b"900", b"950")
RENT, END = "The rent is 900 euros a month.", "The lease ends after two years."


@pytest.fixture
def old(context: Context) -> Extraction:
    return keep(context, OLD)


def keep(context: Context, content: bytes) -> Extraction:
    extraction = extract(content, filename="lease.txt")
    add(context.store, extraction, content, doc_id="lease")
    return extraction


def cite(
    context: Context, extraction: Extraction, *quotes: str, chunk_ids: tuple[str, ...] = ()
) -> None:
    """Keep one answer whose citations are these quotes, in their places."""
    text, verdicts = extraction.text.slice(Span(0, len(extraction.text))), []
    for number, quote in enumerate(quotes):
        verdict = make_verdict(
            doc_hash=extraction.document.doc_hash,
            extraction_id=extraction.extraction_id,
            citation=number,
        )
        start = text.index(quote)
        verdict["existence"] |= {"char_start": start, "char_end": start + len(quote)}
        verdicts.append(verdict)
    given = [{"anchor": 1, "index_version": "v1", "chunk_id": each} for each in chunk_ids]
    context.store.answers.add(
        make_payload(citations=given or [{"anchor": 1}] * len(quotes)),
        make_block(*verdicts),
        verification_id="v1",
        answer_id="a1",
        verified_at=NOON,
    )


def register(
    context: Context,
    folder: Path,
    version: str,
    extraction: Extraction,
    change: Callable[[int, ManifestRow], ManifestRow] = lambda _, row: row,
) -> list[ManifestRow]:
    """Register the chunks of an extraction, each changed first."""
    chunks = chunk(extraction, ChunkChoice(max_characters=70))
    rows = [
        change(number, to_row(extraction, each, doc_id="lease", with_text=False))
        for number, each in enumerate(chunks)
    ]
    header = ManifestHeader(created_at=NOON, extraction_pipelines=(extraction.pipeline.name,))
    path = folder / f"{version}.parquet"
    write_manifest(path, header, rows)
    found, is_new = register_file(
        context, NewVersion(name="leases", version=version, registered_at=NOON), path
    )
    assert is_new
    assert found.rows == len(rows) >= 2
    return rows


def count(context: Context) -> dict[str, int]:
    citations: dict[str, int] = compare(context, "leases", "v1", "v2").to_json()["citations"]
    return {name: number for name, number in citations.items() if number}


@pytest.mark.parametrize("by_id", [True, False])
def test_citations_of_a_version_are_followed_into_the_next(
    context: Context, old: Extraction, tmp_path: Path, *, by_id: bool
) -> None:
    rows = register(context, tmp_path, "v1", old)
    ids = tuple(row.chunk_id for row in rows) if by_id else ()
    cite(context, old, RENT, END, chunk_ids=ids)
    other = Digest.of(b"other words")
    register(
        context,
        tmp_path,
        "v2",
        old,
        lambda number, row: replace(row, text_sha256=other) if number else row,
    )
    assert count(context) == {"intact": 1, "reassigned": 1}
    report = compare(context, "leases", "v1", "v2", listed=True)
    assert report.lists is not None
    (listed,) = report.lists["citations"]["reassigned"]
    assert (listed["verification_id"], listed["citation"]) == ("v1", 1)
    assert [row["chunk_id"] for row in report.lists["chunks"]["reassigned"]] == [rows[1].chunk_id]
    lost = list_lost(context, "leases", "v1", "v2")
    assert lost == {"reassigned": [listed], "gone": [], "source_changed": []}
    assert (report.chunk_share, report.citation_share) == (0.5, 0.5)
    assert is_over(report, 0.49)
    assert not is_over(report, 0.5)


def test_a_new_source_and_a_new_cut_are_told_apart(
    context: Context, old: Extraction, tmp_path: Path
) -> None:
    register(context, tmp_path, "v1", old)
    cite(context, old, RENT, END)
    register(context, tmp_path, "v2", keep(context, NEW))
    assert count(context) == {"source_changed": 2}
    assert [each.new.version for each in compare_newest(context)] == ["v2"]
    with pytest.raises(IndexNotFoundError, match="Expected two registered versions of index 'x'"):
        compare_newest(context, "x")


def test_citations_are_re_anchored_and_each_result_is_kept(
    context: Context, old: Extraction
) -> None:
    cite(context, old, RENT, END)
    new = keep(context, NEW)
    refs = str(old.extraction_id), str(new.extraction_id)
    report = reanchor_citations(context, *refs, moment=NOON)
    assert report.classes[ReanchorStatus.MOVED] == 1
    assert report.classes[ReanchorStatus.ALTERED] == 1
    assert (report.total, report.accepted, report.recorded) == (2, 1, 2)
    assert (report.share, is_over(report, 0.5), is_over(report, 0.49)) == (0.5, False, True)
    again = reanchor_citations(context, *refs, moment=NOON + HOUR)
    assert again == replace(report, recorded=0)
    assert context.store.answers.load("v1").block["verdicts"][0]["existence"]["char_start"] == 0


def test_blanks_are_counted_and_looked_for_nowhere(context: Context, old: Extraction) -> None:
    cite(context, old, "\n\n")
    report = reanchor_citations(
        context, str(old.extraction_id), str(old.extraction_id), moment=NOON
    )
    assert (report.total, report.blank, report.recorded, report.share) == (0, 1, 0, 0.0)


def test_an_extraction_that_is_not_kept_is_refused(context: Context, old: Extraction) -> None:
    unknown = str(Digest.of(b"unknown"))
    with pytest.raises(ExtractionNotFoundError):
        reanchor_citations(context, str(old.extraction_id), unknown, moment=NOON)


@pytest.mark.parametrize("budget", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_budget_is_a_share(budget: float) -> None:
    with pytest.raises(InputError, match="Expected a budget from 0 to 1"):
        check_budget(budget)
    assert check_budget(drift.BUDGET) == 0.001
