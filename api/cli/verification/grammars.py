"""``clean``, ``prompt`` and ``citations …``: how answers write their citations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import InputError
from spanproof.operations.context import DEFAULT_TENANT

_GRAMMARS = "numbered, link, chunk, ref, field, fullwidth, private-use"


def clean(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="The raw text in UTF-8; '-' is stdin.")
    ],
    grammar: Annotated[
        list[str] | None,
        typer.Option(help=f"Whose tokens go; may be repeated. Default: all of {_GRAMMARS}."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a text as a person sees it: without its citation tokens.

    Without --json the clean text comes as it is, no newline added.
    """
    from spanproof.operations.citations.grammars import clean_text, decode_text

    found = clean_text(decode_text(_read(file)), grammar or ())
    if as_json:
        write_json(found)
    else:
        write_bytes(found["clean_text"].encode())


def prompt(
    grammar: Annotated[
        str, typer.Option(help="numbered, chunk, ref or field: how the model is to cite.")
    ] = "numbered",
    policy: Annotated[
        str, typer.Option(help="balanced, strict or review; gives the least count of citations.")
    ] = "balanced",
    sources: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help='What to list: {"retrieved": […]}; for field {"context": {…}, "registry": {…}}.',
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the instructions that make a model cite so that its answer can be verified.

    With --sources the reference list follows, in the same grammar. No model is called.
    """
    from spanproof.operations.citations.grammars import make_prompt, read_json

    payload = {} if sources is None else read_json(_read(sources))
    if isinstance(payload, dict):
        payload = {"grammar": grammar, "policy": policy} | payload
    found = make_prompt(payload, _find_mode)
    if as_json:
        write_json(found)
        return
    text = found["instructions"]
    if found["reference_list"] is not None:
        text += "\n" + found["reference_list"]
    write_bytes(text.encode())


def _find_mode(grammar: str) -> str:
    """The mode that the home's default tenant has set; a home that is not there has set none."""
    from spanproof.operations.citations.modes import DEFAULT, find_mode
    from spanproof.operations.context import open_context

    settings = load_settings()
    if settings.database_url is None and not (settings.home / "spanproof.db").exists():
        return DEFAULT
    with open_context(settings) as services:
        return find_mode(services, grammar).mode


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        msg = f"Expected a file that can be read, got {file!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error


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
