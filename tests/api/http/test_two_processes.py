"""Two services on one PostgreSQL and one home: what one is told, the other knows at once."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.api.http.auth.gate import BELIEVED_SECONDS
from tests.api.cli.program import Program
from tests.serving import serve_program

if TYPE_CHECKING:
    from collections.abc import Iterator

RATE = 2
SECONDS = 6


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, postgresql_server: object) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("two")
    with ExitStack() as stack:
        url = stack.enter_context(postgresql_server.database())  # type: ignore[attr-defined]
        settings = {
            "home": str(folder / "home"),
            "database_url": url,
            "rate_limit": str(RATE),
            "webhook_private": "true",
        }
        program = Program(home=folder / "home").with_settings(**settings)
        # Before the services start: without a key every caller would be let in.
        program.run("keys", "create", "--scope", "admin")
        addresses = []
        for name in ("one", "two"):
            (folder / name).mkdir()
            addresses.append(stack.enter_context(serve_program(folder / name, **settings)))
        yield Shared(program, addresses[0], addresses[1])


class Shared:
    """Two addresses, and the command line beside them."""

    def __init__(self, program: Program, one: str, two: str) -> None:
        self.program, self.one, self.two = program, one, two

    def make_key(self, tenant: str) -> str:
        """A key of every scope; the tenant is made where it is new."""
        scopes = [part for each in ("admin", "read", "verify") for part in ("--scope", each)]
        done = self.program.run("keys", "create", *scopes, "--tenant", tenant)
        assert done.code == 0, done.stderr
        return done.stdout.decode().strip()

    def ask(self, address: str, key: str, path: str = "/v1/verifications") -> httpx.Response:
        """One request with a key."""
        return httpx.get(f"{address}{path}", headers={"Authorization": f"Bearer {key}"}, timeout=60)


@pytest.mark.long
def test_a_new_tenant_and_its_key_are_known_at_once_and_a_revoked_key_soon(shared: Shared) -> None:
    key = shared.make_key("acme")
    for address in (shared.one, shared.two):
        assert shared.ask(address, key).status_code == 200
    key_id = key.split(".")[0]
    assert shared.program.run("keys", "revoke", key_id).code == 0
    time.sleep(BELIEVED_SECONDS)
    for address in (shared.one, shared.two):
        assert shared.ask(address, key).status_code == 401


@pytest.mark.long
def test_a_webhook_that_one_makes_the_other_lists_and_removes(shared: Shared) -> None:
    key = shared.make_key("hooks")
    headers = {"Authorization": f"Bearer {key}"}
    body = {"url": "http://127.0.0.1:9/in"}
    made = httpx.post(f"{shared.one}/v1/webhooks", headers=headers, json=body, timeout=60)
    assert made.status_code == 201, made.text
    webhook_id = made.json()["webhook_id"]
    assert webhook_id in shared.ask(shared.two, key, "/v1/webhooks").text
    path = f"{shared.two}/v1/webhooks/{webhook_id}"
    assert httpx.delete(path, headers=headers, timeout=60).status_code == 204


@pytest.mark.long
def test_a_key_has_its_rate_once(shared: Shared) -> None:
    key = shared.make_key("busy")
    passed, start = 0, time.monotonic()
    while time.monotonic() < start + SECONDS:
        for address in (shared.one, shared.two):
            passed += shared.ask(address, key).status_code == 200
    took = time.monotonic() - start
    # A burst in each before the first exchange, then one rate for both. Apart they would let
    # two bursts and twice the rate through.
    together = 2 * 2 * RATE + RATE * (took + 1)
    assert passed <= together + 2
    assert together + 2 < 2 * (2 * RATE + RATE * took)
