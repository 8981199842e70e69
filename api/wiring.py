"""Composition: the one place where settings become a store, a parser and a model."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.metrics import Metrics
    from api.settings import Settings
    from core.ports import EntailmentModel
    from ingest.limits import Limits
    from ingest.sandbox import Parser
    from store import Store


class Services:
    """What use cases need, each part made at its first use: few commands need all."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # Loading a model takes seconds: nobody who needs only the store waits for it.
        self._lock, self._model_lock = threading.Lock(), threading.Lock()
        self._store: Store | None = None
        self._parser: Parser | None = None
        self._model: EntailmentModel | None = None
        self._metrics: Metrics | None = None

    @property
    def metrics(self) -> Metrics:
        """The counters of this process."""
        with self._lock:
            if self._metrics is None:
                from api.metrics import Metrics

                self._metrics = Metrics()
            return self._metrics

    @property
    def store(self) -> Store:
        """The store; the first use makes the home and migrates it."""
        with self._lock:
            if self._store is None:
                from store import open_store

                self._store = open_store(self.settings.home, self.settings.database_url)
            return self._store

    @property
    def parser(self) -> Parser:
        """The caged reader of documents."""
        with self._lock:
            if self._parser is None:
                from ingest.sandbox import Parser

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
            from verifier.entailment import NullEntailment

            return NullEntailment(str(error))

    def require_model(self) -> EntailmentModel:
        """The entailment model; raise ModelError where it cannot be used.

        A failure is not kept: once the folder is mended, the next call finds it.
        """
        with self._model_lock:
            if self._model is None:
                from verifier.entailment import load_model

                self._model = load_model(self.settings.model, device=self.settings.device)
            return self._model

    def close(self) -> None:
        """End the child process and the database connections; closing twice does nothing."""
        with self._lock:
            parser, self._parser = self._parser, None
            store, self._store = self._store, None
        with self._model_lock:
            self._model = None
        try:
            if parser is not None:
                parser.close()
        finally:
            if store is not None:
                store.close()


def to_limits(settings: Settings) -> Limits:
    """The caps on one document."""
    from ingest.limits import Limits

    return Limits(
        max_bytes=settings.max_document_bytes,
        max_pages=settings.max_pages,
        max_characters=settings.max_characters,
        seconds=settings.parse_seconds,
        memory_bytes=settings.parse_memory_bytes,
    )


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Services with an open store; all of it is closed on the way out."""
    services = Services(settings)
    try:
        _ = services.store
        yield services
    finally:
        services.close()
