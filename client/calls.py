"""The requests of the client without any sending: what goes out, and how the answer is read."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote

from spanproof.client.bodies import FileBody, note_digest
from spanproof.client.results import IngestedDocument, JobReport, SubmittedAnswer
from spanproof.core.arguments import check_type
from spanproof.core.contexts import encode_answer, encode_payload
from spanproof.core.verdicts.verified_answer import VerifiedAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import httpx

    from spanproof.core.citation import Answer
    from spanproof.core.span import OffsetUnit

Result = TypeVar("Result")
#: What may be sent twice without a key of its own (RFC 9110 9.2.2).
_IDEMPOTENT = frozenset({"GET", "PUT", "DELETE"})
JSON_HEADERS = {"Content-Type": "application/json"}
_KEY = "Idempotency-Key"
#: What every answer of ``POST /v1/verifications`` has.
_VERIFIED = frozenset({"answer", "answer_id", "verification", "verification_id"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Result]):
    """One request; ``read`` makes the result of an answer that is a success."""

    method: str
    path: str
    read: Callable[[httpx.Response], Result]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    #: What is sent instead of ``content``, without being in memory as a whole.
    file: FileBody | None = None
    #: The file that a success becomes, instead of standing in memory.
    target: Path | None = None

    @property
    def repeatable(self) -> bool:
        """Whether serving it twice does what serving it once does."""
        return self.method in _IDEMPOTENT or _KEY in self.headers


def verify(  # noqa: PLR0913 - what a caller may choose
    answer: str | Mapping[str, Any] | bytes | Answer,
    contexts: Iterable[str | Mapping[str, Any]],
    *,
    format: str,  # noqa: A002 - the contract's word
    policy: str | None,
    attribute: bool,
    idempotency_key: str | None,
) -> Call[VerifiedAnswer]:
    """``POST /v1/verifications``; bytes go out as they are, and take no contexts."""
    check_type("format", format, str, "the name of one, such as 'native'")
    check_type("policy", policy, (str, NoneType), "the name of one, such as 'balanced'")
    check_type("attribute", attribute, bool, "True or False")
    return Call(
        method="POST",
        path="/v1/verifications",
        query=drop_none(format=format, policy=policy, attribute="true" if attribute else None),
        headers=JSON_HEADERS | key_call(idempotency_key),
        content=encode_answer(answer, contexts),
        read=_read_verified,
    )


def submit_answer(
    answer: Mapping[str, Any] | bytes,
    *,
    format: str,  # noqa: A002 - the contract's word
    idempotency_key: str | None,
) -> Call[SubmittedAnswer]:
    """``POST /v1/answers``; an answer without an ``answer_id`` gets one, bytes stay as they are.

    By it the service knows a second try. Bytes without a key of the caller's may have none, and
    are not sent again where it is not known whether they were taken.
    """
    check_type("answer", answer, (bytes, Mapping), "a mapping or bytes")
    if isinstance(answer, bytes):
        keyed = {} if idempotency_key is None else key_call(idempotency_key)
    else:
        keyed = key_call(idempotency_key)
        if answer.get("answer_id") is None:
            answer = {**answer, "answer_id": str(uuid.uuid4())}
    return Call(
        method="POST",
        path="/v1/answers",
        query={} if format == "native" else {"format": format},
        headers=JSON_HEADERS | keyed,
        content=answer if isinstance(answer, bytes) else encode_payload(answer),
        read=_read_submitted,
    )


def ingest(
    document: bytes | Path,
    *,
    doc_id: str | None,
    title: str | None,
    filename: str | None,
    media_type: str | None,
) -> Call[IngestedDocument]:
    """``PUT /v1/documents``; the service compares the bytes with the digest that goes with them."""
    if isinstance(document, Path):
        filename = filename or document.name
    call = Call(
        method="PUT",
        path="/v1/documents",
        query=drop_none(doc_id=doc_id, title=title, filename=filename),
        headers={"Content-Type": media_type or "application/octet-stream"},
        read=_read_ingested,
    )
    return with_body(call, "document", document)


def receipt(verification_id: str) -> Call[bytes]:
    """``GET /v1/verifications/{verification_id}/receipt``."""
    return Call(
        method="GET",
        path=f"/v1/verifications/{quote_part('verification_id', verification_id)}/receipt",
        read=lambda response: response.content,
    )


def text(ref: str, start: int | None, end: int | None, unit: OffsetUnit) -> Call[str]:
    """``GET /v1/documents/{ref}/text``."""
    return Call(
        method="GET",
        path=f"/v1/documents/{quote_part('ref', ref)}/text",
        query=drop_none(start=start, end=end, unit=unit),
        read=lambda response: response.content.decode("utf-8"),
    )


def locate(ref: str, start: int, end: int, unit: OffsetUnit) -> Call[dict[str, Any]]:
    """``GET /v1/documents/{ref}/locate``."""
    return Call(
        method="GET",
        path=f"/v1/documents/{quote_part('ref', ref)}/locate",
        query=drop_none(start=start, end=end, unit=unit),
        read=read_object,
    )


def list_documents(*, limit: int) -> Call[list[dict[str, Any]]]:
    """``GET /v1/documents``, newest first, at most 200."""
    return Call(
        method="GET",
        path="/v1/documents",
        query=drop_none(limit=limit),
        read=lambda response: list(read_object(response)["documents"]),
    )


def find_job(job_id: str) -> Call[JobReport]:
    """``GET /v1/jobs/{job_id}``."""
    return Call(method="GET", path=f"/v1/jobs/{quote_part('job_id', job_id)}", read=read_job)


def list_jobs(*, kind: str | None, state: str | None, limit: int) -> Call[list[JobReport]]:
    """``GET /v1/jobs``, newest first."""
    return Call(
        method="GET",
        path="/v1/jobs",
        query=drop_none(kind=kind, state=state, limit=limit),
        read=lambda response: [_to_job(each) for each in read_object(response)["jobs"]],
    )


def cancel_job(job_id: str) -> Call[JobReport]:
    """``POST /v1/jobs/{job_id}/cancel``."""
    path = f"/v1/jobs/{quote_part('job_id', job_id)}/cancel"
    # Cancelled twice is cancelled.
    return Call(method="POST", path=path, headers=key_call(None), read=read_job)


def _read_verified(response: httpx.Response) -> VerifiedAnswer:
    raw = read_object(response)
    # A page that is not ours is told at the call, not where its block is read.
    if not raw.keys() >= _VERIFIED:
        msg = f"an object with {', '.join(sorted(_VERIFIED))}"
        raise TypeError(msg)
    return VerifiedAnswer(raw=raw)


def _read_submitted(response: httpx.Response) -> SubmittedAnswer:
    raw = read_object(response)
    return SubmittedAnswer(
        answer_id=raw["answer_id"],
        sampled=raw["sampled"],
        probability=raw["probability"],
        stratum=raw["stratum"],
        epoch=str(raw["epoch"]),
        raw=raw,
    )


def _read_ingested(response: httpx.Response) -> IngestedDocument:
    raw = read_object(response)
    return IngestedDocument(
        doc_id=raw["doc_id"],
        doc_hash=raw["doc_hash"],
        extraction_id=raw["extraction_id"],
        characters=raw["characters"],
        pages=raw["pages"],
        status=raw["status"],
        is_new=response.status_code == 201,
        raw=raw,
    )


def read_job(response: httpx.Response) -> JobReport:
    """A job that is answered as a resource."""
    return _to_job(read_object(response))


def _to_job(raw: Mapping[str, Any]) -> JobReport:
    return JobReport(
        job_id=raw["job_id"],
        kind=raw["kind"],
        state=raw["state"],
        done=raw["progress"]["done"],
        total=raw["progress"]["total"],
        result=raw["result"],
        problem=raw["problem"],
        raw=raw,
    )


def read_object(response: httpx.Response) -> dict[str, Any]:
    """The JSON object of an answer; raise TypeError for another value."""
    value = response.json()
    if not isinstance(value, dict):
        msg = f"an object, got {type(value).__name__}"
        raise TypeError(msg)
    return value


def with_body(call: Call[Result], name: str, given: bytes | Path) -> Call[Result]:
    """The call with a body and its digest: bytes as they are, a file without reading it whole.

    Raises TypeError, which names the argument, for another type, InputError for a file that cannot
    be read.
    """
    check_type(name, given, (bytes, Path), "bytes or a pathlib.Path")
    if isinstance(given, bytes):
        digest = hashlib.sha256(given).digest()
        return replace(call, content=given, headers={**call.headers, **note_digest(digest)})
    file = FileBody.of(given)
    # With a length the service can refuse it before it comes.
    length = {"Content-Length": str(file.size)}
    return replace(call, file=file, headers={**call.headers, **note_digest(file.digest), **length})


def key_call(key: str | None) -> dict[str, str]:
    """The header of a key: the caller's, or one of the call's own."""
    # Each call has one of its own, so that a second try is known for what it is.
    return {_KEY: key or str(uuid.uuid4())}


def drop_none(**values: str | int | None) -> dict[str, str]:
    """The parameters that are not None."""
    return {name: str(value) for name, value in values.items() if value is not None}


def quote_part(name: str, part: str) -> str:
    """A part of a path; raise TypeError, which names the argument, for another type."""
    check_type(name, part, str, "a str")
    return quote(part, safe="")
