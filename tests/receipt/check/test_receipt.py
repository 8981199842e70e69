"""A receipt is believed whole or not at all: whatever byte of it is another."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.errors import MalformedNoteError, MalformedReceiptError
from spanproof.receipt.check.content import AuditorFile, AuditorText
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import CheckOutcome, CheckReport, Line, LineStatus, Question
from spanproof.receipt.check.timing import parse_witnessed
from spanproof.receipt.forms.bundle import MAX_BUNDLE_BYTES, parse_bundle
from spanproof.receipt.keys.trust_file import TrustFile, parse_trust
from tests.receipt.attacks import list_attacks
from tests.receipt.attacks.scene import Scene
from tests.receipt.samples import (
    VALID_FROM,
    Issuer,
    make_entry_key,
    make_log_key,
    make_trust,
    to_bytes,
    to_trust_bytes,
)
from tests.receipt.statements import CANONICAL, MOMENT, SOURCE, make_result, to_text

if TYPE_CHECKING:
    from spanproof.receipt.statement.predicate import Predicate

ISSUER = Issuer()
ISSUER.issue()
RECEIPT = ISSUER.issue()
RAW = to_bytes(RECEIPT)
TRUST = parse_trust(to_trust_bytes(ISSUER))
SAID = parse_bundle(RAW)
HOUR = timedelta(hours=1)


def check(raw: bytes = RAW, trust: TrustFile = TRUST, **inputs: object) -> CheckReport:
    return check_receipt(raw, trust, AuditInputs(**inputs), now=MOMENT)  # type: ignore[arg-type]


def is_believed(raw: bytes) -> bool:
    try:
        return check(raw).outcome is CheckOutcome.OK
    except (MalformedReceiptError, MalformedNoteError):
        return False


def test_a_good_receipt_is_ok_and_what_was_not_asked_is_said() -> None:
    report = check()
    assert report.outcome is CheckOutcome.OK
    asked = {line.question for line in report.lines if line.status is LineStatus.OK}
    assert asked == {Question.SIGNATURE, Question.LOG}
    others = {line.status for line in report.lines if line.question not in asked}
    assert others == {LineStatus.NOT_ASKED}
    assert "issuer's word" in report[Question.TIME].words
    assert "1 ENTAILED" in report[Question.SUPPORT].words
    assert report.receipt_id == "01935a6e-8a00-7000-8000-000000000001"


def test_the_words_say_which_key_and_which_leaf() -> None:
    report = check()
    assert report[Question.SIGNATURE].words == (
        f"ECDSA P-256 by key {ISSUER.key.key_id} of the trust file (version 1)."
    )
    assert report[Question.LOG].words == (
        "Leaf 3 of the 4 in log.example.com; what came in is leaf 2."
    )


FORGED = "Give the receipt as it was issued, or treat it as forged."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "entry_of_another_digest",
            f"the leaf of this envelope and this key, got another leaf. {FORGED}",
        ),
        (
            "hashes_swapped",
            f"a proof that the leaf is in the log, got one that leads elsewhere. {FORGED}",
        ),
        (
            "other_log_id",
            "the log's id to be that of the key which signed its head, got another. " + FORGED,
        ),
        (
            "intake_in_another_log",
            "a statement of the log 'log.example.com', got one of 'log.example.org'. " + FORGED,
        ),
        (
            "intake_after_the_result",
            (
                "an intake leaf before index 8, got 8. "
                "What came in must be logged before it is judged."
            ),
        ),
        (
            "intake_of_another_hash",
            f"the intake leaf that stands at 8, got another's hash. {FORGED}",
        ),
        (
            "log_key_expired",
            (
                "a head signed by a key in use at the time of issue, got one that had ended. "
                "Get the newest trust file from the log's operator."
            ),
        ),
        (
            "unknown_hint",
            (
                f"a key of the trust file, got the hint '{make_entry_key(3).key_id}'. "
                "Use the trust file of the receipt's issuer."
            ),
        ),
        (
            "trust_file_expired",
            (
                "a trust file in use, got one that expired 2026-11-20T13:00:00Z. "
                "Get the newest one from the log's operator."
            ),
        ),
        (
            "log_forked",
            (
                "one history of the log, got another head: witness1.example.net over 8 leaves. "
                "Keep both heads: together they show that the log forked."
            ),
        ),
    ],
)
def test_a_failure_says_what_was_expected_and_what_was_got(name: str, words: str) -> None:
    scene = Scene.build()
    attack = next(each for each in list_attacks() if each.name == f"{name}_fail")
    made = attack.make(scene)
    report = check(
        made.receipt or to_bytes(scene.receipt),
        parse_trust(made.trust or scene.trust),
        witnessed=[parse_witnessed(raw) for raw in made.files.values()],
    )
    assert report.decisive is not None
    assert report.decisive.words == f"Expected {words}"
    assert report.decisive.question == attack.question
    others = [line.words for line in report.lines if line.status is LineStatus.NOT_CHECKED]
    assert set(others) == {f"The check ended at {attack.question}."}


def test_every_question_can_be_ok_at_once() -> None:
    def agree(predicate: Predicate) -> Line:
        assert predicate.verdicts
        return Line(question=Question.SUPPORT, status=LineStatus.OK, words="computed anew")

    report = check(
        sources=[AuditorFile.of(SOURCE)],
        texts=[AuditorText.of(CANONICAL.encode())],
        recompute=agree,
    )
    assert report.outcome is CheckOutcome.OK
    assert report[Question.DOCUMENT].status is LineStatus.OK
    assert report[Question.SPAN].status is LineStatus.OK
    assert report[Question.SUPPORT].words == "computed anew"


@settings(max_examples=400, deadline=None)
@given(at=st.integers(0, len(RAW) - 1), byte=st.integers(0, 255))
def test_another_byte_never_makes_another_receipt(at: int, byte: int) -> None:
    changed = RAW[:at] + bytes([byte]) + RAW[at + 1 :]
    if is_believed(changed):
        assert parse_bundle(changed) == SAID


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0, len(RAW)), length=st.integers(0, 40), inserted=st.binary(max_size=8))
def test_a_piece_cut_out_or_put_in_never_makes_another_receipt(
    at: int, length: int, inserted: bytes
) -> None:
    changed = RAW[:at] + inserted + RAW[at + length :]
    if is_believed(changed):
        assert parse_bundle(changed) == SAID


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0, len(SAID.envelope.payload) - 1), bit=st.integers(0, 7))
def test_another_bit_of_the_payload_breaks_the_signature(at: int, bit: int) -> None:
    payload = bytearray(SAID.envelope.payload)
    payload[at] ^= 1 << bit
    changed = replace(SAID, envelope=replace(SAID.envelope, payload=bytes(payload)))
    report = check(to_bytes(changed))
    assert report[Question.SIGNATURE].code == "EVIDENCE_FAILED"
    assert report.outcome is CheckOutcome.FAILED
    assert report.receipt_id is None


@settings(max_examples=100, deadline=None)
@given(raw=st.binary(max_size=400))
def test_noise_is_no_receipt(raw: bytes) -> None:
    with pytest.raises((MalformedReceiptError, MalformedNoteError)):
        check(raw)


def test_a_huge_file_is_refused_before_it_is_read_as_json() -> None:
    with pytest.raises(MalformedReceiptError, match="bytes, more than"):
        check(b" " * (MAX_BUNDLE_BYTES + 1))


@pytest.mark.parametrize("closed", [True, False])
def test_a_log_that_was_closed_is_still_trusted_for_what_it_holds(*, closed: bool) -> None:
    logs = [make_log_key(1)] if closed else []
    new = make_log_key(2, "log2.example.com")
    trust = make_trust([make_entry_key()], [*logs, new], origin=new.origin)
    report = check(trust=parse_trust(json.dumps(trust).encode()))
    assert report.outcome is (CheckOutcome.OK if closed else CheckOutcome.FAILED)
    if not closed:
        assert report[Question.LOG].code == "KEY_NOT_TRUSTED"


def test_a_head_may_be_signed_by_a_key_that_came_into_use_after_the_receipt() -> None:
    trust = make_trust([make_entry_key()], [make_log_key()])
    window = {"start": to_text(MOMENT + HOUR)}
    trust["trusted_root"]["tlogs"][0]["publicKey"]["validFor"] = window
    assert check(trust=parse_trust(json.dumps(trust).encode())).outcome is CheckOutcome.OK


def test_a_head_that_two_keys_of_the_log_signed_needs_one_that_is_still_good() -> None:
    old, new = make_log_key(1), make_log_key(2)
    trust = make_trust([make_entry_key()], [old, new])
    ended = {"start": to_text(VALID_FROM), "end": to_text(MOMENT - HOUR)}
    trust["trusted_root"]["tlogs"][0]["publicKey"]["validFor"] = ended
    parsed = parse_trust(json.dumps(trust).encode())
    assert check(trust=parsed)[Question.LOG].status is LineStatus.FAILED
    included = RECEIPT.included
    line = new.sign(included.checkpoint).rpartition("\n\n")[2]
    both = replace(RECEIPT, included=replace(included, note=included.note + line))
    assert check(to_bytes(both), parsed).outcome is CheckOutcome.OK


@pytest.mark.parametrize(("log_size", "expected"), [(3, "FAILED"), (4, "OK")])
def test_a_revoked_key_speaks_below_the_last_witnessed_head(log_size: int, expected: str) -> None:
    assert RECEIPT.included.leaf.index == 3
    revocation = {
        "key_id": ISSUER.key.key_id,
        "origin": ISSUER.log.origin,
        "log_size": log_size,
        "revoked_at": to_text(MOMENT - HOUR),
        "reason": "lost",
    }
    trust = parse_trust(to_trust_bytes(ISSUER, revocations=[revocation]))
    report = check(trust=trust)
    assert report.outcome.name == expected
    assert report[Question.LOG].status is not LineStatus.FAILED


def test_a_trust_file_is_good_until_it_expires() -> None:
    trust = parse_trust(to_trust_bytes(ISSUER, expires_at=to_text(MOMENT)))
    assert check(trust=trust).outcome is CheckOutcome.OK
    late = check_receipt(RAW, trust, now=MOMENT + HOUR)
    assert late[Question.SIGNATURE].code == "KEY_NOT_TRUSTED"
    assert late.outcome is CheckOutcome.FAILED


def test_timestamps_that_the_trust_file_asks_for_nobody_are_left_unread() -> None:
    stamped = replace(RECEIPT, timestamps=(b"no token",))
    assert check(to_bytes(stamped)).outcome is CheckOutcome.OK


@pytest.mark.parametrize("between", [0, 1, 2])
def test_the_intake_need_not_be_the_neighbour(between: int) -> None:
    issuer = Issuer()
    intake = issuer.add_intake()
    for _ in range(between):
        issuer.add_intake()
    receipt = issuer.include(issuer.sign(make_result(intake)))
    raw, trust = to_bytes(receipt), parse_trust(to_trust_bytes(issuer))
    assert check(raw, trust).outcome is CheckOutcome.OK


def test_beside_a_leaf_of_even_index_stands_no_intake() -> None:
    issuer = Issuer()
    issuer.add_intake()
    intake = issuer.add_intake()
    receipt = issuer.include(issuer.sign(make_result(intake)))
    assert receipt.included.leaf.index == intake.index + 1 == 2
    report = check(to_bytes(receipt), parse_trust(to_trust_bytes(issuer)))
    assert report.outcome is CheckOutcome.OK


def test_the_first_result_of_a_log_is_held_against_its_intake_too() -> None:
    issuer = Issuer()
    intake = replace(issuer.add_intake(), leaf_hash=bytes(32))
    receipt = issuer.include(issuer.sign(make_result(intake)))
    report = check(to_bytes(receipt), parse_trust(to_trust_bytes(issuer)))
    assert "the intake leaf that stands at 0, got another's hash" in report[Question.LOG].words


def test_a_key_of_the_log_may_end_at_the_moment_of_issue() -> None:
    for end, outcome in ((MOMENT, CheckOutcome.OK), (MOMENT - HOUR, CheckOutcome.FAILED)):
        value = make_trust([ISSUER.key], [ISSUER.log.key])
        value["trusted_root"]["tlogs"][0]["publicKey"]["validFor"]["end"] = to_text(end)
        value["signing_keys"][0]["valid_for"] = {"start": to_text(VALID_FROM)}
        assert check(trust=parse_trust(json.dumps(value).encode())).outcome is outcome


def test_the_log_id_must_be_of_the_key_that_signed() -> None:
    other = replace(RECEIPT, log_id=make_log_key(2).verifier.log_id)
    report = check(to_bytes(other))
    assert "log's id" in report[Question.LOG].words
