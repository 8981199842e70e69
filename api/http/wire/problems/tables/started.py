"""Problems of the routes that start jobs, and of erasing."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import ID, STORE, Row, tell_field, tell_too_large

_HASH = "sha256:" + "3f" * 32
_COMPARE = "Compare the request with /openapi.json."
_IN_FLIGHT: Row = (
    "REQUEST_IN_FLIGHT",
    "",
    "Expected no request under this Idempotency-Key that is still worked on, got one.",
    "Wait, then ask again for its answer.",
    [],
)
_NO_INDEX: Row = (
    "INDEX_NOT_FOUND",
    "",
    "Expected a registered version '2026-11-20' of index 'contracts', got no index of that name.",
    "Register its manifest with 'index register'.",
    [],
)
_TOO_LARGE = tell_too_large("Send one pair of versions.")
_PAIR: Row = (
    "MALFORMED_PARAMETER",
    "",
    "Expected both from and to, or neither at /body/from, got one of them.",
    _COMPARE,
    [tell_field("/body/from", "both from and to, or neither", "one of them")],
)
_REASON: Row = (
    "MALFORMED_PARAMETER",
    "",
    "Expected a value at /body/reason, got nothing.",
    _COMPARE,
    [tell_field("/body/reason", "a value", "nothing")],
)
STARTED: dict[tuple[str, int], list[Row]] = {
    ("PUT /v1/documents", 409): [_IN_FLIGHT],
    ("POST /v1/answer-batches", 409): [_IN_FLIGHT],
    ("POST /v1/drift-checks", 404): [
        _NO_INDEX,
        (
            "EXTRACTION_NOT_FOUND",
            "",
            f"Expected an extraction that is kept here, got {_HASH}.",
            "Ingest the document that it is of.",
            [],
        ),
    ],
    ("POST /v1/drift-checks", 409): [_IN_FLIGHT],
    ("POST /v1/drift-checks", 410): [
        (
            "DOCUMENT_ERASED",
            "",
            f"Expected a document that is kept here, got '{_HASH}', erased 2026-11-22 (asked for).",
            "Its tombstone is leaf 41 of log.example.com: 'spanproof audit fsck' reads it.",
            [],
        )
    ],
    ("POST /v1/drift-checks", 413): [_TOO_LARGE],
    ("POST /v1/drift-checks", 422): [_PAIR],
    ("POST /v1/drift-checks", 503): [STORE],
    ("POST /v1/reverifications", 404): [_NO_INDEX],
    ("POST /v1/reverifications", 409): [_IN_FLIGHT],
    ("POST /v1/reverifications", 413): [_TOO_LARGE],
    ("POST /v1/reverifications", 422): [_PAIR],
    ("POST /v1/reverifications", 503): [STORE],
    ("POST /v1/bulk-verifications", 409): [_IN_FLIGHT],
    ("POST /v1/bulk-verifications", 413): [
        (
            "BULK_TOO_LARGE",
            "",
            "Expected at most 8589934592 bytes, got 8589934593 or more.",
            "Write Parquet, send several files, or raise the limit.",
            [],
        )
    ],
    ("POST /v1/bulk-verifications", 422): [
        (
            "MALFORMED_BULK",
            "",
            "Expected pairs as Parquet or as JSON Lines, got nothing.",
            "Send a row as one JSON object a line.",
            [],
        )
    ],
    ("/v1/bulk-verifications", 404): [
        (
            "JOB_NOT_FOUND",
            "/v1/bulk-verifications/job-7/rows",
            "Expected a job that is kept here, got 'job-7'.",
            "Give a job_id that was answered; 'jobs list' shows them.",
            [],
        )
    ],
    ("/v1/bulk-verifications", 409): [
        (
            "JOB_UNFINISHED",
            "/v1/bulk-verifications/job-7/rows",
            "Expected a job that is done, got 'job-7', which is running.",
            "Wait until it is done, then ask again.",
            [],
        )
    ],
    ("/v1/bulk-verifications", 422): [
        (
            "MALFORMED_PARAMETER",
            "/v1/bulk-verifications/job-7/rows",
            "Expected one of format at /query/fromat, got 'fromat'.",
            _COMPARE,
            [tell_field("/query/fromat", "one of format", "'fromat'")],
        )
    ],
    ("/v1/bulk-verifications", 503): [STORE],
    ("POST /v1/erasures", 404): [
        (
            "NOT_FOUND",
            "",
            f"Expected a document or a verification that is kept here, got '{ID}'.",
            "Give a doc_id, doc_hash or verification_id.",
            [],
        )
    ],
    ("POST /v1/erasures", 413): [_TOO_LARGE],
    ("POST /v1/erasures", 422): [_REASON],
    ("POST /v1/erasures", 503): [
        STORE,
        (
            "LOG_STOPPED",
            "",
            "Expected a log that takes leaves, got one that stopped after a failed write.",
            "Mend the disk and start the service again.",
            [],
        ),
    ],
}
