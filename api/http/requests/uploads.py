"""The headers and parameters of a raw upload: its digest, its key, and whether it is a job."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from spanproof.api.http.requests.body import read_digest_fields, require_identity
from spanproof.api.http.requests.idempotency import IdempotencyKey, answer_idempotently
from spanproof.api.http.routes.jobs import job_response
from spanproof.api.http.wire.examples.documents import DIGEST_FIELD
from spanproof.core.digest import Digest
from spanproof.core.errors import NotFoundError
from spanproof.operations.context import Context
from spanproof.operations.idempotency import IdempotentOperation
from spanproof.operations.jobs import Job

Prefer = Annotated[
    str | None,
    Header(
        description="respond-async (RFC 7240) answers 202 with a job, as mode=async does.",
        examples=["respond-async"],
    ),
]
#: Header of an answer that followed the preference.
APPLIED = {"Preference-Applied": "respond-async"}


def prefers_async(prefer: str | None) -> bool:
    """Whether one of the preferences is ``respond-async``; unknown ones are ignored."""
    names = (each.partition(";")[0].strip().lower() for each in (prefer or "").split(","))
    return "respond-async" in names


async def answer_started(
    request: Request,
    context: Context,
    key: str | None,
    given: bytes,
    start: Callable[[str], Job],
) -> Response:
    """The job that ``start`` queues under a given id, or queued before under this key.

    ``given`` is the job's input besides path and query: a body, or its digest.
    """
    return await answer_idempotently(
        request, context, key, given, start_idempotently(context, start)
    )


async def require_room(context: Context, key: str | None) -> None:
    """Raise ServiceBusyError before reading a body whose job would be refused.

    With a key the job may exist already: then the body must be read.
    """
    if key is None:
        await run_in_threadpool(context.jobs.check_room)


def start_idempotently(
    context: Context, start: Callable[[str], Job]
) -> IdempotentOperation[Response]:
    """An idempotent start of a job."""
    return IdempotentOperation(
        perform=lambda name: job_response(start(name), status_code=202),
        replay=lambda name: job_response(context.jobs.find(name), status_code=202),
        is_done=lambda name: has_job(context, name),
    )


def has_job(context: Context, job_id: str) -> bool:
    """Whether the tenant has a job of that id."""
    try:
        context.jobs.find(job_id)
    except NotFoundError:
        return False
    return True


_DigestField = Annotated[
    str | None, Header(description="sha-256=:base64: (RFC 9530)", examples=[DIGEST_FIELD])
]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """What a caller may say of its bytes."""

    content_encoding: Annotated[
        str | None, Header(description="Only identity is accepted.", examples=["identity"])
    ] = None
    content_digest: _DigestField = None
    repr_digest: _DigestField = None
    idempotency_key: IdempotencyKey = None

    def read_digest(self) -> Digest | None:
        """The digest that the bytes must have; raise UnsupportedMediaTypeError for a coding."""
        require_identity(self.content_encoding)
        return read_digest_fields(self.content_digest, self.repr_digest)


@dataclass(frozen=True, kw_only=True)
class ChosenUpload(Upload):
    """An upload that is answered at once, or as a job if the caller asks for one."""

    mode: Annotated[
        Literal["full", "async"],
        Query(description="async answers 202 with a job.", examples=["full"]),
    ] = "full"
    prefer: Prefer = None

    @property
    def is_preferred(self) -> bool:
        """Whether the header Prefer asks for a job."""
        return prefers_async(self.prefer)

    @property
    def is_async(self) -> bool:
        """Whether it is a job."""
        return self.is_preferred or self.mode == "async"


UploadIn = Annotated[Upload, Depends()]
ChosenUploadIn = Annotated[ChosenUpload, Depends()]
