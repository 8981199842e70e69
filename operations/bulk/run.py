"""A bulk run on one machine: each part judged, written whole, and never judged again.

An output file gets its name when it is complete and on the disk. Its metadata has the
digest of its input and the version of the verifier: where both are what they would be now, the part
is done, so a killed run continues, and shards may run in any order, twice,
or beside each other.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from glob import escape
from typing import TYPE_CHECKING, Any, Protocol

from spanproof.core.errors import InputError, OutputError
from spanproof.operations.bulk.batch import BatchVerifier, count_outcomes
from spanproof.operations.bulk.parts import FORMAT, read_description, sweep, write_part
from spanproof.operations.bulk.plan import PART_ROWS, Shard, check_files, plan_files, read_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from spanproof.operations.bulk.plan import InputFile, Part
    from spanproof.operations.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkProgress:
    """How far a run is, in rows; ``resumed`` were there before it. ``outcomes`` count both.

    ``redone`` parts were there, of another input or verifier; ``stale`` were removed, for the input
    has no such part any more.
    """

    rows: int
    total: int
    resumed: int
    parts: int
    redone: int = 0
    stale: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The counts as the command line and a job show them."""
        return {
            "rows": self.rows,
            "resumed": self.resumed,
            "parts": self.parts,
            "redone": self.redone,
            "stale": self.stale,
            "outcomes": self.outcomes,
        }


class Engine(Protocol):
    """Who judges parts: the threads of this process, or another machine's."""

    def judge(self, run: Run, work: Sequence[Work]) -> Iterator[dict[str, Any]]:
        """Judge and write every part; gives the description of each when it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A file and those of its parts that are left to do."""

    file: InputFile
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What holds for a whole run; ``digests`` are of its files, by name (hex)."""

    output: Path
    policy: str
    verified_at: datetime
    verifier_version: str
    digests: Mapping[str, str]

    def describe(self, file: InputFile, part: Part) -> dict[str, Any]:
        """What must be equal for a part to be done."""
        return {
            "format": FORMAT,
            "input": file.name,
            "input_sha256": self.digests[file.name],
            "verifier_version": self.verifier_version,
            "start": part.start,
            "rows": part.end - part.start,
        }


class Threads:
    """Judges parts one after the other, the rows of a part on every core."""

    def __init__(self, verifier: BatchVerifier) -> None:
        self._verifier = verifier

    def judge(self, run: Run, work: Sequence[Work]) -> Iterator[dict[str, Any]]:
        """Each file is read once, from its first part that is left."""
        for each in work:
            for part, batch in read_parts(each.file, each.parts):
                yield judge_part(self._verifier, run, each.file, part, batch)


def verify_files(  # noqa: PLR0913 - all that decides a run
    context: Context,
    source: Path,
    output: Path,
    *,
    shard: Shard | None = None,
    policy: str | None = None,
    redo_errors: bool = False,
    part_rows: int = PART_ROWS,
    engine: Engine | None = None,
    told: Callable[[], None] | None = None,
) -> Generator[BulkProgress, None, None]:
    """Verify every row of a Parquet file, or of a folder of them, into the folder ``output``.

    The whole input (of a shard: every file that it has a part of) is checked before the first row
    is judged: MalformedBulkError leaves nothing behind. ``redo_errors`` judges parts again with
    an ``error``: their documents may have been ingested since. ``told`` is called after each row
    of this machine; what it raises ends the run. Raises UnreadableFileError,
    OutputError where the output cannot be written, ModelError where there is no model.
    """
    from spanproof.verifier.policies import load_policy

    chosen = load_policy(policy or context.settings.policy).name
    files = plan_files(source, shard or Shard(), part_rows=part_rows)
    _check_apart(source, output)
    moment = datetime.now(UTC)
    verifier = BatchVerifier(context, policy=chosen, verified_at=moment, told=told)
    with verifier, _wrapped(output):
        output.mkdir(parents=True, exist_ok=True)
        run = Run(
            output=output,
            policy=chosen,
            verified_at=moment,
            verifier_version=verifier.verifier_version,
            digests=check_files(files, output),
        )
        sweep(output)
        yield from _verify(run, files, engine or Threads(verifier), redo_errors=redo_errors)


def judge_part(
    verifier: BatchVerifier, run: Run, file: InputFile, part: Part, batch: pa.RecordBatch
) -> dict[str, Any]:
    """Judge the rows of a part and write them; returns the part's metadata."""
    judged = verifier.verify_batch(batch, where=file.name, first=part.start)
    described = run.describe(file, part) | {"outcomes": count_outcomes(judged)}
    write_part(run.output / part.name, judged, described, verifier.labels)
    return described


def _verify(
    run: Run, files: Sequence[InputFile], engine: Engine, *, redo_errors: bool
) -> Iterator[BulkProgress]:
    """Finished parts are counted first, so that the pace is that of this run."""
    done: list[dict[str, Any]] = []
    work: list[Work] = []
    total = redone = stale = 0
    for file in files:
        stale += _remove_stale(run, file)
        left = []
        for part in file.parts:
            total += part.end - part.start
            found = _find_part(run, file, part)
            if found is None or (redo_errors and found["outcomes"].get("error")):
                redone += (run.output / part.name).exists()
                left.append(part)
            else:
                done.append(found)
        work += [Work(file=file, parts=tuple(left))] if left else []
    progress = BulkProgress(rows=0, total=total, resumed=0, parts=0, redone=redone, stale=stale)
    for each in done:
        progress = _count(progress, each)
    progress = replace(progress, resumed=progress.rows)
    yield progress
    for each in engine.judge(run, work):
        progress = _count(progress, each)
        yield progress


def _count(progress: BulkProgress, described: dict[str, Any]) -> BulkProgress:
    outcomes = Counter(progress.outcomes) + Counter(described["outcomes"])
    return replace(
        progress,
        rows=progress.rows + described["rows"],
        parts=progress.parts + 1,
        outcomes=dict(sorted(outcomes.items())),
    )


def _find_part(run: Run, file: InputFile, part: Part) -> dict[str, Any] | None:
    """The metadata of a part that is as it would be now; None where it is to be judged."""
    path = run.output / part.name
    found = read_description(path)
    if found is None and path.exists():
        # Bytes of another origin are not written over.
        msg = f"Expected an output of ours at {str(path)!r}, got another file."
        raise OutputError(msg, hint="Give a folder of its own to the output.")
    wanted = run.describe(file, part)
    if found is None or any(found.get(name) != value for name, value in wanted.items()):
        return None
    return found


def _remove_stale(run: Run, file: InputFile) -> int:
    """Remove parts of an earlier state of this input which it does not have any more."""
    stem = (run.output / file.stem).name
    folder = (run.output / file.stem).parent
    removed = 0
    for path in folder.glob(f"{escape(stem)}.{'[0-9]' * 12}.parquet"):
        found = read_description(path)
        if found is None or found.get("input") != file.name:
            continue
        is_past = found["start"] >= max(file.rows, 1)
        if found.get("input_sha256") != run.digests[file.name] and is_past:
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _check_apart(source: Path, output: Path) -> None:
    inside, around = output.resolve(), source.resolve()
    if inside == around or (source.is_dir() and inside.is_relative_to(around)):
        msg = f"Expected an output outside of the input, got {str(output)!r}."
        raise InputError(msg, hint="Give another folder: else the next run reads its output.")
    if output.exists() and not output.is_dir():
        msg = f"Expected a folder for the output, got the file {str(output)!r}."
        raise InputError(msg, hint="Give a folder: each part becomes a file in it.")


@contextmanager
def _wrapped(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"Expected to write into {str(output)!r}, got {error.strerror or error!s}."
        hint = "Check the path, its permissions and the space on the disk, and run it again:"
        raise OutputError(msg, hint=f"{hint} whole parts are kept.") from error
