"""Problems of answers that are handed in for sampling, of their rates and reviews."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import (
    ANCHOR_FIELD,
    ID,
    PARAMETER,
    STORE,
    Row,
    tell_too_large,
)

ANSWERS: dict[tuple[str, int], list[Row]] = {
    ("/v1/answers", 409): [
        (
            "CONFLICT",
            "",
            (
                f"Expected the answer '{ID}' as it first came in (sha256:{'3f' * 32}), "
                f"got other bytes under its id (sha256:{'a1' * 32})."
            ),
            "Give another answer its own answer_id.",
            [],
        )
    ],
    ("/v1/answers", 413): [tell_too_large("Send one answer, without its documents' texts.")],
    ("/v1/answers", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            'Expected an integer at /citations/0/anchor, got "1".',
            "Compare the answer with the native format of the documentation.",
            [ANCHOR_FIELD],
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
    ("/v1/answer-batches", 413): [tell_too_large("Send fewer answers at once.")],
    ("/v1/answer-batches", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected a JSON array of at most 256 answers, got another body.",
            "Send a single answer to POST /v1/answers.",
            [],
        ),
    ],
    ("/v1/answer-batches", 503): [STORE],
    ("/v1/rates", 422): [PARAMETER],
    ("/v1/rates", 503): [STORE],
    ("/v1/reviews", 404): [
        (
            "NOT_FOUND",
            f"/v1/reviews/{ID}",
            f"Expected an answer of the review queue, got '{ID}'.",
            "Take an id of GET /v1/reviews.",
            [],
        )
    ],
    ("/v1/reviews", 413): [tell_too_large("Say why in a few sentences.")],
    ("/v1/reviews", 422): [PARAMETER],
    ("POST /v1/reviews", 422): [
        (
            "MALFORMED_INPUT",
            f"/v1/reviews/{ID}",
            "Expected correct, wrong or unclear at /label, got 'maybe'.",
            'Send {"label", "reviewer", "note"}.',
            [],
        )
    ],
    ("/v1/reviews", 503): [STORE],
}
