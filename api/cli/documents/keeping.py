"""``holds`` and ``retention``: what must stay, and what may go."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.documents.sources import ReasonOption  # noqa: TC001 - typer reads them
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import load_settings, open_session
from spanproof.core.errors import InputError
from spanproof.operations.context import DEFAULT_TENANT

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.operations.keeping.plan import RetentionPlan
    from spanproof.operations.keeping.words import WordsSetting
    from spanproof.receipt.statement.events import HeldKind

TenantOption = Annotated[str, typer.Option(help="Whose answers.")]
PlanOption = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help="TOML or JSON (default: SPANPROOF_RETENTION_PLAN)."
    ),
]


def build_hold_commands() -> typer.Typer:
    """The commands of ``spanproof holds``."""
    group = typer.Typer(help="Legal holds.", rich_markup_mode=None)
    group.callback()(_holds)
    group.command("place")(place)
    group.command("release")(release)
    group.command("list")(list_all)
    return group


def build_retention_commands() -> typer.Typer:
    """The commands of ``spanproof retention``."""
    group = typer.Typer(help="What a plan of retention lets go.", rich_markup_mode=None)
    group.callback()(_retention)
    group.command("list")(list_due)
    group.command("apply")(apply)
    return group


def build_words_commands() -> typer.Typer:
    """The commands of ``spanproof words``."""
    group = typer.Typer(help="How the words of answers are kept.", rich_markup_mode=None)
    group.callback()(_words)
    group.command("show")(show_words)
    group.command("set")(set_words)
    return group


def _words() -> None:
    """Show or set how the words of answers are kept."""


def show_words(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """Show the mode, and since when it holds."""
    from spanproof.operations.keeping.words import find_words

    _show_words(tenant, find_words, as_json=as_json)


def set_words(
    mode: Annotated[str, typer.Argument(help="kept, encrypted or hash-only.")],
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Keep the words of the answers that come from now on, encrypt them, or keep none."""
    from spanproof.operations.keeping import words

    def change(context: Context) -> WordsSetting:
        return words.set_words(context, mode, now=datetime.now(UTC))

    _show_words(tenant, change, as_json=as_json)


def _show_words(tenant: str, ask: Callable[[Context], WordsSetting], *, as_json: bool) -> None:
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        with tenants.using(tenant) as context:
            row = ask(context).to_json()
    finally:
        tenants.close()
    since = "" if row["since"] is None else f" since {row['since']}"
    _write(row, [f"{row['mode']}{since}"], as_json=as_json)


def _holds() -> None:
    """Place, release and list legal holds."""


def _retention() -> None:
    """List what is due, or let it go."""


def place(
    *,
    reason: ReasonOption,
    answer: Annotated[
        str | None, typer.Option(metavar="ID", help="A verification_id or submitted answer_id.")
    ] = None,
    document: Annotated[
        str | None, typer.Option(metavar="DOC", help="A doc_id or doc_hash.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME=VALUE", help="All answers and documents with it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Place a hold: what it keeps cannot be erased until it is released."""
    from spanproof.operations.keeping.holds import place_hold

    asked: dict[HeldKind, str | None] = {"answer": answer, "document": document, "label": label}
    given = [(kind, ref) for kind, ref in asked.items() if ref is not None]
    if len(given) != 1:
        msg = f"Expected one of --answer, --document and --label, got {len(given)}."
        raise InputError(msg, hint="Place one hold for each.")
    ((kind, ref),) = given
    with open_session() as context:
        row = place_hold(context, kind, ref, reason=reason).to_json()
    _write(row, [_describe(row)], as_json=as_json)


def release(
    hold_id: Annotated[str, typer.Argument(metavar="HOLD", help="An id that 'list' shows.")],
    *,
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """Release a hold."""
    from spanproof.operations.keeping.holds import release_hold

    with open_session() as context:
        row = release_hold(context, hold_id, reason=reason).to_json()
    _write(row, [_describe(row)], as_json=as_json)


def list_all(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Released holds too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the holds that count."""
    from spanproof.operations.keeping.holds import list_holds

    with open_session() as context:
        rows = [each.to_json() for each in list_holds(context, only_open=not everything)]
    _write({"holds": rows}, list(map(_describe, rows)), as_json=as_json)


def list_due(*, plan: PlanOption = None, as_json: JsonOption = False) -> None:
    """The dry run: list what the plan lets go and why, and what keeps the rest. Nothing goes."""
    from spanproof.operations.keeping import retention

    with open_session() as context:
        row = retention.list_due(context, _load_plan(context, plan)).to_json()
    _write(row, [_describe_due(each) for each in row["due"]], as_json=as_json)


def apply(
    *,
    plan: PlanOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Most things to erase.")] = 1_000,
    as_json: JsonOption = False,
) -> None:
    """Erase what is due, each behind its tombstone in the log."""
    from spanproof.operations.keeping import retention

    with open_session() as context:
        row = retention.apply_plan(context, _load_plan(context, plan), limit=limit).to_json()
    lines = [f"erased {_describe_due(each)}" for each in row["erased"]]
    _write(row, lines + [f"kept {_describe_due(each)}" for each in row["due"]], as_json=as_json)


def _load_plan(context: Context, path: Path | None) -> RetentionPlan:
    from spanproof.operations.keeping.plan import load_plan

    settings = context.settings
    if path is None and settings.retention_plan is None:
        msg = "Expected a plan as --plan or in SPANPROOF_RETENTION_PLAN, got none."
        raise InputError(msg, hint="docs/how-to/erasing.md has an example.")
    return load_plan(
        settings if path is None else settings.model_copy(update={"retention_plan": path})
    )


def _describe(row: dict[str, Any]) -> str:
    end = f", released {row['released_at']}" if row["released_at"] else ""
    return f"{row['hold_id']}  {row['kind']} {row['subject']}  {row['placed_at']}{end}"


def _describe_due(row: dict[str, Any]) -> str:
    return f"{row['kind']} {row['subject']}  {row['since']}  {row['fate']}: {row['why']}"


def _write(value: dict[str, Any], lines: list[str], *, as_json: bool) -> None:
    if as_json:
        write_json(value)
    else:
        write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
