"""Answers as they are submitted: kept once, drawn by their bits and their stratum, or refused."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import ConflictError, InputError
from spanproof.operations.errors import ServiceBusyError
from spanproof.operations.sampling.sampler import load_plan
from spanproof.operations.sampling.submission import SEVERAL, read_submission
from spanproof.store.errors import StoreUnavailableError
from spanproof.store.samples.answers import EpochClosedError
from tests.operations.sampling.conftest import BAD, GOOD, HALF, make_payload, sampler_of, submit

if TYPE_CHECKING:
    from collections.abc import Callable


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_an_answer_that_is_sent_twice_is_decided_once(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as context:
        first = submit(context, make_payload("a", GOOD))
        again = submit(context, make_payload("a", GOOD), trace_parent=f"00-{TRACE}-{'1' * 16}-01")
        assert again == first or again == replace(first, raw=None)
        with pytest.raises(ConflictError, match="other bytes"):
            submit(context, make_payload("a", BAD))
        with pytest.raises(ConflictError, match="other bytes"):
            submit(context, b" " + make_payload("a", GOOD))
        # Without an id of its own each is another answer.
        one, two = (submit(context, make_payload(None, GOOD)) for _ in range(2))
        assert one.answer_id != two.answer_id


def test_a_batch_is_kept_whole_beside_an_answer_that_conflicts(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as context:
        submit(context, make_payload("same", GOOD))

        def send(at: int) -> str:
            raw = make_payload("same", BAD) if at % 10 == 3 else make_payload(f"a{at}", GOOD)
            try:
                return submit(context, raw).answer_id
            except ConflictError:
                return "conflict"

        with ThreadPoolExecutor(16) as pool:
            found = Counter(pool.map(send, range(60)))
        assert found["conflict"] == 6
        assert len(found) == 55
        kept = list(context.store.samples.answers.iterate("epoch-1"))
        assert [each.number for each in kept] == list(range(1, 56))


def test_the_servers_clock_decides_the_epoch_and_the_given_time_is_kept(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as context:
        late = datetime.now(UTC) + timedelta(hours=1)
        found = [
            submit(context, make_payload(name, GOOD, generated_at=moment.isoformat()))
            for name, moment in (("b", late), ("a", late - timedelta(hours=2)))
        ]
        assert [each.epoch for each in found] == ["epoch-1", "epoch-1"]
        assert [each.given_at for each in found] == [late, late - timedelta(hours=2)]
        assert all(abs(each.received_at - datetime.now(UTC)).seconds < 3000 for each in found)


def test_a_trace_decides_as_every_other_sampler_of_it_does(open_home: Callable[..., Any]) -> None:
    with open_home({"default": 0.1, "trust_trace_ids": True}) as context:
        low = submit(context, make_payload("low", GOOD, trace_id=TRACE))
        assert (low.source, low.randomness) == ("trace_id", int(TRACE[-14:], 16))
        assert not low.is_sampled
        assert low.raw is None
        header = f"00-{TRACE}-{'1' * 16}-01"
        explicit = submit(
            context,
            make_payload("explicit", GOOD),
            trace_parent=header,
            trace_state="ot=rv:ffffffffffffff",
        )
        assert (explicit.source, explicit.is_sampled) == ("trace_state", True)
        assert context.store.samples.answers.load("explicit").raw == make_payload("explicit", GOOD)
        # The state belongs to the trace that it came with, not to the answer's own.
        own = submit(
            context,
            make_payload("own", GOOD, trace_id="0" * 31 + "1"),
            trace_parent=header,
            trace_state="ot=rv:ffffffffffffff",
        )
        assert (own.source, own.randomness) == ("trace_id", 1)
        # What is no W3C trace id is a name, and no randomness.
        named = submit(context, make_payload("named", GOOD, trace_id="run 7"))
        assert named.source == "keyed_hash"
    with open_home({"default": 0.1}) as context:
        kept = submit(context, make_payload("x", GOOD, trace_id=TRACE))
        # It decides nothing, and still tells which answers are of one trace.
        assert (kept.source, kept.trace_id) == ("keyed_hash", TRACE)


def test_each_stratum_has_its_probability(open_home: Callable[..., Any]) -> None:
    plan = {
        "default": 0,
        "strata": [
            {"name": "new-model", "model": "m2", "probability": 1},
            {"name": "index", "index_version": "i2", "probability": 0.25},
        ],
    }
    with open_home(plan) as context:
        plain = submit(context, make_payload("a", GOOD, generator={"model": "m1"}))
        assert (plain.stratum, plain.is_sampled, plain.threshold) == ("all", False, 1 << 56)
        assert submit(context, make_payload("b", GOOD, generator={"model": "m2"})).is_sampled
        raw = json.loads(make_payload("c", GOOD, GOOD))
        raw["citations"][0]["index_version"] = "i2"
        third = submit(context, json.dumps(raw).encode())
        assert (third.stratum, third.index_version, third.threshold) == ("index", "i2", 3 << 54)
        raw["citations"][1]["index_version"] = "i3"
        assert read_submission(json.dumps(raw).encode()).index_version == SEVERAL


def test_what_is_no_answer_is_refused_before_it_is_kept() -> None:
    for raw in (b"{", b"{}", make_payload("x" * 600, GOOD)):
        with pytest.raises(InputError):
            read_submission(raw)
    with pytest.raises(InputError):
        read_submission(make_payload("a", GOOD), policy="lenient")
    with pytest.raises(InputError):
        read_submission(make_payload("a", GOOD), format="unknown")


def test_a_full_queue_and_a_stopped_service_say_so(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(HALF) as context:
        sampler = sampler_of(context)
        submit(context, make_payload("a", GOOD))
        monkeypatch.setattr("spanproof.operations.sampling.sampler.MAX_WAITING", 0)
        with pytest.raises(ServiceBusyError, match="room"):
            submit(context, make_payload("b", GOOD))
        monkeypatch.undo()
    with pytest.raises(StoreUnavailableError, match="stops"):
        sampler.submit(read_submission(make_payload("c", GOOD)))


def test_an_error_of_the_store_is_told_and_the_next_answer_is_taken(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        msg = "Expected a database, got none."
        raise StoreUnavailableError(msg, hint="Wait.")

    with open_home(HALF) as context:
        answers = type(context.store.samples.answers)
        with monkeypatch.context() as patch:
            patch.setattr(answers, "add_all", fail)
            with pytest.raises(StoreUnavailableError, match="database"):
                submit(context, make_payload("a", GOOD))
        assert submit(context, make_payload("a", GOOD)).number == 1

        def close(*_: object, **__: object) -> None:
            raise EpochClosedError

        with monkeypatch.context() as patch:
            patch.setattr(answers, "add_all", close)
            with pytest.raises(StoreUnavailableError, match="epoch"):
                submit(context, make_payload("b", GOOD))


def test_the_plan_is_the_files_or_the_rates(open_home: Callable[..., Any]) -> None:
    with open_home(None, sampling_rate=0.25) as context:
        assert load_plan(context.settings).default == 0.25
        assert submit(context, make_payload("a", GOOD)).threshold == 3 << 54
