from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.receipt.forms.bundle import parse_bundle
from tests.api.cli.conftest import SENTENCE, TEXT
from tests.api.cli.program import SCRIPT, Program
from tests.pages import read_page
from tests.spread import thin_out

if TYPE_CHECKING:
    from pathlib import Path

START = TEXT.index(SENTENCE)
CLAIM = "Approved invoices are paid within four business days [1]."
UNKNOWN = "sha256:" + "0" * 64


def make_answer(doc_hash: str, **span: Any) -> dict[str, Any]:
    """An answer with one citation of the sentence; ``span`` replaces fields of its span."""
    given = {"text": SENTENCE, "char_start": START, "char_end": START + len(SENTENCE)} | span
    return {"answer": CLAIM, "citations": [{"anchor": 1, "doc_hash": doc_hash, "span": given}]}


def _verify(program: Program, payload: Any, *options: str | Path) -> Any:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return program.run("verify", "-", "--json", *options, stdin=raw)


def test_an_entailed_exact_citation_passes_and_is_kept(program: Program, doc_hash: str) -> None:
    done = _verify(program, make_answer(doc_hash))
    assert done.code == 0, done.stderr
    (verdict,) = done.body["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["support"]["status"] == "ENTAILED"
    assert done.body["verification"]["result"] == "pass"
    assert done.body["answer"] == CLAIM
    assert done.body["verification_id"]


def test_an_altered_number_fails(program: Program, doc_hash: str) -> None:
    done = _verify(program, make_answer(doc_hash, text=SENTENCE.replace("four", "forty")))
    assert done.code == 1
    (verdict,) = done.body["verification"]["verdicts"]
    assert (verdict["existence"]["status"], verdict["outcome"]) == ("ALTERED", "fail")


def test_the_readable_block_has_one_line_a_verdict(program: Program, doc_hash: str) -> None:
    raw = json.dumps(make_answer(doc_hash, text=SENTENCE.replace("four", "forty"))).encode()
    done = program.run("verify", "-", stdin=raw)
    head, line, *_ = done.stdout.decode().splitlines()
    assert head.startswith("Result FAIL")
    assert line.startswith("[1] FAIL")
    assert "forty" in line


MALFORMED: dict[str, Any] = {
    "not json": b"{answer",
    "not utf-8": b"\xff\xfe{}",
    "empty": b"",
    "a number": b"7",
    "empty array": b"[]",
    "broken array": b"[{]",
    "no answer": {"citations": []},
    "no citations": {"answer": "Text."},
    "citation without document": {
        "answer": "Text [1].",
        "citations": [{"anchor": 1, "span": {"text": "Text"}}],
    },
    "citation without span": {
        "answer": "Text [1].",
        "citations": [{"anchor": 1, "doc_id": "a"}],
    },
    "negative offsets": make_answer(UNKNOWN, char_start=-1),
    "reversed offsets": make_answer(UNKNOWN, char_start=9, char_end=3),
    "unknown unit": make_answer(UNKNOWN, unit="bytes"),
    "hash in capitals": make_answer("sha256:" + "A" * 64),
    "hash cut short": make_answer("sha256:" + "a" * 8),
    "hash without its prefix": make_answer("a" * 64),
    "offsets as text": make_answer(UNKNOWN, char_start="1"),
}


@pytest.mark.parametrize("case", thin_out(MALFORMED, every=6))
def test_a_malformed_answer_is_one_line_and_exit_2(shared_program: Program, case: str) -> None:
    done = _verify(shared_program, MALFORMED[case])
    assert done.code == 2
    line = done.require_one_line("MALFORMED_ANSWER")
    assert "Expected" in line
    assert "got" in line


@pytest.mark.long
def test_after_a_malformed_answer_the_next_works(program: Program, doc_hash: str) -> None:
    assert _verify(program, b"{").code == 2
    assert _verify(program, make_answer(doc_hash)).code == 0


@pytest.mark.long
def test_offsets_beyond_the_text_are_a_code_not_an_error(program: Program, doc_hash: str) -> None:
    far = {"char_start": 10_000, "char_end": 10_000 + len(SENTENCE)}
    done = _verify(program, make_answer(doc_hash, **far))
    (verdict,) = done.body["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "MOVED"
    assert "SPAN_OUT_OF_RANGE" in verdict["codes"]
    assert done.code == 1


@pytest.mark.long
def test_offsets_are_read_in_the_unit_they_are_given_in(program: Program, doc_hash: str) -> None:
    words = "= 3.5 per cent."
    start = TEXT.index(words)
    span = {"text": words, "char_start": start + 1, "char_end": start + 1 + len(words)}
    wide = _verify(program, make_answer(doc_hash, **span, unit="utf16"))
    plain = _verify(program, make_answer(doc_hash, **span))
    statuses = [
        done.body["verification"]["verdicts"][0]["existence"]["status"] for done in (wide, plain)
    ]
    assert statuses == ["EXACT", "MOVED"]


@pytest.mark.long
def test_an_unknown_document_is_an_error_verdict(program: Program) -> None:
    done = _verify(program, make_answer(UNKNOWN))
    assert done.code == 3
    (verdict,) = done.body["verification"]["verdicts"]
    assert verdict["identity"]["status"] == "UNKNOWN_DOCUMENT"
    assert verdict["outcome"] == "error"


@pytest.mark.long
def test_an_answer_without_citations_never_passes(program: Program) -> None:
    done = _verify(program, {"answer": "All is well.", "citations": []})
    assert done.code != 0
    assert done.body["verification"]["result"] != "pass"
    assert done.body["verification"]["all_spans_present"] is False


@pytest.mark.long
def test_an_array_verifies_each_and_keeps_their_order(program: Program, doc_hash: str) -> None:
    good, altered = make_answer(doc_hash), make_answer(doc_hash, text=SENTENCE.replace("four", "9"))
    passing = _verify(program, [good, good])
    assert passing.code == 0
    assert [item["verification"]["result"] for item in passing.body] == ["pass", "pass"]
    failing = _verify(program, [good, altered])
    assert failing.code == 1
    malformed = _verify(program, [altered, {"answer": 1}, good])
    assert malformed.code == 2
    results = [item.get("verification", {}).get("result") for item in malformed.body]
    assert results == ["fail", None, "pass"]
    assert malformed.body[1]["error"]["code"] == "MALFORMED_ANSWER"


def test_the_receipt_is_written_and_is_the_one_that_is_answered(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    path = tmp_path / "r.sigstore.json"
    path.write_bytes(b"an older file")
    # A failed answer gets one too.
    done = _verify(program, make_answer(doc_hash, text="Not there."), "--receipt", path)
    assert done.code == 1
    assert json.loads(path.read_bytes()) == done.body["receipt"]
    assert parse_bundle(path.read_bytes()).included.leaf.index == 2
    assert [each.name for each in tmp_path.glob("*.sigstore.json")] == [path.name]


@pytest.mark.long
def test_of_an_array_each_receipt_is_a_file_of_the_folder(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    good = make_answer(doc_hash)
    folder = tmp_path / "receipts" / "of today"
    done = _verify(program, [good, {"answer": 1}, good], "--receipt", folder)
    assert done.code == 2
    named = {f"{body['verification_id']}.sigstore.json" for body in done.body if "receipt" in body}
    assert len(named) == 2
    assert {each.name for each in folder.iterdir()} == named


def test_a_receipt_that_cannot_be_written_is_said_before_anything_is_verified(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path in (tmp_path / "nowhere" / "r.json", fifo):
        done = _verify(program, make_answer(doc_hash), "--receipt", path)
        assert done.code == 3
        done.require_one_line("OUTPUT_FAILED")
    assert fifo.is_fifo()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--policy", "lenient"], "UNKNOWN_POLICY"),
        (["--format", "telex"], "MALFORMED_INPUT"),
        (["--colour"], "USAGE"),
    ],
)
def test_an_unknown_option_or_name_is_malformed(
    program: Program, doc_hash: str, options: list[str], code: str
) -> None:
    done = _verify(program, make_answer(doc_hash), *options)
    assert done.code == 2
    done.require_one_line(code)


def test_a_file_that_is_missing_is_one_line(program: Program, tmp_path: Path) -> None:
    done = program.run("verify", tmp_path / "nowhere.json")
    assert done.code == 2
    done.require_one_line("MALFORMED_INPUT")


@pytest.mark.long
def test_a_missing_model_is_never_a_pass(program: Program, doc_hash: str, tmp_path: Path) -> None:
    lacking = program.with_settings(model=str(tmp_path / "no-model"))
    done = _verify(lacking, make_answer(doc_hash))
    assert done.code == 3
    (verdict,) = done.body["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["support"]["status"] == "NOT_RUN"
    assert verdict["support"]["p_entailment"] is None


def test_an_interrupt_is_one_line(program: Program) -> None:
    child = subprocess.Popen(
        [SCRIPT, "verify", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environment,
        cwd=program.home.parent,
        # Whoever runs the tests in the background has them ignore interrupts, and children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert child.stdin is not None
    # More than a pipe holds: once it is written, the program is reading.
    os.write(child.stdin.fileno(), b" " * (1 << 17))
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate()
    assert child.returncode == 130
    assert stdout == b""
    (line,) = stderr.decode().splitlines()
    assert line.startswith("spanproof: INTERRUPTED: ")


@pytest.mark.long
@pytest.mark.parametrize(("name", "names"), [("envelope", "anthropic"), ("marked", "chunk")])
def test_the_payloads_of_the_documentation_pass(
    program: Program, doc_hash: str, tmp_path: Path, name: str, names: str
) -> None:
    page = read_page("cli.md")
    found = re.search(rf"<!-- example: {name} -->\n```json\n(.*?)```", page, re.DOTALL)
    assert found
    copy = tmp_path / "rules.txt"
    copy.write_bytes(TEXT.encode())
    assert program.run("ingest", copy, "--doc-id", "rules").code == 0
    done = program.run("verify", "-", "--format", names, "--json", stdin=found[1].encode())
    assert done.code == 0, done.stderr
    block = done.body["verification"]
    (verdict,) = block["verdicts"]
    assert verdict["identity"] | {"status": "MATCH", "doc_hash": doc_hash} == verdict["identity"]
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["existence"]["char_start"] == START
    assert (block["result"], block["import"]["format"]) == ("pass", names)
    assert done.body["answer"].startswith(SENTENCE[:40])


VERBATIM = f"{SENTENCE[:-1]} [1]."
CONTEXTS = {
    "array.json": json.dumps([SENTENCE, {"text": "Doors are locked.", "source": "rules.pdf"}]),
    "lines.jsonl": f'{json.dumps({"text": SENTENCE})}\n\n"Doors are locked."\n',
    "lines.txt": f"{SENTENCE}\nDoors are locked.\n",
}


@pytest.mark.parametrize("name", thin_out(CONTEXTS, every=3))
def test_an_answer_is_judged_by_the_texts_of_a_file(
    program: Program, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text(CONTEXTS[name], encoding="utf-8")
    done = program.run("verify", "-", "--contexts", path, "--json", stdin=VERBATIM.encode())
    assert done.code == 0, done.stderr
    (verdict,) = done.body["verification"]["verdicts"]
    assert (verdict["identity"]["status"], verdict["outcome"]) == ("SNIPPET", "pass")
    assert done.body["receipt"] is not None
    assert [chunk["chunk_id"] for chunk in done.body["retrieved"]] == ["context-1", "context-2"]


@pytest.mark.long
def test_the_texts_go_with_each_answer_of_an_array(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "contexts.txt"
    path.write_text(SENTENCE, encoding="utf-8")
    answers = [{"answer": VERBATIM}, {"answer": "Doors are locked [2]."}]
    done = program.run(
        "verify", "-", "--contexts", path, "--json", stdin=json.dumps(answers).encode()
    )
    assert done.code == 1
    assert [each["verification"]["result"] for each in done.body] == ["pass", "fail"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[1]", "context 1: expected a text"),
        (b"", "at least one context"),
        (b"[broken", "a JSON document"),
        (b'{"page_content": "x"}', 'a str under "text"'),
        (b"\xff\xfe", "a file of contexts"),
    ],
)
def test_a_file_that_holds_no_contexts_is_malformed(
    program: Program, tmp_path: Path, content: bytes, expected: str
) -> None:
    path = tmp_path / "contexts"
    path.write_bytes(content)
    done = program.run("verify", "-", "--contexts", path, stdin=VERBATIM.encode())
    assert done.code == 2
    assert expected in done.stderr
    assert "Give a JSON array of texts" in done.stderr


def test_stdin_is_either_the_answer_or_the_contexts(program: Program) -> None:
    done = program.run("verify", "-", "--contexts", "-", stdin=b"x")
    assert done.code == 2
    assert "on stdin, got both" in done.stderr


@pytest.mark.long
def test_a_format_is_proposed_aloud(program: Program, doc_hash: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(make_answer(doc_hash)), encoding="utf-8")
    done = program.run("verify", path, "--format", "auto", "--json")
    assert done.code == 0, done.stderr
    assert "Read as native, because it has 'answer' and no 'response'." in done.stderr
    path.write_text('{"response": "So."}', encoding="utf-8")
    done = program.run("verify", path, "--format", "auto")
    assert done.code == 2
    assert "looks like none of them" in done.stderr
