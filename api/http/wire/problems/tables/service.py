"""Problems that any route answers, and those of keys, settings and the state of the service."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import (
    PARAMETER,
    STORE,
    Row,
    tell_field,
    tell_too_large,
)

SERVICE: dict[tuple[str, int], list[Row]] = {
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
    ("/v1/keys", 413): [tell_too_large("Send the wish for one key.")],
    ("/v1/keys", 422): [PARAMETER],
    ("POST /v1/keys", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected one or more of ingest, verify, read, audit, admin at /scopes, got none.",
            "See docs/access.md.",
            [tell_field("/scopes", "one or more of ingest, verify, read, audit, admin", "none")],
        )
    ],
    ("/v1/keys", 503): [STORE],
    ("/v1/configuration/citations", 422): [
        (
            "MALFORMED_PARAMETER",
            "/v1/configuration/citations",
            "Expected no query parameter at /query/mode, got 'mode'.",
            "Compare the request with /openapi.json.",
            [tell_field("/query/mode", "no query parameter", "'mode'")],
        )
    ],
    ("PUT /v1/configuration/citations", 413): [
        tell_too_large("Send one mode.", instance="/v1/configuration/citations/chunk")
    ],
    ("PUT /v1/configuration/citations", 503): [STORE],
    ("PUT /v1/configuration/citations", 422): [
        (
            "MALFORMED_ANSWER",
            "/v1/configuration/citations/chunk",
            "Expected 'mode' alone, one of off, observe, enforce at /mode, got 'on'.",
            "See docs/grammars.md.",
            [tell_field("/mode", "'mode' alone, one of off, observe, enforce", "'on'")],
        ),
    ],
    ("/readyz", 503): [
        (
            "NOT_READY",
            "",
            "Expected every part to work, got failures of: blobs.",
            "Run 'spanproof doctor' on the host.",
            [tell_field("/blobs", "a working blobs", "No space left on device")],
        )
    ],
}
