"""The state of the service, as it is answered."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class HealthCheckOut(BaseModel):
    """One part of the service."""

    name: str
    status: Literal["ok", "warning", "failed"]
    code: str | None
    detail: str
    hint: str | None


class HealthOut(BaseModel):
    """The process answers."""

    status: Literal["ok"]


class ReadyOut(BaseModel):
    """Every part that a request needs works."""

    ready: Literal[True]
    checks: list[HealthCheckOut]


class VersionOut(BaseModel):
    """What runs here."""

    version: str
    api: str
    procedure: int
    details: dict[str, Any]
