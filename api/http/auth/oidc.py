"""Bearer tokens of an OpenID provider, in place of keys.

A token must be signed by a key of the configured issuer and name us as its audience. Nothing in a
token is followed: not ``jku``, ``x5u`` or ``jwk`` of its header; its algorithm must fit the key.
Source: RFC 7519, RFC 8725 (best current practices), RFC 9068.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import KeyUnavailableError, SettingsError
from spanproof.operations.access.principal import SCOPES, Principal
from spanproof.operations.errors import UnauthenticatedError
from spanproof.receipt.statement.predicate import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    import jwt

    from spanproof.operations.settings import Settings

#: Asymmetric algorithms only: a public key must not be able to sign.
ALGORITHMS = ("ES256", "ES384", "EdDSA", "PS256", "RS256")
_CLAIMS = ["exp", "iat", "iss", "aud", "sub"]
#: Tolerated difference between two clocks, in seconds.
_LEEWAY = 30
#: Keys are read again after so many seconds; for an unknown key, at most this often.
KEEP_SECONDS = 300.0
AGAIN_SECONDS = 30.0
#: How long cached keys stay valid if the provider does not answer, in seconds.
STALE_SECONDS = 24 * 3600.0
_MOST_BYTES = 256 * 1024
_MOST_TOKEN = 16 * 1024
_TIMEOUT = 5.0
_HINT = "Ask the provider for a token for this service, and see docs/how-to/access.md."


class OidcTokens:
    """Reads tokens of the issuer that the settings name; safe for several threads."""

    def __init__(
        self,
        settings: Settings,
        *,
        has_tenant: Callable[[str], bool],
        time: Callable[[], float] = monotonic,
    ) -> None:
        """Raise SettingsError if the extra is not installed or a setting is missing."""
        wanted = {"oidc_issuer", "oidc_audience", "oidc_jwks"}
        missing = sorted(name for name in wanted if not getattr(settings, name))
        if missing:
            msg = (
                f"Expected SPANPROOF_{missing[0].upper()} beside the other OIDC settings, got none."
            )
            raise SettingsError(msg, hint="Set SPANPROOF_OIDC_ISSUER, …_AUDIENCE and …_JWKS.")
        try:
            import jwt  # noqa: F401 - only whether it is here
        except ImportError as error:
            msg = "Expected PyJWT for SPANPROOF_OIDC_ISSUER, got no such package."
            raise SettingsError(msg, hint="Install spanproof[oidc].") from error
        self._settings, self._has_tenant, self._time = settings, has_tenant, time
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        # When the keys were last read, when that was last tried, and with what result.
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._failure: KeyUnavailableError | None = None

    def read(self, token: str) -> Principal:
        """The principal of the token; raise UnauthenticatedError for an invalid one."""
        import jwt

        settings = self._settings
        if len(token) > _MOST_TOKEN:
            raise _refuse()
        try:
            header = jwt.get_unverified_header(token)
            # An unknown critical extension may change the meaning of the rest (RFC 7515, 4.1.11).
            if "crit" in header or header.get("alg") not in ALGORITHMS:
                raise _refuse()
            claims = jwt.decode(
                token,
                self._find_key(header.get("kid"), header["alg"]),
                algorithms=[header["alg"]],
                audience=settings.oidc_audience,
                issuer=settings.oidc_issuer,
                leeway=_LEEWAY,
                options={"require": _CLAIMS},
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
            raise _refuse() from error
        return self._admit(claims)

    def _admit(self, claims: dict[str, Any]) -> Principal:
        issuer, subject = claims["iss"], claims["sub"]
        tenant = "default"
        if self._settings.oidc_tenant_claim is not None:
            tenant = claims.get(self._settings.oidc_tenant_claim, "")
        # An unknown tenant gets the same answer as an invalid token.
        if not isinstance(subject, str) or not subject or not isinstance(tenant, str):
            raise _refuse()
        if not self._has_tenant(tenant):
            raise _refuse()
        given = claims.get(self._settings.oidc_scope_claim, ())
        words = given.split() if isinstance(given, str) else given
        if not isinstance(words, list | tuple):
            raise _refuse()
        digest = canonical_json.digest([issuer, subject])
        return Principal(
            tenant=tenant,
            scopes=frozenset(scope for scope in SCOPES if scope in words),
            proof="oidc",
            name=digest.hex,
            actor=Actor(oidc_sub_hash=digest),
        )

    def _find_key(self, name: object, algorithm: str) -> jwt.PyJWK:
        if not isinstance(name, str) or not name:
            raise _refuse()
        self._refresh(name)
        key = self._keys.get(name)
        # The key decides the algorithm, not the token.
        if key is None or key.algorithm_name != algorithm:
            raise _refuse()
        return key

    def _refresh(self, name: str) -> None:
        """Read the keys again if due; raise KeyUnavailableError if there are no valid ones."""
        # One thread reads; those with a key continue meanwhile, the others wait.
        if self._is_due(name) and self._lock.acquire(blocking=name not in self._keys):
            try:
                if self._is_due(name):
                    self._read()
            finally:
                self._lock.release()
        failure = self._failure
        if failure is None:
            return
        # If the provider does not answer, the cached keys stay valid for a while.
        if self._read_at is None or self._time() - self._read_at > STALE_SECONDS:
            raise KeyUnavailableError(failure.message, hint=failure.hint) from failure

    def _is_due(self, name: str) -> bool:
        is_known = name in self._keys and self._failure is None
        wait = KEEP_SECONDS if is_known else AGAIN_SECONDS
        return self._tried_at is None or self._time() - self._tried_at > wait

    def _read(self) -> None:
        # Set before the try: a failed try also delays the next one.
        self._tried_at = now = self._time()
        try:
            self._keys = parse_keys(self._load())
        except KeyUnavailableError as error:
            self._failure = error
        else:
            self._read_at, self._failure = now, None

    def _load(self) -> bytes:
        place = str(self._settings.oidc_jwks)
        try:
            if not place.startswith(("https://", "http://")):
                with Path(place).open("rb") as file:
                    return file.read(_MOST_BYTES + 1)
            return _fetch(place)
        except OSError as error:
            msg = f"Expected the provider's keys at {place!r}, got {error.strerror or 'none'}."
            raise KeyUnavailableError(msg, hint="Check SPANPROOF_OIDC_JWKS.") from error


def parse_keys(content: bytes) -> dict[str, jwt.PyJWK]:
    """The public keys of a JWK set by key id; raise KeyUnavailableError if there are none."""
    import jwt

    found: dict[str, jwt.PyJWK] = {}
    try:
        rows = json.loads(content)["keys"] if len(content) <= _MOST_BYTES else []
        for row in rows:
            # No shared secrets: they could also sign.
            if row.get("kty") not in {"EC", "RSA", "OKP"} or row.get("use", "sig") != "sig":
                continue
            try:
                key = jwt.PyJWK(row)
            except jwt.PyJWTError:
                # Skip a key of an unknown kind.
                continue
            if row.get("kid") and key.algorithm_name in ALGORITHMS:
                found[row["kid"]] = key
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        msg = "Expected a JWK set of the provider, got other bytes."
        raise KeyUnavailableError(msg, hint="Check SPANPROOF_OIDC_JWKS.") from error
    return found


def _fetch(url: str) -> bytes:
    import httpx

    try:
        with httpx.stream("GET", url, timeout=_TIMEOUT, follow_redirects=False) as response:
            response.raise_for_status()
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _MOST_BYTES:
                    break
            return bytes(content)
    except httpx.HTTPError as error:
        msg = f"Expected the provider's keys, got {type(error).__name__}."
        raise KeyUnavailableError(msg, hint="Check SPANPROOF_OIDC_JWKS.") from error


def _refuse() -> UnauthenticatedError:
    # Do not say what is wrong with a token: its sender may have stolen it.
    return UnauthenticatedError("Expected a valid token for this service, got another.", hint=_HINT)
