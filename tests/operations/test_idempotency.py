"""A key whose request lost the store half-way is not in flight for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import InputError
from spanproof.operations.errors import RequestInFlightError
from spanproof.operations.idempotency import (
    IdempotentOperation,
    IdempotentRequest,
    run_idempotently,
)
from spanproof.store.accounts.requests import Requests
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from spanproof.operations.context import Context

ASKED = IdempotentRequest(route="POST /v1/things", key="k", fingerprint="f")


def test_a_claim_that_an_outage_left_open_is_taken_up_again(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def perform(name: str) -> str:
        # Whoever asks meanwhile is told to wait.
        with pytest.raises(RequestInFlightError):
            run_idempotently(context, ASKED, work, name="meanwhile")
        made.append(name)
        return name

    work = IdempotentOperation(
        perform=perform, replay=lambda name: name, is_done=lambda name: name in made
    )

    def fail(*_: object, **__: object) -> None:
        raise StoreUnavailableError("Expected the store, got none.", hint="Try again.")

    with monkeypatch.context() as patch:
        patch.setattr(Requests, "end", fail)
        with pytest.raises(StoreUnavailableError):
            run_idempotently(context, ASKED, work, name="first")
    assert run_idempotently(context, ASKED, work, name="second") == ("first", True)
    assert made == ["first"]


def test_a_fault_after_the_effect_leaves_the_key_with_it(context: Context) -> None:
    made: list[str] = []

    def perform(name: str) -> str:
        made.append(name)
        raise StoreUnavailableError("Expected the store, got none.", hint="Try again.")

    work = IdempotentOperation(
        perform=perform, replay=lambda name: name, is_done=lambda name: name in made
    )
    with pytest.raises(StoreUnavailableError):
        run_idempotently(context, ASKED, work, name="first")
    assert run_idempotently(context, ASKED, work, name="second") == ("first", True)
    assert made == ["first"]


def test_what_was_refused_leaves_the_key_free(context: Context) -> None:
    def perform(name: str) -> str:
        if name == "first":
            raise InputError("Expected another body, got this one.", hint="Send another.")
        return name

    # Of an array of answers, whatever is kept under the name is all there is.
    work = IdempotentOperation(perform=perform, replay=lambda name: name, is_done=lambda _: True)
    with pytest.raises(InputError):
        run_idempotently(context, ASKED, work, name="first")
    other = IdempotentRequest(route=ASKED.route, key=ASKED.key, fingerprint="g")
    assert run_idempotently(context, other, work, name="second") == ("second", False)
