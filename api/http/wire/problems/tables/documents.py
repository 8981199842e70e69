"""Problems of documents and of the versions of indexes."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import PARAMETER, STORE, Row

DOCUMENTS: dict[tuple[str, int], list[Row]] = {
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
    ("POST /v1/fetched-documents", 503): [STORE],
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
    ("/v1/documents", 422): [PARAMETER],
    ("PUT /v1/documents", 422): [
        (
            "DOCUMENT_ENCRYPTED",
            "",
            "Expected a PDF that opens without a password, got an encrypted one.",
            "Save it without a password and give that file.",
            [],
        )
    ],
    ("/v1/documents", 503): [STORE],
    ("/v1/indexes", 404): [
        (
            "INDEX_NOT_FOUND",
            "/v1/indexes/contracts/versions",
            "Expected a registered version of index 'contracts', got none.",
            "Register its manifest with 'index register'.",
            [],
        )
    ],
    ("/v1/indexes", 422): [PARAMETER],
    ("/v1/indexes", 503): [STORE],
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
            "Write Parquet, or raise SPANPROOF_MAX_MANIFEST_BYTES.",
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
}
