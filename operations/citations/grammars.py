"""Grammars for callers: a raw text cleaned, and the prompt that asks for citations in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import FieldProblem, InputError
from spanproof.core.json_reader.object_reader import ObjectReader, load_json
from spanproof.verifier.answers.prompt import instructions, list_fields, list_sources, sources_of
from spanproof.verifier.extent import require_at_most, require_short
from spanproof.verifier.fields.context import visible_context
from spanproof.verifier.fields.turn import read_sources
from spanproof.verifier.formats.cleaning import strip_tokens
from spanproof.verifier.formats.grammars.table import GRAMMARS, find_grammars
from spanproof.verifier.formats.grammars.tokenizer import read_tokens
from spanproof.verifier.formats.native import read_answer_details
from spanproof.verifier.formats.native_parts import describe_problems
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.span import Span
    from spanproof.verifier.formats.cleaning import CleanText
    from spanproof.verifier.formats.grammars.token import Token

_OFF, _ENFORCE = "off", "enforce"
_HINT = "Compare it with the input of docs/reference/grammars.md."


def clean_text(
    text: str, grammars: Sequence[str] = (), *, most: int | None = None
) -> dict[str, Any]:
    """A raw text cleaned of the named grammars' tokens, of all without a name, as JSON has it.

    Offsets are code points; each token stands in both frames. Raises UnknownGrammarError, and
    AnswerTooDenseError for more than ``most`` tokens.
    """
    names = [grammar.name for grammar in find_grammars(grammars or GRAMMARS)]
    tokens: list[Token] = []
    count = 0
    for count, token in enumerate(read_tokens(text, names), start=1):
        if most is None or count <= most:
            tokens.append(token)
    if most is not None:
        require_at_most("/text", "tokens", most=most, got=count)
    found = strip_tokens(text, tokens)
    return {
        "clean_text": found.text,
        "grammars": names,
        "tokens": [
            {
                "grammar": token.grammar,
                "values": list(token.values),
                **_offsets(token.span),
                **_clean_offsets(found, token.span),
            }
            for token in found.tokens
        ],
        "removed": [_offsets(span) for span in found.removed],
        "left": [_offsets(span) for span in found.left],
    }


def clean_payload(raw: bytes, *, most: int | None = None) -> dict[str, Any]:
    """``{"text", "grammars"}`` cleaned; raise MalformedAnswerError for other payloads.

    Raises AnswerTooDenseError for more than ``most`` tokens, or too many for the payload's length.
    """
    problems: list[FieldProblem] = []
    reader = ObjectReader(load_json(raw), "", problems)
    text = reader.required("text", str, "")
    names = _read_names(reader, "grammars")
    _refuse_others(reader, {"text", "grammars"})
    if problems:
        raise describe_problems(problems, hint=_HINT)
    return require_short(clean_text(text, names, most=most), "/text", "tokens", size=len(raw))


def make_prompt(payload: object, find_mode: Callable[[str], str] | None = None) -> dict[str, Any]:
    """Instructions and reference list for ``{"grammar", "policy", "retrieved"}``.

    The grammar ``field`` takes ``context`` and ``registry`` as a turn has them, in place of
    ``retrieved``: hidden entries are not listed. Where ``find_mode`` says that the grammar is off,
    the prompt asks the model for nothing: instructions and list are empty.

    Raises MalformedAnswerError for a malformed payload, InputError for chunks that the grammar
    cannot cite.
    """
    problems: list[FieldProblem] = []
    reader = ObjectReader(payload, "", problems)
    grammar = reader.optional("grammar", str) or "numbered"
    policy = reader.optional("policy", str) or "balanced"
    context, registry = read_sources(reader)
    retrieved = read_answer_details(reader)["retrieved"]
    own = {"context", "registry"} if grammar == "field" else {"retrieved"}
    _refuse_others(reader, {"grammar", "policy"} | own)
    if problems:
        raise describe_problems(problems, hint=_HINT)
    prompt = instructions(grammar, load_policy(policy))
    listed = None
    if retrieved:
        listed = list_sources(grammar, sources_of(grammar, retrieved))
    elif reader.fields.get("context") is not None:
        listed = list_fields(visible_context(context, registry.policy), registry)
    mode = _ENFORCE if find_mode is None else find_mode(grammar)
    text, digest = prompt.text, prompt.sha256
    if mode == _OFF:
        text, listed, digest = "", None, Digest.of(b"")
    return {
        "grammar": grammar,
        "mode": mode,
        "version": prompt.version,
        "instructions": text,
        "prompt_sha256": str(digest),
        "reference_list": listed,
    }


def read_json(raw: bytes) -> object:
    """A JSON document; raise MalformedAnswerError for anything else."""
    value: object = load_json(raw)
    return value


def decode_text(raw: bytes) -> str:
    """UTF-8 text; raise InputError for other bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"Expected a text in UTF-8, got a byte that is not at {error.start}."
        raise InputError(msg, hint="Convert the file to UTF-8.") from error


def _read_names(reader: ObjectReader, name: str) -> list[str]:
    names = reader.optional(name, list) or []
    for index, item in enumerate(names):
        if not isinstance(item, str):
            reader.report(f"{name}/{index}", "the name of a grammar", item)
    return [item for item in names if isinstance(item, str)]


def _refuse_others(reader: ObjectReader, known: set[str]) -> None:
    for name in sorted(set(reader.fields) - known):
        reader.report(name, f"one of {', '.join(sorted(known))}", reader.fields[name])


def _offsets(span: Span) -> dict[str, int]:
    return {"start": span.start, "end": span.end}


def _clean_offsets(found: CleanText, span: Span) -> dict[str, int]:
    where = found.span_to_clean(span)
    return {"clean_start": where.start, "clean_end": where.end}
