"""The log against twenty lines of memory: whatever is done in whatever order, both say the same."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from spanproof.core.log.merkle import check_consistency, check_inclusion, compute_root, hash_leaf
from spanproof.store.log.fsck import fsck_log
from tests.conftest import StorePlace
from tests.store.log.samples import check_included, check_signed, open_log

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog

long_entries = st.integers(min_value=65_530, max_value=65_535).map(lambda size: b"x" * size)
entries = st.one_of(st.binary(max_size=8), long_entries)
picks = st.integers(min_value=0, max_value=10_000)


class Model:
    """A log in memory: its entries, and the sizes that were signed."""

    def __init__(self) -> None:
        self.entries: list[bytes] = []
        self.signed: set[int] = {0}

    def append(self, given: list[bytes]) -> list[int]:
        first = len(self.entries)
        self.entries += given
        return list(range(first, len(self.entries)))

    def include(self, given: list[bytes]) -> list[int]:
        indices = self.append(given)
        self.signed.add(len(self.entries))
        return indices

    def root(self, size: int) -> bytes:
        return compute_root([hash_leaf(entry) for entry in self.entries[:size]])


class LogMachine(RuleBasedStateMachine):
    """Two processes' worth of openings on one database, and the model."""

    migrated: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="spanproof-log-"))
        shutil.copytree(self.migrated, self.folder / "home")
        place = StorePlace(home=self.folder / "home", database_url=None)
        self.store: Store = place.open()
        self.logs: list[TransparencyLog] = [open_log(self.store), open_log(self.store)]
        self.model = Model()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(which=st.booleans(), given=st.lists(entries, min_size=1, max_size=5))
    def append(self, which: bool, given: list[bytes]) -> None:
        found = self.logs[which].append_all(given)
        assert [leaf.index for leaf in found] == self.model.append(given)

    @rule(which=st.booleans(), given=st.lists(entries, min_size=1, max_size=3))
    def include(self, which: bool, given: list[bytes]) -> None:
        found = self.logs[which].include_all(given)
        assert [leaf.leaf.index for leaf in found] == self.model.include(given)
        for leaf, entry in zip(found, given, strict=True):
            check_included(leaf, entry)

    @rule(which=st.booleans(), count=st.integers(min_value=200, max_value=300))
    def append_many(self, which: bool, count: int) -> None:
        given = [b"%d" % number for number in range(count)]
        found = self.logs[which].append_all(given)
        assert [leaf.index for leaf in found] == self.model.append(given)

    @rule(which=st.booleans())
    def publish(self, which: bool) -> None:
        checkpoint, note = self.logs[which].publish()
        self.model.signed.add(len(self.model.entries))
        assert checkpoint.size == len(self.model.entries)
        check_signed(checkpoint, note)

    @rule(which=st.booleans())
    def reopen(self, which: bool) -> None:
        self.logs[which] = open_log(self.store)
        self.model.signed.add(len(self.model.entries))

    @precondition(lambda self: self.model.entries)
    @rule(which=st.booleans(), pick=picks)
    def seal(self, which: bool, pick: int) -> None:
        index = pick % len(self.model.entries)
        check_included(self.logs[which].seal(index), self.model.entries[index])
        self.model.signed.add(len(self.model.entries))

    @precondition(lambda self: self.model.entries)
    @rule(which=st.booleans(), picked=st.tuples(picks, picks))
    def prove(self, which: bool, picked: tuple[int, int]) -> None:
        log, size = self.logs[which], len(self.model.entries)
        new = picked[0] % size + 1
        old, index = picked[1] % new + 1, picked[1] % new
        roots = self.model.root(old), self.model.root(new)
        assert check_consistency(log.prove_consistency(old, new), *roots)
        leaf_hash = hash_leaf(self.model.entries[index])
        assert check_inclusion(log.prove_inclusion(index, new), leaf_hash, roots[1])
        assert log.read_entry(index) == self.model.entries[index]

    @rule()
    def audit(self) -> None:
        found = fsck_log(self.store.database, self.logs[0])
        assert found.is_sound, found.faults
        assert found.leaves == len(self.model.entries)

    @invariant()
    def the_head_is_the_models(self) -> None:
        for log in self.logs:
            head = log.head()
            assert head.size == len(self.model.entries)
            assert head.root == self.model.root(head.size)
            assert log.latest()[0].size == max(self.model.signed)

    @invariant()
    def every_signed_head_is_kept_once(self) -> None:
        sizes = [checkpoint.size for checkpoint, _ in self.logs[0].checkpoints()]
        assert sizes == sorted(self.model.signed)


@pytest.mark.long
def test_the_log_is_what_its_model_is(migrated_home: Path) -> None:
    machine = type("Machine", (LogMachine,), {"migrated": migrated_home})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
def test_the_log_is_what_its_model_is_two_thousand_times(migrated_home: Path) -> None:
    machine = type("Machine", (LogMachine,), {"migrated": migrated_home})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=2000,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
