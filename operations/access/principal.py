"""Who a request is from: the tenant, what may be asked for, and the name that a receipt keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from spanproof.receipt.statement.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What a key may ask for: take documents in, verify answers, read what is kept, audit it, and
#: manage keys. ``audit`` reads receipts, log and what they are of, and changes nothing.
Scope = Literal["ingest", "verify", "read", "audit", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
#: How a request showed who it is from; ``open`` asked for nothing, on this machine, without keys.
Proof = Literal["open", "key", "session", "oidc"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The caller. Limits count by ``name``, and log lines may contain it."""

    tenant: str
    scopes: frozenset[Scope]
    proof: Proof
    name: str
    actor: Actor = NOBODY

    def has_any(self, wanted: Iterable[Scope]) -> bool:
        """Whether it has one of these scopes; False for an empty list."""
        return not self.scopes.isdisjoint(wanted)


def name_actor(actor: Actor) -> str:
    """Who it was, as far as it is recorded."""
    if actor.key_id is not None:
        return f"key {actor.key_id}"
    return f"OpenID subject {actor.oidc_sub_hash}" if actor.oidc_sub_hash else "nobody"


def make_anonymous(tenant: str) -> Principal:
    """The caller before the first key is made: may do everything, from this machine only."""
    return Principal(tenant=tenant, scopes=frozenset(SCOPES), proof="open", name="anonymous")
