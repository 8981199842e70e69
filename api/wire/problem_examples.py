"""Whole problem documents as the service writes them, for the OpenAPI document."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Literal

from api.wire.started_problems import STARTED_EXAMPLES

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
_ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"


def find_problem_examples(area: Area, status: int) -> dict[str, dict[str, Any]]:
    """The example of each code that the area's routes answer with this status."""
    path = area.rpartition(" ")[2]
    areas = dict.fromkeys(("", path, area))
    found = [row for each in areas for row in _EVERY.get((each, status), [])]
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


def _tell_field(pointer: str, expected: str, got: str) -> dict[str, str]:
    detail = f"Expected {expected}, got {got}."
    return {"pointer": pointer, "detail": detail, "expected": expected, "got": got}


#: Code, instance ("" for the area itself), detail, hint, field problems.
_Row = tuple[str, str, str, str, list[dict[str, str]]]
_LIMIT_FIELD = _tell_field("/query/limit", "a value less than or equal to 200", "'201'")
_ANCHOR_FIELD = _tell_field("/citations/0/anchor", "an integer", '"1"')
_PARAMETER: _Row = (
    "MALFORMED_PARAMETER",
    "",
    "Expected a value less than or equal to 200 at /query/limit, got '201'.",
    "Compare the request with /openapi.json.",
    [_LIMIT_FIELD],
)
_STORE: _Row = (
    "STORE_UNAVAILABLE",
    "",
    "Expected the database to answer, got OperationalError.",
    "Try again; if it stays, see the log.",
    [],
)
#: By area ("" for every one) and status.
_EXAMPLES: dict[tuple[str, int], list[_Row]] = {
    ("", 408): [
        (
            "UPLOAD_STALLED",
            "",
            "Expected the whole body in time, got 65536 bytes of it.",
            "Send the request again, without pauses.",
            [],
        )
    ],
    ("", 500): [
        (
            "INTERNAL",
            "",
            "Expected to serve the request, got a fault of the service.",
            "Report the request_id to whoever runs the service.",
            [],
        )
    ],
    ("POST /v1/fetched-documents", 403): [
        (
            "FETCH_OFF",
            "",
            "Expected SPANPROOF_FETCH_HOSTS to list a host, got none: nothing is fetched.",
            "Send the document's bytes: PUT /v1/documents.",
            [],
        )
    ],
    ("POST /v1/fetched-documents", 413): [
        (
            "LIMIT_EXCEEDED",
            "",
            "Expected at most 104857600 bytes, got 104857601 or more.",
            "Split the document, or raise the limit.",
            [],
        )
    ],
    ("POST /v1/fetched-documents", 422): [
        (
            "FETCH_REFUSED",
            "",
            "Expected the address of a listed host, got another.",
            "Give the https address of a host that SPANPROOF_FETCH_HOSTS lists, or send the bytes.",
            [],
        )
    ],
    ("POST /v1/fetched-documents", 502): [
        (
            "FETCH_FAILED",
            "",
            "Expected the host to answer with the document, got status 404.",
            "Try again, or send the bytes: PUT /v1/documents.",
            [],
        )
    ],
    ("POST /v1/fetched-documents", 503): [_STORE],
    ("access", 401): [
        (
            "UNAUTHENTICATED",
            "/v1/verifications",
            "Expected a key, got none.",
            "Send 'Authorization: Bearer sp_…' with a key of 'spanproof keys create'.",
            [],
        )
    ],
    ("access", 403): [
        (
            "SCOPE_MISSING",
            "/v1/verifications",
            "Expected a key with the scope verify, got one without it.",
            "Use another key, or make one: 'spanproof keys create --scope …'.",
            [],
        )
    ],
    ("access", 429): [
        (
            "RATE_LIMITED",
            "/v1/verifications",
            "Expected at most 1000 requests a second of one key, got more.",
            "Wait as Retry-After says.",
            [],
        )
    ],
    ("admission", 429): [
        (
            "SERVICE_BUSY",
            "/v1/verifications",
            "Expected at most 68 requests at once of the class 'verify', got more.",
            "Wait as Retry-After says.",
            [],
        )
    ],
    ("admission", 503): [
        (
            "SERVICE_STOPPING",
            "/v1/verifications",
            "Expected to answer before the service stops, got more work than time.",
            "Send it again, with the same Idempotency-Key.",
            [],
        )
    ],
    ("POST /v1/verifications", 409): [
        (
            "REQUEST_IN_FLIGHT",
            "",
            "Expected no request under this Idempotency-Key that is still worked on, got one.",
            "Wait, then ask again for its answer.",
            [],
        )
    ],
    ("/v1/keys", 404): [
        (
            "KEY_NOT_FOUND",
            "/v1/keys/sp_k3v7m2qhx4za",
            "Expected the id of a key of this tenant, got 'sp_k3v7m2qhx4za'.",
            "List the keys: 'spanproof keys list'.",
            [],
        )
    ],
    ("/v1/keys", 409): [
        (
            "CONFLICT",
            "/v1/keys/sp_k3v7m2qhx4za/rotate",
            "Expected a key in use, got 'sp_k3v7m2qhx4za', which is revoked or already followed.",
            "List the keys: 'spanproof keys list'.",
            [],
        )
    ],
    ("/v1/keys", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send the wish for one key.",
            [],
        )
    ],
    ("/v1/keys", 422): [_PARAMETER],
    ("POST /v1/keys", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected one or more of ingest, verify, read, audit, admin at /scopes, got none.",
            "See docs/access.md.",
            [_tell_field("/scopes", "one or more of ingest, verify, read, audit, admin", "none")],
        )
    ],
    ("/v1/keys", 503): [_STORE],
    ("/v1/configuration/citations", 422): [
        (
            "MALFORMED_PARAMETER",
            "/v1/configuration/citations",
            "Expected no query parameter at /query/mode, got 'mode'.",
            "Compare the request with /openapi.json.",
            [_tell_field("/query/mode", "no query parameter", "'mode'")],
        )
    ],
    ("PUT /v1/configuration/citations", 413): [
        (
            "ANSWER_TOO_LARGE",
            "/v1/configuration/citations/chunk",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one mode.",
            [],
        )
    ],
    ("PUT /v1/configuration/citations", 503): [_STORE],
    ("/v1/documents", 404): [
        (
            "DOCUMENT_NOT_FOUND",
            "/v1/documents/nda-7",
            "Expected a document that is kept here, got 'nda-7'.",
            "Ingest it, or give a doc_id, doc_hash or extraction_id that 'ingest' printed.",
            [],
        )
    ],
    ("/v1/documents", 410): [
        (
            "DOCUMENT_ERASED",
            "/v1/documents/nda-7",
            (
                "Expected a document that is kept here, got 'sha256:3f3f…', erased 2026-11-22 "
                "(asked for by its author)."
            ),
            "Its tombstone is leaf 41 of log.example.com: 'spanproof audit fsck' reads it.",
            [],
        )
    ],
    ("/v1/documents", 413): [
        (
            "LIMIT_EXCEEDED",
            "",
            "Expected at most 104857600 bytes, got 104857601 or more.",
            "Split the document, or raise the limit.",
            [],
        )
    ],
    ("/v1/documents", 422): [_PARAMETER],
    ("PUT /v1/documents", 422): [
        (
            "DOCUMENT_ENCRYPTED",
            "",
            "Expected a PDF that opens without a password, got an encrypted one.",
            "Save it without a password and give that file.",
            [],
        )
    ],
    ("/v1/documents", 503): [_STORE],
    ("/v1/verifications", 404): [
        (
            "VERIFICATION_NOT_FOUND",
            f"/v1/verifications/{_ID}",
            f"Expected a verification that is kept here, got '{_ID}'.",
            "Give an id that 'verify' returned.",
            [],
        )
    ],
    ("/v1/verifications", 410): [
        (
            "VERIFICATION_ERASED",
            f"/v1/verifications/{_ID}",
            (
                f"Expected a verification that is kept here, got '{_ID}', erased 2026-11-22 (asked "
                "for by its author)."
            ),
            "Its tombstone is leaf 42 of log.example.com: 'spanproof audit fsck' reads it.",
            [],
        )
    ],
    ("/v1/verifications", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one answer, without its documents' texts.",
            [],
        )
    ],
    ("/v1/verifications", 422): [_PARAMETER],
    ("POST /v1/verifications", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            'Expected an integer at /citations/0/anchor, got "1".',
            "Compare the answer with the native format of the documentation.",
            [_ANCHOR_FIELD],
        ),
    ],
    ("receipt /v1/verifications", 404): [
        (
            "RECEIPT_NOT_FOUND",
            f"/v1/verifications/{_ID}/receipt",
            f"Expected a verification with a receipt, got '{_ID}'.",
            "Verify the answer again: that gives a receipt.",
            [],
        )
    ],
    ("/v1/jobs", 404): [
        (
            "JOB_NOT_FOUND",
            "/v1/jobs/job-7",
            "Expected a job that is kept here, got 'job-7'.",
            "Give a job_id that was answered; 'jobs list' shows them.",
            [],
        )
    ],
    ("/v1/webhooks", 404): [
        (
            "WEBHOOK_NOT_FOUND",
            "/v1/webhooks/wh_7",
            "Expected a webhook of this home, got 'wh_7'.",
            "Give an id that 'webhooks list' shows.",
            [],
        )
    ],
    ("/v1/webhooks", 422): [_PARAMETER],
    ("POST /v1/webhooks", 422): [
        (
            "MALFORMED_ADDRESS",
            "",
            "Expected an address of https, got another.",
            "Give https://host/path, without user, password or fragment.",
            [],
        ),
        (
            "MALFORMED_ANSWER",
            "",
            "Expected a JSON document in UTF-8, got expecting value at line 1 column 1.",
            "Send the answer as one JSON object.",
            [],
        ),
    ],
    ("POST /v1/webhooks", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one webhook.",
            [],
        )
    ],
    ("/v1/webhooks", 503): [_STORE],
    ("/v1/jobs", 409): [
        (
            "JOB_FINISHED",
            "/v1/jobs/job-7/cancel",
            "Expected a job that is queued or running, got 'job-7', which is done.",
            "Nothing was changed; start another job.",
            [],
        )
    ],
    ("/v1/jobs", 422): [_PARAMETER],
    ("/v1/jobs", 503): [_STORE],
    ("/v1/indexes", 404): [
        (
            "INDEX_NOT_FOUND",
            "/v1/indexes/contracts/versions",
            "Expected a registered version of index 'contracts', got none.",
            "Register its manifest with 'index register'.",
            [],
        )
    ],
    ("/v1/indexes", 422): [_PARAMETER],
    ("/v1/indexes", 503): [_STORE],
    ("POST /v1/indexes", 409): [
        (
            "CONFLICT",
            "/v1/indexes/contracts/versions",
            "Expected a new version of index 'contracts', got '2026-11-20', which is recorded.",
            "Register it under a version of its own.",
            [],
        )
    ],
    ("POST /v1/indexes", 413): [
        (
            "MANIFEST_TOO_LARGE",
            "/v1/indexes/contracts/versions",
            "Expected at most 8589934592 bytes, got 8589934593 or more.",
            "Write Parquet, or raise the limit.",
            [],
        )
    ],
    ("POST /v1/indexes", 422): [
        (
            "MALFORMED_MANIFEST",
            "/v1/indexes/contracts/versions",
            (
                "Expected each chunk_id once, got 'c-17' in rows 3 and 9 (counted from 1, without "
                "the header)."
            ),
            "Give each chunk an id of its own.",
            [],
        )
    ],
    ("/v1/log", 404): [
        (
            "NOT_FOUND",
            "/v1/log/tile/0/007",
            "Expected a tile that a signed head requires, got 'tile/0/007'.",
            "Ask for /v1/log/checkpoint and then for the tiles that its size requires.",
            [],
        )
    ],
    ("/v1/log", 422): [_PARAMETER],
    ("/v1/audit/export", 404): [
        (
            "VERIFICATION_NOT_FOUND",
            "",
            f"Expected a verification that is kept here, got '{_ID}'.",
            "Give an id that 'verify' returned.",
            [],
        )
    ],
    ("/v1/audit/export", 410): [
        (
            "VERIFICATION_ERASED",
            "",
            (
                f"Expected a verification that is kept here, got '{_ID}', erased 2026-11-22 (asked "
                "for by its author)."
            ),
            "Its tombstone is leaf 42 of log.example.com: 'spanproof audit fsck' reads it.",
            [],
        )
    ],
    ("/v1/audit/export", 422): [
        (
            "MALFORMED_INPUT",
            "",
            "Expected ids of verifications or a time, got neither.",
            "Give verification_id (repeated), or since and until of a shorter time.",
            [],
        )
    ],
    ("/v1/audit/export", 503): [_STORE],
    ("/v1/verifications", 503): [_STORE],
    ("POST /v1/verifications", 503): [
        (
            "LOG_STOPPED",
            "",
            "Expected a log that could be written, got OperationalError.",
            "Nothing was answered as logged. Mend the disk or the database, then start again.",
            [],
        )
    ],
    ("/v1/answers", 409): [
        (
            "CONFLICT",
            "",
            (
                f"Expected the answer '{_ID}' as it first came in (sha256:{'3f' * 32}), "
                f"got other bytes under its id (sha256:{'a1' * 32})."
            ),
            "Give another answer its own answer_id.",
            [],
        )
    ],
    ("/v1/answers", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one answer, without its documents' texts.",
            [],
        )
    ],
    ("/v1/answers", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            'Expected an integer at /citations/0/anchor, got "1".',
            "Compare the answer with the native format of the documentation.",
            [_ANCHOR_FIELD],
        ),
    ],
    ("/v1/answers", 503): [
        (
            "STORE_UNAVAILABLE",
            "",
            "Expected a service that takes answers, got one that stops.",
            "Send it again in a few seconds.",
            [],
        ),
    ],
    ("/v1/answer-batches", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send fewer answers at once.",
            [],
        )
    ],
    ("/v1/answer-batches", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected a JSON array of at most 256 answers, got another body.",
            "Send a single answer to POST /v1/answers.",
            [],
        ),
    ],
    ("/v1/answer-batches", 503): [_STORE],
    ("/v1/rates", 422): [_PARAMETER],
    ("/v1/rates", 503): [_STORE],
    ("/v1/reviews", 404): [
        (
            "NOT_FOUND",
            f"/v1/reviews/{_ID}",
            f"Expected an answer of the review queue, got '{_ID}'.",
            "Take an id of GET /v1/reviews.",
            [],
        )
    ],
    ("/v1/reviews", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Say why in a few sentences.",
            [],
        )
    ],
    ("/v1/reviews", 422): [_PARAMETER],
    ("POST /v1/reviews", 422): [
        (
            "MALFORMED_INPUT",
            f"/v1/reviews/{_ID}",
            "Expected correct, wrong or unclear at /label, got 'maybe'.",
            'Send {"label", "reviewer", "note"}.',
            [],
        )
    ],
    ("/v1/reviews", 503): [_STORE],
    ("/v1/attributions", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one answer, with fewer or shorter tool results.",
            [],
        )
    ],
    ("/v1/attributions", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected a string (or 'response') at /answer, got null.",
            "Send the answer as text, with tool_results, documents or retrieved beside it.",
            [_tell_field("/answer", "a string (or 'response')", "null")],
        ),
    ],
    ("/v1/attributions", 503): [
        _STORE,
        (
            "MODEL_UNAVAILABLE",
            "",
            "Expected the entailment model's folder, got none of that name.",
            "Set SPANPROOF_MODEL to a folder with a model.",
            [],
        ),
    ],
    ("/v1/clean-texts", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one text, or fewer chunks.",
            [],
        )
    ],
    ("POST /v1/clean-texts", 422): [
        (
            "UNKNOWN_GRAMMAR",
            "",
            (
                "Expected a grammar of link, numbered, chunk, ref, field, fullwidth, private-use, "
                "got 'latex'."
            ),
            "Name a grammar of the table, or register yours first.",
            [],
        )
    ],
    ("/v1/prompts", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one text, or fewer chunks.",
            [],
        )
    ],
    ("PUT /v1/configuration/citations", 422): [
        (
            "MALFORMED_ANSWER",
            "/v1/configuration/citations/chunk",
            "Expected 'mode' alone, one of off, observe, enforce at /mode, got 'on'.",
            "See docs/grammars.md.",
            [_tell_field("/mode", "'mode' alone, one of off, observe, enforce", "'on'")],
        ),
    ],
    ("POST /v1/prompts", 422): [
        (
            "MALFORMED_INPUT",
            "",
            "Expected a grammar of numbered, chunk, ref, field for a prompt, got 'link'.",
            "Ask for one of them; the others are only read.",
            [],
        )
    ],
    ("/v1/fields", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one turn, or fewer labelled ones.",
            [],
        )
    ],
    ("POST /v1/fields", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected an object of sections at /context, got nothing.",
            "Compare it with the input of docs/fields.md.",
            [_tell_field("/context", "an object of sections", "nothing")],
        )
    ],
    ("/v1/fields/calibrations", 413): [
        (
            "ANSWER_TOO_LARGE",
            "",
            "Expected at most 8388608 bytes, got 8388609 or more.",
            "Send one turn, or fewer labelled ones.",
            [],
        )
    ],
    ("POST /v1/fields/calibrations", 422): [
        (
            "MALFORMED_LABELS",
            "",
            "Expected labelled turns, got line 1: expected an object at /labels, got nothing.",
            "Mend these rows; nothing was measured.",
            [],
        )
    ],
    ("/readyz", 503): [
        (
            "NOT_READY",
            "",
            "Expected every part to work, got failures of: blobs.",
            "Run 'spanproof doctor' on the host.",
            [_tell_field("/blobs", "a working blobs", "No space left on device")],
        )
    ],
}
_EVERY = _EXAMPLES | STARTED_EXAMPLES
