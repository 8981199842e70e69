"""``index`` and ``drift`` as a user types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from tests.api.cli.program import Program
from tests.conftest import copy_home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Completed

HASH = str(Digest.of(b"document"))


def make_row(chunk_id: str, text: str, **given: Any) -> dict[str, Any]:
    row = {
        "chunk_id": chunk_id,
        "doc_id": "d",
        "doc_hash": HASH,
        "char_start": 0,
        "char_end": len(text),
        "text_sha256": str(Digest.of(text.encode())),
        "extraction_pipeline": "other@1",
    }
    return {name: value for name, value in (row | given).items() if value is not None}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def register(program: Program, version: str, path: Path) -> Completed:
    return program.run("index", "register", "contracts", version, path, "--json")


@pytest.fixture(scope="module")
def two_versions(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Program:
    """An index with a chunk of each class in its two versions, for tests that only read."""
    tmp_path = tmp_path_factory.mktemp("versions")
    program = Program(home=copy_home(migrated_home, tmp_path / "home"))
    old = [make_row(name, name) for name in ("same", "moved", "reassigned", "gone")]
    new = [
        make_row("same", "same"),
        make_row("moved", "moved", char_start=7, char_end=12),
        make_row("reassigned", "other words"),
        make_row("new", "new"),
    ]
    assert register(program, "v1", write(tmp_path / "v1.jsonl", *old)).code == 0
    assert register(program, "v2", write(tmp_path / "v2.jsonl", *new)).code == 0
    return program


def test_a_version_is_registered_once(program: Program, tmp_path: Path) -> None:
    path = write(tmp_path / "v1.jsonl", make_row("a", "one"), make_row("b", "two", char_start=None))
    missing = register(program, "v1", path)
    assert missing.code == 2
    missing.require_one_line("MALFORMED_MANIFEST")
    path = write(path, make_row("a", "one"), make_row("b", "2", char_start=None, char_end=None))
    first, again = register(program, "v1", path), register(program, "v1", path)
    assert (first.body["is_new"], again.body["is_new"]) == (True, False)
    assert (first.body["rows"], first.body["rows_with_offsets"]) == (2, 1)
    assert first.body["manifest_sha256"] == str(Digest.of(path.read_bytes()))
    assert {**first.body, "is_new": False} == again.body
    other = register(program, "v1", write(path, make_row("a", "three")))
    assert other.code == 3
    other.require_one_line("CONFLICT")


def test_a_diff_has_the_shape_of_the_contract(two_versions: Program) -> None:
    done = two_versions.run("index", "diff", "contracts", "v1", "v2", "--json")
    assert done.code == 0, done.stderr
    assert done.body["chunks"] == {"same": 1, "moved": 1, "reassigned": 1, "gone": 1, "new": 1}
    assert done.body["citations"] == {
        "intact": 0,
        "remappable": 0,
        "reassigned": 0,
        "gone": 0,
        "source_changed": 0,
    }
    shown = two_versions.run("index", "diff", "contracts", "v1", "v2")
    assert b"same 1, moved 1, reassigned 1, gone 1, new 1" in shown.stdout


def test_a_list_names_the_chunks(two_versions: Program) -> None:
    done = two_versions.run("index", "diff", "contracts", "v1", "v2", "--list", "--json")
    chunks = done.body["lists"]["chunks"]
    names = {each: [row["chunk_id"] for row in rows] for each, rows in chunks.items()}
    assert names == {
        "moved": ["moved"],
        "reassigned": ["reassigned"],
        "gone": ["gone"],
        "new": ["new"],
    }
    assert chunks["moved"][0] == {
        "chunk_id": "moved",
        "doc_id": "d",
        "char_start": 0,
        "char_end": 5,
    }


@pytest.mark.long
def test_the_gate_exits_1_over_budget_alone(two_versions: Program) -> None:
    for arguments in (["contracts", "v1", "v2"], ["contracts"], []):
        done = two_versions.run("drift", *arguments, "--gate", "--json")
        assert (done.code, done.body["over_budget"]) == (1, True), arguments
        assert (done.body["from"], done.body["to"]) == ("v1", "v2")
    assert two_versions.run("drift", "contracts", "--json").code == 0
    # Two of four chunks are lost.
    assert two_versions.run("drift", "--gate", "--budget", "0.5").code == 0
    assert two_versions.run("drift", "--gate", "--budget", "0.49").code == 1
    assert two_versions.run("drift", "contracts", "v1", "v1", "--gate").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "status"),
    [
        (("index", "diff", "contracts", "v1", "v9"), "INDEX_NOT_FOUND", 3),
        (("index", "diff", "nobody", "v1", "v2"), "INDEX_NOT_FOUND", 3),
        (("drift", "nobody", "--gate"), "INDEX_NOT_FOUND", 3),
        (("drift", "--budget", "1.5"), "MALFORMED_INPUT", 2),
        (("drift", "--budget", "nan"), "MALFORMED_INPUT", 2),
        (("drift", "contracts", "v1"), "MALFORMED_INPUT", 2),
        (("drift", "--from", HASH), "MALFORMED_INPUT", 2),
        (("drift", "contracts", "--from", HASH, "--to", HASH), "MALFORMED_INPUT", 2),
        (("drift", "--from", HASH, "--to", HASH), "EXTRACTION_NOT_FOUND", 3),
        (("drift", "--from", "x", "--to", HASH), "MALFORMED_DIGEST", 2),
        (("index", "register", "contracts", "v3", "none.jsonl"), "FILE_UNREADABLE", 2),
    ],
)
def test_what_cannot_be_done_is_one_line(
    two_versions: Program, arguments: tuple[str, ...], code: str, status: int
) -> None:
    done = two_versions.run(*arguments)
    assert done.code == status
    done.require_one_line(code)


def test_a_gate_with_nothing_to_compare_is_no_pass(program: Program) -> None:
    done = program.run("drift", "--gate")
    assert done.code == 3
    done.require_one_line("INDEX_NOT_FOUND")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe{\x00}\x00",
        "{'chunk_id': 1}".encode("utf-16"),
        b'{"chunk_id": "a"}\n',
        b"[]\n",
        json.dumps(make_row("a", "one", text_sha256="abc")).encode(),
        json.dumps(make_row("a", "one", char_start="0")).encode(),
        b"\n".join([json.dumps(make_row("twice", "one")).encode()] * 2),
    ],
)
def test_a_manifest_that_is_none_leaves_nothing(
    program: Program, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    done = register(program, "v1", path)
    assert done.code == 2
    done.require_one_line("MALFORMED_MANIFEST")
    assert program.stored_files() == set()


def test_a_duplicate_is_named_with_its_rows(program: Program, tmp_path: Path) -> None:
    rows = [make_row(name, name) for name in ("a", "twice", "b", "twice")]
    done = register(program, "v1", write(tmp_path / "bad.jsonl", *rows))
    assert "'twice' in rows 2 and 4" in done.require_one_line("MALFORMED_MANIFEST")
