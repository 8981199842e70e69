"""Alarms over outcomes: their order, their versions, and the bound on those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.store.examples import NOON
from tests.store.samples.examples import count_up, make_new, make_outcome, open_epoch, submit

if TYPE_CHECKING:
    import pytest

    from spanproof.store import Store

CONTRACT = (0.03, 0.01, 1e5)


def test_alarms_follow_the_order_of_the_answers_and_wait_for_a_slow_one(store: Store) -> None:
    epoch = open_epoch(store)
    answers = submit(store, epoch, *(make_new(f"a{at}") for at in range(5)))
    outcomes, alarms = store.samples.outcomes, store.samples.alarms

    def advance() -> list[int]:
        raised = alarms.advance(lambda _epoch, _stratum: CONTRACT, count_up, at=NOON)
        return [each.number for each in raised]

    outcomes.add(make_outcome(answers[0], 1.0), (), None)
    outcomes.add(make_outcome(answers[3], 1.0), (), None)
    assert advance() == [1]
    ((version, state),) = alarms.list_states()
    assert (version.version, version.budget, state.samples, state.number) == (1, 0.03, 1, 1)
    # One that counts for no rate is passed over, not waited for.
    outcomes.add(make_outcome(answers[1], None), (), None)
    assert advance() == []
    outcomes.add(make_outcome(answers[2], 0.5), (), None)
    assert advance() == [4]
    assert advance() == []
    outcomes.add(make_outcome(answers[4], 0.0), (), None)
    assert advance() == []
    ((_, state),) = alarms.list_states()
    assert (state.samples, state.number, state.total_share) == (4, 5, 2.5)
    # Every bit of a float comes back.
    assert state.budget_logs == (0.1, -1 / 3)
    assert state.change_logs == (1e300, 5e-324)
    assert [each.number for each in alarms.list_raised()] == [4, 1]


def test_a_model_an_index_version_and_a_contract_make_a_version(store: Store) -> None:
    epoch = open_epoch(store)
    kinds = [
        {},
        {"model": "m"},
        {"index_version": "i"},
        {"model": "m"},
        {"stratum": "other", "model": "m"},
    ]
    answers = submit(store, epoch, *(make_new(f"a{at}", **kind) for at, kind in enumerate(kinds)))
    outcomes, alarms = store.samples.outcomes, store.samples.alarms
    for each in answers:
        outcomes.add(make_outcome(each), (), None)
    alarms.advance(lambda _epoch, _stratum: CONTRACT, count_up, at=NOON)
    found = [
        (version.stratum, version.version, version.model, version.index_version, state.samples)
        for version, state in alarms.list_states()
    ]
    assert found == [
        ("all", 1, None, None, 1),
        ("all", 2, "m", None, 2),
        ("all", 3, None, "i", 1),
        ("other", 1, "m", None, 1),
    ]
    (late,) = submit(store, epoch, make_new("late"))
    outcomes.add(make_outcome(late), (), None)
    alarms.advance(lambda _epoch, _stratum: (0.02, 0.01, 1e5), count_up, at=NOON)
    assert [version.budget for version, _ in alarms.list_states()][3] == 0.02


def test_versions_are_bounded_however_many_names_callers_give(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.store.samples.alarms.MAX_VERSIONS", 2)
    outcomes, alarms = store.samples.outcomes, store.samples.alarms
    epoch = open_epoch(store)
    models = ("m1", None, "m2", "m3", "m1")
    news = [make_new(f"a{at}", model=model) for at, model in enumerate(models)]
    for each in submit(store, epoch, *news):
        outcomes.add(make_outcome(each), (), None)
    alarms.advance(lambda _epoch, _stratum: CONTRACT, count_up, at=NOON)
    found = [(each.version, each.model, state.samples) for each, state in alarms.list_states()]
    assert found == [(1, "m1", 2), (2, None, 1), (3, "other", 2)]
