from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from api.errors import ServiceBusyError
from api.operations.log_recover import recover
from api.sampling import epochs as api_epochs
from api.sampling.audit import audit_epoch, iterate_epochs
from api.sampling.epochs import EpochKeeper, list_events, open_epoch
from api.sampling.plans import load_plan
from api.sampling.rates import compute_rates
from api.sampling.submission import SEVERAL, read_submission
from api.sampling.verification import describe_sampling, verify_sampled, verify_waiting
from core.digest import Digest
from core.errors import ConflictError, InputError, ModelUnavailableError, NotFoundError
from monitor.sampling import check_commitment, draw
from receipt.events import ConfigChange, EpochClosed, EpochOpened, parse_event
from store.errors import StoreUnavailableError
from store.samples.answers import EpochClosedError
from tests.api.sampling.conftest import BAD, GOOD, make_payload, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.wiring import Services
    from store.samples.records import SubmittedAnswer

ALL = {"default": 1, "review": {"flagged": 1, "others": 1}}
HALF = {"default": 0.5, "review": {"flagged": 0.5, "others": 0.5}}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def fill(services: Services, count: int, **more: Any) -> list[SubmittedAnswer]:
    return [submit(services, make_payload(f"a{at}", GOOD), **more) for at in range(count)]


def test_the_commitment_is_logged_before_the_first_answer_and_disclosed_at_the_end(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as services:
        (first,) = fill(services, 1)
        ((opened_at, opened),) = list_events(services, "epoch-1")
        assert isinstance(opened, EpochOpened)
        assert opened.time <= first.received_at
        # A signed head covers it before anybody was answered.
        assert services.log.latest()[0].size > opened_at
        assert next(iterate_epochs(services))["key"] is None
        assert opened.plan_digest == services.sampler.plan.digest
        changes = [
            change
            for each in services.log.find_statements("configuration")
            if isinstance(event := parse_event(each.statement.payload), ConfigChange)
            for change in event.changes
        ]
        assert [(each.name, each.new) for each in changes] == [
            ("sampling-plan", services.sampler.plan.digest)
        ]
        fill(services, 20)
        closed = services.sampler.close_epoch()
        assert closed is not None
        (_, (_, closing)) = list_events(services, "epoch-1")
        assert isinstance(closing, EpochClosed)
        assert check_commitment(bytes.fromhex(opened.commitment.hex), closing.key, "epoch-1")
        assert (closing.answers, closing.key) == (20, closed.key)
        assert next(iterate_epochs(services))["key"] == closed.key.hex()
        # Without a trace everybody can now compute the bits.
        for each in services.store.samples.answers.iterate("epoch-1"):
            assert each.randomness == draw(closing.key, each.answer_id).value
        (later,) = fill(services, 1)
        assert later.epoch == "epoch-1"
        assert submit(services, make_payload("new", GOOD)).epoch == "epoch-2"
        assert services.sampler.close_epoch() is not None
        assert services.sampler.close_epoch() is None


def test_an_answer_that_is_sent_twice_is_decided_once(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as services:
        first = submit(services, make_payload("a", GOOD))
        again = submit(services, make_payload("a", GOOD), trace_parent=f"00-{TRACE}-{'1' * 16}-01")
        assert again == first or again == replace(first, raw=None)
        with pytest.raises(ConflictError, match="other bytes"):
            submit(services, make_payload("a", BAD))
        with pytest.raises(ConflictError, match="other bytes"):
            submit(services, b" " + make_payload("a", GOOD))
        # Without an id of its own each is another answer.
        one, two = (submit(services, make_payload(None, GOOD)) for _ in range(2))
        assert one.answer_id != two.answer_id


def test_a_batch_is_kept_whole_beside_an_answer_that_conflicts(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as services:
        submit(services, make_payload("same", GOOD))

        def send(at: int) -> str:
            raw = make_payload("same", BAD) if at % 10 == 3 else make_payload(f"a{at}", GOOD)
            try:
                return submit(services, raw).answer_id
            except ConflictError:
                return "conflict"

        with ThreadPoolExecutor(16) as pool:
            found = Counter(pool.map(send, range(60)))
        assert found["conflict"] == 6
        assert len(found) == 55
        kept = list(services.store.samples.answers.iterate("epoch-1"))
        assert [each.number for each in kept] == list(range(1, 56))


def test_the_servers_clock_decides_the_epoch_and_the_given_time_is_kept(
    open_home: Callable[..., Any],
) -> None:
    with open_home(HALF) as services:
        late = datetime.now(UTC) + timedelta(hours=1)
        found = [
            submit(services, make_payload(name, GOOD, generated_at=moment.isoformat()))
            for name, moment in (("b", late), ("a", late - timedelta(hours=2)))
        ]
        assert [each.epoch for each in found] == ["epoch-1", "epoch-1"]
        assert [each.given_at for each in found] == [late, late - timedelta(hours=2)]
        assert all(abs(each.received_at - datetime.now(UTC)).seconds < 3000 for each in found)


def test_an_epoch_ends_with_its_hours_and_with_its_plan(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as services:
        fill(services, 3)
        keeper = EpochKeeper(services, services.sampler.plan)
        epoch = keeper.find_current()
        assert epoch.opened is not None
        hours = timedelta(hours=24)
        assert not keeper._is_over(epoch, epoch.opened.at + hours - timedelta(seconds=1))
        assert keeper._is_over(epoch, epoch.opened.at + hours)
        # A clock that went back makes no epoch shorter.
        assert not keeper._is_over(epoch, epoch.opened.at - hours)
    # A restart goes on with the epoch, another plan begins another.
    with open_home(HALF) as services:
        assert submit(services, make_payload("b", GOOD)).epoch == "epoch-1"
    with open_home(ALL) as services:
        assert submit(services, make_payload("c", GOOD)).epoch == "epoch-2"
        assert services.store.samples.epochs.load("epoch-1").closed is not None
        assert audit_epoch(services, "epoch-1").differences == 0


@pytest.mark.parametrize("cut", ["prepared", "logged", "closing", "disclosed"])
def test_an_epoch_that_a_crash_cut_off_goes_on_where_it_was(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with open_home(HALF) as services:
        keeper = EpochKeeper(services, services.sampler.plan)
        epochs = services.store.samples.epochs
        if cut in {"prepared", "logged"}:
            place = (services.issuer, "log_event") if cut == "prepared" else (epochs, "add_step")
            with monkeypatch.context() as patch:
                patch.setattr(type(place[0]), place[1], kill)
                with pytest.raises(Killed):
                    keeper.find_current()
        else:
            keeper.find_current()
            with monkeypatch.context() as patch:
                if cut == "closing":
                    patch.setattr(api_epochs, "_log_once", kill)
                else:
                    patch.setattr(type(services.log), "publish", kill)
                with pytest.raises(Killed):
                    keeper.close_current()
    with open_home(HALF) as services:
        wanted = "epoch-1" if cut in {"prepared", "logged"} else "epoch-2"
        assert submit(services, make_payload("a", GOOD)).epoch == wanted
        opened = [each for _, each in list_events(services, "epoch-1")]
        assert [type(each) for each in opened][:1] == [EpochOpened]
        assert len(opened) == (1 if wanted == "epoch-1" else 2)
        services.sampler.close_epoch()
        for each in services.store.samples.epochs.list():
            assert audit_epoch(services, each.epoch).differences == 0


def test_a_trace_decides_as_every_other_sampler_of_it_does(open_home: Callable[..., Any]) -> None:
    with open_home({"default": 0.1}) as services:
        low = submit(services, make_payload("low", GOOD, trace_id=TRACE))
        assert (low.source, low.randomness) == ("trace_id", int(TRACE[-14:], 16))
        assert not low.is_sampled
        assert low.raw is None
        header = f"00-{TRACE}-{'1' * 16}-01"
        explicit = submit(
            services,
            make_payload("explicit", GOOD),
            trace_parent=header,
            trace_state="ot=rv:ffffffffffffff",
        )
        assert (explicit.source, explicit.is_sampled) == ("trace_state", True)
        assert services.store.samples.answers.load("explicit").raw == make_payload("explicit", GOOD)
        # The state belongs to the trace that it came with, not to the answer's own.
        own = submit(
            services,
            make_payload("own", GOOD, trace_id="0" * 31 + "1"),
            trace_parent=header,
            trace_state="ot=rv:ffffffffffffff",
        )
        assert (own.source, own.randomness) == ("trace_id", 1)
        # What is no W3C trace id is a name, and no randomness.
        named = submit(services, make_payload("named", GOOD, trace_id="run 7"))
        assert named.source == "keyed_hash"
    with open_home({"default": 0.1, "trust_trace_ids": False}) as services:
        assert submit(services, make_payload("x", GOOD, trace_id=TRACE)).source == "keyed_hash"


def test_each_stratum_has_its_probability(open_home: Callable[..., Any]) -> None:
    plan = {
        "default": 0,
        "strata": [
            {"name": "new-model", "model": "m2", "probability": 1},
            {"name": "index", "index_version": "i2", "probability": 0.25},
        ],
    }
    with open_home(plan) as services:
        plain = submit(services, make_payload("a", GOOD, generator={"model": "m1"}))
        assert (plain.stratum, plain.is_sampled, plain.threshold) == ("all", False, 1 << 56)
        assert submit(services, make_payload("b", GOOD, generator={"model": "m2"})).is_sampled
        raw = json.loads(make_payload("c", GOOD, GOOD))
        raw["citations"][0]["index_version"] = "i2"
        third = submit(services, json.dumps(raw).encode())
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


def test_chosen_answers_are_verified_and_say_how_they_were_drawn(
    open_home: Callable[..., Any],
) -> None:
    with open_home(ALL) as services:
        submit(services, make_payload("good", GOOD))
        submit(services, make_payload("bad", GOOD, BAD))
        submit(services, make_payload("silent", answer_kind="abstention"))
        submit(services, make_payload("bare"))
        progress: list[tuple[int, int]] = []
        report = verify_waiting(services, progress=lambda *at: progress.append(at))
        assert (report.verified, report.refused, report.incidents) == (4, 0, 1)
        assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
        found = {name: services.store.samples.outcomes.find(name) for name in OUTCOMES}
        assert {
            name: (each.result, each.is_flagged, each.cited, each.failed, each.share)
            for name, each in found.items()
            if each is not None
        } == OUTCOMES
        (incident,) = services.store.samples.outcomes.list_incidents()
        assert (incident.answer_id, incident.position, incident.kind, incident.status) == (
            "bad",
            1,
            "span_mismatch",
            "ABSENT",
        )
        answer = services.store.samples.answers.load("good")
        outcome = found["good"]
        assert outcome is not None
        assert outcome.verification_id is not None
        (result,) = [
            each.statement
            for each in services.log.find_statements(outcome.verification_id)
            if each.statement.kind == "result"
        ]
        sampled = json.loads(result.payload)["predicate"]["request"]["sampled"]
        epoch = services.store.samples.epochs.load("epoch-1")
        assert sampled == describe_sampling(answer, epoch)
        assert (sampled["scheme"], sampled["rate"]) == ("otel-consistent-56/keyed_hash", "1.000000")
        # A second run, or a second worker, changes nothing.
        assert verify_sampled(services, "good") == (outcome, ())
        assert verify_waiting(services).to_json() == dict.fromkeys(report.to_json(), 0)
        text = services.metrics.render().decode()
        assert 'spanproof_citations_verified_total{check="span",outcome="fail"} 1.0' in text
        assert 'spanproof_sampling_incidents_total{kind="span_mismatch"} 1.0' in text
        assert 'spanproof_answers_sampled_total{stratum="all"} 4.0' in text


#: Result, flagged, citations, failed ones, their share: of what each answer is.
OUTCOMES = {
    "good": ("pass", False, 1, 0, 0.0),
    "bad": ("fail", True, 2, 1, 0.5),
    "silent": ("review", False, 0, 0, None),
    # An answer that cites nothing is no pass.
    "bare": ("fail", True, 0, 0, 1.0),
}


def test_a_worker_that_was_killed_leaves_no_second_result(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with open_home(ALL) as services:
        submit(services, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(services.store.samples.outcomes), "add", kill)
            with pytest.raises(Killed):
                verify_sampled(services, "a")
        submit(services, make_payload("b", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(services.issuer), "issue", kill)
            with pytest.raises(Killed):
                verify_sampled(services, "b")
    with open_home(ALL) as services:
        assert verify_waiting(services).verified == 2
        for name in ("a", "b"):
            outcome = services.store.samples.outcomes.find(name)
            assert outcome is not None
            assert outcome.verification_id is not None
            assert services.store.receipts.find(outcome.verification_id) is not None
        assert len(services.store.answers.list().items) == 2
        services.sampler.close_epoch()
        assert audit_epoch(services, "epoch-1").differences == 0


def test_without_a_model_a_chosen_answer_waits(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        msg = "Expected a model, got none."
        raise ModelUnavailableError(msg, hint="Mend it.")

    with open_home(ALL) as services:
        submit(services, make_payload("a", GOOD))
        with monkeypatch.context() as patch:
            patch.setattr(type(services), "require_model", refuse)
            with pytest.raises(ModelUnavailableError):
                verify_waiting(services)
        assert services.store.samples.answers.count_waiting() == 1
        assert verify_waiting(services).verified == 1
        with pytest.raises(NotFoundError):
            verify_sampled(services, "unknown")


def test_an_audit_names_who_should_have_been_chosen(open_home: Callable[..., Any]) -> None:
    with open_home(HALF) as services:
        fill(services, 30)
        verify_waiting(services)
        before = audit_epoch(services, "epoch-1")
        assert (before.is_disclosed, before.differences) == (False, 0)
        services.sampler.close_epoch()
        report = audit_epoch(services, "epoch-1")
        assert report.differences == 0, report.named
        assert (report.answers, report.waiting) == (30, 0)
        assert 0 < report.chosen == report.verified < 30
        with pytest.raises(NotFoundError):
            audit_epoch(services, "epoch-2")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"is_sampled": 0}, {"chosen", "digest of the answers"}),
        ({"randomness": "00000000000001"}, {"bits", "digest of the answers"}),
        ({"threshold": "00000000000000"}, {"threshold", "digest of the answers"}),
        ({"stratum": "other"}, {"stratum", "digest of the answers"}),
        ({"model": "m2"}, {"stratum", "threshold"}),
    ],
)
def test_an_audit_names_a_row_that_was_changed_behind_the_store(
    open_home: Callable[..., Any], changes: dict[str, Any], what: set[str]
) -> None:
    from sqlalchemy import text

    plan = HALF | {"strata": [{"name": "m2", "model": "m2", "probability": 0.25}]}
    with open_home(plan) as services:
        found = fill(services, 12)
        chosen = next(each for each in found if each.is_sampled)
        services.sampler.close_epoch()
        with services.store.database.connection() as connection:
            connection.execute(text("DROP TRIGGER submitted_answer_refuses_update"))
            for name, value in changes.items():
                query = f"UPDATE submitted_answer SET {name} = :value WHERE answer_id = :key"  # noqa: S608 - our own names
                connection.execute(text(query), {"value": value, "key": chosen.answer_id})
        report = audit_epoch(services, "epoch-1")
        assert what <= {each.what for each in report.named}
        assert {each.answer_id for each in report.named} <= {None, chosen.answer_id}
        assert report.differences == len(report.named)


def test_an_audit_names_a_second_commitment_and_a_review_that_was_left_out(
    open_home: Callable[..., Any],
) -> None:
    from sqlalchemy import text

    with open_home(ALL) as services:
        fill(services, 2)
        verify_waiting(services)
        epoch = services.store.samples.epochs.load("epoch-1")
        open_epoch(services, replace(epoch, commitment=Digest.of(b"a key that suits better")))
        services.sampler.close_epoch()
        with services.store.database.connection() as connection:
            connection.execute(text("DROP TRIGGER review_item_refuses_delete"))
            connection.execute(text("DELETE FROM review_item WHERE answer_id = 'a1'"))
        named = {(each.answer_id, each.what) for each in audit_epoch(services, "epoch-1").named}
        assert named == {
            (None, "leaves that open the epoch"),
            ("a1", "drawn for people"),
        }


def test_an_epoch_of_a_log_that_was_closed_can_be_audited(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as services:
        submit(services, make_payload("old", GOOD))
        verify_waiting(services)
        before = services.log.origin
    with open_home(ALL) as services:
        recover(services.settings, services.store, origin=None, reason="asked for")
    with open_home(ALL) as services:
        assert services.log.origin != before
        submit(services, make_payload("new", GOOD))
        verify_waiting(services)
        services.sampler.close_epoch()
        assert services.store.samples.answers.load("new").epoch == "epoch-1"
        report = audit_epoch(services, "epoch-1")
        assert (report.verified, report.named) == (2, ())
        # A second commitment is a second one, in whichever log it stands.
        epoch = services.store.samples.epochs.load("epoch-1")
        open_epoch(services, replace(epoch, commitment=Digest.of(b"a key that suits better")))
        assert [each.what for each in audit_epoch(services, "epoch-1").named] == [
            "leaves that open the epoch"
        ]


def test_a_full_queue_and_a_stopped_service_say_so(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(HALF) as services:
        sampler = services.sampler
        submit(services, make_payload("a", GOOD))
        monkeypatch.setattr("api.sampling.sampler.MAX_WAITING", 0)
        with pytest.raises(ServiceBusyError, match="room"):
            submit(services, make_payload("b", GOOD))
        monkeypatch.undo()
    with pytest.raises(StoreUnavailableError, match="stops"):
        sampler.submit(read_submission(make_payload("c", GOOD)))


def test_an_error_of_the_store_is_told_and_the_next_answer_is_taken(
    open_home: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        msg = "Expected a database, got none."
        raise StoreUnavailableError(msg, hint="Wait.")

    with open_home(HALF) as services:
        answers = type(services.store.samples.answers)
        with monkeypatch.context() as patch:
            patch.setattr(answers, "add_all", fail)
            with pytest.raises(StoreUnavailableError, match="database"):
                submit(services, make_payload("a", GOOD))
        assert submit(services, make_payload("a", GOOD)).number == 1

        def close(*_: object, **__: object) -> None:
            raise EpochClosedError

        with monkeypatch.context() as patch:
            patch.setattr(answers, "add_all", close)
            with pytest.raises(StoreUnavailableError, match="epoch"):
                submit(services, make_payload("b", GOOD))


def test_the_plan_is_the_files_or_the_rates(open_home: Callable[..., Any]) -> None:
    with open_home(None, sampling_rate=0.25) as services:
        assert load_plan(services.settings).default == 0.25
        assert submit(services, make_payload("a", GOOD)).threshold == 3 << 54


def test_rates_are_told_apart_and_flags_are_not_the_truth(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as services:
        for at in range(6):
            model = {"generator": {"model": f"m{at % 2}"}}
            submit(services, make_payload(f"a{at}", BAD if at == 0 else GOOD, **model))
        verify_waiting(services)
        (everything,) = compute_rates(services).groups
        assert (everything["answers"], everything["verified"], everything["weighed"]) == (6, 6, 6)
        assert everything["results"] == {"pass": 5, "fail": 1, "review": 0, "error": 0}
        assert everything["judge_flagged"]["estimate"] == pytest.approx(1 / 6)
        assert everything["true_rate"] is None
        # The one that the judge flags is right, by two people's word; another is wrong.
        reviews = services.store.samples.reviews
        now = datetime.now(UTC)
        for name, label in (("a0", "correct"), ("a1", "wrong")):
            for reviewer in ("ann", "bob"):
                reviews.add_label(name, label, reviewer=reviewer, note=None, labelled_at=now)
        report = compute_rates(services, by="model")
        first, second = sorted(report.groups, key=lambda group: group["group"])
        assert first["judge_flagged"]["estimate"] == pytest.approx(1 / 3)
        assert first["labelled"] == second["labelled"] == 1
        assert first["true_rate"]["low"] == 0
        assert second["true_rate"]["high"] == 1
        assert second["true_rate"]["low"] > 0
        assert report.alarms[0]["samples"] == 3
        assert len(report.incidents) == 1
        for by in ("tenant", "index_version", "stratum", "epoch"):
            assert [group["answers"] for group in compute_rates(services, by=by).groups] == [6]
