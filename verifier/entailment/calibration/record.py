"""The record in a calibration file: the fitted data, the date, and the claimed scope."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from spanproof.core import canonical_json
from spanproof.core.verdicts.calibration import CalibrationRecord, ErrorBound

#: A name stands in a file's name and in every block.
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)


def is_calibration_name(name: str) -> bool:
    """Whether a calibration may bear this name: a file's name that means no other place."""
    return _NAME.fullmatch(name) is not None


def read_record(raw: dict[str, Any]) -> CalibrationRecord:
    """The record of a calibration file's object.

    Raises KeyError, TypeError, ValueError or AttributeError where a field is missing or mistyped.
    """
    return CalibrationRecord(
        name=str(raw["name"]),
        digest=canonical_json.digest(canonical_json.with_decimal_strings(raw)),
        weights_sha256=_text(raw.get("weights_sha256")),
        labelled_sha256=_text(raw.get("labelled_sha256")),
        n=int(raw["rows"]["all"]),
        made_on=date.fromisoformat(raw["date"]),
        valid_days=None if raw.get("valid_days") is None else int(raw["valid_days"]),
        prompt_ids=None if raw.get("prompt_ids") is None else _texts(raw["prompt_ids"]),
        field_schema_sha256=_text(raw.get("field_schema_sha256")),
        languages=_texts(raw.get("languages", [])),
        bounds=tuple(
            (str(policy), _read_bound(bound)) for policy, bound in raw.get("bounds", {}).items()
        ),
    )


def _read_bound(raw: dict[str, Any]) -> ErrorBound:
    return ErrorBound(
        alpha=float(raw["alpha"]),
        delta=float(raw["delta"]),
        n=int(raw["n"]),
        threshold=None if raw["threshold"] is None else float(raw["threshold"]),
        selected=int(raw["selected"]),
        errors=int(raw["errors"]),
        upper=None if raw["upper"] is None else float(raw["upper"]),
        method=str(raw["method"]),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        msg = f"expected a list, got {values!r}"
        raise TypeError(msg)
    return tuple(str(value) for value in values)
