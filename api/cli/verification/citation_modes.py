"""``citations``: which grammars a tenant's answers are asked to cite in, and are held to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import load_settings
from spanproof.operations.context import DEFAULT_TENANT

TenantOption = Annotated[str, typer.Option(help="Whose answers.")]


def build_citation_commands() -> typer.Typer:
    """The commands of ``spanproof citations``."""
    group = typer.Typer(help="Which citations are asked for, and acted on.", rich_markup_mode=None)
    group.callback()(_citations)
    group.command("list")(list_all)
    group.command("set")(set_one)
    return group


def _citations() -> None:
    """List the mode of each grammar, or set one; it holds at once, without a restart."""


def list_all(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """List the mode of each grammar in the environment of SPANPROOF_ENVIRONMENT."""
    from spanproof.operations.citations.modes import list_modes
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        with tenants.using(tenant) as services:
            rows = [each.to_json() for each in list_modes(services)]
    finally:
        tenants.close()
    if as_json:
        write_json({"citations": rows})
        return
    for row in rows:
        write_bytes(f"{row['grammar']:<12} {row['mode']}\n".encode())


def set_one(
    grammar: Annotated[str, typer.Argument(help="numbered, chunk, ref, field, …")],
    mode: Annotated[str, typer.Argument(help="off, observe or enforce.")],
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Set a mode: off asks for no citations, observe verifies only, enforce is to be acted on."""
    from spanproof.operations.citations.modes import set_mode
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        with tenants.using(tenant) as services:
            row = set_mode(services, grammar, mode, now=datetime.now(UTC)).to_json()
    finally:
        tenants.close()
    if as_json:
        write_json(row)
    else:
        write_bytes(f"{row['grammar']} {row['mode']}\n".encode())
