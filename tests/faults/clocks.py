"""A clock that was set wrong: the receipt is there, and says what does not fit.

A witness cosigns the head before the receipt and the one of the receipt, by its own clock. The
issuer's clock is off by so much when it issues.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import LineStatus, Question
from spanproof.receipt.check.timing import parse_witnessed
from spanproof.receipt.keys.trust_file import parse_trust
from tests.faults.report import Tally
from tests.receipt.samples import Issuer, cosign, make_cosigner, to_bytes, to_trust_bytes
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: Beyond what honest clocks may differ by.
STEPS = (-DAY, -HOUR, HOUR, DAY)
#: A leap second, and clocks that nobody set together.
SMALL_STEPS = (timedelta(0), timedelta(seconds=1), -timedelta(seconds=1), timedelta(seconds=200))
_MINUTE = timedelta(minutes=1)


def run(steps: Sequence[timedelta] = STEPS, small: Sequence[timedelta] = SMALL_STEPS) -> Tally:
    """Issue a receipt with each step of the clock, and check it."""
    tally = Tally(name="a clock that was set wrong")
    for step in (*small, *steps):
        status, others = _issue(step)
        wanted = LineStatus.OK if step in small else LineStatus.FAILED
        tally.demand(status is wanted, f"a step of {step}: TIME is {status}")
        tally.demand(others, f"a step of {step}: signature or log no longer hold")
        tally.count("receipts that verify but for their time", int(others))
        tally.count("flagged" if status is LineStatus.FAILED else "within 300 s", 1)
    return tally


def _issue(step: timedelta) -> tuple[LineStatus, bool]:
    """What TIME says, and whether signature and log hold."""
    witness = make_cosigner()
    issuer = Issuer(moment=MOMENT + step)
    issuer.issue()
    size = len(issuer.log.entries)
    early = cosign(issuer.log.note(), witness, MOMENT - _MINUTE)
    receipt = issuer.issue()
    note = cosign(receipt.included.note, witness, MOMENT + _MINUTE)
    receipt = replace(receipt, included=replace(receipt.included, note=note))
    witnessed = [early, issuer.log.prove_growth(size)]
    report = check_receipt(
        to_bytes(receipt),
        parse_trust(to_trust_bytes(issuer, witnesses=[witness])),
        AuditInputs(witnessed=[parse_witnessed(each.encode()) for each in witnessed]),
        now=MOMENT,
    )
    lines = {line.question: line.status for line in report.lines}
    held = {lines[Question.SIGNATURE], lines[Question.LOG]} == {LineStatus.OK}
    return lines[Question.TIME], held
