"""Composition: the one place where settings become a store, a parser, a model and a signer."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypedDict

from spanproof.operations.context import DEFAULT_TENANT, Context, Part, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Unpack

    from spanproof.core.ports import EntailmentModel
    from spanproof.ingest.limits import Limits
    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.jobs.system import JobSystem
    from spanproof.operations.metrics.counters import Metrics
    from spanproof.operations.receipts.intakes import Intakes
    from spanproof.operations.settings import Settings
    from spanproof.store import Store
    from spanproof.store.blobs.object_place import ObjectPlace
    from spanproof.store.sealing.sealed import KeyWrapper

#: How long closing waits for a model that is being loaded: it keeps nothing else open.
_MODEL_SECONDS = 1.0


class GivenParts(TypedDict, total=False):
    """Parts that a caller has made already: they stay the caller's to close.

    ``content_key`` gives the key of the tenant whose settings these are, such as that of a key
    management service; without it, it is a file of the home.
    """

    store: Store
    parser: Parser
    model: EntailmentModel
    content_key: Callable[[Settings], KeyWrapper]


def make_context(
    settings: Settings,
    *,
    tenant: str = DEFAULT_TENANT,
    owner: Context | None = None,
    **given: Unpack[GivenParts],
) -> Context:
    """A context of these settings: it makes the parts that are not given at their first use.

    ``settings`` are the tenant's own; ``owner`` shares its parser, its model, its jobs and what
    gives the keys of contents.
    """
    own_key = _make_content_key if owner is None else owner.parts.content_key
    content_key = given.get("content_key", own_key)
    store = Part.of(given["store"]) if "store" in given else _make_store(settings, content_key)
    if "parser" in given:
        parser = Part.of(given["parser"])
    else:
        parser = _make_parser(settings) if owner is None else owner.parts.parser.share()
    if "model" in given:
        model = Part.of(given["model"])
    else:
        model = _make_model(settings) if owner is None else _share_model(settings, owner)
    jobs = _make_job_system(settings) if owner is None else owner.parts.job_system.share()
    parts = Parts(
        store=store,
        parser=parser,
        model=model,
        intakes=_make_intakes(settings, store),
        metrics=_make_metrics(),
        job_system=jobs,
        content_key=content_key,
    )
    return Context(settings=settings, tenant=tenant, parts=parts)


@contextmanager
def open_context(settings: Settings, **given: Unpack[GivenParts]) -> Iterator[Context]:
    """A context with an open store; all of it is closed on the way out."""
    context = make_context(settings, **given)
    try:
        _ = context.store
        yield context
    finally:
        context.close()


def to_object_place(settings: Settings) -> ObjectPlace | None:
    """The object store of the blobs; None: they are in the home."""
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


def _make_content_key(settings: Settings) -> KeyWrapper:
    from spanproof.operations.keeping.content_key import LocalContentKey

    return LocalContentKey(settings)


def _make_store(settings: Settings, content_key: Callable[[Settings], KeyWrapper]) -> Part[Store]:
    def make() -> Store:
        from spanproof.store import open_store

        return open_store(
            settings.home,
            settings.database_url,
            objects=to_object_place(settings),
            wrapper=content_key(settings),
        )

    return Part(make, lambda store: store.close())


def _make_parser(settings: Settings) -> Part[Parser]:
    def make() -> Parser:
        from spanproof.ingest.sandbox import Parser

        return Parser(
            to_limits(settings),
            engine=settings.engine,
            cage=settings.sandbox,
            workers=settings.workers or os.cpu_count() or 1,
        )

    return Part(make, lambda parser: parser.close())


def _make_model(settings: Settings) -> Part[EntailmentModel]:
    from spanproof.operations.entailment.loading import load_entailment

    return Part(
        lambda: load_entailment(settings), lambda model: model.close(), patience=_MODEL_SECONDS
    )


def _share_model(settings: Settings, owner: Context) -> Part[EntailmentModel]:
    from spanproof.operations.entailment.loading import share_entailment

    return Part(
        lambda: share_entailment(owner.require_fresh_model(), settings),
        lambda model: model.close(),
        patience=_MODEL_SECONDS,
    )


def _make_intakes(settings: Settings, store: Part[Store]) -> Part[Intakes]:
    def make() -> Intakes:
        from spanproof.operations.log.opening import open_intakes

        return open_intakes(settings, store.get())

    return Part(make, lambda intakes: intakes.close())


def _make_metrics() -> Part[Metrics]:
    def make() -> Metrics:
        from spanproof.operations.metrics.counters import Metrics

        return Metrics()

    return Part(make, lambda _: None)


def _make_job_system(settings: Settings) -> Part[JobSystem]:
    def make() -> JobSystem:
        from spanproof.operations.jobs.system import JobSystem

        return JobSystem(settings)

    return Part(make, lambda jobs: jobs.close())
