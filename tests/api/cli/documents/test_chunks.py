from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.ingest.manifest import open_manifest
from tests.api.cli.conftest import SENTENCE, TEXT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


def test_json_gives_the_header_and_every_row(program: Program, doc_hash: str) -> None:
    done = program.run("chunks", doc_hash, "--max-characters", "80", "--text", "--json")
    assert done.code == 0, done.stderr
    header, rows = done.body["manifest"], done.body["chunks"]
    assert header["format"] == "spanproof-manifest"
    assert header["rows"] == len(rows) == 2
    assert "".join(row["text"] for row in rows) == TEXT
    for row in rows:
        said = TEXT[row["char_start"] : row["char_end"]]
        assert row["text_sha256"] == str(Digest.of(said.encode()))
        assert row["doc_hash"] == row["doc_id"] == doc_hash
    again = program.run("chunks", doc_hash, "--max-characters", "80", "--text", "--json")
    assert again.body["chunks"] == rows


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_manifest_is_written(program: Program, doc_hash: str, suffix: str) -> None:
    path = program.home.parent / f"index.{suffix}"
    done = program.run(
        *("chunks", doc_hash, "--by", "structure", "--output", path, "--json"),
        *("--name", "rules", "--embedding-model", "m1", "--retrieval-method", "dense"),
    )
    assert done.code == 0, done.stderr
    with open_manifest(path) as manifest:
        rows = list(manifest.rows)
        assert manifest.header is not None
        assert done.body == {"output": str(path), "manifest": manifest.header.to_json()}
        assert manifest.header.embedding_model == "m1"
    assert [row.char_start for row in rows] == [0]
    assert rows[0].text is None
    assert "1 chunks" in done.stderr


def test_people_get_a_line_a_chunk(program: Program, doc_hash: str) -> None:
    done = program.run("chunks", doc_hash, "--max-characters", "80")
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("chunk-")
    assert SENTENCE[:30] in lines[0]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--max-characters", "5"], "MALFORMED_INPUT"),
        (["--overlap", "501"], "MALFORMED_INPUT"),
        (["--by", "tokens"], "USAGE"),
        (["--output", "index.csv"], "MALFORMED_INPUT"),
        (["other"], "DOCUMENT_NOT_FOUND"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    program: Program, doc_hash: str, arguments: list[str], code: str
) -> None:
    done = program.run("chunks", doc_hash, *arguments)
    assert done.code == (3 if code == "DOCUMENT_NOT_FOUND" else 2)
    done.require_one_line(code)


def test_an_output_that_cannot_be_written_is_one_line(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    done = program.run("chunks", doc_hash, "--output", tmp_path / "none" / "index.jsonl")
    assert done.code == 3
    done.require_one_line("IO_ERROR")
    assert json.dumps(str(tmp_path)) not in done.stdout.decode()
