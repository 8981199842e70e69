"""Composition: the one place where settings become a store, a parser and a model."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.ingest.limits import Limits
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.jobs import Jobs
    from spanproof.operations.jobs.system import JobSystem
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.operations.receipts.issuing import Issuer
    from spanproof.operations.settings import Settings
    from spanproof.store import Store
    from spanproof.store.blobs.object_place import ObjectPlace
    from spanproof.store.log import TransparencyLog
    from spanproof.verifier.entailment.calibration.store import NamedCalibration
    from spanproof.verifier.entailment.model import LocalEntailment


#: How long closing waits for a model that is being loaded.
_MODEL_SECONDS = 1.0
#: The tenant that is the home itself.
DEFAULT_TENANT = "default"


class Context:
    """What use cases need of one tenant, each part made at its first use: few need all."""

    def __init__(
        self, settings: Settings, *, tenant: str = DEFAULT_TENANT, lender: Context | None = None
    ) -> None:
        """``settings`` are the tenant's own; ``lender`` has the parser and the model to share."""
        self.settings = settings
        self.tenant = tenant
        self._lender = lender
        # Loading a model takes seconds: nobody who needs only the store waits for it.
        self._lock, self._model_lock = threading.Lock(), threading.Lock()
        self._issuer_lock = threading.Lock()
        self._issuer: Issuer | None = None
        self._store: Store | None = None
        self._parser: Parser | None = None
        self._model: EntailmentModel | None = None
        self._metrics: Metrics | None = None
        self._job_system: JobSystem | None = None

    @property
    def jobs(self) -> Jobs:
        """The tenant's jobs; nothing of their engine is loaded before one is asked for."""
        from spanproof.operations.jobs import Jobs

        return Jobs(self.job_system, tenant=self.tenant)

    @property
    def job_system(self) -> JobSystem:
        """Where the jobs of every tenant are kept: the default tenant's home has them."""
        if self._lender is not None:
            return self._lender.job_system
        with self._lock:
            if self._job_system is None:
                from spanproof.operations.jobs.system import JobSystem

                self._job_system = JobSystem(self.settings)
            return self._job_system

    @property
    def metrics(self) -> Metrics:
        """The counters of this process."""
        with self._lock:
            if self._metrics is None:
                from spanproof.operations.metrics.counters import Metrics

                self._metrics = Metrics()
            return self._metrics

    @property
    def store(self) -> Store:
        """The store; the first use makes the home and migrates it."""
        with self._lock:
            if self._store is None:
                from spanproof.store import open_store

                settings = self.settings
                self._store = open_store(
                    settings.home, settings.database_url, objects=to_object_place(settings)
                )
            return self._store

    @property
    def issuer(self) -> Issuer:
        """Who signs and logs; the first use makes keys and log, and mends what a crash left.

        Raises KeyUnavailableError or LogError where nothing can be signed.
        """
        with self._issuer_lock:
            if self._issuer is None:
                from spanproof.operations.log.opening import open_issuer

                self._issuer = open_issuer(self.settings, self.store)
            return self._issuer

    @property
    def log(self) -> TransparencyLog:
        """The transparency log, open for leaves."""
        return self.issuer.log

    @property
    def parser(self) -> Parser:
        """The caged reader of documents."""
        if self._lender is not None:
            return self._lender.parser
        with self._lock:
            if self._parser is None:
                from spanproof.ingest.sandbox import Parser

                self._parser = Parser(
                    to_limits(self.settings),
                    engine=self.settings.engine,
                    cage=self.settings.sandbox,
                    workers=self.workers,
                )
            return self._parser

    @property
    def workers(self) -> int:
        """How many documents are read at once."""
        return self.settings.workers or os.cpu_count() or 1

    @property
    def model(self) -> EntailmentModel:
        """The entailment model, or the stand-in that says NOT_RUN and why there is none."""
        try:
            return self.require_model()
        except ModelError as error:
            from spanproof.verifier.entailment import NullEntailment

            return NullEntailment(str(error))

    def require_model(self) -> EntailmentModel:
        """The entailment model; raise ModelError where it cannot be used.

        A failure is not kept: once the folder is mended, the next call finds it.
        """
        with self._model_lock:
            if self._model is None:
                self._model = self._load_model()
            return self._model

    def _load_model(self) -> EntailmentModel:
        """The embedded model, a folder's, a registered one, or another package's."""
        if self._lender is not None:
            return self._borrow_model(self._lender)
        from spanproof.verifier.entailment import load_model
        from spanproof.verifier.entailment.models.registered import check_loaded, find_folder
        from spanproof.verifier.entailment.plugins import find_entry_name, load_entry

        chosen = self.settings.model
        entry = None if chosen is None else find_entry_name(str(chosen))
        if entry is not None:
            if self.settings.calibration is not None:
                msg = f"Expected no SPANPROOF_CALIBRATION for {chosen}, which brings its own."
                raise SettingsError(msg, hint="Unset SPANPROOF_CALIBRATION.")
            return load_entry(entry)
        folder, record = (None, None) if chosen is None else find_folder(chosen, self.registered)
        loaded = load_model(
            folder,
            runtime=self.settings.runtime,
            device=self.settings.device,
            url=self.settings.model_url,
            cache=self.settings.home / "models",
            calibration=to_named_calibration(self.settings),
        )
        if record is not None:
            try:
                check_loaded(record, loaded.identity)
            except ModelError:
                loaded.close()
                raise
        return self._remember(loaded)

    def _borrow_model(self, lender: Context) -> EntailmentModel:
        """The lender's model under this tenant's calibration, with this tenant's readings."""
        from spanproof.verifier.entailment.model import LocalEntailment

        fresh = lender.require_fresh_model()
        if not isinstance(fresh, LocalEntailment):
            return _Borrowed(fresh)
        return self._remember(fresh.lend(to_named_calibration(self.settings)))

    def require_fresh_model(self) -> EntailmentModel:
        """The same model, asked itself: nothing that was read before answers in its place."""
        from spanproof.verifier.entailment.cache import without_cache

        return without_cache(self.require_model())

    def _remember(self, model: LocalEntailment) -> EntailmentModel:
        entries = self.settings.cache_entries
        # What may answer otherwise the next time is asked each time.
        if not entries or not model.identity.replayable:
            return model
        from spanproof.store.model_cache import Readings
        from spanproof.verifier.entailment.cache import CachedEntailment

        store = Readings(self.settings.home, entries=entries)
        return CachedEntailment(model, store=store, entries=entries)

    @property
    def registered(self) -> Path:
        """The folder of the records of registered models."""
        return self.settings.home / "models" / "registered"

    @property
    def calibrations(self) -> Path:
        """The folder of the named calibrations."""
        return to_calibrations(self.settings)

    def close(self) -> None:
        """End the child process, the model and the connections; closing twice does nothing."""
        with self._lock:
            parser, self._parser = self._parser, None
            store, self._store = self._store, None
            jobs, self._job_system = self._job_system, None
        model = None
        # Whoever still waits for a model that does not answer keeps nothing else from being closed.
        if self._model_lock.acquire(timeout=_MODEL_SECONDS):
            try:
                model, self._model = self._model, None
            finally:
                self._model_lock.release()
        with self._issuer_lock:
            issuer, self._issuer = self._issuer, None
        if jobs is not None:
            jobs.close()
        if issuer is not None:
            issuer.close()
        try:
            if parser is not None:
                parser.close()
        finally:
            if model is not None:
                model.close()
            if store is not None:
                store.close()


class _Borrowed:
    """A model that its lender closes."""

    def __init__(self, model: EntailmentModel) -> None:
        self.identity = model.identity
        self.judge = model.judge
        self.confirm = model.confirm

    def close(self) -> None:
        """Leave it open: its lender closes it."""


def to_named_calibration(settings: Settings) -> NamedCalibration | None:
    """The calibration that the settings name; None: the model's own."""
    from spanproof.verifier.entailment.calibration.store import NamedCalibration

    if settings.calibration is None:
        return None
    return NamedCalibration(folder=to_calibrations(settings), name=settings.calibration)


def to_calibrations(settings: Settings) -> Path:
    """The folder of the named calibrations."""
    return settings.home / "calibrations"


def to_object_place(settings: Settings) -> ObjectPlace | None:
    """The object store of the blobs; None: they stand in the home."""
    if settings.blobs is None:
        return None
    from spanproof.store.blobs.object_place import ObjectPlace

    return ObjectPlace(
        url=settings.blobs,
        cache_bytes=settings.blobs_cache_bytes,
        seconds=settings.blobs_seconds,
    )


def to_limits(settings: Settings) -> Limits:
    """The caps on one document."""
    from spanproof.ingest.limits import Limits

    return Limits(
        max_bytes=settings.max_document_bytes,
        max_pages=settings.max_pages,
        max_characters=settings.max_characters,
        seconds=settings.parse_seconds,
        memory_bytes=settings.parse_memory_bytes,
    )


@contextmanager
def open_context(settings: Settings) -> Iterator[Context]:
    """Context with an open store; all of it is closed on the way out."""
    services = Context(settings)
    try:
        _ = services.store
        yield services
    finally:
        services.close()
