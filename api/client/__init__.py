"""A typed client of the service: ``Client``, and ``AsyncClient`` for coroutines."""

from __future__ import annotations

from spanproof.api.client.asynchronous import AsyncClient
from spanproof.api.client.errors import (
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
from spanproof.api.client.results import (
    IngestedDocument,
    JobReport,
    SubmittedAnswer,
    VerifiedAnswer,
)
from spanproof.api.client.retry import RetryPolicy
from spanproof.api.client.synchronous import Client

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
