"""A typed client of the service: ``Client``, and ``AsyncClient`` for coroutines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spanproof.client.errors import (
    CredentialRefusedError,
    Problem,
    RequestConflictError,
    RequestRefusedError,
    ResourceNotFoundError,
    ServiceBusyError,
    ServiceFaultError,
    ServiceProblemError,
    ServiceUnreachableError,
)
from spanproof.client.results import IngestedDocument, JobReport, SubmittedAnswer
from spanproof.client.retry import RetryPolicy
from spanproof.core.verdicts.verified_answer import VerifiedAnswer

if TYPE_CHECKING:
    from spanproof.client.asynchronous import AsyncClient
    from spanproof.client.synchronous import Client

__all__ = [
    "AsyncClient",
    "Client",
    "CredentialRefusedError",
    "IngestedDocument",
    "JobReport",
    "Problem",
    "RequestConflictError",
    "RequestRefusedError",
    "ResourceNotFoundError",
    "RetryPolicy",
    "ServiceBusyError",
    "ServiceFaultError",
    "ServiceProblemError",
    "ServiceUnreachableError",
    "SubmittedAnswer",
    "VerifiedAnswer",
]

#: Both import httpx, which takes most of the time of the import: the first use of a name loads it.
_HOMES = {"AsyncClient": "spanproof.client.asynchronous", "Client": "spanproof.client.synchronous"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
