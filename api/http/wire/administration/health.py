"""The state of the service: responses."""

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
    """Liveness."""

    status: Literal["ok"]


class ReadyOut(BaseModel):
    """Readiness."""

    ready: Literal[True]
    checks: list[HealthCheckOut]


class VersionOut(BaseModel):
    """Version."""

    version: str
    api: str
    procedure: int
    details: dict[str, Any]


HEALTH: dict[str, Any] = {"status": "ok"}
READY: dict[str, Any] = {
    "ready": True,
    "checks": [
        {"name": "database", "status": "ok", "code": None, "detail": "reachable", "hint": None},
        {"name": "blobs", "status": "ok", "code": None, "detail": "writable", "hint": None},
        {"name": "policy", "status": "ok", "code": None, "detail": "balanced 3", "hint": None},
        {"name": "model", "status": "ok", "code": None, "detail": "example", "hint": None},
        {
            "name": "log",
            "status": "ok",
            "code": None,
            "detail": "t-7132e8242f03.spanproof.internal takes leaves",
            "hint": None,
        },
    ],
}
VERSION: dict[str, Any] = {
    "version": "0.1.0",
    "api": "v1",
    "procedure": 1,
    "details": {
        "python": "3.11.9",
        "pymupdf": "1.26.4",
        "torch": "2.8.0",
        "transformers": "4.56.0",
    },
}
