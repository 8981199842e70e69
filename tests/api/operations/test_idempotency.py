"""A key whose request lost the store half-way is not in flight for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.errors import RequestInFlightError
from api.operations.idempotency import OnceRequest, OnceWork, do_once
from store.accounts.requests import Requests
from store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from api.wiring import Services

ASKED = OnceRequest(route="POST /v1/things", key="k", fingerprint="f")


def test_a_claim_that_an_outage_left_open_is_taken_up_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def perform(name: str) -> str:
        # Whoever asks meanwhile is told to wait.
        with pytest.raises(RequestInFlightError):
            do_once(services, ASKED, work, name="meanwhile")
        made.append(name)
        return name

    work = OnceWork(perform=perform, replay=lambda name: name, is_done=lambda name: name in made)

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailableError("Expected the store, got none.", hint="Try again.")

    with monkeypatch.context() as patch:
        patch.setattr(Requests, "end", fail)
        with pytest.raises(StoreUnavailableError):
            do_once(services, ASKED, work, name="first")
    assert do_once(services, ASKED, work, name="second") == ("first", True)
    assert made == ["first"]
