"""How a tenant's store keeps the words of its answers: ``kept``, ``encrypted`` or ``hash-only``.

A tenant sets it while the service runs; it holds for the answers that come after. Rows hold what
was set, the newest counts, and a leaf of the log names each change before it holds. A receipt says
``words: hash-only`` among its toggles, so that nobody can take words away later and say that they
were never kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from spanproof.core import canonical_json
from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.moment import write_signed_moment
from spanproof.core.shown import show_value
from spanproof.operations.configured import set_logged
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.configuration import ConfiguredValue

#: ``encrypted``: each answer has a key of its own, which erasing destroys.
WordsMode = Literal["kept", "encrypted", "hash-only"]
MODES: tuple[WordsMode, ...] = get_args(WordsMode)
DEFAULT: WordsMode = "kept"
#: Its name in rows, leaves and the toggles of a receipt.
SETTING = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsSetting:
    """The mode; ``since`` and its author are None until it is set."""

    mode: WordsMode
    since: datetime | None = None
    actor_key_id: str | None = None
    actor_sub: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The wire's form."""
        return {
            "mode": self.mode,
            "since": None if self.since is None else write_signed_moment(self.since),
            "actor": {"key_id": self.actor_key_id, "oidc_sub_hash": self.actor_sub},
        }


def find_words(context: Context) -> WordsSetting:
    """What holds now."""
    found = context.store.configuration.find(SETTING)
    return WordsSetting(mode=DEFAULT) if found is None else _to_setting(found)


def set_words(context: Context, mode: str, *, now: datetime, actor: Actor = NOBODY) -> WordsSetting:
    """Let a mode hold from now on; raise MalformedAnswerError for an unknown one.

    LogError where the log takes no leaf, and KeyUnavailableError where the key that wraps content
    keys cannot be made: then nothing is changed.
    """
    if mode not in MODES:
        raise _malformed(mode)
    if mode == "encrypted":
        context.store.content_keys.prepare()
    return _to_setting(
        set_logged(context, SETTING, mode, digest=_digest_mode, actor=actor, now=now)
    )


def read_words(payload: object) -> str:
    """The mode of ``{"mode": …}``; raise MalformedAnswerError for anything else."""
    mode = payload.get("mode") if isinstance(payload, dict) and set(payload) == {"mode"} else None
    if not isinstance(mode, str):
        raise _malformed(payload)
    return mode


def _digest_mode(mode: str) -> Digest:
    """What a leaf says of a mode: SHA-256 of JCS of ``{"words": mode}``."""
    return canonical_json.digest({SETTING: mode})


def _to_setting(value: ConfiguredValue) -> WordsSetting:
    known: dict[str, WordsMode] = {mode: mode for mode in MODES}
    return WordsSetting(
        # What cannot be read as a mode is a row of another version: the one that keeps least.
        mode=known.get(value.value, "hash-only"),
        since=value.since,
        actor_key_id=value.actor_key_id,
        actor_sub=value.actor_sub,
    )


def _malformed(got: object) -> MalformedAnswerError:
    expected = f"'mode' alone, one of {', '.join(MODES)}"
    problem = FieldProblem(pointer="/mode", expected=expected, got=show_value(got))
    msg = f"Expected {expected} at /mode, got {problem.got}."
    return MalformedAnswerError(msg, hint="See docs/explanation/words.md.", problems=(problem,))
