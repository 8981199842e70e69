"""The plan of the settings: a file, or the default with a rate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.core.errors import InputError, SettingsError
from spanproof.monitor.sampling_plan import parse_plan

if TYPE_CHECKING:
    from spanproof.monitor.sampling_plan import MonitoringPlan
    from spanproof.operations.settings import Settings


def load_plan(settings: Settings) -> MonitoringPlan:
    """The plan; raise SettingsError for an unreadable file or another content."""
    if settings.sampling_plan is None:
        return parse_plan(json.dumps({"default": settings.sampling_rate}))
    try:
        raw = settings.sampling_plan.read_bytes()
    except OSError as error:
        msg = (
            f"Expected a plan in {str(settings.sampling_plan)!r}, got "
            f"{error.strerror or type(error).__name__}."
        )
        raise SettingsError(msg, hint="Set SPANPROOF_SAMPLING_PLAN to a file of yours.") from error
    try:
        return parse_plan(raw)
    except InputError as error:
        raise SettingsError(error.message, hint=error.hint) from error
