"""Errors that only the doors can make: what a caller sent over HTTP or the command line.

SpanproofError (core.errors)
├── InputError
│   ├── MalformedParameterError    a query or path value that cannot be read
│   ├── DigestMismatchError        the bytes are not those that the caller announced
│   ├── AnswerTooLargeError        a payload over the cap
│   ├── UnreadableFileError        a path that cannot be opened
│   ├── UploadStalledError         a body that stopped coming
│   └── ForeignHostError           a request under a name that is not this machine's
├── ExtractionError
│   └── LimitExceededError
│       └── DocumentTooLargeError  source bytes over the cap, found while they come
├── OutputError                    a file of ours that cannot be written, or that another run writes
├── NotReplayableError             what a verification was made with is not what is here
├── LogUnreachableError            a log behind an address that does not answer
└── NotReadyError                  a part that the service needs does not work
"""

from __future__ import annotations

from core.errors import FieldProblem, InputError, LimitExceededError, SpanproofError


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


class UnreadableFileError(InputError):
    """A path that cannot be opened."""

    code = "FILE_UNREADABLE"


class UploadStalledError(InputError):
    """A body that stopped coming before it was whole."""

    code = "UPLOAD_STALLED"


class DocumentTooLargeError(LimitExceededError):
    """Source bytes over the cap; found while they come, so nothing is kept."""


class ForeignHostError(InputError):
    """A request whose Host is not this machine: what a page that rebinds its DNS name sends."""

    code = "FOREIGN_HOST"


class OutputError(SpanproofError):
    """A file that was asked for cannot be written; nothing half-written bears its name."""

    code = "OUTPUT_FAILED"


class NotReplayableError(SpanproofError):
    """What a verification was made with is not what is here, so nothing could be checked."""

    code = "NOT_REPLAYABLE"


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
