"""A local model as an ``EntailmentModel``: plan the windows, run them, decide."""

from __future__ import annotations

import copy
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.budget import checkpoint, current_budget
from spanproof.core.verdicts.model import ModelIdentity
from spanproof.verifier.entailment.decide import decide
from spanproof.verifier.entailment.logits import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanproof.core.digest import Digest
    from spanproof.core.verdicts.model import Entailment
    from spanproof.verifier.entailment.backend import Backend, Call, Logits
    from spanproof.verifier.entailment.calibration.calibration import Calibration
    from spanproof.verifier.entailment.calibration.store import NamedCalibration
    from spanproof.verifier.entailment.encoding.planning import PairPlanner
    from spanproof.verifier.entailment.models.folder import ModelFolder

#: Calls between two checkpoints of a budget, one for each core: tens of milliseconds.
_STEP = max(2, os.cpu_count() or 1)


class LocalEntailment:
    """An ``EntailmentModel``; get one from ``load_model``, which checks it before use."""

    def __init__(
        self,
        *,
        folder: ModelFolder,
        planner: PairPlanner,
        tokenizer_digest: Digest,
        backend: Backend,
        open_canonical: Callable[[], Backend] | None = None,
    ) -> None:
        """``open_canonical`` opens the canonical backend where ``backend`` is another."""
        self._planner = planner
        self._backend = backend
        self._canonical = None if open_canonical is None else _OpenedLate(open_canonical)
        self._is_shared = False
        self._own_calibration = folder.own_calibration
        self._labels = folder.labels
        self._calibration = folder.calibration
        self.identity = ModelIdentity(
            name=folder.name,
            weights_digest=folder.weights_digest,
            runtime=(
                f"{backend.runtime}+{planner.description}"
                f"+tokenizer-{tokenizer_digest}+config-{folder.config_digest}"
            ),
            calibration=str(folder.calibration),
            threshold=folder.calibration.threshold,
            labels=folder.labels.meanings,
            thresholds=folder.calibration.thresholds,
            record=folder.calibration.record,
        )

    @property
    def calibration(self) -> Calibration:
        """The calibration in use."""
        return self._calibration

    @property
    def is_canonical(self) -> bool:
        """Whether ``judge`` is the canonical run, so that ``confirm`` can say nothing else."""
        return self._canonical is None

    def share(self, calibration: NamedCalibration | None = None) -> LocalEntailment:
        """The same backends under another calibration; closing the copy closes nothing.

        Raises CalibrationNotFoundError for an unknown name.
        """
        shared = copy.copy(self)
        shared._is_shared = True  # noqa: SLF001 - one of our own, not yet given away
        if calibration is not None and self.identity.weights_digest is not None:
            chosen = calibration.choose(self._own_calibration, self.identity.weights_digest)
            shared._calibration = chosen  # noqa: SLF001 - as above
            shared.identity = replace(
                self.identity,
                calibration=str(chosen),
                threshold=chosen.threshold,
                thresholds=chosen.thresholds,
                record=chosen.record,
            )
        return shared

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One entailment a pair, in order; a pair gives the same bits in any company."""
        return self.decide(pairs, self.read_windows(pairs))

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """The same by the canonical backend, opened at its first use."""
        return self.decide(pairs, self.read_canonical(pairs))

    def read_windows(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """The raw logits of every window of each pair, before calibration and decision."""
        return self._read(pairs, self._backend)

    def read_canonical(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """The same by the canonical backend."""
        return self._read(pairs, self._find_canonical())

    def close(self) -> None:
        """Free the backends' resources."""
        if self._is_shared:
            return
        self._backend.close()
        if self._canonical is not None:
            self._canonical.close()

    def decide(
        self, pairs: Sequence[tuple[str, str]], readings: Sequence[Reading]
    ) -> list[Entailment]:
        """The judgements of these readings under this model's calibration."""
        return [
            decide(reading, pair, self._labels, self._calibration)
            for pair, reading in zip(pairs, readings, strict=True)
        ]

    def _read(self, pairs: Sequence[tuple[str, str]], backend: Backend) -> list[Reading]:
        plans = [self._planner.plan(premise, hypothesis) for premise, hypothesis in pairs]
        outputs = iter(_run(backend, [call for plan in plans for call in plan.calls]))
        return [
            Reading(
                reason=plan.reason,
                logits=tuple(next(outputs) for _ in plan.calls),
                spans=plan.spans,
                coverage=plan.coverage,
                tolerance=backend.tolerance,
            )
            for plan in plans
        ]

    def _find_canonical(self) -> Backend:
        return self._backend if self._canonical is None else self._canonical.open()


def _run(backend: Backend, calls: Sequence[Call]) -> list[Logits]:
    """The logits of each call: at once, or in steps where a budget may end the work."""
    if current_budget() is None:
        return backend.run(calls)
    found: list[Logits] = []
    while len(found) < len(calls):
        checkpoint()
        found += backend.run(calls[len(found) : len(found) + _STEP])
    return found


class _OpenedLate:
    """A backend that is opened at its first use, once for all who share it."""

    def __init__(self, open_backend: Callable[[], Backend]) -> None:
        self._open = open_backend
        self._lock = threading.Lock()
        self._backend: Backend | None = None

    def open(self) -> Backend:
        with self._lock:
            if self._backend is None:
                self._backend = self._open()
            return self._backend

    def close(self) -> None:
        with self._lock:
            backend, self._backend = self._backend, None
        if backend is not None:
            backend.close()
