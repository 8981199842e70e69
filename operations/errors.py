"""Errors that only HTTP and the command line can make: faults of a caller's request.

SpanproofError (spanproof.core.errors)
├── InputError
│   ├── MalformedParameterError    a query or path value that cannot be read
│   ├── DigestMismatchError        the bytes are not those that the caller announced
│   ├── AnswerTooLargeError        a payload over the cap
│   ├── ManifestTooLargeError      a manifest over the cap, in bytes or in rows
│   ├── UnreadableFileError        a path that cannot be opened
│   ├── RequestTooCostlyError      work that needs more CPU time than a request has
│   ├── UploadStalledError         a body that stopped coming
│   ├── FetchRefusedError          an address that nothing is fetched from
│   ├── IdempotencyKeyReusedError  another request under a key that is taken
│   ├── MalformedTenantError       what cannot be a tenant's name
│   ├── BackupRefusedError         a backup that is not whole, or a place that is not empty
│   ├── MalformedAddressError      a webhook's address that is malformed, or not https
│   └── ForeignHostError           a request under a name that is not this machine's
├── ExtractionError
│   └── LimitExceededError
│       └── DocumentTooLargeError  source bytes over the cap, found while they come
├── NotFoundError
│   ├── TenantNotFoundError        no tenant of that name in this home
│   └── KeyNotFoundError           no API key of that id in this tenant
├── AccessError                    no known caller, no permission, or too many calls
│   ├── UnauthenticatedError       no credential, or one that is not known here
│   │   ├── KeyExpiredError
│   │   └── KeyRevokedError
│   ├── ScopeMissingError          a credential of this tenant that may not do that
│   ├── FetchOffError              no host is listed that documents may be fetched from
│   ├── CrossSiteError             a write that a page of another site may have sent
│   ├── RateLimitedError           more requests of one key than it has
│   └── ServiceBusyError           more work at once than is taken
├── SettingsError
│   └── RayUnavailableError        the engine 'ray' is not installed, or no cluster answers
├── FencedAddressError             an address that nothing may be sent to, by where it leads
├── NotFoundError
│   └── JobNotFoundError           no job of that id, or another tenant's
├── ConflictError
│   ├── LegalHoldError             a hold keeps what should be erased
│   ├── JobConflictError           a job of that id does something else
│   └── JobFinishedError           a job that is final: nothing is left to cancel
├── JobCancelledError              a job that somebody cancelled
├── JobFailedError                 a job whose worker failed, or went away too often
├── JobKindUnknownError            a kind of job that this version does not know
├── DatabaseToolError              a client tool of PostgreSQL is missing, or failed
├── NotReplayableError             the inputs of a verification are no longer here
├── StoreUnreachableError          a store of vectors that does not list its content
├── FetchFailedError               a host that does not answer with the document
├── LogUnreachableError            a log behind an address that does not answer
├── CallerGoneError                nobody waits for the result any more
├── ServiceStoppingError           stopped before the request was answered
└── NotReadyError                  a part that the service needs does not work
"""

from __future__ import annotations

from enum import StrEnum

from spanproof.core.errors import (
    ConflictError,
    FieldProblem,
    InputError,
    LimitExceededError,
    NotFoundError,
    SettingsError,
    SpanproofError,
)


class RequestTooCostlyError(InputError):
    """Work that needs more CPU time than a request has, and cannot be done in part."""

    code = "REQUEST_TOO_COSTLY"


class MalformedParameterError(InputError):
    """A query or path value that cannot be read; carries one problem for each."""

    code = "MALFORMED_PARAMETER"

    def __init__(self, message: str, *, hint: str, problems: tuple[FieldProblem, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class DigestMismatchError(InputError):
    """The bytes received are not those that the caller announced."""

    code = "DIGEST_MISMATCH"


class AnswerTooLargeError(InputError):
    """A payload larger than the cap."""

    code = "ANSWER_TOO_LARGE"


class ManifestTooLargeError(InputError):
    """A manifest of more bytes or rows than the caps."""

    code = "MANIFEST_TOO_LARGE"


class BulkTooLargeError(InputError):
    """More bytes of pairs for bulk verification than the cap allows."""

    code = "BULK_TOO_LARGE"


class UnreadableFileError(InputError):
    """A path that cannot be opened."""

    code = "FILE_UNREADABLE"


class UploadStalledError(InputError):
    """A body that stopped coming before it was whole."""

    code = "UPLOAD_STALLED"


class MalformedTenantError(InputError):
    """What cannot be a tenant's name."""

    code = "MALFORMED_TENANT"


class BackupRefusedError(InputError):
    """A backup that is not whole, or a place that holds something; nothing was changed."""

    code = "BACKUP_REFUSED"


class DatabaseToolError(SpanproofError):
    """A client tool of PostgreSQL that is not installed, or that failed."""

    code = "DATABASE_TOOL_FAILED"


class TenantNotFoundError(NotFoundError):
    """No tenant of that name in this home."""

    code = "TENANT_UNKNOWN"


class IdempotencyKeyReusedError(InputError):
    """Another request under an idempotency key that is taken."""

    code = "IDEMPOTENCY_KEY_REUSED"


class RequestInFlightError(ConflictError):
    """A request under an idempotency key whose first is still worked on."""

    code = "REQUEST_IN_FLIGHT"


class KeyNotFoundError(NotFoundError):
    """No API key of that id in this tenant."""

    code = "KEY_NOT_FOUND"


class AccessError(SpanproofError):
    """The caller is unknown, lacks permission, or calls too often; the answer gets ``headers``."""

    code = "ACCESS_REFUSED"

    def __init__(self, message: str, *, hint: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.headers = headers or {}


class UnauthenticatedError(AccessError):
    """No credential, or an unknown one: the answer does not say which of the two."""

    code = "UNAUTHENTICATED"

    def __init__(self, message: str, *, hint: str, is_given: bool = True) -> None:
        """``is_given``: there was a credential (RFC 6750, section 3.1)."""
        challenge = 'Bearer realm="spanproof"' + (', error="invalid_token"' if is_given else "")
        super().__init__(message, hint=hint, headers={"WWW-Authenticate": challenge})


class KeyExpiredError(UnauthenticatedError):
    """A key whose time is over, shown with its right secret."""

    code = "KEY_EXPIRED"


class KeyRevokedError(UnauthenticatedError):
    """A key that was revoked, or that another has followed, shown with its right secret."""

    code = "KEY_REVOKED"


class ScopeMissingError(AccessError):
    """A credential of this tenant without the scope for the request."""

    code = "SCOPE_MISSING"


class CrossSiteError(AccessError):
    """A write that a page of another site may have made a browser send."""

    code = "CROSS_SITE"


class FetchOffError(AccessError):
    """No host is listed that documents may be fetched from."""

    code = "FETCH_OFF"


class FetchRefusedError(InputError):
    """An address that nothing is fetched from: of another form, not listed, or within."""

    code = "FETCH_REFUSED"


class FetchFailedError(SpanproofError):
    """A host that does not answer with the document."""

    code = "FETCH_FAILED"


class RateLimitedError(AccessError):
    """More requests of one key than it has."""

    code = "RATE_LIMITED"


#: What metrics call requests that are refused for want of disk: no class of work is full then.
DISK = "disk"


class Work(StrEnum):
    """A class of work: all work of one class waits for the same turns."""

    VERIFY = "verify"
    INGEST = "ingest"
    SUBMIT = "submit"
    RENDER = "render"
    BULK = "bulk"
    STORE = "store"
    SIGN_IN = "sign_in"
    STREAM = "stream"


class ServiceBusyError(AccessError):
    """More work at once than is taken; what waits already keeps its place."""

    code = "SERVICE_BUSY"

    def __init__(self, message: str, *, work: str, retry_seconds: int = 2) -> None:
        """``work`` is the class of work that is full, as metrics call it."""
        headers = {"Retry-After": str(retry_seconds)}
        super().__init__(message, hint="Wait as Retry-After says.", headers=headers)
        self.work = work


class CallerGoneError(SpanproofError):
    """The client that asked has closed its connection: the work was given up."""

    code = "CLIENT_DISCONNECTED"


class ServiceStoppingError(SpanproofError):
    """The service is being stopped, and the request was not answered in the time that it had."""

    code = "SERVICE_STOPPING"


class DocumentTooLargeError(LimitExceededError):
    """Source bytes over the cap; found while they come, so nothing is kept."""


class ForeignHostError(InputError):
    """A request whose Host is not this machine: a page that rebinds its DNS name sends one."""

    code = "FOREIGN_HOST"


class MalformedAddressError(InputError):
    """A webhook's address that is malformed, or has a scheme that is not allowed."""

    code = "MALFORMED_ADDRESS"


class FencedAddressError(SpanproofError):
    """A name that leads to a private address: our requests may not reach those."""

    code = "ADDRESS_FENCED"


class JobNotFoundError(NotFoundError):
    """No job has that id here; the answer is the same for another tenant's job."""

    code = "JOB_NOT_FOUND"


class LegalHoldError(ConflictError):
    """A legal hold keeps what should be erased."""

    code = "LEGAL_HOLD"


class JobConflictError(ConflictError):
    """A job of that id was started before with another kind or other arguments."""

    code = "JOB_CONFLICT"


class JobFinishedError(ConflictError):
    """A job that is final, so that nothing of it is left to cancel."""

    code = "JOB_FINISHED"


class JobUnfinishedError(ConflictError):
    """A job that is not done: it has no result to read yet."""

    code = "JOB_UNFINISHED"


class JobCancelledError(SpanproofError):
    """A cancelled job; its finished work stays."""

    code = "JOB_CANCELLED"


class JobFailedError(SpanproofError):
    """A job that a fault of ours ended, or whose workers went away too often."""

    code = "JOB_FAILED"


class JobKindUnknownError(SpanproofError):
    """A kind of job that this version does not know."""

    code = "JOB_KIND_UNKNOWN"


class RayUnavailableError(SettingsError):
    """The extra that runs bulk work on Ray is not installed, or its cluster does not answer."""

    code = "RAY_UNAVAILABLE"


class NotReplayableError(SpanproofError):
    """The inputs of a verification are no longer here, so nothing could be checked."""

    code = "NOT_REPLAYABLE"


class StoreUnreachableError(SpanproofError):
    """Somebody's store of chunks that does not answer, or whose client is not installed."""

    code = "INDEX_STORE_UNREACHABLE"


class LogUnreachableError(SpanproofError):
    """A log behind an address that does not answer, so nothing could be checked."""

    code = "LOG_UNREACHABLE"


class AuthorityUnreachableError(SpanproofError):
    """A time-stamping authority that does not answer with a timestamp."""

    code = "AUTHORITY_UNREACHABLE"


class NotReadyError(SpanproofError):
    """A part that the service needs does not work; carries one problem for each part."""

    code = "NOT_READY"

    def __init__(self, message: str, *, hint: str, problems: tuple[FieldProblem, ...]) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems
