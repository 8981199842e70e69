"""Whether a grammar's citations are asked for and acted on: ``off``, ``observe`` or ``enforce``.

A tenant sets it for each of its environments while the service runs. Rows hold what was set, the
newest counts, and every process reads it for every prompt and answer; a leaf of the log names each
change before it holds. Verdicts never depend on it: what an application does with them
does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from spanproof.core import canonical_json
from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.moment import write_signed_moment
from spanproof.core.shown import show_value
from spanproof.operations.configured import set_logged
from spanproof.operations.metrics.markers import name_grammar
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.verifier.formats.grammars.table import GRAMMARS, find_grammars

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.configuration import ConfiguredValue

#: ``off``: the prompt asks for no citations. ``observe``: citations are verified, and every answer
#: is shown. ``enforce``: the application follows the block's recommended action.
Mode = Literal["off", "observe", "enforce"]
MODES: tuple[Mode, ...] = get_args(Mode)
DEFAULT: Mode = "enforce"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMode:
    """The mode of one grammar; ``since`` and its author are None until the mode is set."""

    grammar: str
    environment: str
    mode: Mode
    since: datetime | None
    actor_key_id: str | None
    actor_sub: str | None

    def to_json(self) -> dict[str, Any]:
        """The wire's form."""
        return {
            "grammar": self.grammar,
            "environment": self.environment,
            "mode": self.mode,
            "since": None if self.since is None else write_signed_moment(self.since),
            "actor": {"key_id": self.actor_key_id, "oidc_sub_hash": self.actor_sub},
        }


def find_mode(context: Context, grammar: str) -> CitationMode:
    """The current mode; raise UnknownGrammarError for an unknown grammar."""
    (known,) = find_grammars([grammar])
    environment = context.settings.environment
    return _to_mode(
        known.name,
        environment,
        context.store.configuration.find(name_setting(known.name, environment)),
    )


def list_modes(context: Context) -> list[CitationMode]:
    """The modes of all grammars."""
    return [find_mode(context, name) for name in GRAMMARS]


def set_mode(
    context: Context, grammar: str, mode: str, *, now: datetime, actor: Actor = NOBODY
) -> CitationMode:
    """Let a mode hold from now on; the one that holds already changes nothing.

    Raises UnknownGrammarError, MalformedAnswerError for another mode, and LogError where the log
    takes no leaf: then nothing is changed.
    """
    (known,) = find_grammars([grammar])
    if mode not in MODES:
        raise _malformed(mode)
    environment = context.settings.environment
    name = name_setting(known.name, environment)
    value = set_logged(context, name, mode, digest=digest_mode, actor=actor, now=now)
    return _to_mode(known.name, environment, value)


def read_mode(payload: object) -> str:
    """The mode of ``{"mode": …}``; raise MalformedAnswerError for anything else."""
    mode = payload.get("mode") if isinstance(payload, dict) and set(payload) == {"mode"} else None
    if not isinstance(mode, str):
        raise _malformed(payload)
    return mode


def describe_mode(context: Context, formats: str) -> str | None:
    """What a receipt says of it, ``chunk@production=observe``; None for a provider's format."""
    grammar = name_grammar(formats)
    if grammar not in GRAMMARS:
        return None
    found = find_mode(context, grammar)
    return f"{grammar}@{found.environment}={found.mode}"


def name_setting(grammar: str, environment: str) -> str:
    """The name of a grammar's mode in rows and leaves."""
    return f"citations.{grammar}@{environment}"


def digest_mode(mode: str) -> Digest:
    """What a leaf says of a mode: SHA-256 of JCS of ``{"citations": mode}``."""
    return canonical_json.digest({"citations": mode})


def _to_mode(grammar: str, environment: str, value: ConfiguredValue | None) -> CitationMode:
    # What cannot be read as a mode is a row that another version wrote: the strictest holds.
    known: dict[str, Mode] = {mode: mode for mode in MODES}
    return CitationMode(
        grammar=grammar,
        environment=environment,
        mode=DEFAULT if value is None else known.get(value.value, DEFAULT),
        since=None if value is None else value.since,
        actor_key_id=None if value is None else value.actor_key_id,
        actor_sub=None if value is None else value.actor_sub,
    )


def _malformed(got: object) -> MalformedAnswerError:
    expected = f"'mode' alone, one of {', '.join(MODES)}"
    problem = FieldProblem(pointer="/mode", expected=expected, got=show_value(got))
    msg = f"Expected {expected} at /mode, got {problem.got}."
    return MalformedAnswerError(msg, hint="See docs/reference/grammars.md.", problems=(problem,))
