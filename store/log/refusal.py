"""Why a log takes no more leaves: from the first failure on, until the process starts again."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import (
    LogDamagedError,
    LogError,
    LogFrozenError,
    LogStoppedError,
    SpanproofError,
)
from spanproof.store.errors import StoreFullError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.store.log.records import LogFreeze


@dataclass(slots=True)
class Guard:
    """Whether a disk may have been touched."""

    has_begun: bool = False

    def begin(self) -> None:
        """From here on a failure leaves the content of the disk unknown."""
        self.has_begun = True


class Refusal:
    """The failure after which nothing is written and nothing is signed, if any."""

    def __init__(self) -> None:
        self._error: LogError | None = None

    def check(self) -> None:
        """Raise the error that stopped the log, if one has."""
        if self._error is not None:
            raise copy_error(self._error)

    def close(self, error: LogError) -> None:
        """Take no more, for this reason; the first one stays."""
        self._error = self._error or error

    @contextmanager
    def stop_on_failure(self) -> Iterator[Guard]:
        """Work on a disk: a failure after ``begin`` closes the log for this process.

        There is no second try. After a failed synchronisation the kernel may call pages clean that
        never reached the disk, and only a new start reads what is there. A disk without room is
        another thing: it refused the write itself, and the database has undone the transaction.
        """
        guard = Guard()
        try:
            yield guard
        except StoreFullError:
            raise
        except LogError as error:
            self.close(error)
            raise
        except BaseException as error:
            if not guard.has_begun:
                raise
            stopped = to_stopped(error)
            self.close(stopped)
            # Damage says more than that the log stopped; an interrupt is not ours to rename.
            is_named = isinstance(error, LogDamagedError) or not isinstance(error, Exception)
            if is_named:
                raise
            raise stopped from error


def to_frozen(origin: str, freeze: LogFreeze) -> LogFrozenError:
    """That the log was closed for ever, and where to continue."""
    msg = f"Expected a log that takes leaves, got {origin!r}, closed: {freeze.reason!r}."
    return LogFrozenError(msg, hint=f"Set SPANPROOF_LOG_ORIGIN to {freeze.successor!r}.")


def copy_error(error: SpanproofError) -> SpanproofError:
    """The same error for another caller: one that is raised twice would mix two tracebacks."""
    other = type(error)(error.message, hint=error.hint)
    other.__cause__ = error
    return other


def to_stopped(error: BaseException) -> LogStoppedError:
    """What a caller is told whose work somebody else's failure ended."""
    msg = f"Expected a log that could be written, got {type(error).__name__}."
    hint = "No answer was given as logged. Repair the disk or the database, then start again."
    return LogStoppedError(msg, hint=hint)
