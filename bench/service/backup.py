"""Backup and restore of a filled store: sizes and times, and what they come to for 10^6 answers.

``python -m bench.service.backup [--answers N] [--target M]`` verifies N answers over 20 documents
with a scripted model, which takes the time of judging away and leaves the rows as they are. It
backs the home up at a quarter of them and at all of them, restores and checks both, prints a table
and writes bench/results/backup.json. What is said of M answers is a straight line through the two
measured points, and is marked as such. Seconds are of CPU: a shared machine tells little by its
clock.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.operations.assembly import open_context
from spanproof.operations.backup.restore import restore_backup
from spanproof.operations.backup.save import save_backup
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.settings import Settings
from spanproof.operations.verification.verify import verify_payload
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context

ANSWERS = 2_000
TARGET = 1_000_000
DOCUMENTS = 20
_SENTENCE = "Defective goods are replaced within four business days of the notice in writing."


def main() -> None:
    """Fill, back up, restore, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--target", type=int, default=TARGET)
    chosen = parser.parse_args()
    measured: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="spanproof-backup-") as place:
        root = Path(place)
        settings = Settings(home=root / "home", database_url=None, cross_check_rate=0.0)
        with open_context(settings, model=ScriptedModel()) as context:
            hashes = _take_documents(context)
            done = 0
            for wanted in (chosen.answers // 4, chosen.answers):
                _verify(context, hashes, range(done, wanted))
                done = wanted
                measured.append({"answers": wanted} | _round(settings, root / str(wanted)))
    first, last = measured
    line = {"answers": chosen.target} | {
        name: round(_extend(first, last, name, chosen.target), 1)
        for name in ("megabytes", "backup_seconds", "restore_seconds")
    }
    for each, how in ((first, "measured"), (last, "measured"), (line, "extrapolated")):
        print(
            f"{each['answers']:>9} answers  {each['megabytes']:>9.1f} MB  backup "
            f"{each['backup_seconds']:>7.1f} s  restore and check "
            f"{each['restore_seconds']:>8.1f} s  {how}"
        )
    figures = {"measured": measured, "extrapolated": line}
    print(f"wrote {write_report('backup', figures, packages=('spanproof', 'sqlalchemy'))}")


def _take_documents(context: Context) -> list[str]:
    found = []
    for number in range(DOCUMENTS):
        text = f"{_SENTENCE}\n" + f"Clause {number} of the agreement says nothing else.\n" * 200
        report = ingest_stream(
            context,
            [text.encode()],
            filename=f"{number}.txt",
            media_type=None,
            doc_id=f"document-{number}",
            title=None,
        )
        found.append(str(report.doc_hash))
    return found


def _verify(context: Context, hashes: list[str], numbers: range) -> None:
    for number in numbers:
        span = {"text": _SENTENCE, "char_start": 0, "char_end": len(_SENTENCE)}
        citations = [
            {"anchor": anchor, "doc_hash": hashes[(number + anchor) % len(hashes)], "span": span}
            for anchor in (1, 2)
        ]
        prose = f"Defective goods of order {number} are replaced within four business days [1] [2]."
        payload = json.dumps({"answer": prose, "citations": citations})
        verify_payload(context, payload.encode())


def _round(settings: Settings, folder: Path) -> dict[str, float]:
    report, backup = _time(lambda: save_backup(settings, folder / "backup", now=datetime.now(UTC)))
    new = settings.model_copy(update={"home": folder / "home"})
    # It checks what it restored: nearly all of its time.
    restored, restore = _time(lambda: restore_backup(new, folder / "backup", sample=0))
    if restored.outcome.value != "OK":
        msg = f"Expected a store in order, got {restored.to_json()!r}."
        raise RuntimeError(msg)
    return {
        "megabytes": round(report.manifest.total_bytes / 1e6, 1),
        "backup_seconds": round(backup, 2),
        "restore_seconds": round(restore, 2),
    }


def _time(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def _extend(first: dict[str, Any], last: dict[str, Any], name: str, target: int) -> float:
    slope = (last[name] - first[name]) / (last["answers"] - first["answers"])
    return float(last[name] + slope * (target - last["answers"]))


if __name__ == "__main__":
    main()
