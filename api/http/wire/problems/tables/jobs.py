"""Problems of jobs that were started, and of the webhooks that tell of them."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import PARAMETER, STORE, Row, tell_too_large

JOBS: dict[tuple[str, int], list[Row]] = {
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
    ("/v1/webhooks", 422): [PARAMETER],
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
    ("POST /v1/webhooks", 413): [tell_too_large("Send one webhook.")],
    ("/v1/webhooks", 503): [STORE],
    ("/v1/jobs", 409): [
        (
            "JOB_FINISHED",
            "/v1/jobs/job-7/cancel",
            "Expected a job that is queued or running, got 'job-7', which is done.",
            "Nothing was changed; start another job.",
            [],
        )
    ],
    ("/v1/jobs", 422): [PARAMETER],
    ("/v1/jobs", 503): [STORE],
}
