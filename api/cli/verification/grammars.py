"""``clean``, ``prompt`` and ``citations …``: the grammars of citations in a text."""

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
        typer.Option(
            help=f"Grammar whose tokens are removed; may be repeated. Default: all of {_GRAMMARS}."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a text without its citation tokens, as a reader should see it.

    Without --json it prints the clean text alone, without an added newline.
    """
    from spanproof.operations.citations.grammars import clean_text, decode_text

    found = clean_text(decode_text(_read(file)), grammar or ())
    if as_json:
        write_json(found)
    else:
        write_bytes(found["clean_text"].encode())


def prompt(
    grammar: Annotated[
        str, typer.Option(help="numbered, chunk, ref or field: how the model should cite.")
    ] = "numbered",
    policy: Annotated[
        str, typer.Option(help="balanced, strict or review; sets the least number of citations.")
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
    """Print instructions that make a model cite in a verifiable way.

    With --sources it adds the reference list in the same grammar. No model is called.
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
    """The mode set by the home's default tenant; None if there is no home."""
    from spanproof.operations.assembly import open_context
    from spanproof.operations.citations.modes import DEFAULT, find_mode

    settings = load_settings()
    if settings.database_url is None and not (settings.home / "spanproof.db").exists():
        return DEFAULT
    with open_context(settings) as context:
        return find_mode(context, grammar).mode


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        msg = f"Expected a readable file, got {file!r} ({error.strerror})."
        raise InputError(msg, hint="Check the path, or give '-' to read stdin.") from error


TenantOption = Annotated[str, typer.Option(help="Whose answers.")]


def build_citation_commands() -> typer.Typer:
    """The commands of ``spanproof citations``."""
    group = typer.Typer(help="Modes of the citation grammars.", rich_markup_mode=None)
    group.callback()(_citations)
    group.command("list")(list_all)
    group.command("set")(set_one)
    return group


def _citations() -> None:
    """List or set the mode of each grammar; changes apply at once."""


def list_all(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """List the mode of each grammar in the environment of SPANPROOF_ENVIRONMENT."""
    from spanproof.operations.citations.modes import list_modes
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        with tenants.using(tenant) as context:
            rows = [each.to_json() for each in list_modes(context)]
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
    """Set a mode: off (no citations), observe (verify only) or enforce (act on the result)."""
    from spanproof.operations.citations.modes import set_mode
    from spanproof.operations.tenants import Tenants

    tenants = Tenants(load_settings())
    try:
        with tenants.using(tenant) as context:
            row = set_mode(context, grammar, mode, now=datetime.now(UTC)).to_json()
    finally:
        tenants.close()
    if as_json:
        write_json(row)
    else:
        write_bytes(f"{row['grammar']} {row['mode']}\n".encode())
