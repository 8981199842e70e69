"""Describes the requests that start jobs, read their results, or erase; sends nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from spanproof.client.calls import (
    JSON_HEADERS,
    Call,
    drop_none,
    key_call,
    quote_part,
    read_job,
    read_object,
    with_body,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanproof.client.results import JobReport

#: How rows are written.
RowFormat = Literal["ndjson", "parquet"]


def check_drift(  # noqa: PLR0913 - the fields of the body
    *,
    index: str | None,
    old: str | None,
    new: str | None,
    from_extraction: str | None,
    to_extraction: str | None,
    budget: float | None,
    idempotency_key: str | None,
) -> Call[JobReport]:
    """``POST /v1/drift-checks``."""
    body = {
        "index": index,
        "from": old,
        "to": new,
        "from_extraction": from_extraction,
        "to_extraction": to_extraction,
        "budget": budget,
    }
    return _start("/v1/drift-checks", body, idempotency_key)


def reverify(
    index: str, *, old: str | None, new: str | None, idempotency_key: str | None
) -> Call[JobReport]:
    """``POST /v1/reverifications``."""
    return _start("/v1/reverifications", {"index": index, "from": old, "to": new}, idempotency_key)


def verify_bulk(
    pairs: bytes | Path, *, policy: str | None, idempotency_key: str | None
) -> Call[JobReport]:
    """``POST /v1/bulk-verifications``; the service compares the bytes with their digest."""
    call = Call(
        method="POST",
        path="/v1/bulk-verifications",
        query=drop_none(policy=policy),
        headers=key_call(idempotency_key),
        read=read_job,
    )
    return with_body(call, "pairs", pairs)


def read_bulk_rows(job_id: str) -> Call[dict[str, Any]]:
    """``GET /v1/bulk-verifications/{job_id}/rows``; each of its lines is read as one answer."""
    return Call(
        method="GET",
        path=f"/v1/bulk-verifications/{quote_part('job_id', job_id)}/rows",
        read=read_object,
    )


def save_bulk_rows(job_id: str, target: Path, *, format: RowFormat) -> Call[Path]:  # noqa: A002 - the contract's word
    """The same, into a file."""
    return Call(
        method="GET",
        path=f"/v1/bulk-verifications/{quote_part('job_id', job_id)}/rows",
        query={"format": format},
        target=target,
        read=lambda _response: target,
    )


def register_index(
    name: str, version: str, manifest: bytes | Path, *, idempotency_key: str | None
) -> Call[JobReport]:
    """``POST /v1/indexes/{name}/versions`` as a job."""
    call = Call(
        method="POST",
        path=f"/v1/indexes/{quote_part('name', name)}/versions",
        query={"version": version, "mode": "async"},
        headers=key_call(idempotency_key),
        read=read_job,
    )
    return with_body(call, "manifest", manifest)


def erase(
    kind: str, subject: str, *, reason: str, with_verifications: bool
) -> Call[list[dict[str, Any]]]:
    """``POST /v1/erasures``."""
    body = {
        "kind": kind,
        "subject": subject,
        "reason": reason,
        "with_verifications": with_verifications,
    }
    return Call(
        method="POST",
        path="/v1/erasures",
        # Erased twice is erased: the key lets a second try be sent.
        headers=JSON_HEADERS | key_call(None),
        content=json.dumps(body).encode(),
        read=lambda response: list(read_object(response)["erased"]),
    )


def _start(path: str, body: Mapping[str, object], key: str | None) -> Call[JobReport]:
    given = {name: value for name, value in body.items() if value is not None}
    return Call(
        method="POST",
        path=path,
        headers=JSON_HEADERS | key_call(key),
        content=json.dumps(given, allow_nan=False).encode(),
        read=read_job,
    )
