"""A typed client of the service: ``Client``, and ``AsyncClient`` for coroutines."""

from __future__ import annotations

from spanproof.client.asynchronous import AsyncClient
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
from spanproof.client.results import IngestedDocument, JobReport, SubmittedAnswer, VerifiedAnswer
from spanproof.client.retry import RetryPolicy
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
