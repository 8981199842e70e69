"""A file of pairs → a file of judged pairs: streamed, resumed after a kill, whole or not there."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from spanproof.core.errors import InputError
from spanproof.core.verdicts.block_json import model_to_json
from spanproof.core.verdicts.status import SupportStatus
from spanproof.operations.entailment.journal import ResumePoint, hash_bytes, open_journal
from spanproof.operations.entailment.pairs import BATCH, MAX_LINE_BYTES, judge_batches

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.context import Context
    from spanproof.operations.entailment.pairs import Row

#: A batch ends here although it has fewer lines: so much of the input is in memory at once,
#: times the batches under way.
_BATCH_BYTES = 4 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailProgress:
    """How far a run is. ``resumed`` lines were there before it; ``note`` is for the reader."""

    lines: int
    not_run: int
    resumed: int
    read_bytes: int
    total_bytes: int
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    lines: list[bytes]
    end: int
    sha256: str


def entail_file(
    context: Context, pairs: Path, output: Path, policy: Policy | None = None
) -> Generator[EntailProgress, None, None]:
    """Judge every line of a file; ``output`` appears, whole, when the last is judged.

    With a policy each line says its ``outcome`` too.

    Raises InputError where the pairs cannot be read, OutputError where the output cannot be
    written, ModelError where there is no model. The next run continues after the finished lines.
    """
    hint = "Give a .jsonl file with one pair a line."
    if not pairs.is_file():
        msg = f"Expected a file of pairs, got {str(pairs)!r}."
        raise InputError(msg, hint=hint)
    try:
        source = pairs.open("rb")
        total = pairs.stat().st_size
    except OSError as error:
        msg = f"Expected a file of pairs, got {str(pairs)!r} ({error.strerror})."
        raise InputError(msg, hint=hint) from error
    with source:
        model = context.require_model()
        yield from _judge_into(model, source, total, output, policy)


def _judge_into(
    model: EntailmentModel, source: IO[bytes], total: int, output: Path, policy: Policy | None
) -> Iterator[EntailProgress]:
    with open_journal(output) as journal:
        why = journal.resume(source, verifier=_describe_verifier(model, policy))
        mark, resumed = journal.mark, journal.mark.lines
        yield EntailProgress(
            lines=resumed,
            not_run=mark.not_run,
            resumed=resumed,
            read_bytes=mark.input_bytes,
            total_bytes=total,
            note=_write_note(resumed, why),
        )
        under_way: deque[_Batch] = deque()
        for rows in judge_batches(model, _read_batches(source, mark, under_way), policy):
            batch = under_way.popleft()
            mark = ResumePoint(
                lines=mark.lines + len(rows),
                not_run=mark.not_run + sum(map(_is_not_run, rows)),
                input_bytes=batch.end,
                input_sha256=batch.sha256,
            )
            journal.add(b"".join(map(_write_row, rows)), mark)
            yield EntailProgress(
                lines=mark.lines,
                not_run=mark.not_run,
                resumed=resumed,
                read_bytes=batch.end,
                total_bytes=total,
            )
        journal.finish()


def _describe_verifier(model: EntailmentModel, policy: Policy | None) -> str:
    """All that decides a row: the code, the model with its threshold, and the policy."""
    from spanproof.verifier.version import verifier_name

    identity = json.dumps(model_to_json(model.identity), sort_keys=True)
    asked = "" if policy is None else f" {policy.digest}"
    return f"{verifier_name()} {identity}{asked}"


def _read_batches(
    source: IO[bytes], mark: ResumePoint, under_way: deque[_Batch]
) -> Iterator[list[bytes]]:
    source.seek(0)
    digest = hash_bytes(source, mark.input_bytes)
    position = mark.input_bytes
    while True:
        lines: list[bytes] = []
        held = 0
        while len(lines) < BATCH and held < _BATCH_BYTES:
            line, size = _read_line(source, digest)
            if not size:
                break
            lines.append(line)
            held += len(line)
            position += size
        if not lines:
            return
        under_way.append(_Batch(lines=lines, end=position, sha256=digest.hexdigest()))
        yield lines


def _read_line(source: IO[bytes], digest: hashlib._Hash) -> tuple[bytes, int]:
    """The next line and its whole length in bytes; of one that is too long, its beginning."""
    line = piece = source.readline(MAX_LINE_BYTES + 1)
    digest.update(piece)
    size = len(piece)
    while len(piece) > MAX_LINE_BYTES and not piece.endswith(b"\n"):
        piece = source.readline(MAX_LINE_BYTES + 1)
        digest.update(piece)
        size += len(piece)
    return line, size


def _write_row(row: Row) -> bytes:
    # Half a surrogate pair has no UTF-8; JSON has an escape for it.
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _is_not_run(row: Row) -> bool:
    return bool(row["label"] == SupportStatus.NOT_RUN.value)


def _write_note(resumed: int, why: str | None) -> str | None:
    if why is not None:
        return f"Starting from the beginning: an earlier run left lines, but {why}."
    return f"Going on after the {resumed} lines of an earlier run." if resumed else None
