"""A home with one document, rows that quote it, and a run over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spanproof.operations.assembly import open_context
from spanproof.operations.bulk.run import BulkProgress, verify_files
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context

SENTENCES = [f"Clause {n}: goods of class {n} are replaced within {n + 2} days." for n in range(40)]
TEXT = "\n".join(SENTENCES)
SCRIPT = dict.fromkeys(SENTENCES, (0.98, 0.01, 0.01))


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a home that the module shares: a bulk run stores nothing."""
    home = tmp_path_factory.mktemp("bulk") / "home"
    return Settings(home=home, database_url=None, model=None, test_data=None, cross_check_rate=0.0)


@pytest.fixture(scope="module")
def context(settings: Settings) -> Iterator[Context]:
    """Context that hold the document; a scripted model judges."""
    with open_context(settings, model=ScriptedModel(SCRIPT)) as opened:
        ingest_stream(
            opened, [TEXT.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
        )
        yield opened


@pytest.fixture(scope="module")
def doc_hash(context: Context) -> str:
    """The hash of the one document."""
    (record,) = context.store.documents.list().items
    return str(record.document.doc_hash)


def make_rows(doc_hash: str, number: int) -> list[dict[str, Any]]:
    """Rows that quote one sentence after the other, every seventh wrongly."""
    rows = []
    for pair_id in range(number):
        sentence = SENTENCES[pair_id % len(SENTENCES)]
        start = TEXT.index(sentence)
        quoted = sentence.replace("goods", "wares") if pair_id % 7 == 0 else sentence
        rows.append(
            {
                "pair_id": pair_id,
                "doc_hash": doc_hash,
                "char_start": start,
                "char_end": start + len(sentence),
                "span_text": quoted,
                "claim": f"Goods of class {pair_id % len(SENTENCES)} are replaced.",
            }
        )
    return rows


def write(path: Path, rows: list[dict[str, Any]], *, group: int = 64) -> Path:
    """The rows as a Parquet file with this many in a group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def run(context: Context, source: Path, output: Path, **given: Any) -> BulkProgress:
    """Verify them, 50 to a part; how it stood at the end."""
    *_, last = verify_files(context, source, output, part_rows=given.pop("part_rows", 50), **given)
    return last


def read_output(output: Path) -> dict[Any, dict[str, Any]]:
    """The rows that a run left, by their pair; each is there once."""
    rows = [
        row for path in output.rglob("*.parquet") for row in parquet.read_table(path).to_pylist()
    ]
    found = {row["pair_id"]: row for row in rows}
    assert len(found) == len(rows)
    return found
