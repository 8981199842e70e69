from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.operations.demo.cases import POLICY, read_pdf
from tests.api.cli import bad_documents
from tests.api.cli.conftest import SENTENCE, TEXT
from tests.api.cli.program import SCRIPT, Program

if TYPE_CHECKING:
    from collections.abc import Callable

BAD: list[tuple[str, Callable[[], bytes], str]] = [
    ("locked.pdf", bad_documents.make_encrypted, "DOCUMENT_ENCRYPTED"),
    ("empty.pdf", bytes, "DOCUMENT_EMPTY"),
    ("pageless.pdf", bad_documents.make_pageless, "DOCUMENT_EMPTY"),
    ("broken.pdf", bad_documents.make_broken, "DOCUMENT_BROKEN"),
    ("picture.png", lambda: bad_documents.PNG, "UNSUPPORTED_MEDIA_TYPE"),
    # Another type under the name of one that is read.
    ("picture.pdf", lambda: bad_documents.PNG, "UNSUPPORTED_MEDIA_TYPE"),
]


def test_each_bad_document_is_refused_with_its_code_and_nothing_is_stored(
    program: Program, tmp_path: Path, rules: Path
) -> None:
    paths = [tmp_path / name for name, _, _ in BAD]
    for path, (_, make, _) in zip(paths, BAD, strict=True):
        path.write_bytes(make())
    before = program.run("ingest", *paths, "--json")
    assert before.code == 3
    rows = before.body["documents"]
    lines = [line for line in before.stderr.splitlines() if line.startswith("spanproof: ")]
    for row, line, path, (_, _, code) in zip(rows, lines, paths, BAD, strict=True):
        assert row["path"] == str(path)
        assert row["status"] == "refused"
        assert row["problem"]["code"] == code
        assert row["problem"]["detail"].startswith("Expected ")
        assert row["problem"]["hint"]
        assert line.startswith(f"spanproof: {code}: ")
    assert not program.stored_files()
    assert program.run("ingest", rules).code == 0


@pytest.mark.long
@pytest.mark.parametrize("number", [0, -1])
def test_a_bad_document_alone_is_refused_too(program: Program, tmp_path: Path, number: int) -> None:
    name, make, code = BAD[number]
    path = tmp_path / name
    path.write_bytes(make())
    done = program.run("ingest", path)
    assert done.code == 3
    assert code in done.stderr
    assert not program.stored_files()


@pytest.mark.long
def test_one_bad_file_never_stops_the_others(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.pdf").write_bytes(bad_documents.make_broken())
    (folder / "deep" / "b.txt").write_text("Good text.", encoding="utf-8")
    (folder / "deep" / "c.md").write_text("# Good text", encoding="utf-8")
    done = program.run("ingest", folder, "--json")
    assert done.code == 3
    statuses = {Path(row["path"]).name: row["status"] for row in done.body["documents"]}
    assert statuses == {"a.pdf": "refused", "b.txt": "ok", "c.md": "ok"}


@pytest.mark.long
def test_a_scanned_document_is_degraded_and_stored(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(bad_documents.make_scanned())
    done = program.run("ingest", path, "--json")
    assert done.code == 0
    (row,) = done.body["documents"]
    assert (row["status"], row["problem"]["code"]) == ("degraded", "NO_TEXT_LAYER")
    assert row["text_source"] == "none"
    assert program.stored_files()


def test_a_document_over_a_limit_is_refused(program: Program, rules: Path) -> None:
    done = program.with_settings(max_document_bytes="10").run("ingest", rules, "--json")
    assert done.code == 3
    assert done.body["documents"][0]["problem"]["code"] == "LIMIT_EXCEEDED"
    assert not program.stored_files()


def test_a_path_that_is_missing_is_refused(program: Program, tmp_path: Path) -> None:
    done = program.run("ingest", tmp_path / "nowhere.pdf", "--json")
    assert done.code == 3
    assert done.body["documents"][0]["status"] == "refused"


def test_an_empty_folder_is_malformed_input(program: Program, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = program.run("ingest", tmp_path / "in", "--json")
    assert done.code == 2
    done.require_one_line("MALFORMED_INPUT")


@pytest.mark.long
def test_the_same_bytes_twice_give_the_same_ids_and_store_nothing_twice(
    program: Program, rules: Path
) -> None:
    first = program.run("ingest", rules, "--json").body["documents"][0]
    files = program.stored_files()
    second = program.run("ingest", rules, "--json").body["documents"][0]
    assert program.stored_files() == files
    same = ("doc_id", "doc_hash", "extraction_id", "text_sha256")
    assert [first[key] for key in same] == [second[key] for key in same]
    assert first["doc_hash"] == str(Digest.of(rules.read_bytes())) == first["doc_id"]


def test_text_gives_the_raw_bytes_of_a_slice_in_each_unit(program: Program, doc_hash: str) -> None:
    assert program.run("text", doc_hash).stdout == TEXT.encode()
    start = TEXT.index("𝑉")
    for unit, codec, width in (("codepoint", "utf-32-le", 4), ("utf16", "utf-16-le", 2)):
        first = len(TEXT[:start].encode(codec)) // width
        last = len(TEXT[: start + 1].encode(codec)) // width
        done = program.run(
            "text", doc_hash, "--start", str(first), "--end", str(last), "--unit", unit
        )
        assert (done.code, done.stdout) == (0, "𝑉".encode())


@pytest.mark.parametrize(("start", "end"), [("5", "3"), ("0", "100000"), ("-1", "3")])
def test_offsets_that_are_no_span_are_malformed(
    program: Program, doc_hash: str, start: str, end: str
) -> None:
    done = program.run("text", doc_hash, "--start", start, "--end", end)
    assert done.code == 2
    done.require_one_line("MALFORMED_SPAN")


@pytest.mark.parametrize(
    "arguments", [["text", "none"], ["find", "none", "words"], ["locate", "none", "0", "1"]]
)
def test_an_unknown_document_is_an_error(shared_program: Program, arguments: list[str]) -> None:
    done = shared_program.run(*arguments)
    assert done.code == 3
    done.require_one_line("DOCUMENT_NOT_FOUND")


def test_find_ends_with_0_where_the_quote_stands_and_1_where_it_does_not(
    program: Program, doc_hash: str
) -> None:
    found = program.run("find", doc_hash, SENTENCE, "--json")
    assert found.code == 0
    (match,) = found.body["matches"]
    assert TEXT[match["char_start"] : match["char_end"]] == SENTENCE == match["text"]
    missing = program.run("find", doc_hash, "Nothing of the kind was ever written.", "--json")
    assert missing.code == 1
    assert (missing.body["status"], missing.body["matches"]) == ("ABSENT", [])


@pytest.mark.long
def test_locate_draws_the_span_as_png_and_pdf(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "policy.pdf"
    path.write_bytes(read_pdf(POLICY))
    assert program.run("ingest", path, "--doc-id", "policy").code == 0
    (match,) = program.run("find", "policy", "Fire doors are inspected", "--json").body["matches"]
    png, pdf = tmp_path / "page.png", tmp_path / "marked.pdf"
    span = (str(match["char_start"]), str(match["char_end"]))
    done = program.run("locate", "policy", *span, "--json", "--png", png, "--pdf", pdf)
    assert done.code == 0
    (page,) = done.body["pages"]
    assert page["page"] == 1
    assert page["rotation"] == 0
    assert page["user_unit"] == 1.0
    assert page["view_box"] == [0.0, 0.0, 595.0, 842.0]
    assert len(page["quads"]) == 1
    assert len(page["quads"][0]) == 8
    assert done.body["text"] == match["text"]
    assert png.read_bytes().startswith(b"\x89PNG")
    assert pdf.read_bytes().count(b"/Subtype/Highlight") == 1


def test_locate_tells_the_line_of_a_text_and_draws_nothing(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "note.txt"
    path.write_text("One.\nTwo words.\n", encoding="utf-8")
    assert program.run("ingest", path, "--doc-id", "note").code == 0
    done = program.run("locate", "note", "9", "14")
    assert (done.code, done.stdout.strip()) == (0, b"text 9..14  line 2")
    drawn = program.run("locate", "note", "9", "14", "--png", tmp_path / "page.png")
    assert drawn.code == 2
    assert "position on a page" in drawn.require_one_line("MALFORMED_INPUT")
    assert not (tmp_path / "page.png").exists()


def test_a_bad_setting_is_one_line(program: Program) -> None:
    done = program.with_settings(port="many").run("text", "any")
    assert done.code == 3
    assert "SPANPROOF_PORT" in done.require_one_line("BAD_SETTING")


def test_a_home_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    done = Program(home=tmp_path / "file" / "home", folder=tmp_path).run("text", "any")
    assert done.code == 3
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_error_text(program: Program, doc_hash: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as closed:
        done = subprocess.run(
            [SCRIPT, "text", doc_hash],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
            env=program.environment,
            cwd=program.home.parent,
        )
    assert (done.returncode, done.stderr) == (141, b"")
