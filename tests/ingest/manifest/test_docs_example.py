from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.ingest import extract
from spanproof.ingest.chunking.chunk import PREFIX, ChunkChoice, chunk
from spanproof.ingest.manifest import ManifestHeader, open_manifest, write_manifest
from spanproof.ingest.manifest.rows import to_row
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from pathlib import Path


def test_the_manifest_of_the_documentation_is_what_is_written(tmp_path: Path) -> None:
    document = read_example("canonical-text.md", "document") + "\n"
    extraction = extract(document.encode(), filename="policy.txt")
    lines = read_example("chunks.md", "manifest").splitlines()
    told = json.loads(lines[0])
    header = ManifestHeader(
        created_at=datetime.fromisoformat(told["created_at"]),
        extraction_pipelines=(extraction.pipeline.name,),
        chunker=told["chunker"],
        name=told["name"],
    )
    chunks = chunk(extraction, ChunkChoice(max_characters=80))
    rows = [to_row(extraction, one, doc_id="policy", with_text=True) for one in chunks]
    path = tmp_path / "policies.jsonl"
    write_manifest(path, header, rows)
    written = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    assert written == lines


def test_the_manifest_of_the_documentation_is_read_and_its_ids_are_as_described(
    tmp_path: Path,
) -> None:
    document = read_example("canonical-text.md", "document") + "\n"
    path = tmp_path / "policies.jsonl"
    path.write_text(read_example("chunks.md", "manifest") + "\n", encoding="utf-8")
    with open_manifest(path) as manifest:
        rows = list(manifest.rows)
    assert manifest.header is not None
    for row in rows:
        assert row.text == document[row.char_start : row.char_end]
        assert row.text_sha256 == Digest.of(row.text.encode())
        position = [[span.start, span.end] for span in row.spans]
        named = [str(row.extraction_id), position, dict(manifest.header.chunker or {})]
        assert row.chunk_id == PREFIX + canonical_json.digest(named).hex
