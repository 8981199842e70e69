"""A running service with two tenants and their keys, for the tests of who may do what."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient

from spanproof.api.http.app import create_app
from spanproof.api.http.openapi import list_routes
from spanproof.operations.access.keys import KeyRequest, NewKey, create_key
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.databases import HOMES
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi import FastAPI

    from spanproof.api.http.openapi import ListedRoute
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.tenants import Tenants

#: An answer that cites a document that no tenant has.
ANSWER = json.dumps(
    {
        "answer": "So it is [1].",
        "citations": [{"anchor": 1, "doc_id": "nosuch", "span": {"text": SENTENCE}}],
    }
).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A started application, and what was made for it."""

    app: FastAPI
    client: TestClient
    tenants: Tenants

    def list_routes(self) -> list[ListedRoute]:
        """Every route of the application."""
        return list_routes(self.app)

    def make_key(self, tenant: str, *scopes: str, hours: float = 24, **given: Any) -> NewKey:
        """A key of a tenant, which is made where there is none; of every scope without any."""
        now = datetime.now(UTC)
        wanted = KeyRequest(
            scopes=scopes or SCOPES,
            expires_at=now + timedelta(hours=hours),
            label=given.get("label"),
        )
        return create_key(self.tenants.default, self.tenants.create(tenant), wanted, now=now)

    def ask(self, method: str, path: str, key: str | NewKey | None, **given: Any) -> Any:
        """One request with a key, or without."""
        text = key.text if isinstance(key, NewKey) else key
        headers = given.pop("headers", {})
        if text is not None:
            headers = headers | {"Authorization": f"Bearer {text}"}
        return self.client.request(method, path, headers=headers, follow_redirects=False, **given)


@contextmanager
def run_guarded(settings: Settings, parser: Parser) -> Iterator[Guarded]:
    """The application with these settings; a scripted model judges, all else is real."""
    app = create_app(settings, parts={"model": ScriptedModel(), "parser": parser})
    with TestClient(app, "http://127.0.0.1", raise_server_exceptions=False) as client:
        tenants: Tenants = app.state.tenants
        yield Guarded(app=app, client=client, tenants=tenants)


def make_open_settings(home: Path, **changes: Any) -> Settings:
    """Settings of this home by which a key may ask as often as it likes."""
    given: dict[str, Any] = {
        "home": home,
        "database_url": HOMES.find(home),
        "model": None,
        "test_data": None,
        "cross_check_rate": 0.0,
        "rate_limit": 0,
    }
    return Settings(**(given | changes))


def count_failures(guarded: Guarded) -> dict[str, float]:
    """How often the service let nobody in, by reason."""
    text = guarded.tenants.default.metrics.render().decode()
    rows = re.findall(r'spanproof_auth_failures_total\{reason="(\w+)"\} ([0-9.]+)', text)
    return {reason: float(count) for reason, count in rows}
