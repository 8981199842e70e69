"""Whole problem documents as the service writes them, for the OpenAPI document."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Literal

from spanproof.api.http.wire.problems.tables.answers import ANSWERS
from spanproof.api.http.wire.problems.tables.documents import DOCUMENTS
from spanproof.api.http.wire.problems.tables.jobs import JOBS
from spanproof.api.http.wire.problems.tables.service import SERVICE
from spanproof.api.http.wire.problems.tables.started import STARTED
from spanproof.api.http.wire.problems.tables.texts import TEXTS
from spanproof.api.http.wire.problems.tables.verifications import VERIFICATIONS

#: Paths; with a method, the routes there that take a body: they refuse more.
Area = Literal[
    "/v1/documents",
    "PUT /v1/documents",
    "/v1/verifications",
    "POST /v1/verifications",
    "receipt /v1/verifications",
    "/v1/jobs",
    "/v1/webhooks",
    "POST /v1/webhooks",
    "/v1/indexes",
    "POST /v1/indexes",
    "POST /v1/drift-checks",
    "POST /v1/reverifications",
    "/v1/bulk-verifications",
    "POST /v1/bulk-verifications",
    "POST /v1/erasures",
    "/v1/log",
    "/v1/audit/export",
    "POST /v1/answers",
    "POST /v1/answer-batches",
    "/v1/rates",
    "/v1/reviews",
    "POST /v1/reviews",
    "POST /v1/attributions",
    "POST /v1/fields",
    "POST /v1/clean-texts",
    "POST /v1/prompts",
    "POST /v1/fields/calibrations",
    "/v1/keys",
    "POST /v1/keys",
    "/v1/configuration/citations",
    "PUT /v1/configuration/citations",
    "access",
    "admission",
    "POST /v1/fetched-documents",
    "/healthz",
    "/readyz",
    "/metrics",
    "/version",
]

_TYPE_PREFIX = "urn:spanproof:problem:"
_REQUEST_ID = "5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11"
#: By area ("" for every one) and status; each pair stands in one table.
_EXAMPLES = SERVICE | DOCUMENTS | VERIFICATIONS | ANSWERS | TEXTS | JOBS | STARTED


def find_problem_examples(area: Area, status: int) -> dict[str, dict[str, Any]]:
    """The example of each code that the area's routes answer with this status."""
    path = area.rpartition(" ")[2]
    areas = dict.fromkeys(("", path, area))
    found = [row for each in areas for row in _EXAMPLES.get((each, status), [])]
    return {
        code: _make_example(status, code, instance or path, detail, hint, fields)
        for code, instance, detail, hint, fields in found
    }


def _make_example(  # noqa: PLR0913, PLR0917 - the members of a problem document
    status: int, code: str, instance: str, detail: str, hint: str, fields: list[dict[str, str]]
) -> dict[str, Any]:
    return {
        "type": _TYPE_PREFIX + code.lower().replace("_", "-"),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": instance,
        "request_id": _REQUEST_ID,
        "code": code,
        "hint": hint,
        "errors": fields,
    }
