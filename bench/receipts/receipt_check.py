"""Receipts checked offline a second on one core, and a lower bound: two bare signature checks.

``python -m bench.receipts.receipt_check`` prints a table and writes
bench/results/receipt_check.json. Every receipt is another one, of a log of 1,024 leaves and more;
parsing is part of the check, reading files is not. Alternating rounds, CPU time, median and range.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from bench.report import write_report
from spanproof.receipt.check.content import AuditorFile, AuditorText
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import CheckOutcome
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.keys.trust_file import parse_trust
from tests.receipt.samples import Issuer, to_bytes, to_trust_bytes
from tests.receipt.statements import CANONICAL, MOMENT, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.receipt.keys.trust_file import TrustFile

LEAVES = 1_024
RECEIPTS = 400
ROUNDS = 7
GOAL = 1_000


def make_receipts() -> tuple[list[bytes], TrustFile]:
    """Receipts of one log, each with an inclusion proof of ten hashes or eleven."""
    issuer = Issuer()
    for number in range(LEAVES):
        issuer.log.append(b"leaf %d" % number)
    issued = [issuer.issue() for _ in range(RECEIPTS)]
    return [to_bytes(receipt) for receipt in issued], parse_trust(to_trust_bytes(issuer))


def check_all(receipts: list[bytes], trust: TrustFile, inputs: AuditInputs) -> None:
    """The whole check of each; all are OK."""
    for raw in receipts:
        report = check_receipt(raw, trust, inputs, now=MOMENT)
        if report.outcome is not CheckOutcome.OK:
            msg = f"Expected a receipt that holds, got {report!r}."
            raise RuntimeError(msg)


def prepare_floor(receipts: list[bytes], trust: TrustFile) -> list[tuple[Any, ...]]:
    """What the two signatures of each receipt are over, ready to be verified."""
    key = trust.signing_keys[0].key
    log = trust.trusted_root.logs[0].key
    ready = []
    for raw in receipts:
        receipt = parse_bundle(raw)
        note = parse_note(receipt.included.note)
        signature = note.signatures[0].content
        ready.append(
            (key, receipt.envelope.encoding, receipt.envelope.signature, log, note.text, signature)
        )
    return ready


def verify_bare(ready: list[tuple[Any, ...]]) -> None:
    """Only two signatures each, ECDSA P-256 and Ed25519."""
    for key, message, signature, log, text, line in ready:
        if not (key.verify(message, signature) and log.verify(text, line)):
            msg = "Expected signatures that hold."
            raise RuntimeError(msg)


def measure(work: Callable[[], None]) -> float:
    """Receipts a second of CPU time."""
    started = time.process_time()
    work()
    return RECEIPTS / (time.process_time() - started)


def main() -> None:
    """Measure, print, write."""
    receipts, trust = make_receipts()
    ready = prepare_floor(receipts, trust)
    held = AuditInputs(sources=[AuditorFile.of(SOURCE)], texts=[AuditorText.of(CANONICAL.encode())])
    works: dict[str, Callable[[], None]] = {
        "two bare signatures (floor)": lambda: verify_bare(ready),
        "receipt": lambda: check_all(receipts, trust, AuditInputs()),
        "receipt, document and spans": lambda: check_all(receipts, trust, held),
    }
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            rates[name].append(measure(work))
    figures: dict[str, Any] = {
        "receipts": RECEIPTS,
        "leaves": LEAVES,
        "bytes_each": len(receipts[0]),
        "goal_per_second": GOAL,
        "per_second": {
            name: {
                "median": round(statistics.median(found)),
                "range": [round(min(found)), round(max(found))],
            }
            for name, found in rates.items()
        },
    }
    print(f"{RECEIPTS} receipts of {len(receipts[0])} bytes, {ROUNDS} rounds, one core, CPU time")
    for name, row in figures["per_second"].items():
        low, high = row["range"]
        print(f"  {name:30} {row['median']:>7,} /s   ({low:,} to {high:,})")
    print(f"written to {write_report('receipt_check', figures, packages=PACKAGES)}")


PACKAGES = ("spanproof", "cryptography", "rfc8785")

if __name__ == "__main__":
    main()
