from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import MalformedNoteError
from spanproof.receipt.check.finding import MOST_FINDINGS, Findings
from spanproof.receipt.check.leaves import LeafCheck
from spanproof.receipt.check.log import LogReport, SavedNote, check_log
from spanproof.receipt.forms.log_entry import LeafForm
from spanproof.receipt.keys.trust_file import parse_trust
from tests.receipt.samples import Issuer, MemoryLog, make_entry_key, make_log_key, to_trust_bytes
from tests.receipt.tiles import make_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_issuer(receipts: int = 4) -> Issuer:
    issuer = Issuer()
    for _ in range(receipts):
        issuer.issue()
    return issuer


ISSUER = make_issuer()
TRUST = parse_trust(to_trust_bytes(ISSUER))


def check(
    log: MemoryLog,
    *,
    head: str | None = None,
    older: Sequence[str] = (),
    trust: Any = TRUST,
    origin: str | None = None,
) -> LogReport:
    tiles = make_tiles(log.entries)
    return check_log(
        SavedNote(name="checkpoint", text=log.note() if head is None else head),
        lambda tile: tiles.get(tile.path),
        trust=trust,
        origin=origin,
        older=[SavedNote(name=f"old-{at}", text=text) for at, text in enumerate(older)],
    )


def codes(report: LogReport) -> list[tuple[str, str]]:
    return [(found.code, found.place) for found in report.findings]


def test_a_log_and_every_older_head_of_it_hold() -> None:
    log = ISSUER.log
    older = [log.note(size) for size in range(len(log.entries) + 1)]
    report = check(log, older=older)
    assert codes(report) == []
    assert report.head == log.checkpoint()
    assert report.signers == (log.origin,)
    assert report.older == len(older)


def test_a_head_of_another_key_says_nothing_and_no_tile_is_read() -> None:
    other = MemoryLog(key=make_log_key(2), entries=list(ISSUER.log.entries))
    report = check(other)
    assert codes(report) == [("CHECKPOINT_SIGNATURE", "checkpoint")]
    assert report.head is None
    assert report.tree is None


def test_a_head_of_another_log_is_refused() -> None:
    other = MemoryLog(key=make_log_key(1, "other.example.com"))
    assert codes(check(other)) == [("CHECKPOINT_ORIGIN", "checkpoint")]


def test_a_log_that_the_trust_file_does_not_know_has_no_keys() -> None:
    other = MemoryLog(key=make_log_key(1, "other.example.com"))
    report = check(other, origin="other.example.com")
    assert codes(report) == [("CHECKPOINT_SIGNATURE", "checkpoint")]


def test_what_is_no_checkpoint_is_malformed() -> None:
    with pytest.raises(MalformedNoteError):
        check(ISSUER.log, head="not a note")


def test_a_root_that_the_leaves_do_not_come_to_is_named() -> None:
    forged = MemoryLog(key=ISSUER.log.key, entries=[*ISSUER.log.entries[:-1], b"another"])
    report = check(ISSUER.log, head=forged.note())
    assert codes(report) == [("ROOT_MISMATCH", "checkpoint")]


@pytest.mark.parametrize("size", range(1, 9))
def test_a_fork_at_any_size_is_named_by_the_older_head(size: int) -> None:
    entries = list(ISSUER.log.entries)
    entries[size - 1] = b"another history"
    fork = MemoryLog(key=ISSUER.log.key, entries=entries)
    older = [ISSUER.log.note(each) for each in range(1, 9)]
    report = check(fork, older=older)
    assert codes(report) == [("LOG_FORKED", f"old-{at}") for at in range(size - 1, 8)]


def test_a_log_that_got_smaller_is_named() -> None:
    short = MemoryLog(key=ISSUER.log.key, entries=ISSUER.log.entries[:5])
    report = check(short, older=[ISSUER.log.note(6), ISSUER.log.note(5)])
    assert codes(report) == [("LOG_SHRUNK", "old-0")]
    assert "6 leaves" in report.findings[0].message


def test_older_heads_that_are_none_or_not_signed_are_named() -> None:
    forged = MemoryLog(key=make_log_key(3), entries=ISSUER.log.entries[:2])
    report = check(ISSUER.log, older=["nothing", forged.note()])
    assert codes(report) == [
        ("CHECKPOINT_MALFORMED", "old-0"),
        ("CHECKPOINT_SIGNATURE", "old-1"),
    ]


def test_an_older_head_that_cannot_be_compared_is_no_pass() -> None:
    log = MemoryLog(key=ISSUER.log.key, entries=[b"%d" % index for index in range(300)])
    tiles = make_tiles(log.entries)
    report = check_log(
        SavedNote(name="checkpoint", text=log.note()),
        lambda tile: tiles.get(tile.path) if tile.index or tile.level == 1 else None,
        trust=TRUST,
        older=[SavedNote(name="old", text=log.note(7))],
    )
    assert codes(report)[-1] == ("CHECKPOINT_NOT_COMPARED", "old")


# Leaves and their keys


def see_all(check: LeafCheck, entries: Sequence[bytes]) -> list[tuple[str, str]]:
    for index, entry in enumerate(entries):
        check.visit(index, entry)
    return [(found.code, found.place) for found in check.findings]


@pytest.mark.parametrize("with_signatures", [False, True])
def test_leaves_by_trusted_keys_hold(with_signatures: bool) -> None:
    leaves = LeafCheck(TRUST, TRUST.origin, with_signatures=with_signatures)
    assert see_all(leaves, ISSUER.log.entries) == []
    assert leaves.signatures == (len(ISSUER.log.entries) if with_signatures else 0)


@pytest.mark.parametrize("with_signatures", [False, True])
def test_a_leaf_by_another_key_is_named(with_signatures: bool) -> None:
    thief = Issuer(key=make_entry_key(9))
    thief.issue()
    leaves = LeafCheck(TRUST, TRUST.origin, with_signatures=with_signatures)
    assert see_all(leaves, thief.log.entries) == [
        ("ENTRY_KEY_UNKNOWN", "leaf 0"),
        ("ENTRY_KEY_UNKNOWN", "leaf 1"),
    ]


def test_a_leaf_that_is_none_is_named() -> None:
    spaced = ISSUER.log.entries[0].replace(b'":"', b'": "', 1)
    leaves = LeafCheck(TRUST, TRUST.origin)
    assert see_all(leaves, [b"", spaced]) == [
        ("ENTRY_MALFORMED", "leaf 0"),
        ("ENTRY_MALFORMED", "leaf 1"),
    ]


def test_leaves_of_a_revoked_key_count_below_its_index_only() -> None:
    revocation = {
        "key_id": ISSUER.key.key_id,
        "origin": ISSUER.log.origin,
        "log_size": 3,
        "revoked_at": "2026-11-21T00:00:00Z",
        "reason": "lost",
    }
    trust = parse_trust(to_trust_bytes(ISSUER, revocations=[revocation]))
    leaves = LeafCheck(trust, trust.origin)
    assert see_all(leaves, ISSUER.log.entries[:5]) == [
        ("ENTRY_KEY_REVOKED", "leaf 3"),
        ("ENTRY_KEY_REVOKED", "leaf 4"),
    ]
    # Revoked in one log, it counts in no other.
    elsewhere = LeafCheck(trust, "other.example.com")
    assert see_all(elsewhere, ISSUER.log.entries[:1]) == [("ENTRY_KEY_REVOKED", "leaf 0")]


def test_leaves_between_a_keys_last_one_and_its_revocation_prove_nothing() -> None:
    revocation = {
        "key_id": ISSUER.key.key_id,
        "origin": ISSUER.log.origin,
        "log_size": 2,
        "revoked_at": "2026-11-21T00:00:00Z",
        "reason": "lost",
        "revocation_index": 4,
    }
    trust = parse_trust(to_trust_bytes(ISSUER, revocations=[revocation]))
    leaves = LeafCheck(trust, trust.origin)
    assert leaves.withdrawn == 0
    assert see_all(leaves, ISSUER.log.entries[:5]) == [("ENTRY_KEY_REVOKED", "leaf 4")]
    assert leaves.withdrawn == 2


def test_a_signature_that_is_another_leafs_is_found_where_it_is_asked_for() -> None:
    first, second = (entry.decode() for entry in ISSUER.log.entries[:2])
    mark = '"content":"'
    own, other = (text.partition(mark)[2].partition('"')[0] for text in (first, second))
    swapped = first.replace(own, other).encode()
    assert see_all(LeafCheck(TRUST, TRUST.origin), [swapped]) == []
    asked = LeafCheck(TRUST, TRUST.origin, with_signatures=True)
    assert see_all(asked, [swapped]) == [("ENTRY_SIGNATURE", "leaf 0")]


def test_a_form_fits_the_leaves_of_its_key_and_covers_their_envelopes() -> None:
    receipts = [ISSUER.issue() for _ in range(3)]
    form, other = LeafForm(ISSUER.key.public_key), LeafForm(make_entry_key(9).public_key)
    for receipt in receipts:
        assert form.fits(receipt.entry)
        assert form.covers(receipt.entry, receipt.envelope)
        assert not other.fits(receipt.entry)
        assert not other.covers(receipt.entry, receipt.envelope)
    assert not form.covers(receipts[0].entry, receipts[1].envelope)


def test_findings_are_counted_beyond_those_that_are_kept() -> None:
    findings = Findings()
    for index in range(MOST_FINDINGS + 5):
        findings.add("CODE", str(index), "words")
    assert len(findings) == MOST_FINDINGS + 5
    assert len(findings.listed) == MOST_FINDINGS
    assert next(iter(findings)).to_json() == {"code": "CODE", "place": "0", "detail": "words"}
