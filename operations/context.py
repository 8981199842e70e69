"""What a use case needs of one tenant: its settings, and parts, given or opened once."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from spanproof.core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.jobs import Jobs
    from spanproof.operations.jobs.system import JobSystem
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.operations.receipts.intakes import Intakes
    from spanproof.operations.receipts.issuing import Issuer
    from spanproof.operations.settings import Settings
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog
    from spanproof.store.sealing.sealed import KeyWrapper

T = TypeVar("T")


class Part(Generic[T]):
    """Something that is made at its first use; safe for several threads.

    A failure is not kept: the next use tries again. After ``close`` the next use makes it again.
    """

    def __init__(
        self, make: Callable[[], T], close: Callable[[T], None], *, patience: float = -1
    ) -> None:
        """``patience`` is how many seconds closing waits for a making; without it, to its end."""
        self._make, self._close = make, close
        self._patience = patience
        self._lock = threading.Lock()
        self._made: list[T] = []

    @staticmethod
    def of(value: T) -> Part[T]:
        """A part that was made elsewhere, and is closed there."""
        return _Shared(lambda: value)

    def share(self) -> Part[T]:
        """The same part for another context, which neither makes nor closes one of its own."""
        return _Shared(self.get)

    @property
    def is_made(self) -> bool:
        """Whether it was used, and not closed since."""
        return bool(self._made)

    def get(self) -> T:
        """The part."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def close(self) -> None:
        """Close it if it was made; closing twice does nothing."""
        if not self._lock.acquire(timeout=self._patience):
            return
        try:
            made, self._made = self._made, []
        finally:
            self._lock.release()
        for each in made:
            self._close(each)


class _Shared(Part[T]):
    """A part with another owner."""

    def __init__(self, find: Callable[[], T]) -> None:
        super().__init__(find, lambda _: None)

    def get(self) -> T:
        """What its owner has now."""
        return self._make()


#: The tenant that is the home itself.
DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a context is given: each made at its first use, for few use cases need all.

    ``content_key`` gives the key that wraps the keys of a tenant's contents, by its settings.
    """

    store: Part[Store]
    parser: Part[Parser]
    model: Part[EntailmentModel]
    intakes: Part[Intakes]
    metrics: Part[Metrics]
    job_system: Part[JobSystem]
    content_key: Callable[[Settings], KeyWrapper]


# No repr: settings hold the password of a database.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Context:
    """One tenant's settings and parts; ``spanproof.operations.assembly`` makes them of settings."""

    settings: Settings
    tenant: str
    parts: Parts

    @property
    def store(self) -> Store:
        """The store; the first use makes the home and migrates it."""
        return self.parts.store.get()

    @property
    def parser(self) -> Parser:
        """The caged reader of documents."""
        return self.parts.parser.get()

    @property
    def intakes(self) -> Intakes:
        """The intakes of answers; the first use makes keys and log, and recovers after a crash.

        Raises KeyUnavailableError or LogError if nothing can be signed.
        """
        return self.parts.intakes.get()

    @property
    def issuer(self) -> Issuer:
        """What signs and logs; opened, and raising, as ``intakes`` is."""
        return self.intakes.issuer

    @property
    def log(self) -> TransparencyLog:
        """The transparency log, open for leaves."""
        return self.issuer.log

    @property
    def metrics(self) -> Metrics:
        """The counters of this process."""
        return self.parts.metrics.get()

    @property
    def jobs(self) -> Jobs:
        """The tenant's jobs; nothing of their engine is loaded before one is asked for."""
        from spanproof.operations.jobs import Jobs

        return Jobs(self.job_system, tenant=self.tenant)

    @property
    def job_system(self) -> JobSystem:
        """Where the jobs of every tenant are kept: the default tenant's home has them."""
        return self.parts.job_system.get()

    @property
    def model(self) -> EntailmentModel:
        """The entailment model, or a stand-in whose verdicts say NOT_RUN and why."""
        try:
            return self.require_model()
        except ModelError as error:
            from spanproof.verifier.entailment import NullEntailment

            return NullEntailment(str(error))

    def require_model(self) -> EntailmentModel:
        """The entailment model; raise ModelError if it cannot be used."""
        return self.parts.model.get()

    def require_fresh_model(self) -> EntailmentModel:
        """The same model without its cache: it computes everything again."""
        from spanproof.verifier.entailment.cache import without_cache

        return without_cache(self.require_model())

    @property
    def workers(self) -> int:
        """How many documents are read at once."""
        return self.settings.workers or os.cpu_count() or 1

    @property
    def registered(self) -> Path:
        """The folder of the records of registered models."""
        return self.settings.home / "models" / "registered"

    @property
    def calibrations(self) -> Path:
        """The folder of the named calibrations."""
        return self.settings.home / "calibrations"

    def close(self) -> None:
        """End the child process, the model and the connections; closing twice does nothing."""
        parts = self.parts
        with ExitStack() as stack:
            # The last is closed first, and the store, which all of them use, at the end.
            for part in (parts.store, parts.model, parts.parser, parts.intakes, parts.job_system):
                stack.callback(part.close)
