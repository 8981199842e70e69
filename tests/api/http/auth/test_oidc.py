from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from spanproof.api.http.auth.gate import Gate
from spanproof.api.http.auth.oidc import AGAIN_SECONDS, KEEP_SECONDS, STALE_SECONDS, OidcTokens
from spanproof.core import canonical_json
from spanproof.core.errors import KeyUnavailableError, SettingsError
from spanproof.operations.access.key_format import make_key
from spanproof.operations.errors import UnauthenticatedError
from spanproof.operations.settings import Settings
from spanproof.operations.tenants import Tenants

if TYPE_CHECKING:
    from pathlib import Path

ISSUER, AUDIENCE = "https://login.example.com/", "spanproof"


def make_jwk(key: Any, name: str, **more: str) -> dict[str, Any]:
    kind = jwt.algorithms.ECAlgorithm if hasattr(key, "curve") else jwt.algorithms.RSAAlgorithm
    row: dict[str, Any] = json.loads(kind.to_jwk(key.public_key()))
    return row | {"kid": name} | more


@dataclass
class Provider:
    """An issuer with an EC and an RSA key, and one key that it does not publish."""

    file: Path
    ec_key: ec.EllipticCurvePrivateKey
    rsa_key: rsa.RSAPrivateKey
    clock: float = 0.0

    def open(self, **changes: Any) -> OidcTokens:
        given: dict[str, Any] = {
            "oidc_issuer": ISSUER,
            "oidc_audience": AUDIENCE,
            "oidc_jwks": str(self.file),
            "oidc_tenant_claim": "tenant",
        }
        settings = Settings(**(given | changes))
        known = {"default", "acme"}
        return OidcTokens(settings, has_tenant=known.__contains__, time=lambda: self.clock)

    def sign(self, key: Any = None, alg: str = "ES256", kid: Any = "ec", **changes: Any) -> str:
        head = changes.pop("head", {})
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "user-1",
            "iat": now,
            "exp": now + 300,
            "tenant": "acme",
            "scope": "read verify openid",
        } | changes
        kept = {name: value for name, value in claims.items() if value is not None}
        named = {} if kid is None else {"kid": kid}
        return jwt.encode(kept, key or self.ec_key, algorithm=alg, headers=named | head)


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Provider:
    file = tmp_path_factory.mktemp("provider") / "jwks.json"
    made = Provider(
        file=file,
        ec_key=ec.generate_private_key(ec.SECP256R1()),
        rsa_key=rsa.generate_private_key(public_exponent=65537, key_size=2048),
    )
    keys = [make_jwk(made.ec_key, "ec"), make_jwk(made.rsa_key, "rsa", alg="RS256")]
    keys.append({"kty": "oct", "kid": "shared", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"})
    file.write_text(json.dumps({"keys": keys}), encoding="utf-8")
    return made


def test_a_token_tells_tenant_scopes_and_subject(provider: Provider) -> None:
    tokens = provider.open()
    found = tokens.read(provider.sign())
    assert found.tenant == "acme"
    assert found.scopes == {"read", "verify"}
    assert found.actor.oidc_sub_hash == canonical_json.digest([ISSUER, "user-1"])
    assert found.actor.key_id is None
    assert tokens.read(provider.sign(provider.rsa_key, "RS256", "rsa")).tenant == "acme"
    assert tokens.read(provider.sign(scope=["audit"])).scopes == {"audit"}
    assert tokens.read(provider.sign(scope=None)).scopes == frozenset()
    assert provider.open(oidc_tenant_claim=None).read(provider.sign()).tenant == "default"


def _encode(part: dict[str, Any] | bytes) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _confuse(provider: Provider, kid: str) -> str:
    """HMAC under the public key's text: what a reader that lets the token choose believes."""
    public = provider.rsa_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    body = provider.sign().split(".")[1]
    head = _encode({"alg": "HS256", "typ": "JWT", "kid": kid})
    mac = hmac.new(public, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{_encode(mac)}"


def _strip(provider: Provider, alg: str) -> str:
    return f"{_encode({'alg': alg, 'kid': 'ec'})}.{provider.sign().split('.')[1]}."


def _tamper(provider: Provider) -> str:
    head, _, signature = provider.sign().split(".")
    _, other, _ = provider.sign(tenant="default", scope="admin").split(".")
    return f"{head}.{other}.{signature}"


def _shared(provider: Provider) -> str:
    return provider.sign(b"secretsecretsecretsecret" * 2, "HS256", "shared")


def _foreign(provider: Provider, **head: Any) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    own = make_jwk(key, "ec")
    return provider.sign(key, head={n: own if v == "own" else v for n, v in head.items()})


NOW = int(time.time())
BAD: dict[str, Any] = {
    "alg none": lambda p: _strip(p, "none"),
    "alg None": lambda p: _strip(p, "None"),
    "no signature": lambda p: _strip(p, "ES256"),
    "hmac under the public key": lambda p: _confuse(p, "rsa"),
    "hmac under another key's name": lambda p: _confuse(p, "ec"),
    "a shared secret of the set": _shared,
    "a key of another": _foreign,
    "a key in the header": lambda p: _foreign(p, jwk="own"),
    "keys at an address in the header": lambda p: _foreign(p, jku="https://evil.example/jwks"),
    "certificates at an address": lambda p: _foreign(p, x5u="https://evil.example/x5u"),
    "another's claims": _tamper,
    "RSA under the EC key's name": lambda p: p.sign(p.rsa_key, "RS256", "ec"),
    "PS256 by a key for RS256": lambda p: p.sign(p.rsa_key, "PS256", "rsa"),
    "no name of a key": lambda p: p.sign(kid=None),
    "a path as the key's name": lambda p: p.sign(kid="../../etc/passwd"),
    "an unknown name": lambda p: p.sign(kid="nosuch"),
    "expired": lambda p: p.sign(exp=NOW - 3600, iat=NOW - 7200),
    "not yet": lambda p: p.sign(nbf=NOW + 3600),
    "issued tomorrow": lambda p: p.sign(iat=NOW + 86400, exp=NOW + 90000),
    "no end": lambda p: p.sign(exp=None),
    "another issuer": lambda p: p.sign(iss="https://login.example.com"),
    "no issuer": lambda p: p.sign(iss=None),
    "another audience": lambda p: p.sign(aud="other"),
    "no audience": lambda p: p.sign(aud=None),
    "no subject": lambda p: p.sign(sub=None),
    "an empty subject": lambda p: p.sign(sub=""),
    "an unknown tenant": lambda p: p.sign(tenant="nosuch"),
    "a tenant that is no name": lambda p: p.sign(tenant=["acme"]),
    "no tenant": lambda p: p.sign(tenant=None),
    "scopes that are none": lambda p: p.sign(scope=5),
    "an extension": lambda p: p.sign(head={"crit": ["b64"], "b64": False}),
    "too long": lambda p: p.sign(pad="x" * 20_000),
    "two parts": lambda _: "a.b",
    "empty parts": lambda _: "..",
    "no JSON": lambda _: f"{_encode(b'x')}.{_encode(b'y')}.{_encode(b'z')}",
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_does_not_count_is_told_nothing(provider: Provider, name: str) -> None:
    tokens = provider.open()
    tokens.read(provider.sign())
    with pytest.raises(UnauthenticatedError) as caught:
        tokens.read(BAD[name](provider))
    assert caught.value.message == "Expected a valid token for this service, got another."


def test_a_new_key_is_found_and_a_made_up_name_asks_no_oftener(
    provider: Provider, tmp_path: Path
) -> None:
    own = Provider(file=tmp_path / "jwks", ec_key=provider.ec_key, rsa_key=provider.rsa_key)
    old = make_jwk(provider.ec_key, "ec")
    own.file.write_text(json.dumps({"keys": [old]}), encoding="utf-8")
    tokens = own.open()
    tokens.read(own.sign())
    later = ec.generate_private_key(ec.SECP256R1())
    keys = {"keys": [old, make_jwk(later, "later")]}
    own.file.write_text(json.dumps(keys), encoding="utf-8")
    with pytest.raises(UnauthenticatedError):
        tokens.read(own.sign(later, kid="later"))
    own.clock = AGAIN_SECONDS + 1
    assert tokens.read(own.sign(later, kid="later")).tenant == "acme"
    own.file.unlink()
    own.clock = 1e6
    with pytest.raises(KeyUnavailableError, match="provider's keys"):
        tokens.read(own.sign())
    own.file.write_text("[]", encoding="utf-8")
    own.clock += AGAIN_SECONDS + 1
    with pytest.raises(KeyUnavailableError, match="JWK set"):
        tokens.read(own.sign())


def test_half_a_configuration_is_none(provider: Provider) -> None:
    with pytest.raises(SettingsError, match="SPANPROOF_OIDC_AUDIENCE"):
        provider.open(oidc_audience=None)
    with pytest.raises(SettingsError, match="https"):
        provider.open(oidc_jwks="http://login.example.com/keys")


def test_a_provider_that_is_away_takes_no_key_with_it(provider: Provider, tmp_path: Path) -> None:
    own = Provider(file=tmp_path / "jwks", ec_key=provider.ec_key, rsa_key=provider.rsa_key)
    tokens = own.open()
    with pytest.raises(KeyUnavailableError):
        tokens.read(own.sign())
    odd = {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "odd"}
    keys = json.dumps({"keys": [odd, make_jwk(provider.ec_key, "ec")]})
    own.file.write_text(keys, encoding="utf-8")
    # Not asked at every request: the failure is remembered.
    with pytest.raises(KeyUnavailableError):
        tokens.read(own.sign())
    own.clock = AGAIN_SECONDS + 1
    # One row that cannot be read takes none of the others with it.
    assert tokens.read(own.sign()).tenant == "acme"
    own.file.unlink()
    own.clock += KEEP_SECONDS + 1
    assert tokens.read(own.sign()).tenant == "acme"
    with pytest.raises(UnauthenticatedError):
        tokens.read(own.sign(kid="nosuch"))
    own.clock += STALE_SECONDS
    with pytest.raises(KeyUnavailableError):
        tokens.read(own.sign())


def test_whoever_has_a_key_does_not_wait_for_the_provider(provider: Provider) -> None:
    own = Provider(file=provider.file, ec_key=provider.ec_key, rsa_key=provider.rsa_key)
    tokens = own.open()
    tokens.read(own.sign())
    own.clock = KEEP_SECONDS + 1
    with ThreadPoolExecutor(1) as pool:
        # As while another thread reads the keys again.
        with tokens._lock:
            asked = pool.submit(tokens.read, own.sign())
            done, _ = wait([asked], timeout=20)
        assert done == {asked}


def test_with_an_issuer_and_no_key_at_all_a_made_up_key_is_an_unknown_one(
    provider: Provider, tmp_path: Path
) -> None:
    tenants = Tenants(Settings(home=tmp_path / "home", database_url=None))
    gate = Gate(tenants, tokens=provider.open())
    try:
        for shown in ((f"Bearer {make_key().text}", None), (None, "9999999999.sp_aaaaaaaaaaaa.x")):
            with pytest.raises(UnauthenticatedError):
                gate.identify(*shown)
    finally:
        tenants.close()
