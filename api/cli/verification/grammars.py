"""``clean`` and ``prompt``: an answer without its citation tokens, and how to ask for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from spanproof.api.cli.documents.commands import JsonOption  # noqa: TC001 - typer reads annotations
from spanproof.api.cli.output import write_bytes, write_json
from spanproof.api.cli.session import load_settings
from spanproof.core.errors import InputError

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
