"""Cases from every kind of file, in the shapes of RAGAS and DeepEval, and reports on them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from spanproof.core.errors import InputError, MalformedCasesError
from spanproof.monitor.threshold import find_faults, parse_threshold
from spanproof.operations.evaluation.cases import check_cases, read_cases
from spanproof.operations.evaluation.evaluate import Evaluation, EvaluationOptions
from spanproof.operations.evaluation.reports import Report, write_report
from tests.builders import ScriptedModel
from tests.contexts import with_parts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.operations.context import Context

MOST = 1_000_000
TERM = "The lease runs for five years."
RENT = "The rent is 850 euros a month."
RAGAS = [
    {"user_input": "How long?", "response": "The lease runs for five years [1].",
     "retrieved_contexts": [TERM, RENT], "reference": "five years"},
    {"user_input": "How much?", "response": "The rent is 900 euros a month [2].",
     "retrieved_contexts": [TERM, RENT], "expect": "fail"},
    {"user_input": "How much?", "response": RENT, "retrieved_contexts": [TERM, RENT]},
]  # fmt: skip
DEEPEVAL = [
    {"input": row["user_input"], "actual_output": row["response"],
     "retrieval_context": row["retrieved_contexts"]} | {"name": f"case {n}"}
    for n, row in enumerate(RAGAS)
]  # fmt: skip


def write_jsonl(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "cases.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def write_csv(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "cases.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, sorted({name for row in rows for name in row}))
        writer.writeheader()
        for row in rows:
            cells = {n: json.dumps(v) if isinstance(v, list) else v for n, v in row.items()}
            writer.writerow(cells)
    return path


def write_parquet(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "cases.parquet"
    parquet.write_table(pa.Table.from_pylist(fill(rows)), path)
    return path


def write_data_set(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """As ``datasets.Dataset.save_to_disk`` does: Arrow streams beside two JSON files."""
    path = folder / "saved"
    path.mkdir()
    for number, part in enumerate((rows[:1], rows[1:])):
        table = pa.Table.from_pylist(fill(part, names=sorted({n for r in rows for n in r})))
        with ipc.new_stream(path / f"data-0000{number}-of-00002.arrow", table.schema) as stream:
            stream.write_table(table)
    (path / "state.json").write_text("{}")
    (path / "dataset_info.json").write_text("{}")
    return path


def fill(rows: list[dict[str, Any]], names: list[str] | None = None) -> list[dict[str, Any]]:
    names = names or sorted({name for row in rows for name in row})
    return [{name: row.get(name) for name in names} for row in rows]


WRITERS = [write_jsonl, write_json, write_csv, write_parquet, write_data_set]


@pytest.mark.parametrize("write", WRITERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("rows", [RAGAS, DEEPEVAL], ids=["ragas", "deepeval"])
def test_rows_of_every_kind_of_file_give_the_same_cases(
    tmp_path: Path, rows: list[dict[str, Any]], write: Callable[..., Path]
) -> None:
    path = write(tmp_path, rows)
    assert check_cases(path, most_bytes=MOST) == 3
    cases = list(read_cases(path, most_bytes=MOST))
    expected = list(read_cases(write_jsonl(tmp_path, rows), most_bytes=MOST))
    assert cases == expected
    first = json.loads(cases[0].raw)
    assert first["question"] == "How long?"
    assert [each["text"] for each in first["retrieved"]] == [TERM, RENT]
    assert cases[0].case_id == ("row-1" if rows is RAGAS else "case 0")
    assert cases[1].expected == ("fail" if rows is RAGAS else None)


def test_what_hugging_face_saves_gives_the_same_cases(tmp_path: Path) -> None:
    if find_spec("datasets") is None:
        reason = "not here: datasets, of the extra 'dev'"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    # In a process of its own: it changes how others pickle, and looks at the network's settings.
    code = "import datasets, json, sys; rows = json.loads(sys.argv[1])\n"
    code += "datasets.Dataset.from_list(rows).save_to_disk(sys.argv[2], num_shards=2)"
    saved = tmp_path / "saved"
    command = [sys.executable, "-c", code, json.dumps(fill(RAGAS)), str(saved)]
    own = os.environ | {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, check=True, env=own, capture_output=True, timeout=120)
    assert len(list(saved.glob("*.arrow"))) == 2
    expected = list(read_cases(write_jsonl(tmp_path, RAGAS), most_bytes=MOST))
    assert list(read_cases(saved, most_bytes=MOST)) == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b'answer,contexts\n"So."\n', "as many cells as columns"),
        ("a.csv", b"answer,contexts\n\xff,b\n", "CSV file in UTF-8"),
        ("a.csv", b"answer,other\nSo.,b\n", "at line 1 an invalid case"),
        ("a.json", b"{}", "JSON array of objects"),
        ("a.parquet", b"PAR1", "Parquet file"),
        ("a.jsonl", b'{"response": "So.", "contexts": [3]}\n', "texts as contexts"),
    ],
)
def test_a_file_that_is_not_what_it_is_called_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MalformedCasesError, match=message):
        check_cases(tmp_path / name, most_bytes=MOST)


def test_a_data_set_of_several_splits_names_them(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    with pytest.raises(InputError, match=r"without \.arrow files"):
        check_cases(tmp_path, most_bytes=MOST)
    (tmp_path / "dataset_dict.json").write_text("{}")
    with pytest.raises(InputError, match="the folder of train"):
        check_cases(tmp_path, most_bytes=MOST)


@pytest.fixture
def evaluation(context: Context, tmp_path: Path) -> Evaluation:
    made = Evaluation(
        with_parts(context, model=ScriptedModel()),
        write_jsonl(tmp_path, RAGAS),
        EvaluationOptions(),
    )
    assert len(list(made)) == 3
    return made


def test_a_row_without_citations_is_judged_by_its_contexts(evaluation: Evaluation) -> None:
    run = evaluation.run
    assert [case.result for case in run.cases] == ["pass", "fail", "review"]
    assert [case.repaired for case in run.cases] == [0, 0, 1]
    (entailed,) = [rate for rate in run.rates.rates if rate.name == "claims_entailed"]
    assert (entailed.count, entailed.n) == (2, 3)


@pytest.mark.parametrize("suffix", [".html", ".md", ".xml"])
def test_a_report_says_why_a_case_failed_and_escapes_its_words(
    evaluation: Evaluation, tmp_path: Path, suffix: str
) -> None:
    reasons = evaluation.reasons | {"row-3": ("<script> & | `x`",)}
    report = Report.of(evaluation.run, reasons, ("passed is 0.3333.",))
    text = write_report(report, tmp_path / f"report{suffix}").decode()
    assert "row-2" in text
    assert "<script>" not in text
    assert "passed is 0.3333." in text.replace("\\", "")
    if suffix == ".xml":
        suite = ET.fromstring(text)[0]  # noqa: S314 - our own
        # The second case fails, as it should; the gate is a test too.
        assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    else:
        assert "'900 euros' where the span says '850 euros'" in text
    with pytest.raises(InputError, match=r"\.xml, \.md, \.html"):
        write_report(report, tmp_path / "report.pdf")


def test_a_gate_without_a_baseline(evaluation: Evaluation) -> None:
    run = evaluation.run
    assert find_faults(run, [parse_threshold("pass=0.3")], 0) == []
    (fault,) = find_faults(run, [parse_threshold("pass=0.9")], None)
    assert fault == "passed is 0.3333, and should be at least 0.9."
    (fault,) = find_faults(run, [parse_threshold("trusted_top_3=0.1")], None)
    assert "was not measured" in fault
    for text in ("passing=0.9", "pass=90", "pass", "pass=nan", "no_answer=0.5", "orphans=0"):
        with pytest.raises(InputError):
            parse_threshold(text)


def test_a_false_pass_breaks_the_gate(context: Context, tmp_path: Path) -> None:
    rows = [RAGAS[0] | {"expect": "fail"}]
    made = Evaluation(
        with_parts(context, model=ScriptedModel()),
        write_jsonl(tmp_path, rows),
        EvaluationOptions(),
    )
    list(made)
    (fault,) = find_faults(made.run, [], 0)
    assert fault == "1 cases pass and should not, at most 0: row-1."
    assert find_faults(made.run, [], 1) == []
    (path,) = [write_jsonl(tmp_path, RAGAS[:1])]
    unlabelled = Evaluation(with_parts(context, model=ScriptedModel()), path, EvaluationOptions())
    list(unlabelled)
    (fault,) = find_faults(unlabelled.run, [], 0)
    assert "cannot be counted" in fault
