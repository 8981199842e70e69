"""The policy that a tenant has pinned for a grammar: two keys approve it, one takes it back.

Rows hold what was approved, the newest counts, and every process reads it for every answer that
names no policy. A leaf of the log names each step and its key before it holds. A pin names the
policy by its digest: where a release changes the policy, the pin refuses until it is approved anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import ConflictError, SettingsError
from spanproof.operations.access.key_format import Pepper, find_key_id, is_same
from spanproof.operations.configured import set_logged
from spanproof.operations.errors import ScopeMissingError, UnauthenticatedError
from spanproof.operations.metrics.markers import name_grammar
from spanproof.receipt.statement.predicate import Actor
from spanproof.verifier.formats.grammars.table import GRAMMARS, find_grammars
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.context import Context
    from spanproof.store.accounts.access_keys import AccessKey
    from spanproof.store.configuration import ConfiguredValue

_PIN, _PROPOSAL = "policy", "policy-proposal"
_AGAIN = "Approve it again with two keys, or take it back: 'spanproof policies roll-back'."


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPin:
    """What holds for a grammar (None: the setting), and what one key has proposed and no second."""

    grammar: str
    environment: str
    policy: str | None
    approved_by: tuple[str, ...]
    proposed: str | None
    proposed_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "grammar": self.grammar,
            "environment": self.environment,
            "policy": self.policy,
            "approved_by": list(self.approved_by),
            "proposed": self.proposed,
            "proposed_by": self.proposed_by,
        }


def find_policy(context: Context, formats: str, named: str | None) -> Policy:
    """The policy for an answer: the one that it names, else the pinned one, else the setting's.

    Raises UnknownPolicyError, and SettingsError for a pin whose policy has changed since.
    """
    if named is not None:
        return load_policy(named)
    grammar = name_grammar(formats)
    row = None
    if grammar in GRAMMARS:
        row = context.store.configuration.find(_name(context, _PIN, grammar))
    pin = {} if row is None else _read(row)
    if not pin.get("policy"):
        return load_policy(context.settings.policy)
    policy = load_policy(pin["policy"])
    if str(policy.digest) != pin["digest"]:
        msg = f"Expected the pinned policy {policy.name} {pin['digest']}, got {policy.digest}."
        raise SettingsError(msg, hint=_AGAIN)
    return policy


def read_pin(context: Context, grammar: str) -> PolicyPin:
    """What holds and what is proposed; raise UnknownGrammarError."""
    (known,) = find_grammars([grammar])
    configuration = context.store.configuration
    row = configuration.find(_name(context, _PIN, known.name))
    pin = {} if row is None else _read(row)
    proposal = _find_proposal(context, known.name, row)
    asked = None if proposal is None else _read(proposal)
    return PolicyPin(
        grammar=known.name,
        environment=context.settings.environment,
        policy=pin.get("policy"),
        approved_by=tuple(pin.get("by", ())),
        proposed=None if asked is None else asked["policy"],
        proposed_by=None if proposal is None else proposal.actor_key_id,
    )


def approve_policy(  # noqa: PLR0913 - whose, what, by whom
    home: Context, context: Context, grammar: str, policy: str, *, key: str, now: datetime
) -> PolicyPin:
    """The first key proposes; a second one, of another id, lets the policy hold from now on.

    Both need the scope admin in this tenant. Raises UnauthenticatedError, ScopeMissingError,
    ConflictError for the proposer's own key, UnknownPolicyError, and LogError where the log takes
    no leaf: then nothing is changed.
    """
    who = _require_admin(home, context, key, now)
    return approve_by(context, grammar, policy, key_id=who.key_id, now=now)


def approve_by(
    context: Context, grammar: str, policy: str, *, key_id: str | None, now: datetime
) -> PolicyPin:
    """``approve_policy`` by an administrator's key that was shown already."""
    (known,) = find_grammars([grammar])
    chosen, who = load_policy(policy), _require_key(key_id)
    row = context.store.configuration.find(_name(context, _PIN, known.name))
    proposal = _find_proposal(context, known.name, row)
    wanted = {"policy": chosen.name, "digest": str(chosen.digest)}
    if proposal is None or {k: _read(proposal)[k] for k in wanted} != wanted:
        after = 0 if row is None else row.position
        _set(context, _PROPOSAL, known.name, wanted | {"after": after}, who, now)
        return read_pin(context, known.name)
    if proposal.actor_key_id == who:
        msg = f"Expected a key other than {who}, which proposed it, got the same."
        raise ConflictError(msg, hint="Let somebody else approve it with a key of their own.")
    before = None if row is None else _read(row).get("policy")
    value = wanted | {"by": [proposal.actor_key_id, who], "before": before}
    _set(context, _PIN, known.name, value | {"proposal": proposal.position}, who, now)
    return read_pin(context, known.name)


def roll_back(
    home: Context, context: Context, grammar: str, *, key: str, now: datetime
) -> PolicyPin:
    """Let the policy before the pinned one hold again; one key is enough. ConflictError: no pin."""
    who = _require_admin(home, context, key, now)
    return roll_back_by(context, grammar, key_id=who.key_id, now=now)


def roll_back_by(context: Context, grammar: str, *, key_id: str | None, now: datetime) -> PolicyPin:
    """``roll_back`` by an administrator's key that was shown already."""
    (known,) = find_grammars([grammar])
    who = _require_key(key_id)
    row = context.store.configuration.find(_name(context, _PIN, known.name))
    pin = {} if row is None else _read(row)
    if row is None or not pin.get("policy"):
        msg = f"Expected a pinned policy of {known.name!r}, got none."
        raise ConflictError(msg, hint="List the pins: 'spanproof policies list'.")
    before = pin.get("before")
    digest = None if before is None else str(load_policy(before).digest)
    value = {"policy": before, "digest": digest, "by": [who], "rolled_back": row.position}
    _set(context, _PIN, known.name, value, who, now)
    return read_pin(context, known.name)


def _set(  # noqa: PLR0913, PLR0917 - the parts of one row
    context: Context, kind: str, grammar: str, value: dict[str, Any], who: str, now: datetime
) -> None:
    set_logged(
        context,
        _name(context, kind, grammar),
        json.dumps(value, sort_keys=True),
        digest=lambda text: canonical_json.digest({kind: text}),
        actor=Actor(key_id=who),
        now=now,
    )


def _find_proposal(
    context: Context, grammar: str, pin: ConfiguredValue | None
) -> ConfiguredValue | None:
    """The proposal that nobody has approved yet: made after the newest pin."""
    found = context.store.configuration.find(_name(context, _PROPOSAL, grammar))
    after = 0 if pin is None else pin.position
    return found if found is not None and _read(found)["after"] == after else None


def _require_key(key_id: str | None) -> str:
    # Two keys approve: a caller without one cannot be told from another.
    if key_id is None:
        msg = "Expected a request with an API key, got one without."
        raise UnauthenticatedError(msg, hint="Create a key: 'spanproof keys create'.")
    return key_id


def _require_admin(home: Context, context: Context, text: str, now: datetime) -> AccessKey:
    key_id = find_key_id(text)
    key = None if key_id is None else home.store.access_keys.find(key_id)
    digest = Pepper(home.settings.home).digest(text) if key is not None else ""
    if key is None or not is_same(digest, key.secret_digest) or key.find_state(now) != "active":
        msg = "Expected a valid key of this service, got none."
        raise UnauthenticatedError(msg, hint="Give the file of a key of 'spanproof keys create'.")
    if "admin" not in key.scopes or key.tenant != context.tenant:
        msg = f"Expected a key with the scope admin of tenant {context.tenant!r}, got another."
        raise ScopeMissingError(msg, hint="Use an administrator's key of this tenant.")
    return key


def _name(context: Context, kind: str, grammar: str) -> str:
    return f"{kind}.{grammar}@{context.settings.environment}"


def _read(row: ConfiguredValue) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(row.value)
    return value
