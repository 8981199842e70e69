"""A key management service in place of the home's file: each tenant has a key there."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from spanproof.core.errors import KeyUnavailableError
from spanproof.operations.assembly import open_context
from spanproof.operations.keeping.words import set_words
from spanproof.operations.tenants import Tenants
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel
from tests.operations.audited import take_document
from tests.operations.keeping.test_words import write_answer

if TYPE_CHECKING:
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.assembly import GivenParts
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings

NOW = datetime.now(UTC)


class KeyService:
    """A key that never leaves the service; it counts what was asked of it."""

    def __init__(self, name: str) -> None:
        self.asked: list[str] = []
        self._name = name
        self._key = AESGCM(hashlib.sha256(name.encode()).digest())

    @property
    def key_id(self) -> str:
        """The key's name there."""
        return self._name

    def prepare(self) -> None:
        """The key is there already."""

    def wrap(self, key: bytes, name: bytes) -> bytes:
        """Encrypted there."""
        self.asked.append("wrap")
        nonce = os.urandom(12)
        return nonce + self._key.encrypt(nonce, key, name)

    def unwrap(self, wrapped: bytes, name: bytes) -> bytes:
        """Decrypted there."""
        self.asked.append("unwrap")
        try:
            return self._key.decrypt(wrapped[:12], wrapped[12:], name)
        except InvalidTag as error:
            msg = "Expected a key that this service has wrapped, got another."
            raise KeyUnavailableError(msg, hint="Ask its operator.") from error


class KeyServices:
    """The service of each home."""

    def __init__(self) -> None:
        self.made: dict[str, KeyService] = {}

    def find(self, settings: Settings) -> KeyService:
        """That of these settings."""
        name = settings.home.name
        return self.made.setdefault(name, KeyService(name))


def _keep_encrypted(context: Context) -> tuple[str, bytes]:
    set_words(context, "encrypted", now=NOW)
    raw = write_answer(take_document(context))
    return verify_payload(context, raw).verification_id, raw


def test_a_key_service_wraps_what_the_home_never_has(
    settings: Settings, warm_parser: Parser
) -> None:
    services, model = KeyServices(), ScriptedModel()
    local: GivenParts = {"parser": warm_parser, "model": model}
    managed: GivenParts = {**local, "content_key": services.find}
    with open_context(settings, **managed) as context:
        name, raw = _keep_encrypted(context)
        service = services.find(settings)
        assert {each.key_id for each in context.store.content_keys.list_all()} == {service.key_id}
        assert service.asked[0] == "wrap"
    with open_context(settings, **managed) as context:
        service.asked.clear()
        assert context.store.answers.load(name).raw == raw
        assert set(service.asked) == {"unwrap"}
    assert not (settings.home / "keys" / "content.pem").exists()
    with open_context(settings, **local) as context, pytest.raises(KeyUnavailableError):
        context.store.answers.load(name)
    another = KeyServices()
    another.made[settings.home.name] = KeyService("another")
    elsewhere: GivenParts = {**local, "content_key": another.find}
    with (
        open_context(settings, **elsewhere) as context,
        pytest.raises(KeyUnavailableError),
    ):
        context.store.answers.load(name)


def test_each_tenant_has_a_key_of_its_own(settings: Settings, warm_parser: Parser) -> None:
    services = KeyServices()
    tenants = Tenants(
        settings,
        {"parser": warm_parser, "model": ScriptedModel(), "content_key": services.find},
    )
    try:
        for tenant in ("default", "acme"):
            context = tenants.create(tenant)
            name, raw = _keep_encrypted(context)
            assert context.store.answers.load(name).raw == raw
    finally:
        tenants.close()
    assert set(services.made) == {settings.home.name, "acme"}
    assert all("wrap" in service.asked for service in services.made.values())
