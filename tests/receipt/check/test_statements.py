from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.log.merkle import hash_leaf
from spanproof.receipt.check.statements import IN_WORK, StatementCheck, StatementCounts
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.receipt.statement.event_statement import write_event
from spanproof.receipt.statement.events import FsckResult, Intake, IntakeError, Tombstone
from spanproof.receipt.statement.receipt_id import make_id
from tests.receipt.samples import Issuer, make_entry_key, to_trust_bytes
from tests.receipt.statements import MOMENT, make_result, make_statement

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import LoggedLeaf
    from spanproof.receipt.forms.dsse import Envelope

LATER = MOMENT + timedelta(days=1)


@dataclass
class Book:
    """A log with the statement of each of its leaves."""

    issuer: Issuer = field(default_factory=Issuer)
    envelopes: list[Envelope | None] = field(default_factory=list)

    def log(self, payload: Any) -> LoggedLeaf:
        """Sign and log a statement."""
        envelope = self.issuer.sign(payload)
        self.envelopes.append(envelope)
        return self.issuer.log.append(write_entry(envelope, self.issuer.key.public_key))

    def head(self, at: datetime = MOMENT) -> dict[str, Any]:
        """What an event begins with."""
        number = len(self.envelopes).to_bytes(10, "big")
        return {
            "event_id": make_id(at, number),
            "nonce": hashlib.sha256(number).digest()[:16],
            "time": at,
            "origin": self.issuer.log.origin,
        }

    def intake(self, number: int, at: datetime = MOMENT) -> LoggedLeaf:
        """An answer that came in."""
        event = Intake(
            **self.head(at),
            verification_id=name(number),
            request_digest=Digest.of(b"%d" % number),
            process="0" * 32,
        )
        return self.log(write_event(event))

    def result(self, intake: LoggedLeaf) -> LoggedLeaf:
        """Its result."""
        return self.log(make_result(intake))

    def error(self, intake: LoggedLeaf, number: int) -> LoggedLeaf:
        """Why there is none."""
        event = IntakeError(
            **self.head(),
            verification_id=name(number),
            intake_index=intake.index,
            intake_leaf_hash=intake.leaf_hash,
            reason="failed",
            code="MODEL_UNAVAILABLE",
        )
        return self.log(write_event(event))

    def bury(self, erased: int, number: int) -> LoggedLeaf:
        """A tombstone; the statement is erased."""
        event = Tombstone(
            **self.head(),
            verification_id=name(number),
            log_index=erased,
            payload_sha256=Digest.of(b"erased"),
            reason="asked for",
        )
        leaf = self.log(write_event(event))
        self.envelopes[erased] = None
        return leaf

    def check(
        self, *, is_whole: bool = True, now: datetime = LATER
    ) -> tuple[list[tuple[str, str]], StatementCounts]:
        """What comes out."""
        trust = parse_trust(to_trust_bytes(self.issuer))
        check = StatementCheck(
            lambda index: self.envelopes[index], trust, trust.origin, is_whole=is_whole
        )
        for index, entry in enumerate(self.issuer.log.entries):
            check.visit(index, entry)
        counts = check.close(now)
        return [(found.code, found.place) for found in check.findings], counts


def name(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def test_every_intake_with_one_answer_holds() -> None:
    book = Book()
    book.result(book.intake(1))
    book.error(book.intake(2), 2)
    event = FsckResult(
        **book.head(), size=4, root=bytes(32), is_sound=True, findings=0, checked_leaves=4
    )
    book.log(write_event(event))
    found, counts = book.check()
    assert found == []
    assert counts == StatementCounts(statements=5, intakes=2, answered=2, erased=0, in_work=0)


def test_one_dropped_result_of_a_thousand_is_named_by_the_index_of_its_intake() -> None:
    book = Book()
    for number in range(1000):
        intake = book.intake(number)
        if number != 617:
            book.result(intake)
    found, counts = book.check()
    assert found == [("INTAKE_UNANSWERED", "leaf 1234")]
    assert (counts.intakes, counts.answered) == (1000, 999)


def test_an_intake_in_work_is_told_and_no_finding() -> None:
    book = Book()
    book.intake(1)
    assert book.check(now=MOMENT + IN_WORK - timedelta(seconds=1))[0] == []
    assert book.check(now=MOMENT + IN_WORK - timedelta(seconds=1))[1].in_work == 1
    unanswered = [("INTAKE_UNANSWERED", "leaf 0")]
    assert book.check(now=MOMENT + IN_WORK)[0] == unanswered


def test_of_several_intakes_each_is_in_work_or_not() -> None:
    book = Book()
    book.intake(1)
    book.intake(2, at=MOMENT - IN_WORK)
    book.intake(3)
    found, counts = book.check(now=MOMENT)
    assert (found, counts.in_work) == ([("INTAKE_UNANSWERED", "leaf 1")], 2)
    assert timedelta(minutes=15) == IN_WORK


def test_an_intake_of_the_future_is_not_in_work() -> None:
    book = Book()
    book.intake(1)
    # Its clock would hide it for as long as it likes.
    unanswered = [("INTAKE_UNANSWERED", "leaf 0")]
    assert book.check(now=MOMENT - timedelta(seconds=1))[0] == unanswered


def test_a_second_answer_is_named() -> None:
    book = Book()
    intake = book.intake(1)
    book.result(intake)
    book.error(intake, 1)
    assert book.check()[0] == [("INTAKE_ANSWERED_TWICE", "leaf 2")]


def test_an_answer_to_no_intake_is_named() -> None:
    book = Book()
    intake = book.intake(1)
    book.result(intake)
    book.log(make_result(book.issuer.log.leaf(1)))
    assert book.check()[0] == [("INTAKE_MISSING", "leaf 2")]


def test_an_answer_with_another_hash_of_its_intake_is_named() -> None:
    book = Book()
    intake = book.intake(1)
    other = type(intake)(origin=intake.origin, index=0, leaf_hash=hash_leaf(b"another"))
    book.result(other)
    assert book.check()[0] == [("INTAKE_MISSING", "leaf 1")]


def test_a_statement_that_is_lost_is_named_and_so_is_what_it_answered() -> None:
    book = Book()
    book.result(book.intake(1))
    book.envelopes[1] = None
    assert book.check()[0] == [("INTAKE_UNANSWERED", "leaf 0"), ("STATEMENT_MISSING", "leaf 1")]
    # A pack has only some statements; what it has of an intake must still be answered.
    assert book.check(is_whole=False)[0] == [("INTAKE_UNANSWERED", "leaf 0")]


def test_an_intake_that_is_lost_is_named_and_its_answer_is_not() -> None:
    book = Book()
    book.result(book.intake(1))
    book.envelopes[0] = None
    assert book.check()[0] == [("STATEMENT_MISSING", "leaf 0")]


def test_an_intake_that_is_lost_is_answered_once() -> None:
    book = Book()
    intake = book.intake(1)
    book.result(intake)
    book.error(intake, 1)
    book.envelopes[0] = None
    findings, counts = book.check()
    assert findings == [("INTAKE_ANSWERED_TWICE", "leaf 2"), ("STATEMENT_MISSING", "leaf 0")]
    assert counts == StatementCounts(statements=2, intakes=0, answered=1, erased=0, in_work=0)


def test_a_result_that_was_erased_answered_its_intake() -> None:
    book = Book()
    result = book.result(book.intake(1))
    book.bury(result.index, 1)
    found, counts = book.check()
    assert found == []
    assert (counts.answered, counts.erased) == (1, 1)


def test_a_tombstone_without_anything_erased_answers_nothing() -> None:
    book = Book()
    intake = book.intake(1)
    book.intake(2)
    book.bury(1, 1)
    # The leaf that it names is there, so no result of this verification is gone.
    book.envelopes[1] = book.issuer.sign(b"{}")
    assert ("INTAKE_UNANSWERED", f"leaf {intake.index}") in book.check()[0]


def test_a_tombstone_of_a_leaf_that_is_not_before_it_is_named() -> None:
    book = Book()
    event = Tombstone(
        **book.head(),
        verification_id=name(1),
        log_index=7,
        payload_sha256=Digest.of(b""),
        reason="early",
    )
    book.log(write_event(event))
    assert book.check()[0] == [("TOMBSTONE_MISPLACED", "leaf 0")]


def test_a_statement_of_another_leaf_or_key_is_named() -> None:
    book = Book()
    book.result(book.intake(1))
    book.envelopes[0], book.envelopes[1] = book.envelopes[1], book.envelopes[0]
    assert book.check()[0] == [("STATEMENT_MISMATCH", "leaf 0"), ("STATEMENT_MISMATCH", "leaf 1")]
    thief = Book(issuer=Issuer(key=make_entry_key(9)))
    thief.intake(1)
    trusted = Book()
    trusted.issuer.log.entries += thief.issuer.log.entries
    trusted.envelopes += thief.envelopes
    assert trusted.check()[0] == [("STATEMENT_MISMATCH", "leaf 0")]


def test_statements_that_are_not_ours_are_named() -> None:
    book = Book()
    book.log(make_statement("https://example.com/other", {}))
    for payload in (b"not json", b"[]", b"{}", b'{"predicateType":1,"predicate":{}}'):
        book.log(payload)
    book.log(make_statement("urn:spanproof:attestation:intake:v1", {"time": 7}))
    # Before the first moment of the calendar, once it is in UTC.
    early = {"verification_id": "v", "time": "0001-01-01T00:00:00+23:59"}
    book.log(make_statement("urn:spanproof:attestation:intake:v1", early))
    book.log(b"[" * 100_000)
    assert book.check()[0] == [
        ("STATEMENT_UNKNOWN", "leaf 0"),
        *(("STATEMENT_MALFORMED", f"leaf {index}") for index in range(1, 8)),
    ]


def test_one_tombstone_a_leaf() -> None:
    book = Book()
    intake = book.intake(1)
    result = book.result(intake)
    book.bury(result.index, 1)
    assert book.check()[0] == []
    book.bury(result.index, 1)
    findings, counts = book.check()
    assert findings == [("TOMBSTONE_TWICE", "leaf 3")]
    assert counts.erased == 1


def test_a_tombstone_of_the_first_leaf_is_of_an_earlier_one() -> None:
    book = Book()
    book.intake(1)
    book.bury(0, 1)
    findings, counts = book.check()
    assert (findings, counts.erased) == ([], 1)


def test_a_tombstone_of_no_leaf_at_all_is_misplaced() -> None:
    book = Book()
    predicate = {"log_index": -1, "verification_id": name(1)}
    book.log(make_statement("urn:spanproof:attestation:tombstone:v1", predicate))
    assert book.check()[0] == [("TOMBSTONE_MISPLACED", "leaf 0")]


def test_a_tombstone_of_itself_is_misplaced() -> None:
    book = Book()
    book.log(
        make_statement(
            "urn:spanproof:attestation:tombstone:v1", {"log_index": 0, "verification_id": name(1)}
        )
    )
    assert book.check()[0] == [("TOMBSTONE_MISPLACED", "leaf 0")]
