"""The issuer's word of time, between heads that others saw: only where a proof links them."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import EvidenceError, MalformedNoteError, NoteSignatureError
from spanproof.core.log.merkle import ConsistencyProof
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.check.time_bounds import TimeBounds, WitnessedHead, find_bounds
from spanproof.receipt.check.timestamp import make_request
from spanproof.receipt.check.timing import check_time, gather_bounds, parse_witnessed
from spanproof.receipt.forms.log_proof import make_log_proof, write_log_proof
from spanproof.receipt.forms.signed_note import write_line
from spanproof.receipt.keys.trust_file import parse_trust
from tests.receipt.authority import LocalAuthority
from tests.receipt.samples import (
    Issuer,
    cosign,
    make_cosigner,
    make_log_key,
    make_witness_policy,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from spanproof.receipt.forms.bundle import Receipt
    from spanproof.receipt.keys.trust_file import TrustFile

HOUR = timedelta(hours=1)
WITNESS = make_cosigner()


@pytest.fixture
def issuer() -> Issuer:
    issuer = Issuer()
    issuer.issue()
    return issuer


def trust_in(issuer: Issuer, *numbers: int) -> TrustFile:
    witnesses = [make_cosigner(number) for number in numbers or (1,)]
    return parse_trust(to_trust_bytes(issuer, witnesses=witnesses))


def gather(receipt: Receipt, issuer: Issuer, *notes: str) -> TimeBounds:
    witnessed = [parse_witnessed(note.encode()) for note in notes]
    return gather_bounds(receipt, trust_in(issuer), witnessed)


def test_the_receipts_own_head_bounds_it_once_a_witness_cosigned_it(issuer: Issuer) -> None:
    receipt = issuer.issue()
    assert gather(receipt, issuer) == TimeBounds(lacks_quorum=True)
    note = cosign(receipt.included.note, WITNESS, MOMENT + HOUR)
    cosigned = replace(receipt, included=replace(receipt.included, note=note))
    bounds = gather(cosigned, issuer)
    assert bounds.after is None
    assert not bounds.lacks_quorum
    assert bounds.before is not None
    assert bounds.before.moment == MOMENT + HOUR
    assert "witness1.example.net" in bounds.before.source


def test_a_quorum_that_is_demanded_and_not_shown_is_no_pass(issuer: Issuer) -> None:
    receipt = issuer.issue()
    line = check_time(MOMENT, gather(receipt, issuer), is_asked=False)
    assert line.status is LineStatus.NOT_CHECKED
    assert line.words == (
        "2026-11-20T14:00:00Z by the issuer's word; the trust file demands cosigned heads, "
        "and none was given."
    )
    # Witnesses that are named, and not demanded.
    trust = trust_in(issuer)
    assert trust.witness_policy is not None
    lenient = trust.witness_policy.replace("quorum all", "quorum none")
    bounds = gather_bounds(receipt, replace(trust, witness_policy=lenient), [])
    assert bounds == TimeBounds()


def test_the_same_head_from_elsewhere_bounds_it_too(issuer: Issuer) -> None:
    receipt = issuer.issue()
    bounds = gather(receipt, issuer, cosign(receipt.included.note, WITNESS, MOMENT + HOUR))
    assert bounds.before is not None
    assert bounds.before.moment == MOMENT + HOUR


def test_a_later_head_bounds_it_with_a_proof_of_the_leaf(issuer: Issuer) -> None:
    receipt = issuer.issue()
    issuer.issue()
    note = cosign(issuer.log.note(), WITNESS, MOMENT + HOUR)
    bare = gather(receipt, issuer, note)
    assert bare.before is None
    assert "no proof links it" in bare.unlinked[0]
    later = issuer.log.prove(receipt.included.leaf.index)
    proof = write_log_proof(make_log_proof(replace(later, note=note)))
    linked = gather(receipt, issuer, proof)
    assert linked.unlinked == ()
    assert linked.before is not None
    other = write_log_proof(make_log_proof(replace(issuer.log.prove(0), note=note)))
    assert gather(receipt, issuer, other).unlinked
    broken = replace(make_log_proof(replace(later, note=note)), hashes=later.proof.hashes[::-1])
    assert gather(receipt, issuer, write_log_proof(broken)).unlinked


def test_an_earlier_head_bounds_it_from_below_with_a_consistency_proof(issuer: Issuer) -> None:
    early = cosign(issuer.log.note(), WITNESS, MOMENT - HOUR)
    size = len(issuer.log.entries)
    receipt = issuer.issue()
    assert gather(receipt, issuer, early).unlinked
    bounds = gather(receipt, issuer, early, issuer.log.prove_growth(size))
    assert bounds.unlinked == ()
    assert bounds.before is None
    assert bounds.after is not None
    assert bounds.after.moment == MOMENT - HOUR


def test_a_proof_of_another_history_links_nothing(issuer: Issuer) -> None:
    early = cosign(issuer.log.note(), WITNESS, MOMENT - HOUR)
    size = len(issuer.log.entries)
    receipt = issuer.issue()
    fork = Issuer(key=issuer.key)
    fork.log.entries += [b"x"] * len(issuer.log.entries)
    assert gather(receipt, issuer, early, fork.log.prove_growth(size)).unlinked


def test_another_head_of_the_same_size_is_a_fork(issuer: Issuer) -> None:
    receipt = issuer.issue()
    fork = Issuer(key=issuer.key)
    fork.log.entries += [*issuer.log.entries[:-1], b"x"]
    bounds = gather(receipt, issuer, cosign(fork.log.note(), WITNESS, MOMENT))
    assert bounds.forked == ("witness1.example.net over 4 leaves",)
    assert bounds.before is None


def test_a_head_of_another_log_links_nothing(issuer: Issuer) -> None:
    receipt = issuer.issue()
    head = replace(receipt.included.checkpoint, origin="elsewhere.example.org")
    given = WitnessedHead(checkpoint=head, earliest=MOMENT, latest=MOMENT, witnesses=("w",))
    assert find_bounds(receipt.included, [given]).unlinked


def test_a_head_that_the_log_did_not_sign_is_refused(issuer: Issuer) -> None:
    receipt = issuer.issue()
    forged = make_log_key(2).sign(issuer.log.checkpoint())
    with pytest.raises(NoteSignatureError):
        gather(receipt, issuer, cosign(forged, WITNESS, MOMENT))
    elsewhere = Issuer()
    elsewhere.log.key = make_log_key(1, "elsewhere.example.org")
    with pytest.raises(EvidenceError):
        gather(receipt, issuer, elsewhere.log.note())


def test_a_witness_of_whom_nobody_knows_bounds_nothing(issuer: Issuer) -> None:
    receipt = issuer.issue()
    stranger = cosign(receipt.included.note, make_cosigner(2), MOMENT)
    assert "not cosigned" in gather(receipt, issuer, stranger).unlinked[0]
    witnessed = [parse_witnessed(cosign(receipt.included.note, WITNESS, MOMENT).encode())]
    alone = parse_trust(to_trust_bytes(issuer))
    for policy in (None, "quorum none\n"):
        trust = replace(alone, witness_policy=policy)
        assert gather_bounds(receipt, trust, witnessed).unlinked


def test_of_several_witnesses_the_careful_end_counts(issuer: Issuer) -> None:
    early_note, size = issuer.log.note(), len(issuer.log.entries)
    receipt = issuer.issue()
    late_note = receipt.included.note
    for number, moment in ((1, MOMENT - HOUR), (2, MOMENT - 2 * HOUR)):
        early_note = cosign(early_note, make_cosigner(number), moment)
        late_note = cosign(late_note, make_cosigner(number), moment + 4 * HOUR)
    notes = (early_note, late_note, issuer.log.prove_growth(size))
    witnessed = [parse_witnessed(note.encode()) for note in notes]
    bounds = gather_bounds(receipt, trust_in(issuer, 1, 2), witnessed)
    assert bounds.after is not None
    assert bounds.before is not None
    assert (bounds.after.moment, bounds.before.moment) == (MOMENT - 2 * HOUR, MOMENT + 3 * HOUR)


def test_fewer_witnesses_than_the_policy_asks_for_bound_nothing(issuer: Issuer) -> None:
    receipt = issuer.issue()
    witnesses = [make_cosigner(number) for number in (1, 2)]
    policy = make_witness_policy(witnesses).replace("group all 1 ", "group all 2 ")
    trust = parse_trust(to_trust_bytes(issuer, witness_policy=policy))
    once = cosign(receipt.included.note, witnesses[0], MOMENT)
    bounds = gather_bounds(receipt, trust, [parse_witnessed(once.encode())])
    assert bounds.before is None
    assert "not cosigned as the trust file asks" in bounds.unlinked[0]
    twice = cosign(once, witnesses[1], MOMENT + HOUR)
    bounds = gather_bounds(receipt, trust, [parse_witnessed(twice.encode())])
    assert bounds.before is not None
    assert not bounds.unlinked


def test_of_several_heads_the_narrowest_bounds_count(issuer: Issuer) -> None:
    receipt = issuer.issue()
    later = [cosign(receipt.included.note, WITNESS, MOMENT + hours * HOUR) for hours in (3, 1, 2)]
    bounds = gather(receipt, issuer, *later)
    assert bounds.before is not None
    assert bounds.before.moment == MOMENT + HOUR


def test_a_time_beyond_the_calendar_is_the_last_of_it(issuer: Issuer) -> None:
    receipt = issuer.issue()
    line = WITNESS.cosign("\n".join(receipt.included.note.split("\n")[:3]) + "\n", 2**62)
    bounds = gather(receipt, issuer, receipt.included.note + write_line(line))
    assert bounds.before is not None
    assert bounds.before.moment == datetime(9999, 12, 31, tzinfo=UTC)


def test_the_words_name_both_bounds_and_whose_they_are(issuer: Issuer) -> None:
    early_note, size = issuer.log.note(), len(issuer.log.entries)
    receipt = issuer.issue()
    late_note = receipt.included.note
    for number in (1, 2):
        early_note = cosign(early_note, make_cosigner(number), MOMENT - HOUR)
        late_note = cosign(late_note, make_cosigner(number), MOMENT + HOUR)
    notes = (early_note, late_note, issuer.log.prove_growth(size))
    witnessed = [parse_witnessed(note.encode()) for note in notes]
    bounds = gather_bounds(receipt, trust_in(issuer, 1, 2), witnessed)
    line = check_time(MOMENT, bounds, is_asked=True)
    who = "witness1.example.net, witness2.example.net"
    assert line.words == (
        "2026-11-20T14:00:00Z by the issuer's word, "
        f"after 2026-11-20T13:00:00Z ({who} over 2 leaves) "
        f"and by 2026-11-20T15:00:00Z ({who} over 4 leaves) by others'."
    )
    late = check_time(MOMENT + 2 * HOUR, bounds, is_asked=True)
    assert late.status is LineStatus.FAILED
    assert late.words.endswith("by others': more than 300 seconds apart.")


def test_the_words_say_why_a_head_bounds_nothing(issuer: Issuer) -> None:
    receipt = issuer.issue()
    stranger = cosign(receipt.included.note, make_cosigner(2), MOMENT)
    issuer.issue()
    later = cosign(issuer.log.note(), WITNESS, MOMENT)
    line = check_time(MOMENT, gather(receipt, issuer, stranger, later), is_asked=True)
    assert line.words == (
        "2026-11-20T14:00:00Z by the issuer's word; what was given bounds nothing: "
        "the head of 4 leaves of log.example.com: not cosigned as the trust file asks; "
        "witness1.example.net over 6 leaves: no proof links it to the receipt's head."
    )
    for is_asked, words in (
        (True, "2026-11-20T14:00:00Z by the issuer's word; no evidence limits it."),
        (
            False,
            "2026-11-20T14:00:00Z by the issuer's word only; no head that others saw was given.",
        ),
    ):
        assert check_time(MOMENT, TimeBounds(), is_asked=is_asked).words == words


@pytest.mark.parametrize(("more", "is_lower"), [(0, True), (1, False)])
def test_the_leaf_after_the_last_of_a_head_is_not_in_it(
    issuer: Issuer, more: int, *, is_lower: bool
) -> None:
    receipt = issuer.issue()
    issuer.issue()
    included = issuer.log.prove(receipt.included.leaf.index)
    size = included.leaf.index + more
    head = cosign(issuer.log.note(size), WITNESS, MOMENT)
    own = issuer.wrap(receipt.envelope, receipt.entry, included)
    bounds = gather(own, issuer, head, issuer.log.prove_growth(size))
    assert bounds.unlinked == ()
    assert (bounds.after is not None, bounds.before is not None) == (is_lower, not is_lower)


def test_a_proof_that_links_nothing_is_told_beside_a_head_that_bounds(issuer: Issuer) -> None:
    size = len(issuer.log.entries)
    receipt = issuer.issue()
    own = cosign(receipt.included.note, WITNESS, MOMENT)
    fork = Issuer(key=issuer.key)
    fork.log.entries += [b"x"] * (len(issuer.log.entries) + 1)
    bounds = gather(receipt, issuer, own, fork.log.prove_growth(size))
    assert bounds.before is not None
    assert bounds.unlinked == (
        "the proof from 2 to 5 leaves: links no witnessed head to the receipt's",
    )
    assert check_time(MOMENT, bounds, is_asked=True).status is LineStatus.NOT_CHECKED


def test_another_head_of_the_same_size_is_a_fork_without_any_witness(issuer: Issuer) -> None:
    size = len(issuer.log.entries)
    receipt = issuer.issue()
    own = cosign(receipt.included.note, WITNESS, MOMENT)
    fork = Issuer(key=issuer.key)
    fork.log.entries += [*issuer.log.entries[:-1], b"x"]
    for given in (fork.log.note(), fork.log.prove_growth(size)):
        assert gather(receipt, issuer, own, given).forked == (
            "4 leaves that log.example.com signed",
        )


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> LocalAuthority:
    pytest.importorskip("rfc3161_client", reason="the extra 'timestamps' is not installed")
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


def stamp(receipt: Receipt, authority: LocalAuthority, message: bytes | None = None) -> Receipt:
    request = make_request(receipt.envelope.signature if message is None else message)
    return replace(receipt, timestamps=(authority.answer(request.content),))


def trust_with(issuer: Issuer, authority: LocalAuthority) -> TrustFile:
    trust = trust_in(issuer)
    root = replace(trust.trusted_root, timestamp_authorities=(authority.trusted,))
    return replace(trust, trusted_root=root)


def test_a_timestamp_over_the_signature_bounds_it_from_above(
    issuer: Issuer, authority: LocalAuthority
) -> None:
    receipt = stamp(issuer.issue(), authority)
    bounds = gather_bounds(receipt, trust_with(issuer, authority), [])
    assert bounds.before is not None
    assert abs(bounds.before.moment - datetime.now(UTC)) < HOUR
    assert bounds.before.source == "https://tsa.example.com"
    unasked = gather_bounds(receipt, trust_in(issuer), [])
    assert unasked == TimeBounds(lacks_quorum=True), "nobody asked for timestamps"


def test_a_timestamp_over_other_bytes_does_not_hold(
    issuer: Issuer, authority: LocalAuthority
) -> None:
    receipt = stamp(issuer.issue(), authority, b"another signature")
    with pytest.raises(EvidenceError):
        gather_bounds(receipt, trust_with(issuer, authority), [])


def test_a_timestamp_that_nothing_here_can_read_is_no_pass(
    issuer: Issuer, authority: LocalAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = stamp(issuer.issue(), authority)
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    bounds = gather_bounds(receipt, trust_with(issuer, authority), [])
    assert bounds.before is None
    line = check_time(MOMENT, bounds, is_asked=False)
    assert line.status is LineStatus.NOT_CHECKED
    assert "spanproof[timestamps]" in line.words


@pytest.mark.parametrize("raw", [b"", b"old 1\n\n", b"c2sp.org/tlog-proof@v1\n\n", b"\xff"])
def test_what_is_no_head_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedNoteError):
        parse_witnessed(raw)


def test_a_request_is_read_as_the_proof_that_it_carries(issuer: Issuer) -> None:
    issuer.issue()
    found = parse_witnessed(issuer.log.prove_growth(2).encode())
    assert isinstance(found.consistency, ConsistencyProof)
    assert (found.consistency.old_size, found.consistency.new_size) == (2, 4)
    assert found.inclusion is None
