"""A whole log checked: ``audit fsck`` of a store and of a folder of tiles, 10^6 leaves each.

``python -m bench.receipts.log_fsck [--leaves N] [--statements N]`` makes the log in a temporary
folder (its leaves are of the real size and form, their signatures one and the same), checks it as
the commands do, prints a table and writes bench/results/log_fsck.json. One round: each takes a
minute. What a statement behind a leaf costs is measured on fewer of them, and told for each.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.core.digest import Digest
from spanproof.core.log.tiles import TILE_WIDTH, Tile, list_new_tiles
from spanproof.operations.assembly import open_context
from spanproof.operations.fsck.place import check_place
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.settings import Settings
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from spanproof.receipt.statement.events import Intake, IntakeError
from spanproof.receipt.statement.receipt_id import make_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.fsck.report import FsckReport
    from spanproof.receipt.keys.trust_file import TrustFile

LEAVES = 1_000_000
STATEMENTS = 10_000
_BATCH = 8192
_MARK = b"A" * 43 + b"="


def main() -> None:
    """Make the log, check it twice, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leaves", type=int, default=LEAVES)
    parser.add_argument("--statements", type=int, default=STATEMENTS)
    chosen = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="spanproof-fsck-") as place:
        root = Path(place)
        with _open(root / "home") as context:
            trust = _make_trust(context)
            figures["append"] = _time(lambda: _fill(context, chosen.leaves), chosen.leaves)
            figures["store"] = _time(lambda: _require(check_leaves(context, trust)), chosen.leaves)
            _write_folder(context, root / "log")
        figures["folder"] = _time(
            lambda: _require(check_place(str(root / "log"), trust)), chosen.leaves
        )
        with _open(root / "other") as context:
            _fill_statements(context, chosen.statements)
            figures["statements"] = _time(
                lambda: _require(check_store(context, None, with_log=False)), chosen.statements
            )
            figures["signatures"] = _time(
                lambda: _require(
                    check_store(context, None, FsckOptions(with_signatures=True), with_log=False)
                ),
                chosen.statements,
            )
    for name, row in figures.items():
        print(
            f"{name:<11} {row['leaves']:>9} leaves  {row['seconds']:>8.2f} s  "
            f"{row['cpu_seconds']:>8.2f} s of CPU  {row['microseconds_each']:>8.1f} us each"
        )
    print(f"wrote {write_report('log_fsck', figures, packages=('spanproof', 'cryptography'))}")


def check_leaves(context: Context, trust: TrustFile) -> FsckReport:
    """The own store; that these leaves have no statements is what differs from a real one."""
    report = check_store(context, trust, with_log=False)
    others = [line for line in report.lines if line.question != "STATEMENTS"]
    return type(report)(
        place=report.place, trust_digest=report.trust_digest, head=report.head, lines=tuple(others)
    )


def _require(report: FsckReport) -> None:
    if report.outcome.value != "OK":
        msg = f"Expected a log in order, got {report.findings[:3]!r}."
        raise RuntimeError(msg)


def _time(work: Callable[[], object], leaves: int) -> dict[str, float]:
    start, cpu_start = time.perf_counter(), time.process_time()
    work()
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return {
        "leaves": leaves,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "microseconds_each": round(seconds / leaves * 1e6, 2),
    }


def _open(home: Path) -> Any:  # noqa: ANN401 - the context manager of a context
    return open_context(Settings(home=home, database_url=None, model=None))


def _make_trust(context: Context) -> TrustFile:
    origin = context.log.origin
    return parse_trust(write_trust(open_keys(context.settings).keys.to_trust(origin)))


def _fill(context: Context, count: int) -> None:
    entries = _make_entries(context, count)
    while batch := [entry for _, entry in zip(range(_BATCH), entries, strict=False)]:
        context.log.append_all(batch)
    context.log.publish()


def _make_entries(context: Context, count: int) -> Iterator[bytes]:
    """Leaves by the store's key that differ in their digests: signing each would take minutes."""
    key = context.issuer.keys.find_entry_key()
    signature = key.sign(b"one signature for all of them")
    form = write_entry(Envelope(payload=b"", signature=signature), key.public_key)
    before, _, rest = form.partition(b'"digest":"')
    after = rest.partition(b'"')[2]
    for index in range(count):
        digest = base64.b64encode(hashlib.sha256(b"%d" % index).digest())
        yield before + b'"digest":"' + digest + b'"' + after


def _fill_statements(context: Context, count: int) -> None:
    """Pairs of an intake and its error: small statements, as most of a log's are."""
    issuer = context.issuer
    moment = datetime.now(UTC) - timedelta(days=1)
    for number in range(count // 2):
        name = f"00000000-0000-4000-8000-{number:012d}"
        head: dict[str, Any] = {
            "nonce": hashlib.sha256(b"%d" % number).digest()[:16],
            "time": moment,
            "origin": issuer.log.origin,
        }
        intake = Intake(
            **head,
            event_id=make_id(moment, number.to_bytes(10, "big")),
            verification_id=name,
            request_digest=Digest.of(name.encode()),
            process="0" * 32,
        )
        leaf = issuer.log_event(intake, subject=name)
        error = IntakeError(
            **head,
            event_id=make_id(moment, (number + (1 << 40)).to_bytes(10, "big")),
            verification_id=name,
            intake_index=leaf.index,
            intake_leaf_hash=leaf.leaf_hash,
            reason="failed",
            code="INTERNAL",
        )
        issuer.log_event(error, subject=name, intake_index=leaf.index)
    issuer.log.publish()


def _write_folder(context: Context, folder: Path) -> None:
    """The log as a static server would have it."""
    head, note = context.log.latest()
    tiles = list(list_new_tiles(0, head.size))
    for index in range(-(-head.size // TILE_WIDTH)):
        width = min(TILE_WIDTH, head.size - index * TILE_WIDTH)
        tiles.append(Tile(level=None, index=index, width=width))
    for tile in tiles:
        path = folder / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(context.log.read_tile(tile))
    (folder / "checkpoint").write_text(note, encoding="utf-8")


if __name__ == "__main__":
    main()
