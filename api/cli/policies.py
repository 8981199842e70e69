"""``rehearse`` a change on kept answers; ``policies``: let it hold by two keys, or take it back."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import load_settings
from spanproof.operations.context import DEFAULT_TENANT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.citations.policies import PolicyPin
    from spanproof.operations.context import Context

TenantOption = Annotated[str, typer.Option(help="Whose answers.")]
GrammarArgument = Annotated[str, typer.Argument(help="numbered, chunk, ref, field, …")]
KeyFileOption = Annotated[
    Path, typer.Option(metavar="FILE", help="File with your API key; it needs the scope admin.")
]
_MOST_KEY_BYTES = 200


def rehearse(
    *,
    policy: Annotated[
        str | None, typer.Option(help="Policy to try; default: that of each answer.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Model to try, as SPANPROOF_MODEL; default: the setting's.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most answers, drawn by chance.")] = 1000,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 if any answer comes to a worse result.")
    ] = False,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> int:
    """Judge kept answers by another policy, model or release, and list those that flip.

    Nothing is kept or logged. With neither option it tries this release alone.
    """
    from spanproof.operations.replay.rehearsal import rehearse as try_on

    with _using(tenant, model=model) as (_, context):
        found = try_on(context, policy=policy, limit=limit)
    body = found.to_json()
    if as_json:
        write_json(body)
    else:
        answers = f"{found.judged} of {found.kept} kept answers"
        lines = [f"{answers}, policy {found.policy}, {found.model}"]
        for name, rate in body["rates"].items():
            of = f"{rate['count']} of {rate['n']}"
            interval = "" if not rate["n"] else f", 95 % {rate['low']:.3f} to {rate['high']:.3f}"
            lines.append(f"{name:<12} {of}{interval}")
        lines += [f"left out     {count} {code}" for code, count in found.left_out.items()]
        for flip in found.flips:
            lines.append(f"{flip.verification_id}  {flip.before} -> {flip.now}")
            lines += [f"  {reason}" for reason in flip.reasons]
        write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    return ExitCode.FAILED if gate and any(each.is_worse for each in found.flips) else ExitCode.OK


def build_policy_commands() -> typer.Typer:
    """The commands of ``spanproof policies``."""
    group = typer.Typer(help="Policies pinned to grammars.", rich_markup_mode=None)
    group.callback()(_policies)
    group.command("list")(list_all)
    group.command("approve")(approve)
    group.command("roll-back")(roll_back)
    return group


def _policies() -> None:
    """Pin the policy of a grammar with two keys, or take it back; changes apply at once."""


def list_all(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """List what is pinned, and what waits for a second key."""
    from spanproof.operations.citations.policies import read_pin
    from spanproof.verifier.formats.grammars.table import GRAMMARS

    with _using(tenant) as (_, context):
        rows = [read_pin(context, name).to_json() for name in GRAMMARS]
    if as_json:
        write_json({"policies": rows})
        return
    for row in rows:
        waits = f"  proposed: {row['proposed']} by {row['proposed_by']}" if row["proposed"] else ""
        write_bytes(f"{row['grammar']:<12} {row['policy'] or '-'}{waits}\n".encode())


def approve(
    grammar: GrammarArgument,
    policy: Annotated[str, typer.Argument(help="balanced, strict or review.")],
    *,
    key_file: KeyFileOption,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Propose a policy with one key; with a second key it holds for answers that name none."""
    from spanproof.operations.citations.policies import approve_policy

    def work(home: Context, context: Context, key: str) -> PolicyPin:
        return approve_policy(home, context, grammar, policy, key=key, now=datetime.now(UTC))

    _change(tenant, key_file, work, as_json=as_json)


def roll_back(
    grammar: GrammarArgument,
    *,
    key_file: KeyFileOption,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Let the policy before the pinned one hold again; one key is enough."""
    from spanproof.operations.citations.policies import roll_back as take_back

    def work(home: Context, context: Context, key: str) -> PolicyPin:
        return take_back(home, context, grammar, key=key, now=datetime.now(UTC))

    _change(tenant, key_file, work, as_json=as_json)


def _change(
    tenant: str,
    key_file: Path,
    work: Callable[[Context, Context, str], PolicyPin],
    *,
    as_json: bool,
) -> None:
    from spanproof.operations.small_file import read_small_file

    hint = "Give the path of a file that holds the key alone."
    raw = read_small_file(key_file, "an API key", most_bytes=_MOST_KEY_BYTES, hint=hint)
    with _using(tenant) as (home, context):
        pin = work(home, context, raw.decode("ascii", "replace").strip())
    if as_json:
        write_json(pin.to_json())
    elif pin.proposed is not None:
        text = f"{pin.grammar}: {pin.proposed} is proposed; a second key has to approve it\n"
        write_bytes(text.encode())
    else:
        write_bytes(f"{pin.grammar}: {pin.policy or 'the setting'} holds from now on\n".encode())


@contextmanager
def _using(tenant: str, *, model: Path | None = None) -> Iterator[tuple[Context, Context]]:
    """The home that keeps the keys, and the tenant."""
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings(model=model))
    try:
        with tenants.using(tenant) as context:
            yield tenants.default, context
    finally:
        tenants.close()
