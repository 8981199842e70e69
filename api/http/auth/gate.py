"""The gate of the service: finds the principal of a header or cookie, or raises an error.

Only a caller with the right secret learns what is wrong with a key: an unknown key, a wrong secret
and a missing key get the same answer (docs/how-to/access.md).
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

#: Compared with if the key is unknown, so that both cases take the same time.
_NO_DIGEST = "0" * 64
#: Why a credential is refused: the metric's label and the message.
_SCHEME = ("scheme", "Expected the scheme Bearer, got another.")
_MISSING = ("missing", "Expected a key, got none.")
_UNKNOWN = ("unknown", "Expected a key of this service, got none.")
_SESSION = ("session", "Expected a valid session, got an expired or unknown one.")
#: Seconds that a lookup is cached: a key revoked by another process may stay valid so long.
BELIEVED_SECONDS = 1.0
_MOST_BELIEVED = 4096
#: Longer headers are not cached.
_MOST_CHARACTERS = 4096
_HINT = "Send 'Authorization: Bearer sp_…' with a key of 'spanproof keys create'."


class TokenReader(Protocol):
    """Reads a bearer token that is not one of our keys (``spanproof.api.http.auth.oidc``)."""

    def read(self, token: str) -> Principal:
        """The principal of the token; raise UnauthenticatedError."""


class _Believed(NamedTuple):
    """A cached lookup: when it expires, and the count of key changes when it was made."""

    principal: Principal
    until: float
    changes: int


class Gate:
    """Finds the principal of a request; safe for several threads."""

    def __init__(
        self,
        tenants: Tenants,
        *,
        tokens: TokenReader | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        time: Callable[[], float] = monotonic,
    ) -> None:
        self._context = tenants.default
        self._tokens = tokens
        self._clock = clock
        self._time = time
        self._believed: dict[tuple[str | None, str | None], _Believed] = {}
        self._is_closed = False
        self._is_keyed = False
        self.pepper = Pepper(self._context.settings.home)

    def is_open(self) -> bool:
        """Whether every user of this machine has access: no key exists and no issuer is set.

        Only on loopback.
        """
        if not self._is_closed:
            self._is_closed = (
                self._tokens is not None
                or not is_loopback(self._context.settings.host)
                or self._has_keys()
            )
        return not self._is_closed

    def recall(self, authorization: str | None, cookie: str | None) -> Principal | None:
        """The principal of these credentials from the cache, or None; never waits."""
        found = self._believed.get((authorization, cookie))
        if found is None or found.changes != self._context.store.access_keys.changes:
            return None
        return found.principal if self._time() < found.until else None

    def identify(self, authorization: str | None, cookie: str | None) -> Principal:
        """The principal; raise UnauthenticatedError, KeyExpiredError or KeyRevokedError."""
        until = self._time() + BELIEVED_SECONDS
        changes = self._context.store.access_keys.changes
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
            return make_anonymous(self._context.tenant)
        raise self._refuse(_MISSING, is_given=False)

    def identify_token(self, token: str, *, proof: Proof = "key") -> Principal:
        """The principal of a bearer token: one of our keys, or a token of the issuer."""
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
            # Without a pepper there are no keys to compare with.
            raise self._refuse(_UNKNOWN)
        key = self._context.store.access_keys.find(key_id)
        digest = self.pepper.digest(token)
        is_right = is_same(digest, _NO_DIGEST if key is None else key.secret_digest)
        if key is None or not is_right:
            raise self._refuse(_UNKNOWN)
        return self._admit(key, proof)

    def _has_keys(self) -> bool:
        # Once a key exists, one always does: rows are never deleted.
        if not self._is_keyed:
            self._is_keyed = self._context.store.access_keys.has_any()
        return self._is_keyed

    def _identify_session(self, cookie: str) -> Principal:
        if not self._has_keys():
            raise self._refuse(_SESSION)
        key_id = read_session(self.pepper, cookie, now=self._clock())
        key = None if key_id is None else self._context.store.access_keys.find(key_id)
        if key is None:
            raise self._refuse(_SESSION)
        return self._admit(key, "session")

    def _admit(self, key: AccessKey, proof: Proof) -> Principal:
        state = key.find_state(self._clock())
        if state == "expired":
            self._count("expired")
            msg = f"Expected a valid key, got {key.key_id}, which has expired."
            raise KeyExpiredError(msg, hint="Ask for a new key: 'spanproof keys rotate'.")
        if state != "active":
            self._count("revoked")
            msg = f"Expected a valid key, got {key.key_id}, which was {state}."
            raise KeyRevokedError(msg, hint="Use its replacement, or ask for a new key.")
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
        self._context.metrics.count_auth_failure(reason)
