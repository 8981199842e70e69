"""The cache of readings: what was read is not read again, and nothing false is believed."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.core.span import Span
from spanproof.verifier.entailment import load_model
from spanproof.verifier.entailment.cache import MAX_VALUE_BYTES, CachedEntailment, decode, encode
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.logits import Reading, unread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanproof.core.verdicts.model import ModelIdentity
    from spanproof.verifier.entailment.backend import Backend, Call, Logits
    from spanproof.verifier.entailment.model import LocalEntailment

PAIRS = [ENTAILED, CONTRADICTED, NEUTRAL]
LONG = " ".join(f"The man number {n} is playing a guitar on a stage." for n in range(60))


class Held:
    """A store in memory whose values a test may spoil."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}

    def load(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is held of these."""
        return {key: self.values[key] for key in keys if key in self.values}

    def save(self, entries: Mapping[bytes, bytes]) -> None:
        """Hold them."""
        self.values |= entries

    def close(self) -> None:
        """Nothing is open."""


class Counted:
    """The real backend, and how many calls it was given."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.runtime, self.tolerance = backend.runtime, backend.tolerance
        self.calls = 0
        self.is_broken = False

    def run(self, calls: Sequence[Call]) -> list[Logits]:
        """Count and pass on."""
        if self.is_broken:
            raise ModelUnavailableError("Expected logits, got none.", hint="Mend the test.")
        self.calls += len(calls)
        return self._backend.run(calls)

    def close(self) -> None:
        """Pass on."""
        self._backend.close()


@pytest.fixture
def model(taught: Path) -> LocalEntailment:
    """The tiny model with a backend that counts."""
    loaded = load_model(taught, device="cpu")
    loaded._backend = Counted(loaded._backend)
    return loaded


@pytest.fixture
def backend(model: LocalEntailment) -> Counted:
    """Its backend."""
    assert isinstance(model._backend, Counted)
    return model._backend


def test_a_pair_is_run_once_and_says_the_same(model: LocalEntailment, backend: Counted) -> None:
    pairs = [*PAIRS, (LONG, "A man is playing a guitar.")]
    alone = model.judge(pairs)
    backend.calls = 0
    cached = CachedEntailment(model, store=Held(), entries=100)
    assert cached.judge([*pairs, *pairs]) == alone * 2
    once = backend.calls
    assert once == sum(entailment.windows for entailment in alone)
    assert cached.judge(pairs[::-1]) == alone[::-1]
    assert cached.confirm(pairs) == alone
    assert backend.calls == once


def test_another_process_takes_it_from_the_store(model: LocalEntailment, backend: Counted) -> None:
    store = Held()
    first = CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    backend.calls = 0
    assert CachedEntailment(model, store=store, entries=100).judge(PAIRS) == first
    assert backend.calls == 0


def test_no_text_stands_in_the_store(model: LocalEntailment) -> None:
    store = Held()
    CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    for key, value in store.values.items():
        body = json.loads(value[32:])
        assert set(body) == {"logits", "spans", "coverage", "tolerance"}
        assert len(key) == 32


@pytest.mark.parametrize(
    "change",
    [
        {"weights_digest": Digest.of(b"other weights")},
        {"runtime": "another runtime"},
        {"calibration": "another calibration"},
        {"labels": ("neutral", "entailed", "contradicted")},
    ],
)
def test_another_verifier_finds_nothing_of_it(
    model: LocalEntailment, backend: Counted, change: dict[str, object]
) -> None:
    store = Held()
    CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    backend.calls = 0
    model.identity = replace(model.identity, **change)  # type: ignore[arg-type]
    CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    assert backend.calls == len(PAIRS)


def _forge(value: bytes, key: bytes, **changes: object) -> bytes:
    """A value that somebody wrote who knows the format."""
    body = json.dumps(json.loads(value[32:]) | changes).encode()
    return hashlib.sha256(key + body).digest() + body


@pytest.mark.parametrize(
    "poison",
    [
        lambda *_: b"",
        lambda _, value: value[:-1],
        lambda _, value: value[:40] + bytes([value[40] ^ 1]) + value[41:],
        lambda _, value: value[:32] + value[32:].replace(b"[[", b"[[9", 1),
        lambda key, value: _forge(value, key, logits=[[9.0, 0.0]]),
        lambda key, value: _forge(value, key, logits=[]),
        lambda key, value: _forge(value, key, logits=[[float("nan"), 0.0, 0.0]]),
        lambda key, value: _forge(value, key, logits=[["9", "x", None]]),
        lambda key, value: _forge(value, key, spans=[[0, 10_000]]),
        lambda key, value: _forge(value, key, spans=[[5, 2]]),
        lambda key, value: _forge(value, key, spans=[]),
        lambda key, value: _forge(value, key, coverage=2.0),
        lambda key, value: _forge(value, key, tolerance=-1.0),
    ],
)
def test_a_poisoned_value_is_read_anew(
    model: LocalEntailment, backend: Counted, poison: object
) -> None:
    store = Held()
    truth = CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    good = dict(store.values)
    store.values = {key: poison(key, value) for key, value in good.items()}  # type: ignore[operator]
    backend.calls = 0
    assert CachedEntailment(model, store=store, entries=100).judge(PAIRS) == truth
    assert backend.calls == len(PAIRS)
    assert store.values == good, "what was false is replaced"


def test_a_value_under_another_pairs_key_is_not_believed(
    model: LocalEntailment, backend: Counted
) -> None:
    store = Held()
    truth = CachedEntailment(model, store=store, entries=100).judge(PAIRS)
    keys = list(store.values)
    store.values = dict(zip(keys, [store.values[key] for key in (*keys[1:], keys[0])], strict=True))
    backend.calls = 0
    assert CachedEntailment(model, store=store, entries=100).judge(PAIRS) == truth
    assert backend.calls == len(PAIRS)


def test_what_did_not_run_is_tried_again(model: LocalEntailment, backend: Counted) -> None:
    store = Held()
    cached = CachedEntailment(model, store=store, entries=100)
    backend.is_broken = True
    with pytest.raises(ModelUnavailableError):
        cached.judge(PAIRS)
    backend.is_broken = False
    assert all(entailment.reason is None for entailment in cached.judge(PAIRS))
    (blank,) = cached.judge([(" ", "A man.")])
    assert blank.reason is not None
    assert len(store.values) == len(PAIRS)


def test_memory_is_bounded_and_the_oldest_goes(model: LocalEntailment, backend: Counted) -> None:
    store = Held()
    cached = CachedEntailment(model, store=store, entries=2)
    for pair in PAIRS:
        cached.judge([pair])
    assert len(cached._held) == 2
    store.values.clear()
    backend.calls = 0
    cached.judge(PAIRS[1:])
    assert backend.calls == 0
    cached.judge(PAIRS[:1])
    assert backend.calls == 1


def test_a_long_reading_is_kept_nowhere() -> None:
    windows = MAX_VALUE_BYTES // 20
    reading = Reading(
        reason=None,
        logits=((0.123456789, 1.0, 2.0),) * windows,
        spans=(Span(0, 9),) * windows,
        coverage=1.0,
    )
    assert encode(reading, b"key") is None
    assert encode(unread("no_premise"), b"key") is None


_FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    rows=st.lists(st.tuples(_FLOATS, _FLOATS, _FLOATS), min_size=1, max_size=4),
    key=st.binary(min_size=32, max_size=32),
    tolerance=st.floats(0, 10),
)
def test_every_bit_comes_back(
    rows: list[tuple[float, float, float]], key: bytes, tolerance: float, taught: Path
) -> None:
    reading = Reading(
        reason=None,
        logits=tuple(rows),
        spans=tuple(Span(n, n + 1) for n in range(len(rows))),
        coverage=1.0,
        tolerance=tolerance,
    )
    value = encode(reading, key)
    assert value is not None
    identity = load_identity(taught)
    assert decode(value, key, ("x" * 9, "y"), identity) == reading


_IDENTITIES: dict[Path, ModelIdentity] = {}


def load_identity(folder: Path) -> ModelIdentity:
    """The identity of a model, loaded once."""
    if folder not in _IDENTITIES:
        _IDENTITIES[folder] = load_model(folder, device="cpu").identity
    return _IDENTITIES[folder]


def test_several_threads_agree(model: LocalEntailment) -> None:
    truth = model.judge(PAIRS)
    cached = CachedEntailment(model, store=Held(), entries=2)
    wrong: list[object] = []

    def work() -> None:
        for turn in range(20):
            pairs = PAIRS[turn % 3 :] + PAIRS[: turn % 3]
            expected = truth[turn % 3 :] + truth[: turn % 3]
            if (found := cached.judge(pairs)) != expected:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
