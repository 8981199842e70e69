"""Keys as they are made, followed and revoked, and that no secret of theirs stands anywhere."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from spanproof.api.cli.keys import read_moment
from spanproof.core.errors import InputError
from spanproof.operations.access.key_format import find_key_id
from spanproof.operations.access.keys import digest_key, revoke_key, rotate_key
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import ConfigChange
from tests.api.access import ANSWER, Guarded
from tests.api.conftest import check_problem


def test_a_rotated_key_counts_for_a_while_beside_the_one_that_follows(guarded: Guarded) -> None:
    home, now = guarded.tenants.default, datetime.now(UTC)
    old = guarded.make_key("default", "read", label="ci")
    new = rotate_key(home, home, old.key.key_id, overlap=timedelta(hours=1), now=now)
    assert (new.key.scopes, new.key.label) == (old.key.scopes, "ci")
    for key in (old, new):
        assert guarded.ask("GET", "/v1/documents", key).status_code == 200
    kept = home.store.access_keys.find(old.key.key_id)
    assert kept is not None
    assert kept.find_state(now + timedelta(hours=1)) == "rotated"
    assert new.key.find_state(now + timedelta(hours=1)) == "active"


def test_every_change_of_a_key_is_a_leaf_of_its_tenants_log(guarded: Guarded) -> None:
    key = guarded.make_key("logged")
    home, tenant = guarded.tenants.default, guarded.tenants.find("logged")
    now = datetime.now(UTC)
    new = rotate_key(home, tenant, key.key.key_id, now=now)
    for _ in range(2):
        revoke_key(home, tenant, key.key.key_id, now=now)
    events = [
        parse_event(stored.statement.payload)
        for stored in tenant.log.find_statements("access-keys")
    ]
    changes = [c for event in events if isinstance(event, ConfigChange) for c in event.changes]
    names = [f"access-key:{each.key.key_id}" for each in (key, new, key)]
    assert [change.name for change in changes] == names
    assert [change.old for change in changes] == [None, None, digest_key(key.key)]
    assert [change.new for change in changes] == [digest_key(key.key), digest_key(new.key), None]
    assert not [
        s
        for s in home.log.find_statements("access-keys")
        if key.key.key_id.encode() in s.statement.payload
    ]
    # A head covers them.
    assert tenant.log.latest()[0].size == tenant.log.head().size


def test_a_secret_stands_nowhere_but_in_the_one_answer(
    guarded: Guarded, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    admin = guarded.make_key("default")
    made = guarded.ask("POST", "/v1/keys", admin, content=b'{"scopes": ["read", "verify"]}')
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    text = made.json()["key"]
    secret = text.partition(".")[2]
    answers = [
        guarded.ask("GET", "/v1/documents", text),
        guarded.ask("GET", "/v1/keys", admin),
        guarded.ask("GET", "/v1/documents", f"{text}x"),
        guarded.ask("POST", "/v1/keys", text, content=text.encode()),
        guarded.ask("POST", "/v1/verifications", text, content=b"{"),
        guarded.ask("GET", "/metrics", text),
        guarded.ask("POST", "/v1/verifications", text, content=ANSWER),
        guarded.ask("DELETE", f"/v1/keys/{find_key_id(text)}", admin),
    ]
    assert [each.status_code for each in answers] == [200, 200, 401, 403, 422, 200, 200, 200]
    for answer in answers:
        assert secret not in answer.text + str(answer.headers)
    told = caplog.text + "".join(capfd.readouterr())
    assert secret not in told
    for path in guarded.tenants.default.settings.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_a_key_manages_the_keys_of_its_tenant_alone(guarded: Guarded) -> None:
    theirs, ours = guarded.make_key("acme"), guarded.make_key("default", "admin")
    listed = guarded.ask("GET", "/v1/keys", ours).json()["keys"]
    assert {row["tenant"] for row in listed} == {"default"}
    path = f"/v1/keys/{theirs.key.key_id}"
    check_problem(guarded.ask("DELETE", path, ours), 404, "KEY_NOT_FOUND")
    check_problem(guarded.ask("POST", f"{path}/rotate", ours), 404, "KEY_NOT_FOUND")
    assert guarded.ask("GET", "/v1/documents", theirs).status_code == 200
    made = guarded.ask("POST", "/v1/keys", theirs, content=b'{"scopes": ["read"]}').json()
    assert made["tenant"] == "acme"
    rotated = guarded.ask("POST", f"/v1/keys/{made['key_id']}/rotate", theirs)
    assert rotated.status_code == 201
    again = guarded.ask("POST", f"/v1/keys/{made['key_id']}/rotate", theirs)
    check_problem(again, 409, "CONFLICT")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["root"]}, "/scopes"),
        ({"scopes": "read"}, "/scopes"),
        ({"scopes": ["read"], "expires_at": "2020-01-01"}, "/expires_at"),
        ({"scopes": ["read"], "expires_at": 5}, "/expires_at"),
        ({"scopes": ["read"], "label": "x" * 201}, "/label"),
        ({"scopes": ["read"], "tenant": "acme"}, "/tenant"),
    ],
)
def test_a_wish_that_is_none_makes_no_key(
    guarded: Guarded, body: dict[str, Any], pointer: str
) -> None:
    admin = guarded.make_key("default", "admin")
    before = len(guarded.tenants.default.store.access_keys.list())
    answer = guarded.ask("POST", "/v1/keys", admin, content=json.dumps(body).encode())
    problem = check_problem(answer, 422, "MALFORMED_ANSWER")
    assert problem["errors"][0]["pointer"] == pointer
    assert len(guarded.tenants.default.store.access_keys.list()) == before


def test_a_moment_beyond_the_calendar_is_none(guarded: Guarded) -> None:
    admin = guarded.make_key("default", "admin")
    wish = {"scopes": ["read"], "expires_at": "9999-12-31T23:59:59-10:00"}
    problem = check_problem(
        guarded.ask("POST", "/v1/keys", admin, json=wish), 422, "MALFORMED_ANSWER"
    )
    assert problem["errors"][0]["pointer"] == "/expires_at"
    # As long a life as the calendar has left.
    old = guarded.make_key("default", "read", hours=7_900 * 365 * 24)
    home, later = guarded.tenants.default, datetime.now(UTC) + timedelta(days=365 * 200)
    new = rotate_key(home, home, old.key.key_id, now=later)
    assert new.key.expires_at is not None
    assert new.key.expires_at.year == 9999
    with pytest.raises(InputError, match="such as 90d"):
        read_moment("9999-12-31T23:59:59-10:00", later)
