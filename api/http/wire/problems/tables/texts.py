"""Problems of what is computed at once and not kept: sources, fields, clean texts, prompts."""

from __future__ import annotations

from spanproof.api.http.wire.problems.tables.row import STORE, Row, tell_field, tell_too_large

TEXTS: dict[tuple[str, int], list[Row]] = {
    ("/v1/attributions", 413): [
        tell_too_large("Send one answer, with fewer or shorter tool results.")
    ],
    ("/v1/attributions", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected a string (or 'response') at /answer, got null.",
            "Send the answer as text, with tool_results, documents or retrieved beside it.",
            [tell_field("/answer", "a string (or 'response')", "null")],
        ),
    ],
    ("/v1/attributions", 503): [
        STORE,
        (
            "MODEL_UNAVAILABLE",
            "",
            "Expected the entailment model's folder, got none of that name.",
            "Set SPANPROOF_MODEL to a folder with a model.",
            [],
        ),
    ],
    ("/v1/clean-texts", 413): [tell_too_large("Send one text, or fewer chunks.")],
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
    ("/v1/prompts", 413): [tell_too_large("Send one text, or fewer chunks.")],
    ("POST /v1/prompts", 422): [
        (
            "MALFORMED_INPUT",
            "",
            "Expected a grammar of numbered, chunk, ref, field for a prompt, got 'link'.",
            "Ask for one of them; the others are only read.",
            [],
        )
    ],
    ("/v1/fields", 413): [tell_too_large("Send one turn, or fewer labelled ones.")],
    ("POST /v1/fields", 422): [
        (
            "MALFORMED_ANSWER",
            "",
            "Expected an object of sections at /context, got nothing.",
            "Compare it with the input of docs/fields.md.",
            [tell_field("/context", "an object of sections", "nothing")],
        )
    ],
    ("/v1/fields/calibrations", 413): [tell_too_large("Send one turn, or fewer labelled ones.")],
    ("POST /v1/fields/calibrations", 422): [
        (
            "MALFORMED_LABELS",
            "",
            "Expected labelled turns, got line 1: expected an object at /labels, got nothing.",
            "Mend these rows; nothing was measured.",
            [],
        )
    ],
}
