"""One example of each problem document (RFC 9457), as the service writes it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

TYPE_PREFIX = "urn:spanproof:problem:"
_REQUEST_ID = "5f0c6d0a4c0e4f3b9d5a3f1f0f6f2b11"
#: Of a verification.
_ID = "0e6b8a52-6f0e-4d0e-9a53-7d0f6f0c2a11"


def _example(
    status: int, code: str, instance: str, detail: str, hint: str, *fields: dict[str, str]
) -> dict[str, Any]:
    return {
        "type": TYPE_PREFIX + code.lower().replace("_", "-"),
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": instance,
        "request_id": _REQUEST_ID,
        "code": code,
        "hint": hint,
        "errors": list(fields),
    }


def _field(pointer: str, expected: str, got: str) -> dict[str, str]:
    detail = f"Expected {expected}, got {got}."
    return {"pointer": pointer, "detail": detail, "expected": expected, "got": got}


_ALL = (
    _example(
        401,
        "UNAUTHENTICATED",
        "/v1/verifications",
        "Expected a key, got none.",
        "Send 'Authorization: Bearer sp_…' with a key of 'spanproof keys create'.",
    ),
    _example(
        403,
        "FETCH_OFF",
        "/v1/fetched-documents",
        "Expected SPANPROOF_FETCH_HOSTS to list a host, got none: nothing is fetched.",
        "Send the document's bytes: PUT /v1/documents.",
    ),
    _example(
        403,
        "SCOPE_MISSING",
        "/v1/verifications",
        "Expected a key with the scope verify, got one without it.",
        "Use another key, or make one: 'spanproof keys create --scope …'.",
    ),
    _example(
        404,
        "DOCUMENT_NOT_FOUND",
        "/v1/documents/nda-7",
        "Expected a document that is kept here, got 'nda-7'.",
        "Ingest it, or give a doc_id, doc_hash or extraction_id that 'ingest' printed.",
    ),
    _example(
        404,
        "EXTRACTION_NOT_FOUND",
        "/v1/drift-checks",
        "Expected an extraction that is kept here, got sha256:3f3f….",
        "Ingest the document that it is of.",
    ),
    _example(
        404,
        "INDEX_NOT_FOUND",
        "/v1/indexes/contracts/versions",
        "Expected a registered version of index 'contracts', got none.",
        "Register its manifest with 'index register'.",
    ),
    _example(
        404,
        "JOB_NOT_FOUND",
        "/v1/jobs/job-7",
        "Expected a job that is kept here, got 'job-7'.",
        "Give a job_id that was answered; 'jobs list' shows them.",
    ),
    _example(
        404,
        "KEY_NOT_FOUND",
        "/v1/keys/sp_k3v7m2qhx4za",
        "Expected the id of a key of this tenant, got 'sp_k3v7m2qhx4za'.",
        "List the keys: 'spanproof keys list'.",
    ),
    _example(
        404,
        "NOT_FOUND",
        "/v1/log/tile/0/007",
        "Expected a tile that a signed head requires, got 'tile/0/007'.",
        "Ask for /v1/log/checkpoint and then for the tiles that its size requires.",
    ),
    _example(
        404,
        "RECEIPT_NOT_FOUND",
        f"/v1/verifications/{_ID}/receipt",
        f"Expected a verification with a receipt, got '{_ID}'.",
        "Verify the answer again: that gives a receipt.",
    ),
    _example(
        404,
        "VERIFICATION_NOT_FOUND",
        f"/v1/verifications/{_ID}",
        f"Expected a verification that is kept here, got '{_ID}'.",
        "Give an id that 'verify' returned.",
    ),
    _example(
        404,
        "WEBHOOK_NOT_FOUND",
        "/v1/webhooks/wh_7",
        "Expected a webhook of this home, got 'wh_7'.",
        "Give an id that 'webhooks list' shows.",
    ),
    _example(
        408,
        "UPLOAD_STALLED",
        "/v1/documents",
        "Expected the whole body in time, got 65536 bytes of it.",
        "Send the request again, without pauses.",
    ),
    _example(
        409,
        "CONFLICT",
        "/v1/indexes/contracts/versions",
        "Expected a new version of index 'contracts', got '2026-11-20', which is recorded.",
        "Register it under a version of its own.",
    ),
    _example(
        409,
        "JOB_FINISHED",
        "/v1/jobs/job-7/cancel",
        "Expected a job that is queued or running, got 'job-7', which is done.",
        "Nothing was changed; start another job.",
    ),
    _example(
        409,
        "JOB_UNFINISHED",
        "/v1/bulk-verifications/job-7/rows",
        "Expected a job that is done, got 'job-7', which is running.",
        "Wait until it is done, then ask again.",
    ),
    _example(
        409,
        "REQUEST_IN_FLIGHT",
        "/v1/verifications",
        "Expected no request under this Idempotency-Key that is still worked on, got one.",
        "Wait, then ask again for its answer.",
    ),
    _example(
        409,
        "LEGAL_HOLD",
        "/v1/erasures",
        f"Expected a verification that no hold keeps, got one under hold {_ID} (matter 4711).",
        "'spanproof holds release' ends the hold.",
    ),
    _example(
        410,
        "DOCUMENT_ERASED",
        "/v1/documents/nda-7",
        "Expected a document that is kept here, got 'sha256:3f…', erased 2026-11-22 (by request).",
        "Its tombstone is leaf 41 of log.example.com: 'spanproof audit fsck' reads it.",
    ),
    _example(
        410,
        "VERIFICATION_ERASED",
        f"/v1/verifications/{_ID}",
        f"Expected a verification that is kept here, got '{_ID}', erased 2026-11-22 (by request).",
        "Its tombstone is leaf 42 of log.example.com: 'spanproof audit fsck' reads it.",
    ),
    _example(
        410,
        "WORDS_NOT_KEPT",
        f"/v1/verifications/{_ID}/feedback",
        f"Expected the words of verification '{_ID}', got 'not kept (hash-only)'.",
        "Its receipt has their digests: 'spanproof audit verify --answer FILE' checks an answer "
        "that you hold.",
    ),
    _example(
        413,
        "ANSWER_TOO_LARGE",
        "/v1/verifications",
        "Expected at most 8388608 bytes, got 8388609 or more.",
        "Send one answer, without its documents' texts.",
    ),
    _example(
        413,
        "BULK_TOO_LARGE",
        "/v1/bulk-verifications",
        "Expected at most 8589934592 bytes, got 8589934593 or more.",
        "Write Parquet, send several files, or raise the limit.",
    ),
    _example(
        413,
        "LIMIT_EXCEEDED",
        "/v1/documents",
        "Expected at most 104857600 bytes, got 104857601 or more.",
        "Split the document, or raise the limit.",
    ),
    _example(
        413,
        "MANIFEST_TOO_LARGE",
        "/v1/indexes/contracts/versions",
        "Expected at most 8589934592 bytes, got 8589934593 or more.",
        "Write Parquet, or raise SPANPROOF_MAX_MANIFEST_BYTES.",
    ),
    _example(
        422,
        "DOCUMENT_ENCRYPTED",
        "/v1/documents",
        "Expected a PDF that opens without a password, got an encrypted one.",
        "Save it without a password and give that file.",
    ),
    _example(
        422,
        "FETCH_REFUSED",
        "/v1/fetched-documents",
        "Expected the address of a listed host, got another.",
        "Give the https address of a host that SPANPROOF_FETCH_HOSTS lists, or send the bytes.",
    ),
    _example(
        422,
        "MALFORMED_ADDRESS",
        "/v1/webhooks",
        "Expected an address of https, got another.",
        "Give https://host/path, without user, password or fragment.",
    ),
    _example(
        422,
        "MALFORMED_ANSWER",
        "/v1/verifications",
        'Expected an integer at /citations/0/anchor, got "1".',
        "Compare the answer with the native format of the documentation.",
        _field("/citations/0/anchor", "an integer", '"1"'),
    ),
    _example(
        421,
        "FOREIGN_HOST",
        "/v1/verifications",
        "Expected a request to this machine (127.0.0.1, ::1 or localhost), got 'example.org'.",
        "Open the service under http://127.0.0.1, or name it in SPANPROOF_ALLOWED_HOSTS.",
    ),
    _example(
        422,
        "ANSWER_TOO_DENSE",
        "/v1/verifications",
        "Expected at most 2000 citations, got 2001 at /citations.",
        "Send it in parts.",
        _field("/citations", "at most 2000 citations", "2001"),
    ),
    _example(
        422,
        "REQUEST_TOO_COSTLY",
        "/v1/fields",
        "Expected work of at most 60 seconds of CPU time, got more.",
        "Send less at once.",
    ),
    _example(
        422,
        "MALFORMED_BULK",
        "/v1/bulk-verifications",
        "Expected pairs as Parquet or as JSON Lines, got nothing.",
        "Send a row as one JSON object a line.",
    ),
    _example(
        422,
        "MALFORMED_INPUT",
        "/v1/prompts",
        "Expected a grammar of numbered, chunk, ref, field for a prompt, got 'link'.",
        "Choose one of them; the others can only be read.",
    ),
    _example(
        422,
        "MALFORMED_LABELS",
        "/v1/fields/calibrations",
        "Expected labelled turns, got line 1: expected an object at /labels, got nothing.",
        "Correct these rows; nothing was measured.",
    ),
    _example(
        422,
        "MALFORMED_MANIFEST",
        "/v1/indexes/contracts/versions",
        "Expected each chunk_id once, got 'c-17' in rows 3 and 9.",
        "Give each chunk an id of its own.",
    ),
    _example(
        422,
        "MALFORMED_PARAMETER",
        "/v1/documents",
        "Expected a value less than or equal to 200 at /query/limit, got '201'.",
        "Compare the request with /openapi.json.",
        _field("/query/limit", "a value less than or equal to 200", "'201'"),
    ),
    _example(
        422,
        "UNKNOWN_GRAMMAR",
        "/v1/clean-texts",
        "Expected a grammar of link, numbered, chunk, ref, field, fullwidth, private-use, "
        "got 'latex'.",
        "Name a grammar of the table, or register yours first.",
    ),
    _example(
        429,
        "RATE_LIMITED",
        "/v1/verifications",
        "Expected at most 1000 requests a second of one key, got more.",
        "Wait as Retry-After says.",
    ),
    _example(
        429,
        "SERVICE_BUSY",
        "/v1/verifications",
        "Expected at most 68 requests at once of the class 'verify', got more.",
        "Wait as Retry-After says.",
    ),
    _example(
        500,
        "INTERNAL",
        "/v1/verifications",
        "Expected to serve the request, got an internal error.",
        "Report the request_id to the operator of the service.",
    ),
    _example(
        502,
        "FETCH_FAILED",
        "/v1/fetched-documents",
        "Expected the host to answer with the document, got status 404.",
        "Try again, or send the bytes: PUT /v1/documents.",
    ),
    _example(
        503,
        "LOG_STOPPED",
        "/v1/verifications",
        "Expected a log that could be written, got OperationalError.",
        "Nothing was answered as logged. Fix the disk or the database, then start again.",
    ),
    _example(
        503,
        "MODEL_UNAVAILABLE",
        "/v1/attributions",
        "Expected the entailment model's folder, got none of that name.",
        "Set SPANPROOF_MODEL to a folder with a model.",
    ),
    _example(
        503,
        "NOT_READY",
        "/readyz",
        "Expected every part to work, got failures of: blobs.",
        "Run 'spanproof doctor' on the host.",
        _field("/blobs", "a working blobs", "No space left on device"),
    ),
    _example(
        503,
        "SERVICE_STOPPING",
        "/v1/verifications",
        "Expected to answer before the service stops, but the time ran out.",
        "Send it again, with the same Idempotency-Key.",
    ),
    _example(
        503,
        "STORE_UNAVAILABLE",
        "/v1/documents",
        "Expected the database to answer, got OperationalError.",
        "Try again; if it stays, see the log.",
    ),
)
#: By code.
PROBLEM_EXAMPLES: dict[str, dict[str, Any]] = {each["code"]: each for each in _ALL}
