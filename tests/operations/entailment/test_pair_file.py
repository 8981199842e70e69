"""``entail`` on a file: whole or not there, resumed where it stood, and one row for every line."""

from __future__ import annotations

import json
import resource
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import InputError, ModelUnavailableError, OutputError
from spanproof.operations.entailment.journal import count_kept
from spanproof.operations.entailment.pair_file import entail_file
from spanproof.operations.entailment.pairs import BATCH, MAX_LINE_BYTES, judge_batches
from tests.builders import ScriptedModel
from tests.contexts import with_parts
from tests.operations.entailment.lines import entail_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.core.verdicts.model import Entailment
    from spanproof.operations.context import Context
    from spanproof.operations.entailment.pair_file import EntailProgress

LINES = 5 * BATCH + 7


@pytest.fixture
def judged(context: Context) -> Context:
    """Context whose model entails whatever stands under an even number."""
    script = {f"Premise {n}.": (0.9, 0.05, 0.05) for n in range(0, 2 * LINES, 2)}
    return with_parts(context, model=ScriptedModel(script))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of some batches."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(map(_line, range(LINES))), encoding="utf-8")
    return path


def _line(number: int) -> str:
    row = {"premise": f"Premise {number}.", "hypothesis": "It is ever so – 好.", "id": number}
    return json.dumps(row) + "\n"


def _run(context: Context, pairs: Path, output: Path) -> list[EntailProgress]:
    return list(entail_file(context, pairs, output))


def _stop_early(context: Context, pairs: Path, output: Path, *, steps: int = 3) -> int:
    """Run some batches and be gone, as a killed process is; the lines that it leaves."""
    run = entail_file(context, pairs, output)
    lines = 0
    for _ in range(steps):
        lines = next(run).lines
    run.close()
    return lines


def _partial(output: Path) -> Path:
    return output.with_name(output.name + ".partial")


def _mark(output: Path) -> Path:
    return output.with_name(output.name + ".partial.json")


@pytest.fixture
def whole(judged: Context, pairs: Path, tmp_path: Path) -> bytes:
    """What an undisturbed run writes."""
    output = tmp_path / "whole.jsonl"
    _run(judged, pairs, output)
    return output.read_bytes()


def test_every_line_has_its_row_and_nothing_is_left_beside(
    judged: Context, pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    steps = _run(judged, pairs, output)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == list(range(LINES))
    assert [row["supported"] for row in rows] == [n % 2 == 0 for n in range(LINES)]
    assert steps[-1].lines == LINES
    assert steps[-1].read_bytes == steps[-1].total_bytes == pairs.stat().st_size
    assert {path.name for path in tmp_path.iterdir()} >= {"out.jsonl", "pairs.jsonl"}
    assert not list(tmp_path.glob("*.partial*"))


def test_a_stopped_run_goes_on_where_it_stood(
    judged: Context, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    output = tmp_path / "out.jsonl"
    done = _stop_early(judged, pairs, output)
    assert done == 2 * BATCH
    assert not output.exists()
    assert isinstance(judged.model, ScriptedModel)
    judged.model.asked.clear()
    steps = _run(judged, pairs, output)
    assert steps[0].resumed == steps[0].lines == done
    assert steps[0].note is not None
    assert f"{done} lines" in steps[0].note
    assert len(judged.model.asked) == LINES - done
    assert output.read_bytes() == whole
    assert not list(tmp_path.glob("*.partial*"))


@pytest.mark.parametrize(
    "torn", [b'{"premise": "Premi', b"x" * 100_000, b'{"a": 1}\n', b"\x00" * 9]
)
def test_what_stands_behind_the_mark_is_dropped(
    judged: Context, pairs: Path, tmp_path: Path, whole: bytes, torn: bytes
) -> None:
    output = tmp_path / "out.jsonl"
    _stop_early(judged, pairs, output)
    with _partial(output).open("ab") as stream:
        stream.write(torn)
    assert _run(judged, pairs, output)[0].resumed == 2 * BATCH
    assert output.read_bytes() == whole


def _spoil_mark(output: Path) -> None:
    _mark(output).write_bytes(b'{"format": 1')


def _age_mark(output: Path) -> None:
    raw = json.loads(_mark(output).read_bytes())
    _mark(output).write_text(json.dumps(raw | {"format": 0}), encoding="utf-8")


def _change_row(output: Path) -> None:
    content = _partial(output).read_bytes()
    _partial(output).write_bytes(content.replace(b'"supported": false', b'"supported": true ', 1))


def _lose_rows(output: Path) -> None:
    content = _partial(output).read_bytes()
    _partial(output).write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize("change", [_spoil_mark, _age_mark, _change_row, _lose_rows])
def test_lines_that_cannot_be_trusted_are_judged_anew(
    judged: Context, pairs: Path, tmp_path: Path, whole: bytes, change: Any
) -> None:
    output = tmp_path / "out.jsonl"
    _stop_early(judged, pairs, output)
    change(output)
    steps = _run(judged, pairs, output)
    assert steps[0].resumed == 0
    assert steps[0].note is not None
    assert steps[0].note.startswith("Starting from the beginning")
    assert output.read_bytes() == whole


def test_another_input_starts_anew_and_a_longer_one_goes_on(
    judged: Context, pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    _stop_early(judged, pairs, output)
    with pairs.open("a", encoding="utf-8") as stream:
        stream.write(_line(LINES))
    assert _stop_early(judged, pairs, output, steps=1) == 2 * BATCH
    content = pairs.read_bytes()
    pairs.write_bytes(content.replace(b"Premise 3.", b"Premise 4.", 1))
    steps = _run(judged, pairs, output)
    assert steps[0].resumed == 0
    assert "input" in str(steps[0].note)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert rows[3]["premise"] == "Premise 4."
    assert len(rows) == LINES + 1


def test_another_verifier_starts_anew(judged: Context, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    _stop_early(judged, pairs, output)
    assert isinstance(judged.model, ScriptedModel)
    judged.model.identity = replace(judged.model.identity, threshold=0.95)
    steps = _run(judged, pairs, output)
    assert steps[0].resumed == 0
    assert "verifier" in str(steps[0].note)
    assert b'"supported": true' not in output.read_bytes()


def test_two_runs_of_one_output_do_not_mix(judged: Context, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    first = entail_file(judged, pairs, output)
    next(first)
    with pytest.raises(OutputError, match="another"):
        _run(judged, pairs, output)
    list(first)
    assert len(output.read_bytes().splitlines()) == LINES


def test_an_output_without_a_folder_is_an_error_before_any_work(
    judged: Context, pairs: Path, tmp_path: Path
) -> None:
    with pytest.raises(OutputError, match="No such file"):
        _run(judged, pairs, tmp_path / "nowhere" / "out.jsonl")
    assert isinstance(judged.model, ScriptedModel)
    assert judged.model.asked == []


def test_a_disk_that_fills_up_leaves_no_output_and_the_next_run_goes_on(
    judged: Context, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    output = tmp_path / "out.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The kernel refuses to let any file grow beyond, as a full disk would.
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) // 2, hard))
    try:
        with pytest.raises(OutputError, match=r"after \d+ lines"):
            _run(judged, pairs, output)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not output.exists()
    assert _run(judged, pairs, output)[0].resumed > 0
    assert output.read_bytes() == whole


@pytest.mark.parametrize("what", ["missing", "folder"])
def test_pairs_that_cannot_be_read_are_malformed(
    judged: Context, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "pairs"
    if what == "folder":
        path.mkdir()
    with pytest.raises(InputError, match="file of pairs"):
        _run(judged, path, tmp_path / "out.jsonl")


def test_an_empty_file_has_an_empty_output(judged: Context, tmp_path: Path) -> None:
    pairs, output = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_bytes(b"")
    _run(judged, pairs, output)
    assert output.read_bytes() == b""
    assert not list(tmp_path.glob("*.partial*"))


def test_hard_lines_are_rows_and_the_next_are_judged(judged: Context, tmp_path: Path) -> None:
    huge = b'{"premise": "' + b"w " * (MAX_LINE_BYTES) + b'", "hypothesis": "It is."}'
    hard = [
        (b"", "malformed_line"),
        (b" \t\r", "malformed_line"),
        (b"\x00\xff\xfe\x80" * 99, "malformed_line"),
        (b"[" * 200_000, "malformed_line"),
        (b'{"premise": "a", "hypothesis": "b", "x": NaN}', "malformed_line"),
        (b'{"premise": "a", "hypothesis": "b", "x": ' + b"9" * 5000 + b"}", "malformed_line"),
        (huge, "line_too_long"),
        (b'{"premise": "half \\ud800", "hypothesis": "b"}', None),
        (b'\xef\xbb\xbf{"premise": "Premise 2.", "hypothesis": "\\u0000"}', None),
    ]
    pairs, output = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    # The last line has no end.
    pairs.write_bytes(b"\n".join(line for line, _ in hard) + b"\n" + _line(2).encode().rstrip())
    steps = _run(judged, pairs, output)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [row["reason"] for row in rows] == [*(reason for _, reason in hard), None]
    assert rows[7]["premise"] == "half \ud800"
    assert rows[-1]["supported"] is True
    assert steps[-1].not_run == sum(reason is not None for _, reason in hard)
    assert output.stat().st_size < 10_000


class Faulty(ScriptedModel):
    """Breaks down on some premises, or on all."""

    is_dead = False

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Raise where one of the pairs is bad."""
        if self.is_dead or any("bad" in premise for premise, _ in pairs):
            raise ModelUnavailableError("Expected logits, got none.", hint="Mend the test.")
        return super().judge(pairs)


def test_a_pair_on_which_the_model_breaks_down_is_not_run_and_the_others_are(
    context: Context,
) -> None:
    context = with_parts(context, model=Faulty())
    rows = list(entail_lines(context, [_line(1), _line(2).replace("Premise", "bad")]))
    assert [row["reason"] for row in rows] == [None, "model_failed"]
    assert rows[1]["label"] == "NOT_RUN"
    (alone,) = entail_lines(context, [_line(2).replace("Premise", "bad")])
    assert alone["reason"] == "model_failed"


def test_a_model_that_is_gone_ends_the_run_and_keeps_what_is_done(
    context: Context, pairs: Path, tmp_path: Path
) -> None:
    model = Faulty()
    context = with_parts(context, model=model)
    output = tmp_path / "out.jsonl"
    run = entail_file(context, pairs, output)
    next(run)
    next(run)
    model.is_dead = True
    with pytest.raises(ModelUnavailableError):
        list(run)
    assert not output.exists()
    model.is_dead = False
    assert _run(context, pairs, output)[0].resumed >= BATCH
    assert len(output.read_bytes().splitlines()) == LINES


def test_a_pair_that_stands_often_is_judged_once(judged: Context) -> None:
    assert isinstance(judged.model, ScriptedModel)
    batches = [[_line(number % 5) for number in range(BATCH)] for _ in range(2)]
    rows = [row for batch in judge_batches(judged.model, batches) for row in batch]
    assert len(rows) == 2 * BATCH
    assert sorted(judged.model.asked) == sorted(set(judged.model.asked))
    assert len(judged.model.asked) == 5


@pytest.mark.parametrize(
    "content", [None, b"", b"{", b"[]", b'{"mark": {}}', b'{"mark": {"lines": null}}']
)
def test_where_no_mark_tells_nothing_is_kept(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "out.jsonl.partial.json").write_bytes(content)
    assert count_kept(tmp_path / "out.jsonl") == 0
