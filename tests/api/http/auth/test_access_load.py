"""How often and how much at once a key may ask, and that twice has one effect."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.errors import Work
from tests.api.access import ANSWER, Guarded, make_open_settings, run_guarded
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.api.http.admission import Admission
    from spanproof.ingest.sandbox import Parser


def test_a_key_asks_as_often_as_it_may(tmp_path: Path, warm_parser: Parser) -> None:
    with run_guarded(make_open_settings(tmp_path / "home", rate_limit=0.01), warm_parser) as opened:
        one, other = opened.make_key("default", "read"), opened.make_key("default", "read")
        first = opened.ask("GET", "/v1/documents", one)
        assert first.headers["ratelimit-policy"] == '"key";q=1;w=100'
        assert first.headers["ratelimit"].startswith('"key";r=0;t=')
        second = opened.ask("GET", "/v1/documents", one)
        check_problem(second, 429, "RATE_LIMITED")
        assert 0 < int(second.headers["retry-after"]) <= 100
        assert opened.ask("GET", "/v1/documents", other).status_code == 200


@pytest.mark.long
def test_an_overload_is_sent_away_before_it_is_read(tmp_path: Path, warm_parser: Parser) -> None:
    settings = make_open_settings(tmp_path / "home", running=1, waiting=0)
    with run_guarded(settings, warm_parser) as opened, ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(
                lambda _: opened.ask("POST", "/v1/verifications", None, content=ANSWER).status_code,
                range(24),
            )
        )
        assert set(statuses) <= {200, 429}
        admission: Admission = opened.app.state.admission
        assert statuses.count(200) >= 1
        ticket = admission.enter(Work.VERIFY)
        full = opened.ask("POST", "/v1/verifications", None, content=ANSWER)
        ticket.close()
        check_problem(full, 429, "SERVICE_BUSY")
        assert full.headers["retry-after"] == "2"


@pytest.mark.long
def test_a_request_that_is_sent_twice_has_one_effect(guarded: Guarded) -> None:
    key = guarded.make_key("once", "verify", "read")
    headers = {"Idempotency-Key": '"k-1"'}
    before = guarded.tenants.find("once").log.head().size

    def post(content: bytes = ANSWER, name: str = '"k-1"') -> Any:
        given = {"Idempotency-Key": name}
        return guarded.ask("POST", "/v1/verifications", key, content=content, headers=given)

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: post(), range(120)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    bodies = {answer.text for answer in answers if answer.status_code == 200}
    assert len(bodies) == 1
    for answer in answers:
        if answer.status_code == 409:
            check_problem(answer, 409, "REQUEST_IN_FLIGHT")
    again = post()
    assert (again.text, again.headers["idempotency-replayed"]) == (bodies.pop(), "true")
    listed = guarded.ask("GET", "/v1/verifications", key).json()["verifications"]
    assert len(listed) == 1
    after_one = guarded.tenants.find("once").log.head().size
    other = post(content=ANSWER.replace(b"So", b"No"))
    check_problem(other, 422, "IDEMPOTENCY_KEY_REUSED")
    check_problem(post(name="x" * 256), 422, "MALFORMED_PARAMETER")
    # What failed made nothing: its key is free.
    bad = post(content=b"{", name="k-2")
    check_problem(bad, 422, "MALFORMED_ANSWER")
    assert post(name="k-2").headers["idempotency-replayed"] == "false"
    # Of another tenant it is another key.
    stranger = guarded.make_key("twice", "verify")
    first = guarded.ask("POST", "/v1/verifications", stranger, content=ANSWER, headers=headers)
    assert first.headers["idempotency-replayed"] == "false"
    # Configuration, intake and result once each; the second answer has two more.
    assert after_one - before <= 4
    assert guarded.tenants.find("once").log.head().size == after_one + 2


def test_nobody_waits_for_a_tenant_that_is_being_closed(guarded: Guarded) -> None:
    own, other = guarded.make_key("default", "read"), guarded.make_key("waiting", "read")
    with ThreadPoolExecutor(2) as pool:
        with guarded.tenants._lock:
            held = pool.submit(guarded.ask, "GET", "/v1/documents", other)
            sleep(0.2)
            free = pool.submit(guarded.ask, "GET", "/v1/documents", own)
            done, _ = wait([free], timeout=20)
        assert done == {free}
        assert free.result().status_code == held.result().status_code == 200
