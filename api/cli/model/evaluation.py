"""``eval``: judge test cases, report rates with intervals, and compare with an earlier run."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_rich
from spanproof.api.cli.rate import ProgressRate
from spanproof.api.cli.session import open_model_session
from spanproof.core.errors import ExtraMissingError, InputError

if TYPE_CHECKING:
    from spanproof.monitor.evaluation import Rate
    from spanproof.monitor.evaluation_run import EvaluationRun
    from spanproof.monitor.regression import Comparison
    from spanproof.operations.evaluation.evaluate import Evaluation

_SHOWN = 50


def evaluate(
    cases: Annotated[
        Path,
        typer.Argument(
            metavar="CASES",
            help='.jsonl, .json, .csv, .parquet, or a data set\'s folder; rows are {"case_id", '
            '"payload", "format", "policy", "expect": {"result"}} or those of RAGAS or DeepEval.',
        ),
    ],
    *,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="RUN.json", help="Compare with this earlier run."),
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 if anything is worse than the baseline.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATE=SHARE",
            help="Exit 1 if a rate is lower, such as pass=0.9; may be repeated.",
        ),
    ] = None,
    max_false: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Exit 1 if more cases pass although they expect another result.",
        ),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Write a report: .html, .md or .xml (JUnit); may be repeated."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN.json", help="Write the run to this file, for a later --baseline."
        ),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Policy for every case; overrides the cases' own.")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Like 'verify --repair', for every case.")
    ] = False,
    trusted_tier: Annotated[
        list[str] | None,
        typer.Option(metavar="TIER", help="A source_tier that counts as trusted; may be repeated."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Judge every case and report rates with intervals. No answer is stored.

    Exit 0; 1 with --gate and a regression: a case that is worse or missing, a new case that fails,
    or a rate whose whole interval is worse than the baseline's estimate. Also 1 where --fail-under
    or --max-false is not kept.
    """
    from spanproof.monitor.regression import compare_runs
    from spanproof.monitor.threshold import find_faults, parse_threshold
    from spanproof.operations.evaluation.evaluate import (
        Evaluation,
        EvaluationOptions,
        check_output,
        load_run,
        write_bytes,
        write_run,
    )
    from spanproof.operations.evaluation.reports import Report, find_writer, write_report
    from spanproof.operations.verification.request import RepairRequest

    if gate and baseline is None:
        msg = "Expected a baseline for --gate, got none."
        raise InputError(msg, hint="Give --baseline RUN.json, a file that --output wrote.")
    # Check files before hours of judging, not after.
    earlier = None if baseline is None else load_run(baseline)
    thresholds = [parse_threshold(each) for each in fail_under or ()]
    targets = report or []
    for path in targets:
        find_writer(path)
    for path in [*targets, *([] if output is None else [output])]:
        check_output(path)
    options = EvaluationOptions(
        policy=policy,
        repair=RepairRequest() if repair else None,
        trusted_tiers=tuple(trusted_tier or ()),
    )
    with open_model_session() as context:
        evaluation = Evaluation(context, cases, options)
        _judge_all(evaluation)
    run = evaluation.run
    if any(case.problem == ExtraMissingError.code for case in run.cases):
        write_note("Cases that cite documents of a store need: pip install 'spanproof[server]'.")
    faults = find_faults(run, thresholds, max_false)
    told = Report.of(run, evaluation.reasons, tuple(faults))
    for path in targets:
        write_bytes(write_report(told, path), path)
    if output is not None:
        write_run(run, output)
    comparison = None if earlier is None else compare_runs(run, earlier)
    if comparison is not None and comparison.header_differences:
        named = ", ".join(comparison.header_differences)
        write_note(f"The baseline ran with other settings: its header differs in {named}.")
    if as_json:
        compared = None if comparison is None else comparison.to_json()
        write_json(run.to_json() | {"comparison": compared})
    else:
        write_rich(*_render(run, comparison))
    for fault in faults:
        write_note(f"Not kept: {fault}")
    failed = faults or (gate and comparison is not None and comparison.regressions)
    return ExitCode.FAILED if failed else ExitCode.OK


def _judge_all(evaluation: Evaluation) -> None:
    rate = ProgressRate("cases")
    try:
        for number, _ in enumerate(evaluation, start=1):
            rate.show(number, number / evaluation.total)
    finally:
        rate.clear()


def _render(run: EvaluationRun, comparison: Comparison | None) -> list[Any]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in ("rate", "n", "count", "estimate", "95 % interval"):
        table.add_column(title, justify="left" if title == "rate" else "right")
    for rate in run.rates.rates:
        table.add_row(rate.name, *_describe(rate))
        if rate.name == "no_answer":
            for reason in run.rates.by_reason:
                table.add_row(f"  {reason.name}", *_describe(reason))
    lines: list[Any] = [table]
    unmet = [case for case in run.cases if case.is_met is False]
    lines += [
        Text(f"not as expected: {case.case_id} is {case.result}, should be {case.expected}")
        for case in unmet[:_SHOWN]
    ]
    lines += _describe_rest(len(unmet))
    lines += [
        Text(f"not verified: {case.case_id} ({case.problem})") for case in run.cases if case.problem
    ]
    if comparison is None:
        return lines
    lines += [
        Text(f"{flip.direction}: {flip.case_id} was {flip.before}, is {flip.now}")
        for flip in comparison.flips[:_SHOWN]
    ]
    lines += _describe_rest(len(comparison.flips))
    lines += [
        Text(f"REGRESSION {each.kind} {each.name}: {each.why}", style="red")
        for each in comparison.regressions[:_SHOWN]
    ]
    lines += _describe_rest(len(comparison.regressions))
    lines.append(
        Text(
            f"{len(comparison.flips)} flips, {len(comparison.new)} new,"
            f" {len(comparison.missing)} missing, {len(comparison.regressions)} regressions"
        )
    )
    return lines


def _describe_rest(count: int) -> list[Any]:
    from rich.text import Text

    return [Text(f"… and {count - _SHOWN} more (--json lists all)")] if count > _SHOWN else []


def _describe(rate: Rate) -> tuple[str, str, str, str]:
    found = rate.interval
    if found is None:
        return ("0", "-", "not measured", "-")
    interval = f"{found.low:.4f} to {found.high:.4f}"
    return (str(rate.n), str(rate.count), f"{found.estimate:.4f}", interval)
