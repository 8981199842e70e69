"""``rehearse`` a change on kept answers; ``policies``: let it hold by two keys, or take it back.

A policy or a model can be pinned to a grammar.
"""

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

    from spanproof.operations.citations.policies import Pin, PinKind
    from spanproof.operations.context import Context

TenantOption = Annotated[str, typer.Option(help="Whose answers.")]
GrammarArgument = Annotated[str, typer.Argument(help="numbered, chunk, ref, field, …")]
KeyFileOption = Annotated[
    Path, typer.Option(metavar="FILE", help="File with your API key; it needs the scope admin.")
]
_MOST_KEY_BYTES = 200
_KINDS: tuple[PinKind, ...] = ("policy", "model")


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
    group = typer.Typer(help="Policies and models pinned to grammars.", rich_markup_mode=None)
    group.callback()(_policies)
    group.command("list")(list_all)
    group.command("approve")(approve)
    group.command("approve-model")(approve_model)
    group.command("roll-back")(roll_back)
    return group


def _policies() -> None:
    """Pin a grammar's policy or model with two keys, or take it back; changes apply at once."""


def list_all(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """List what is pinned, and what waits for a second key."""
    from spanproof.operations.citations.policies import read_pin
    from spanproof.verifier.formats.grammars.table import GRAMMARS

    with _using(tenant) as (_, context):
        pins = {kind: [read_pin(context, name, kind) for name in GRAMMARS] for kind in _KINDS}
    if as_json:
        policies, models = ([each.to_json() for each in pins[kind]] for kind in _KINDS)
        write_json({"policies": policies, "models": models})
        return
    for policy, model in zip(pins["policy"], pins["model"], strict=True):
        line = f"{policy.grammar:<12} {policy.name or '-'}"
        line += "" if model.name is None else f"  model {model.name}"
        for each in (policy, model):
            if each.proposed is not None:
                line += f"  proposed: {each.proposed} by {each.proposed_by}"
        write_bytes(f"{line}\n".encode())


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

    def work(context: Context, key_id: str, now: datetime) -> Pin:
        return approve_policy(context, grammar, policy, key_id=key_id, now=now)

    _change(tenant, key_file, work, as_json=as_json)


def approve_model(
    grammar: GrammarArgument,
    *,
    key_file: KeyFileOption,
    model: Annotated[
        Path | None, typer.Option(help="Model, as SPANPROOF_MODEL; default: the setting's.")
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Propose a model with one key; with a second key no other one judges these answers."""
    from spanproof.operations.citations.policies import approve_model as approve_it

    def work(context: Context, key_id: str, now: datetime) -> Pin:
        return approve_it(context, grammar, key_id=key_id, now=now)

    _change(tenant, key_file, work, as_json=as_json, model=model)


def roll_back(
    grammar: GrammarArgument,
    *,
    key_file: KeyFileOption,
    of_model: Annotated[
        bool, typer.Option("--model", help="The pinned model, not the policy.")
    ] = False,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Let what was pinned before hold again; one key is enough."""
    from spanproof.operations.citations.policies import roll_back as take_back

    def work(context: Context, key_id: str, now: datetime) -> Pin:
        kind: PinKind = "model" if of_model else "policy"
        return take_back(context, grammar, kind, key_id=key_id, now=now)

    _change(tenant, key_file, work, as_json=as_json)


def _change(
    tenant: str,
    key_file: Path,
    work: Callable[[Context, str, datetime], Pin],
    *,
    as_json: bool,
    model: Path | None = None,
) -> None:
    from spanproof.operations.citations.policies import require_admin
    from spanproof.operations.small_file import read_small_file

    hint = "Give the path of a file that holds the key alone."
    raw = read_small_file(key_file, "an API key", most_bytes=_MOST_KEY_BYTES, hint=hint)
    with _using(tenant, model=model) as (home, context):
        now = datetime.now(UTC)
        key_id = require_admin(home, context, raw.decode("ascii", "replace").strip(), now)
        pin = work(context, key_id, now)
    if as_json:
        write_json(pin.to_json())
    elif pin.proposed is not None:
        text = f"{pin.grammar}: {pin.proposed} is proposed; a second key has to approve it\n"
        write_bytes(text.encode())
    else:
        write_bytes(f"{pin.grammar}: {pin.name or 'the setting'} holds from now on\n".encode())


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
