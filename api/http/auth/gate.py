"""The gate of the service: a header or a cookie in, whoever it is from out, or an error.

What is wrong with a credential is told only to whoever has shown its secret: an unknown key, a
wrong secret and no key at all are one answer (docs/how-to/access.md).
"""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanproof.api.http.auth.sessions import read_session
from spanproof.core.host import is_loopback
from spanproof.operations.access.key_format import Pepper, find_key_id, is_same
from spanproof.operations.access.principal import SCOPES, Principal, make_anonymous
from spanproof.operations.errors import KeyExpiredError, KeyRevokedError, UnauthenticatedError
from spanproof.receipt.statement.predicate import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.access.principal import Proof
    from spanproof.operations.tenants import Tenants
    from spanproof.store.accounts.access_keys import AccessKey

#: Compared with where there is no such key, so that both take the same work.
_NO_DIGEST = "0" * 64
#: Why a credential is refused, as it is counted, and as it is told.
_SCHEME = ("scheme", "Expected the scheme Bearer, got another.")
_MISSING = ("missing", "Expected a key, got none.")
_UNKNOWN = ("unknown", "Expected a key of this service, got none.")
_SESSION = ("session", "Expected a session that lasts, got one that does not.")
#: How long what was looked up is believed: so long a key that another process revokes may count.
BELIEVED_SECONDS = 1.0
_MOST_BELIEVED = 4096
#: Longer headers are looked up each time: a key may be sent with anything beside it.
_MOST_CHARACTERS = 4096
_HINT = "Send 'Authorization: Bearer sp_…' with a key of 'spanproof keys create'."


class TokenReader(Protocol):
    """Reads a bearer token that is no key of ours (``spanproof.api.http.auth.oidc``)."""

    def read(self, token: str) -> Principal:
        """Whoever the token is of; raise UnauthenticatedError."""


class _Believed(NamedTuple):
    """What was found out: until when it is believed, and how many changes of keys came before."""

    principal: Principal
    until: float
    changes: int


class Gate:
    """Tells whoever asks; safe for several threads."""

    def __init__(
        self,
        tenants: Tenants,
        *,
        tokens: TokenReader | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        time: Callable[[], float] = monotonic,
    ) -> None:
        self._services = tenants.default
        self._tokens = tokens
        self._clock = clock
        self._time = time
        self._believed: dict[tuple[str | None, str | None], _Believed] = {}
        self._is_closed = False
        self._is_keyed = False
        self.pepper = Pepper(self._services.settings.home)

    def is_open(self) -> bool:
        """Whether everybody on this machine is let in: no key was ever made, no issuer is set.

        Beyond loopback nobody ever is.
        """
        if not self._is_closed:
            self._is_closed = (
                self._tokens is not None
                or not is_loopback(self._services.settings.host)
                or self._has_keys()
            )
        return not self._is_closed

    def recall(self, authorization: str | None, cookie: str | None) -> Principal | None:
        """Whoever sends these, where that was found out a moment ago; never waits."""
        found = self._believed.get((authorization, cookie))
        if found is None or found.changes != self._services.store.access_keys.changes:
            return None
        return found.principal if self._time() < found.until else None

    def identify(self, authorization: str | None, cookie: str | None) -> Principal:
        """Whoever sends these; raise UnauthenticatedError, KeyExpiredError or KeyRevokedError."""
        until = self._time() + BELIEVED_SECONDS
        changes = self._services.store.access_keys.changes
        principal = self._identify(authorization, cookie)
        if len(authorization or "") + len(cookie or "") > _MOST_CHARACTERS:
            return principal
        if len(self._believed) >= _MOST_BELIEVED:
            self._believed.clear()
        self._believed[authorization, cookie] = _Believed(principal, until, changes)
        return principal

    def _identify(self, authorization: str | None, cookie: str | None) -> Principal:
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            if scheme.lower() != "bearer" or not token:
                raise self._refuse(_SCHEME)
            return self.identify_token(token.strip())
        if cookie is not None and not self.is_open():
            return self._identify_session(cookie)
        if self.is_open():
            return make_anonymous(self._services.tenant)
        raise self._refuse(_MISSING, is_given=False)

    def identify_token(self, token: str, *, proof: Proof = "key") -> Principal:
        """Whoever a bearer token is of: a key of ours, or a token of the issuer."""
        key_id = find_key_id(token)
        if key_id is None:
            if self._tokens is None or token.startswith("sp_"):
                raise self._refuse(_UNKNOWN)
            try:
                return self._tokens.read(token)
            except UnauthenticatedError:
                self._count("token")
                raise
        if not self._has_keys():
            # Nothing to compare with: there is no pepper either.
            raise self._refuse(_UNKNOWN)
        key = self._services.store.access_keys.find(key_id)
        digest = self.pepper.digest(token)
        is_right = is_same(digest, _NO_DIGEST if key is None else key.secret_digest)
        if key is None or not is_right:
            raise self._refuse(_UNKNOWN)
        return self._admit(key, proof)

    def _has_keys(self) -> bool:
        # Once there is a key there always is one: rows do not go away.
        if not self._is_keyed:
            self._is_keyed = self._services.store.access_keys.has_any()
        return self._is_keyed

    def _identify_session(self, cookie: str) -> Principal:
        if not self._has_keys():
            raise self._refuse(_SESSION)
        key_id = read_session(self.pepper, cookie, now=self._clock())
        key = None if key_id is None else self._services.store.access_keys.find(key_id)
        if key is None:
            raise self._refuse(_SESSION)
        return self._admit(key, "session")

    def _admit(self, key: AccessKey, proof: Proof) -> Principal:
        state = key.find_state(self._clock())
        if state == "expired":
            self._count("expired")
            msg = f"Expected a key that still counts, got {key.key_id}, which has expired."
            raise KeyExpiredError(msg, hint="Ask for a new key: 'spanproof keys rotate'.")
        if state != "active":
            self._count("revoked")
            msg = f"Expected a key that still counts, got {key.key_id}, which was {state}."
            raise KeyRevokedError(msg, hint="Use the key that follows it, or ask for a new one.")
        return Principal(
            tenant=key.tenant,
            scopes=frozenset(scope for scope in SCOPES if scope in key.scopes),
            proof=proof,
            name=key.key_id,
            actor=Actor(key_id=key.key_id),
        )

    def _refuse(self, why: tuple[str, str], *, is_given: bool = True) -> UnauthenticatedError:
        reason, message = why
        self._count(reason)
        return UnauthenticatedError(message, hint=_HINT, is_given=is_given)

    def _count(self, reason: str) -> None:
        self._services.metrics.count_auth_failure(reason)
