"""Problems of verifications, their receipts, the log and what is exported of them."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import (
    ANCHOR_FIELD,
    ID,
    PARAMETER,
    STORE,
    Row,
    tell_too_large,
)

VERIFICATIONS: dict[tuple[str, int], list[Row]] = {
    ("POST /v1/verifications", 409): [
        (
            "REQUEST_IN_FLIGHT",
            "",
            "Expected no request under this Idempotency-Key that is still worked on, got one.",
            "Wait, then ask again for its answer.",
            [],
        )
    ],
    ("/v1/verifications", 404): [
        (
            "VERIFICATION_NOT_FOUND",
            f"/v1/verifications/{ID}",
            f"Expected a verification that is kept here, got '{ID}'.",
            "Give an id that 'verify' returned.",
            [],
        )
    ],
    ("/v1/verifications", 410): [
        (
            "VERIFICATION_ERASED",
            f"/v1/verifications/{ID}",
            (
                f"Expected a verification that is kept here, got '{ID}', erased 2026-11-22 (asked "
                "for by its author)."
            ),
            "Its tombstone is leaf 42 of log.example.com: 'spanproof audit fsck' reads it.",
            [],
        )
    ],
    ("/v1/verifications", 413): [tell_too_large("Send one answer, without its documents' texts.")],
    ("/v1/verifications", 422): [PARAMETER],
    ("POST /v1/verifications", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            'Expected an integer at /citations/0/anchor, got "1".',
            "Compare the answer with the native format of the documentation.",
            [ANCHOR_FIELD],
        ),
    ],
    ("receipt /v1/verifications", 404): [
        (
            "RECEIPT_NOT_FOUND",
            f"/v1/verifications/{ID}/receipt",
            f"Expected a verification with a receipt, got '{ID}'.",
            "Verify the answer again: that gives a receipt.",
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
    ("/v1/log", 422): [PARAMETER],
    ("/v1/audit/export", 404): [
        (
            "VERIFICATION_NOT_FOUND",
            "",
            f"Expected a verification that is kept here, got '{ID}'.",
            "Give an id that 'verify' returned.",
            [],
        )
    ],
    ("/v1/audit/export", 410): [
        (
            "VERIFICATION_ERASED",
            "",
            (
                f"Expected a verification that is kept here, got '{ID}', erased 2026-11-22 (asked "
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
    ("/v1/audit/export", 503): [STORE],
    ("/v1/verifications", 503): [STORE],
    ("POST /v1/verifications", 503): [
        (
            "LOG_STOPPED",
            "",
            "Expected a log that could be written, got OperationalError.",
            "Nothing was answered as logged. Mend the disk or the database, then start again.",
            [],
        )
    ],
}
