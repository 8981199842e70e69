"""Labelled turns → what the field matchers are worth on them, and thresholds to use."""

from __future__ import annotations

import json
from typing import Any

from spanproof.core.errors import MalformedAnswerError, MalformedLabelsError
from spanproof.core.json_reader.object_reader import load_json
from spanproof.verifier.fields.calibration import calibrate_fields
from spanproof.verifier.fields.labelled import dump_rows, parse_labelled


def calibrate_lines(content: bytes) -> dict[str, Any]:
    """Measure JSON lines; raise MalformedLabelsError where they are no labelled turns."""
    return calibrate_fields(parse_labelled(content))


def calibrate_rows(raw: bytes) -> dict[str, Any]:
    """Measure ``{"rows": [...]}``; the digest is that of the rows as lines."""
    try:
        body = load_json(raw)
    except MalformedAnswerError as error:
        raise MalformedLabelsError(error.message, hint=error.hint) from error
    rows = body.get("rows") if isinstance(body, dict) else None
    if not isinstance(rows, list) or set(body) != {"rows"}:
        got = json.dumps(body, ensure_ascii=False)[:80]
        msg = f'Expected {{"rows": [...]}}, got {got}.'
        raise MalformedLabelsError(msg, hint="Send one turn with its labels a row.")
    return calibrate_lines(dump_rows(rows))
