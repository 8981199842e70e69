"""One turn as a caller sends it: role, response, context and registry, read field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Generator
from spanproof.core.json_reader.object_reader import ObjectReader, load_json
from spanproof.verifier.fields.context import read_context
from spanproof.verifier.fields.guardrails import ASSISTANT
from spanproof.verifier.fields.registry import read_registry
from spanproof.verifier.formats.native_parts import describe_problems

if TYPE_CHECKING:
    from spanproof.core.errors import FieldProblem
    from spanproof.verifier.fields.context import Context
    from spanproof.verifier.fields.registry import FieldRegistry

#: A longer response is not the answer of one turn.
MAX_RESPONSE_CHARACTERS = 1_000_000
_FIELDS = frozenset(
    {"role", "response", "context", "registry", "generator", "answer_id", "session_id"}
)
_HINT = "Compare it with the input of docs/how-to/fields.md."


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A response and the context that its prompt was written from."""

    role: str
    response: str
    context: Context
    registry: FieldRegistry
    generator: Generator

    @property
    def is_assistant(self) -> bool:
        """Whether its markers are anything but text that somebody typed."""
        return self.role == ASSISTANT


def parse_turn(raw: bytes) -> Turn:
    """Read one turn as JSON; raise MalformedAnswerError with every field problem found."""
    return build_turn(load_json(raw))


def build_turn(value: Any) -> Turn:  # noqa: ANN401 - any JSON value
    """The same for what has been parsed."""
    problems: list[FieldProblem] = []
    turn = read_turn(ObjectReader(value, "", problems))
    if problems:
        raise describe_problems(problems, hint=_HINT)
    return turn


def read_turn(reader: ObjectReader, *, also: frozenset[str] = frozenset()) -> Turn:
    """A turn of a larger object, in which the fields of ``also`` may stand beside it."""
    for unknown in sorted(set(reader.fields) - _FIELDS - also):
        reader.report(unknown, f"one of {', '.join(sorted(_FIELDS))}", reader.fields[unknown])
    role = reader.required("role", str, "")
    response = reader.fields.get("response")
    if not isinstance(response, str):
        reader.report("response", "a string", response)
        response = ""
    if len(response) > MAX_RESPONSE_CHARACTERS:
        reader.report("response", f"at most {MAX_RESPONSE_CHARACTERS} characters", len(response))
    if reader.fields.get("context") is None:
        reader.report("context", "an object of sections", None)
    context, registry = read_sources(reader)
    return Turn(
        role=role,
        response=response,
        context=context,
        registry=registry,
        generator=_read_generator(reader),
    )


def read_sources(reader: ObjectReader) -> tuple[Context, FieldRegistry]:
    """The fields ``context`` and ``registry`` of an object."""
    problems = reader.problems
    registry = read_registry(
        ObjectReader(
            reader.optional("registry", dict) or {}, f"{reader.pointer}/registry", problems
        )
    )
    context = ObjectReader(
        reader.optional("context", dict) or {}, f"{reader.pointer}/context", problems
    )
    return read_context(context, registry), registry


def _read_generator(reader: ObjectReader) -> Generator:
    inner = ObjectReader(
        reader.optional("generator", dict) or {}, f"{reader.pointer}/generator", reader.problems
    )
    return Generator(
        model=inner.optional("model", str),
        prompt_id=inner.optional("prompt_id", str),
        prompt_sha256=inner.optional("prompt_sha256", str),
    )
