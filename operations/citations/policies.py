"""What a tenant has pinned for a grammar: a policy, a model. Two keys approve, one takes back.

Rows hold what was approved, the newest counts, and every process reads them for every answer; the
pinned policy is that of answers that name none. A leaf of the log names each step and its key
before it holds. A pin names policy or model by its digest: where a release, a setting or a file
brings another one, the pin refuses until it is approved anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core import canonical_json
from spanproof.core.errors import ConflictError, ModelError, SettingsError
from spanproof.operations.access.key_format import Pepper, find_key_id, is_same
from spanproof.operations.configured import set_logged
from spanproof.operations.errors import ScopeMissingError, UnauthenticatedError
from spanproof.operations.metrics.markers import name_grammar
from spanproof.receipt.statement.predicate import Actor
from spanproof.verifier.formats.grammars.table import GRAMMARS, find_grammars
from spanproof.verifier.policies import load_policy

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.digest import Digest
    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.context import Context
    from spanproof.store.configuration import ConfiguredValue

PinKind = Literal["policy", "model"]
_AGAIN = "Approve it with two keys, take the pin back ('spanproof policies'), or bring it back."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What holds for a grammar (None: the setting), and what one key has proposed and no second."""

    kind: PinKind
    grammar: str
    environment: str
    name: str | None
    approved_by: tuple[str, ...]
    proposed: str | None
    proposed_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "grammar": self.grammar,
            "environment": self.environment,
            self.kind: self.name,
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
    pin = _find_holding(context, "policy", formats)
    if pin is None:
        return load_policy(context.settings.policy)
    policy = load_policy(pin["policy"])
    _require_same(pin, "policy", str(policy.digest))
    return policy


def require_pinned_model(context: Context, formats: str) -> None:
    """Raise SettingsError where a model is pinned for these answers, and another would judge.

    Without a usable model nothing is judged, and the answer says so as always.
    """
    pin = _find_holding(context, "model", formats)
    if pin is None:
        return
    try:
        identity = context.require_model().identity
    except ModelError:
        return
    _require_same(pin, "model", str(_digest_model(identity)))


def read_pin(context: Context, grammar: str, kind: PinKind = "policy") -> Pin:
    """What holds and what is proposed; raise UnknownGrammarError."""
    return _find_slot(context, kind, grammar).read()


def approve_policy(
    context: Context, grammar: str, policy: str, *, key_id: str | None, now: datetime
) -> Pin:
    """The first key proposes; a second one, of another id, lets the policy hold from now on.

    Both are administrators' keys that were shown (``require_admin``). Raises UnauthenticatedError
    without one, ConflictError for the proposer's own key, UnknownPolicyError, and LogError where
    the log takes no leaf: then nothing is changed.
    """
    chosen = load_policy(policy)
    wanted = {"policy": chosen.name, "digest": str(chosen.digest)}
    return _find_slot(context, "policy", grammar).approve(wanted, _require_key(key_id), now)


def approve_model(context: Context, grammar: str, *, key_id: str | None, now: datetime) -> Pin:
    """As ``approve_policy``, for the context's own model: no other one judges such answers then.

    Raises ModelError where it cannot be used.
    """
    identity = context.require_model().identity
    wanted = {"model": identity.name, "digest": str(_digest_model(identity))}
    return _find_slot(context, "model", grammar).approve(wanted, _require_key(key_id), now)


def roll_back(
    context: Context,
    grammar: str,
    kind: PinKind = "policy",
    *,
    key_id: str | None,
    now: datetime,
) -> Pin:
    """Let what was pinned before hold again; one key is enough. ConflictError: no pin."""
    return _find_slot(context, kind, grammar).roll_back(_require_key(key_id), now)


def require_admin(home: Context, context: Context, text: str, now: datetime) -> str:
    """The id of a key with the scope admin in the context's tenant.

    Raises UnauthenticatedError and ScopeMissingError for any other text.
    """
    key_id = find_key_id(text)
    key = None if key_id is None else home.store.access_keys.find(key_id)
    digest = Pepper(home.settings.home).digest(text) if key is not None else ""
    if key is None or not is_same(digest, key.secret_digest) or key.find_state(now) != "active":
        msg = "Expected a valid key of this service, got none."
        raise UnauthenticatedError(msg, hint="Give the file of a key of 'spanproof keys create'.")
    if "admin" not in key.scopes or key.tenant != context.tenant:
        msg = f"Expected a key with the scope admin of tenant {context.tenant!r}, got another."
        raise ScopeMissingError(msg, hint="Use an administrator's key of this tenant.")
    return key.key_id


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where the pin of one kind for one grammar stands, and its proposal beside it."""

    context: Context
    kind: PinKind
    grammar: str

    def find(self) -> ConfiguredValue | None:
        """The newest pin."""
        return self.context.store.configuration.find(self._name(self.kind))

    def find_proposal(self, pin: ConfiguredValue | None) -> ConfiguredValue | None:
        """The proposal that nobody has approved yet: made after the newest pin."""
        found = self.context.store.configuration.find(self._name(f"{self.kind}-proposal"))
        after = 0 if pin is None else pin.position
        return found if found is not None and _read(found)["after"] == after else None

    def read(self) -> Pin:
        """What holds and what is proposed."""
        row = self.find()
        pin = {} if row is None else _read(row)
        proposal = self.find_proposal(row)
        asked = None if proposal is None else _read(proposal)
        return Pin(
            kind=self.kind,
            grammar=self.grammar,
            environment=self.context.settings.environment,
            name=pin.get(self.kind),
            approved_by=tuple(pin.get("by", ())),
            proposed=None if asked is None else asked[self.kind],
            proposed_by=None if proposal is None else proposal.actor_key_id,
        )

    def approve(self, wanted: dict[str, str], who: str, now: datetime) -> Pin:
        """Propose it, or as the second key let it hold."""
        row = self.find()
        proposal = self.find_proposal(row)
        if proposal is None or {k: _read(proposal)[k] for k in wanted} != wanted:
            after = 0 if row is None else row.position
            self._set(f"{self.kind}-proposal", wanted | {"after": after}, who, now)
            return self.read()
        if proposal.actor_key_id == who:
            msg = f"Expected a key other than {who}, which proposed it, got the same."
            raise ConflictError(msg, hint="Let somebody else approve it with a key of their own.")
        old = {} if row is None else _read(row)
        value = wanted | {"by": [proposal.actor_key_id, who], "before": old.get(self.kind)}
        if self.kind == "model":
            value |= {"before_digest": old.get("digest")}
        self._set(self.kind, value | {"proposal": proposal.position}, who, now)
        return self.read()

    def roll_back(self, who: str, now: datetime) -> Pin:
        """Let what was pinned before hold again."""
        row = self.find()
        pin = {} if row is None else _read(row)
        if row is None or not pin.get(self.kind):
            msg = f"Expected a pinned {self.kind} of {self.grammar!r}, got none."
            raise ConflictError(msg, hint="List the pins: 'spanproof policies list'.")
        # A policy is again what its name says now; a model is the very one.
        before, digest = pin.get("before"), pin.get("before_digest")
        if self.kind == "policy":
            digest = None if before is None else str(load_policy(before).digest)
        value = {self.kind: before, "digest": digest, "by": [who], "rolled_back": row.position}
        self._set(self.kind, value, who, now)
        return self.read()

    def _set(self, kind: str, value: dict[str, Any], who: str, now: datetime) -> None:
        set_logged(
            self.context,
            self._name(kind),
            json.dumps(value, sort_keys=True),
            digest=lambda text: canonical_json.digest({kind: text}),
            actor=Actor(key_id=who),
            now=now,
        )

    def _name(self, kind: str) -> str:
        return f"{kind}.{self.grammar}@{self.context.settings.environment}"


def _find_slot(context: Context, kind: PinKind, grammar: str) -> _Slot:
    (known,) = find_grammars([grammar])
    return _Slot(context, kind, known.name)


def _find_holding(context: Context, kind: PinKind, formats: str) -> dict[str, Any] | None:
    grammar = name_grammar(formats)
    if grammar not in GRAMMARS:
        return None
    row = _Slot(context, kind, grammar).find()
    pin = {} if row is None else _read(row)
    return pin if pin.get(kind) else None


def _require_same(pin: dict[str, Any], kind: PinKind, digest: str) -> None:
    if digest != pin["digest"]:
        msg = f"Expected the pinned {kind} {pin[kind]} {pin['digest']}, got {digest}."
        raise SettingsError(msg, hint=_AGAIN)


def _digest_model(identity: ModelIdentity) -> Digest:
    """Of what decides its numbers: weights, labels, calibration. Not of the runtime."""
    return canonical_json.digest(
        {
            "name": identity.name,
            "weights": None if identity.weights_digest is None else str(identity.weights_digest),
            "labels": list(identity.labels),
            "calibration": identity.calibration,
            "record": None if identity.record is None else str(identity.record.digest),
        }
    )


def _require_key(key_id: str | None) -> str:
    # Two keys approve: a caller without one cannot be told from another.
    if key_id is None:
        msg = "Expected a request with an API key, got one without."
        raise UnauthenticatedError(msg, hint="Create a key: 'spanproof keys create'.")
    return key_id


def _read(row: ConfiguredValue) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(row.value)
    return value
