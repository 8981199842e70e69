"""``sample``, ``rates``, ``review`` and ``audit sample``: quality of production answers."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_json, write_note, write_problem, write_rich
from spanproof.api.cli.session import open_session
from spanproof.core.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from spanproof.operations.sampling.audit_report import SampleAudit

_SHOWN = 20


def build_sample_commands() -> typer.Typer:
    """The commands of ``spanproof sample``."""
    group = typer.Typer(help="Sampling of production answers.", rich_markup_mode=None)
    group.callback()(_sample)
    group.command("epochs")(epochs)
    group.command("close")(close)
    group.command("verify")(verify)
    return group


def build_review_commands() -> typer.Typer:
    """The commands of ``spanproof review``."""
    group = typer.Typer(help="Answers for people to review.", rich_markup_mode=None)
    group.callback()(_review)
    group.command("list")(review_list)
    group.command("label")(review_label)
    return group


def _sample() -> None:
    """List epochs, close the open one, verify waiting answers."""


def _review() -> None:
    """Show the review queue and add labels."""


def epochs(*, as_json: JsonOption = False) -> None:
    """List the sampling epochs: their commitments, and the keys of closed ones."""
    from spanproof.operations.sampling.audit import iterate_epochs

    with open_session() as context:
        found = list(iterate_epochs(context))
    if as_json:
        write_json({"epochs": found})
        return
    for each in found:
        state = next(name for name in ("closed", "closing", "opened") if each[name])
        write_rich(f"{each['epoch']}  {state} {each[state]['at']}  {each['commitment']}")


def close(*, as_json: JsonOption = False) -> int:
    """Close the open epoch and disclose its key; the next answer opens another.

    Exit 1 if none is open, or if a witness has still to draw answers of it: it takes no more.
    """
    from spanproof.operations.sampling.epochs import EpochKeeper
    from spanproof.operations.sampling.sampler import load_plan

    with open_session() as context:
        closed = EpochKeeper(context, load_plan(context.settings)).close_current()
    is_closed = closed is not None and closed.closed is not None
    if as_json:
        write_json({"closed": closed.epoch if closed is not None and is_closed else None})
    elif closed is None:
        write_note("No epoch is open.")
    elif is_closed:
        write_note(f"Closed {closed.epoch}.")
    else:
        write_note(
            f"{closed.epoch} takes no more answers; a witness draws some of them:"
            " run 'spanproof log cosign'."
        )
    return ExitCode.OK if is_closed else ExitCode.FAILED


def verify(*, as_json: JsonOption = False) -> None:
    """Verify the sampled answers that are waiting, in order.

    A service with workers does this by itself. Answers that a witness's signature covers are drawn
    first.
    """
    from spanproof.operations.sampling.epochs import advance_draws
    from spanproof.operations.sampling.waiting import verify_waiting

    with open_session() as context:
        advance_draws(context)
        report = verify_waiting(context)
    if as_json:
        write_json(report.to_json())
    else:
        shown = ", ".join(f"{name} {count}" for name, count in report.to_json().items())
        write_rich(shown)


def rates(
    *,
    by: Annotated[
        str,
        typer.Option(metavar="WHAT", help="all, tenant, model, index_version, stratum or epoch."),
    ] = "all",
    epoch: Annotated[str | None, typer.Option(metavar="EPOCH", help="Only this epoch.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show error rates in production with 95 % intervals, and alarms.

    The judge-flagged rate is what the verifier reports; the true rate comes from people's labels
    alone.
    """
    from spanproof.operations.sampling.rates import BY, compute_rates
    from spanproof.store.samples.counts import SampleFilter

    chosen = next((each for each in BY if each == by), None)
    if chosen is None:
        msg = f"Expected one of {', '.join(BY)} for --by, got {by!r}."
        raise InputError(msg, hint="Run 'spanproof rates --help'.")
    with open_session() as context:
        report = compute_rates(context, by=chosen, wanted=SampleFilter(epoch=epoch)).to_json()
    if as_json:
        write_json(report)
        return
    for group in report["groups"]:
        write_rich(_describe_group(group))
    for alarm in report["alarms"]:
        state = "BREACHED" if alarm["budget_breached"] else "within"
        write_rich(
            f"{alarm['stratum']} version {alarm['version']}: {state} the budget of "
            f"{alarm['budget']:g}, {alarm['samples']} answers, ratio {alarm['budget_ratio']:.2f}"
        )


def review_list(
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Include answers that already have a label.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most rows.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List the answers to review, in the order in which they were drawn."""
    from spanproof.operations.sampling.reviews import list_reviews

    with open_session() as context:
        report = list_reviews(context, only_open=not everything, limit=limit).to_json()
    if as_json:
        write_json(report)
        return
    for each in report["reviews"]:
        said = each["agreed"] or "open"
        word = "flagged" if each["flagged"] else "not flagged"
        write_rich(f"{each['answer_id']}  {word}  {said}  {each['verification_id']}")


def review_label(
    answer_id: Annotated[
        str, typer.Argument(metavar="ANSWER_ID", help="An id that 'review list' shows.")
    ],
    label: Annotated[str, typer.Argument(metavar="LABEL", help="correct, wrong or unclear.")],
    *,
    reviewer: Annotated[str, typer.Option(metavar="NAME", help="Name of the reviewer.")],
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Why.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Add a reviewer's label for an answer; earlier labels stay."""
    from spanproof.operations.sampling.reviews import describe_review, label_answer, parse_label

    given = parse_label(label, reviewer, note)
    with open_session() as context:
        report = describe_review(label_answer(context, answer_id, given))
    if as_json:
        write_json(report)
    else:
        write_note(f"{answer_id}: {report['agreed']}{', disputed' if report['disputed'] else ''}")


def audit_sample(
    epoch: Annotated[
        str, typer.Argument(metavar="EPOCH", help="An id that 'sample epochs' shows.")
    ],
    *,
    cosigned: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The drawing witness's own list of a log; may be repeated.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Recompute which answers a closed epoch should have chosen, and name every difference.

    Every answer that the log names must have been weighed, and as many must have been chosen as
    chance allows.

    Exit 0 none, 1 differences, 2 no such epoch, 4 its key is not disclosed yet.
    """
    from spanproof.operations.log.witness import read_cosigned
    from spanproof.operations.sampling.audit import audit_epoch

    try:
        with open_session() as context:
            report = audit_epoch(context, epoch, [read_cosigned(each) for each in cosigned or ()])
    except NotFoundError as error:
        write_problem(error)
        return ExitCode.MALFORMED
    if as_json:
        write_json(report.to_json())
    else:
        write_rich(*_describe_audit(report))
    if report.differences:
        return ExitCode.FAILED
    return ExitCode.OK if report.is_disclosed else ExitCode.NOT_CHECKED


def _describe_audit(report: SampleAudit) -> list[str]:
    from rich.markup import escape

    state = "disclosed" if report.is_disclosed else "NOT CHECKED: its key is not disclosed yet"
    lines = [
        f"{report.epoch}: {state}",
        (
            f"answers {report.answers}, chosen {report.chosen}, verified {report.verified}, "
            f"waiting {report.waiting}, drawn for people {report.reviews}"
        ),
        f"differences {report.differences}",
        f"claim: {report.claim}",
    ]
    if report.fits:
        least = min(report.fits, key=lambda each: each.p_value / each.level)
        lines.append(
            f"rates: {len(report.fits)} groups tested, the least p-value {least.p_value:.3g}"
            f" (fair at or above {least.level:.3g})"
        )
    for each in report.named[:_SHOWN]:
        of = f"{each.answer_id!r}: " if each.answer_id is not None else ""
        lines.append(f"{of}{each.what}: expected {each.expected}, got {each.got}")
    if len(report.named) > _SHOWN:
        lines.append(f"… {len(report.named) - _SHOWN} more (--json)")
    return [escape(line) for line in lines]


def _describe_group(group: dict[str, Any]) -> str:
    from rich.markup import escape

    name = "(none)" if group["group"] is None else group["group"]
    return escape(
        f"{name}: answers {group['answers']}, verified {group['verified']}, "
        f"flagged by the judge {_show(group['judge_flagged'])}, "
        f"labelled {group['labelled']}, wrong {_show(group['true_rate'])}"
    )


def _show(interval: dict[str, Any] | None) -> str:
    if interval is None:
        return "unknown"
    estimate = "unknown" if interval["estimate"] is None else f"{interval['estimate']:.2%}"
    return f"{estimate} ({interval['low']:.2%} to {interval['high']:.2%})"
