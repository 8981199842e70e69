"""``diff`` and ``eval`` as a user types them, with the embedded model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.cli.program import run
from tests.api.cli.conftest import SENTENCE, TEXT
from tests.api.cli.verification.test_answers import CLAIM, make_answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program

pytestmark = pytest.mark.model
ALTERED = SENTENCE.replace("four", "forty")


def write_lines(path: Path, *cases: Any) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


@pytest.mark.long
def test_a_run_is_written_compared_and_gated(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    good = {"case_id": "paid", "payload": make_answer(doc_hash), "expect": {"result": "pass"}}
    wrong = {"case_id": "altered", "payload": make_answer(doc_hash, text=ALTERED)}
    cases, run = write_lines(tmp_path / "cases.jsonl", good, wrong), tmp_path / "run.json"
    done = program.run("eval", cases, "--output", run, "--json")
    assert done.code == 0, done.stderr
    body = done.body
    assert {case["case_id"]: case["result"] for case in body["cases"]} == {
        "paid": "pass",
        "altered": "fail",
    }
    assert body["comparison"] is None
    assert body["rates"]["spans_present"] | {"low": 0, "high": 0} == {
        "n": 2,
        "count": 1,
        "estimate": 0.5,
        "low": 0,
        "high": 0,
        "confidence": 0.95,
        "method": "wilson",
        "better": "more",
    }
    assert json.loads(run.read_bytes()) == {
        name: value for name, value in body.items() if name != "comparison"
    }
    # The same again: the same bytes, and nothing to gate.
    again = tmp_path / "again.json"
    gated = ("eval", cases, "--baseline", run, "--gate")
    done = program.run(*gated, "--output", again)
    assert done.code == 0, done.stderr
    assert again.read_bytes() == run.read_bytes()
    assert done.stdout.decode().splitlines()[-1] == "0 flips, 0 new, 0 missing, 0 regressions"
    # One case gets worse: told always, exit 1 only where the gate is asked for.
    write_lines(cases, good | {"payload": make_answer(doc_hash, text=ALTERED)}, wrong)
    assert program.run("eval", cases, "--baseline", run).code == 0
    done = program.run(*gated, "--json")
    assert done.code == 1
    comparison = done.body["comparison"]
    assert comparison["same_header"]
    assert [flip["case_id"] for flip in comparison["flips"]] == ["paid"]
    assert comparison["flips"][0]["same_case"] is False
    assert ("worse", "paid") in [(r["kind"], r["name"]) for r in comparison["regressions"]]
    # A baseline of another policy is said on stderr.
    done = program.run("eval", cases, "--baseline", run, "--policy", "strict")
    assert "its header differs in /options/policy" in done.stderr


@pytest.mark.long
def test_a_false_pass_more_than_allowed_is_exit_1(program: Program, tmp_path: Path) -> None:
    row = {"response": CLAIM, "retrieved_contexts": [SENTENCE], "expect": "fail"}
    cases = write_lines(tmp_path / "cases.jsonl", row)
    done = program.run("eval", cases, "--max-false", "0")
    assert done.code == 1
    assert "Not kept:" in done.stderr
    done = program.run("eval", cases, "--max-false", "1")
    assert (done.code, done.stderr) == (0, "")


def test_a_terminal_sees_how_far_it_is(
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SPANPROOF_HOME", str(program.home))
    monkeypatch.setattr("spanproof.api.cli.rate.is_watched", lambda: True)
    monkeypatch.setattr("spanproof.api.cli.rate.WATCHED_SECONDS", 0.0)
    row = {"response": CLAIM, "retrieved_contexts": [SENTENCE]}
    assert run(["eval", str(write_lines(tmp_path / "cases.jsonl", row, row))]) == 0
    written = capfd.readouterr().err
    assert "[####################] 2 cases, 100.0 %" in written
    assert written.endswith("\r\x1b[K")


def test_what_cannot_be_run_is_one_line(program: Program, doc_hash: str, tmp_path: Path) -> None:
    cases = write_lines(tmp_path / "cases.jsonl", {"case_id": "a", "payload": {}}, {})
    line = program.run("eval", cases).require_one_line("MALFORMED_CASES")
    assert "line 1" in line
    assert "lines 2" in line
    write_lines(cases, {"case_id": "a", "payload": make_answer(doc_hash)})
    for options, code, wanted in (
        (("--gate",), 2, "MALFORMED_INPUT"),
        (("--baseline", cases), 2, "MALFORMED_RUN"),
        (("--policy", "lenient"), 2, "UNKNOWN_POLICY"),
        (("--output", tmp_path), 3, "OUTPUT_FAILED"),
    ):
        done = program.run("eval", cases, *options)
        assert done.code == code
        done.require_one_line(wanted)


@pytest.mark.long
def test_diff_tells_the_same_from_the_different(
    program: Program, doc_hash: str, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(json.dumps(make_answer(doc_hash)))
    printed = program.run("verify", one, "--json")
    other.write_bytes(printed.stdout)
    same = program.run("diff", one, other, "--json")
    assert same.code == 0, same.stderr
    assert same.body["same"]
    assert [same.body[side]["source"] for side in "ab"] == ["verified_now", "printed"]
    kept = program.run("diff", printed.body["verification_id"], one)
    assert kept.code == 0, kept.stderr
    assert kept.stdout.decode().startswith("1 citations the same, 0 gone, 0 added")
    rate = "The rate is 𝑉 = 3.5 per cent."
    start = TEXT.index(rate)
    changed = make_answer(doc_hash, text=rate, char_start=start, char_end=start + len(rate))
    other.write_text(json.dumps(changed | {"answer": CLAIM.replace("four", "five")}))
    done = program.run("diff", one, other, "--json")
    assert done.code == 1, done.stderr
    assert [place["text"] for place in done.body["citations"]["gone"]] == [SENTENCE]
    assert [place["text"] for place in done.body["citations"]["added"]] == [rate]
    assert done.body["prose"]["edits"][0]["b"]["text"] == "five"
    shown = program.run("diff", one, other).stdout.decode()
    assert "+ five" in shown
    assert f"- [1] {doc_hash}" in shown


def test_diff_of_what_is_no_answer_is_one_line_and_exit_2(
    shared_program: Program, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    done = shared_program.run("diff", bad, bad)
    assert done.code == 2
    done.require_one_line("MALFORMED_ANSWER")
    done = shared_program.run("diff", tmp_path / "nowhere", bad)
    assert done.code == 2
    done.require_one_line("MALFORMED_INPUT")
