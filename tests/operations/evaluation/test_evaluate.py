"""The use cases behind ``eval`` and ``diff``, with a scripted model and everything else real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.citation import Retrieval
from spanproof.core.errors import (
    InputError,
    MalformedAnswerError,
    MalformedCasesError,
    MalformedRunError,
    ModelUnavailableError,
    OutputError,
    UnknownPolicyError,
    VerificationNotFoundError,
)
from spanproof.monitor.regression import compare_runs
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.evaluation.cases import check_cases
from spanproof.operations.evaluation.evaluate import (
    Evaluation,
    EvaluationOptions,
    check_output,
    find_trusted,
    load_run,
    write_run,
)
from spanproof.operations.verification.diff import diff_answers
from spanproof.operations.verification.request import RepairRequest
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel
from tests.contexts import with_parts, with_settings
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.monitor.evaluation_run import EvaluationRun
    from spanproof.operations.context import Context

TEXT = f"{SENTENCE}\nIt is governed by the law of Austria."
PROSE = "It is replaced soon [1]."
MOST = 1_000_000


@pytest.fixture
def kept(context: Context) -> Context:
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="a.txt", doc_id="agreement")
    return context


def make_answer(quote: str = SENTENCE, prose: str = PROSE, anchor: int = 1) -> dict[str, Any]:
    """An answer with one citation of the document."""
    citation = {"anchor": anchor, "doc_id": "agreement", "span": {"text": quote}}
    return {"answer": prose, "citations": [citation]}


def make_case(case_id: str, payload: Any, **given: Any) -> dict[str, Any]:
    """One line of a file of cases."""
    return {"case_id": case_id, "payload": payload} | given


def write_cases(folder: Path, *cases: Any) -> Path:
    """A file of cases; a string is written as it stands."""
    path = folder / "cases.jsonl"
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run_cases(context: Context, path: Path, **options: Any) -> EvaluationRun:
    """The whole run."""
    evaluation = Evaluation(context, path, EvaluationOptions(**options))
    assert len(list(evaluation)) == evaluation.total
    return evaluation.run


def test_cases_are_judged_as_verify_would_and_nothing_is_kept(
    kept: Context, tmp_path: Path
) -> None:
    absent = make_answer("The moon is made of green cheese.")
    path = write_cases(
        tmp_path,
        make_case("good", make_answer(), expect={"result": "pass"}, note="a note"),
        make_case("bad", absent, expect={"result": "fail"}),
        make_case("bare", {"answer": "The goods are replaced in May.", "citations": []}),
        make_case("orphan", make_answer(prose="It is replaced soon [1]. It ends in May [2].")),
    )
    run = run_cases(kept, path)
    assert [case.result for case in run.cases] == ["pass", "fail", "fail", "fail"]
    assert [case.is_met for case in run.cases] == [True, True, None, None]
    assert kept.store.answers.list().items == ()
    rates = run.rates.to_json()
    assert (rates["spans_present"]["count"], rates["spans_present"]["n"]) == (2, 3)
    assert (rates["orphans"]["count"], rates["orphans"]["n"]) == (1, 4)
    assert rates["no_answer"]["by_reason"].keys() >= {"no_citations"}
    assert rates["citation_coverage"]["count"] < rates["citation_coverage"]["n"]
    # What the same answer comes to where it is kept.
    for case, payload in zip(run.cases[:2], (make_answer(), absent), strict=True):
        block = verify_payload(kept, json.dumps(payload).encode()).block
        assert case.result == block.result.value


def test_two_runs_are_the_same_bytes_and_the_file_is_the_run(kept: Context, tmp_path: Path) -> None:
    path = write_cases(tmp_path, make_case("good", make_answer()), make_case("b", make_answer("x")))
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file in files:
        write_run(run_cases(kept, path), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert load_run(files[0]) == run_cases(kept, path)
    header = json.loads(files[0].read_bytes())["header"]
    assert header["model"]["name"] == "scripted"
    assert header["policies"]["balanced"]["digest"].startswith("sha256:")
    assert "procedure@" in header["verifier"]


def test_a_policy_of_the_run_a_case_or_an_answer_stands_in_the_header(
    kept: Context, tmp_path: Path
) -> None:
    path = write_cases(
        tmp_path,
        make_case("a", make_answer(), policy="strict"),
        make_case("b", make_answer() | {"policy": "review"}),
        make_case("c", make_answer()),
    )
    run = run_cases(kept, path)
    assert set(run.header["policies"]) == {"strict", "review", "balanced"}
    strict = run_cases(kept, path, policy="strict")
    assert set(strict.header["policies"]) == {"strict"}
    assert "/options/policy" in compare_runs(strict, run).header_differences
    with pytest.raises(UnknownPolicyError):
        run_cases(kept, path, policy="lenient")


def test_the_gate_finds_an_answer_that_got_worse(kept: Context, tmp_path: Path) -> None:
    before = run_cases(kept, write_cases(tmp_path, make_case("a", make_answer())))
    altered = make_case("a", make_answer("The moon is made of green cheese."))
    found = compare_runs(run_cases(kept, write_cases(tmp_path, altered)), before)
    (flip,) = found.flips
    assert (flip.before, flip.now, flip.is_same_case) == ("pass", "fail", False)
    assert {each.kind for each in found.regressions} == {"worse", "rate"}


def test_repaired_answers_are_counted(kept: Context, tmp_path: Path) -> None:
    payload = {
        "answer": "Defective goods are replaced within four business days.",
        "citations": [],
        "retrieved": [{"chunk_id": "c", "doc_id": "agreement", "text": SENTENCE}],
    }
    path = write_cases(tmp_path, make_case("a", payload))
    run = run_cases(kept, path, repair=RepairRequest())
    assert run.cases[0].repaired == 1
    assert run.rates.to_json()["repaired"]["count"] == 1
    assert run.header["options"]["repair"] == "answer"
    assert run_cases(kept, path).cases[0].repaired == 0


def test_a_refused_document_is_an_error_of_its_case_and_the_others_go_on(
    kept: Context, tmp_path: Path
) -> None:
    turn = {
        "role": "assistant",
        "response": "The ticket is in progress [[T:note]].",
        "context": {"ticket": {"fields": {"note": "The ticket is in progress."}}},
        "registry": {"prefixes": {"T": "ticket"}},
    }
    path = write_cases(
        tmp_path, make_case("field", turn, format="field"), make_case("good", make_answer())
    )
    kept = with_settings(kept, max_document_bytes=10)
    refused, good = run_cases(kept, path).cases
    assert (refused.result, refused.problem) == ("error", "LIMIT_EXCEEDED")
    assert refused.abstention_reason == "LIMIT_EXCEEDED"
    assert not refused.all_spans_present
    assert (good.result, good.problem) == ("pass", None)


def chunk(number: int, tier: str | None, **given: Any) -> Retrieval:
    """A retrieved chunk."""
    return Retrieval(chunk_id=f"c{number}", source_tier=tier, **given)


def test_trusted_top_3_looks_at_rank_then_score_then_order() -> None:
    trusted = frozenset({"official"})
    tiers = ("web", "web", "web", "official")
    plain = tuple(chunk(n, tier) for n, tier in enumerate(tiers))
    assert find_trusted(plain, trusted) is False
    ranked = tuple(chunk(n, tier, rank=4 - n) for n, tier in enumerate(tiers))
    assert find_trusted(ranked, trusted) is True
    scored = tuple(chunk(n, tier, score=float(n)) for n, tier in enumerate(tiers))
    assert find_trusted(scored, trusted) is True
    assert find_trusted((chunk(0, None),), trusted) is False
    assert find_trusted((), trusted) is None
    assert find_trusted(plain, frozenset()) is None


BAD = {
    "not json": "{",
    "empty": "",
    "no object": "[]",
    "no case_id": {"payload": {"answer": "", "citations": []}},
    "case_id of a control": {"case_id": "a\x1b", "payload": {"answer": "", "citations": []}},
    "long case_id": {"case_id": "a" * 201, "payload": {"answer": "", "citations": []}},
    "no payload": {"case_id": "x"},
    "payload malformed": {"case_id": "x", "payload": {"answer": 7}},
    "unknown field": make_case("x", make_answer(), expected={"result": "pass"}),
    "unknown expectation": make_case("x", make_answer(), expect={"result": "good"}),
    "more expected": make_case("x", make_answer(), expect={"result": "pass", "level": "GREEN"}),
    "unknown format": make_case("x", make_answer(), format="telex"),
    "format a number": make_case("x", make_answer(), format=7),
    "unknown policy": make_case("x", make_answer(), policy="lenient"),
    "unknown policy of the answer": make_case("x", make_answer() | {"policy": "lenient"}),
    "twice": make_case("good", make_answer()),
    "key twice": '{"case_id": "x", "case_id": "y", "payload": {"answer": "", "citations": []}}',
    "too long": make_case("x", make_answer("a" * MOST)),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_by_number_and_nothing_is_judged(
    kept: Context, tmp_path: Path, name: str
) -> None:
    path = write_cases(tmp_path, make_case("good", make_answer()), BAD[name], make_case("z", {}))
    model = ScriptedModel()
    kept = with_parts(kept, model=model)
    with pytest.raises(MalformedCasesError, match=r"at line 2 .*\(and in the lines 3\)"):
        check_cases(path, most_bytes=MOST)
    with pytest.raises(MalformedCasesError):
        run_cases(kept, path)
    assert model.asked == []


def test_a_file_of_other_things_names_twenty_lines(tmp_path: Path) -> None:
    path = write_cases(tmp_path, *["{}"] * 1_000)
    with pytest.raises(MalformedCasesError, match="19, 20"):
        check_cases(path, most_bytes=MOST)


@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_what_is_no_file_of_cases_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        check_cases(tmp_path / name, most_bytes=MOST)


def test_an_empty_file_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(MalformedCasesError, match="at least one"):
        check_cases(write_cases(tmp_path), most_bytes=MOST)


def test_without_a_model_there_is_no_run(kept: Context, tmp_path: Path) -> None:
    path = write_cases(tmp_path, make_case("a", make_answer()))
    without = with_settings(kept, model=tmp_path / "no-model")
    with pytest.raises(ModelUnavailableError):
        run_cases(without, path)


def test_a_run_goes_only_where_a_file_can_be_and_comes_only_from_one(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "run.json", Path("/dev/null")):
        with pytest.raises(OutputError):
            check_output(path)
    with pytest.raises(InputError):
        load_run(tmp_path / "nowhere.json")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(MalformedRunError):
        load_run(tmp_path / "other.json")


def test_diff_takes_answers_printed_files_and_ids_alike(kept: Context, tmp_path: Path) -> None:
    verification = verify_payload(kept, json.dumps(make_answer()).encode())
    plain, printed = tmp_path / "plain.json", tmp_path / "printed.json"
    plain.write_text(json.dumps(make_answer(prose="It is replaced soon [7].", anchor=7)))
    printed.write_text(json.dumps(verification.response))
    refs = {
        "verified_now": str(plain),
        "printed": str(printed),
        "kept": verification.verification_id,
    }
    kept_before = kept.store.answers.list().items
    for first, one in refs.items():
        for second, other in refs.items():
            report = diff_answers(kept, one, other)
            assert report.difference.is_same, report.to_json()
            assert report.sources == (first, second)
            assert report.to_json()["a"]["source"] == first
    assert kept.store.answers.list().items == kept_before


def test_diff_reads_a_provider_s_payload_by_its_format(kept: Context, tmp_path: Path) -> None:
    envelope = {
        "response": "It is replaced soon [[REF:s1]].",
        "documents": [{"doc_id": "agreement"}],
    }
    path = tmp_path / "marked.json"
    path.write_text(json.dumps(envelope))
    report = diff_answers(kept, str(path), str(path), format="ref")
    assert report.difference.is_same
    assert "REF" not in report.difference.first.prose
    with pytest.raises(MalformedAnswerError):
        diff_answers(kept, str(path), str(path))


def test_diff_of_what_is_neither_file_nor_kept_is_said(kept: Context, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        diff_answers(kept, str(tmp_path / "nowhere.json"), "x")
    unknown = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(VerificationNotFoundError):
        diff_answers(kept, unknown, unknown)
    for content in ("{", "[]", '{"verification": {}, "verification_id": "x"}'):
        path = tmp_path / "bad.json"
        path.write_text(content)
        with pytest.raises(MalformedAnswerError):
            diff_answers(kept, str(path), str(path))
