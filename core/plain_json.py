"""Values of other frameworks as plain JSON."""

from __future__ import annotations

import json
from typing import Any


def to_plain_json(value: Any) -> Any:  # noqa: ANN401 - what a framework gives
    """A framework's value as JSON: models as their fields, what JSON does not have as its text."""
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    return json.loads(json.dumps(value, default=_to_plain))


def _to_plain(value: Any) -> Any:  # noqa: ANN401 - what a framework gives
    return value.model_dump() if hasattr(value, "model_dump") else str(value)
