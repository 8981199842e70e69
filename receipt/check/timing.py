"""TIME: the moment that a statement gives, against clocks that its issuer does not set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import TimestampsUnavailableError
from spanproof.core.log.merkle import ConsistencyProof, InclusionProof
from spanproof.core.moment import write_short_moment
from spanproof.receipt.check.report import Line, LineStatus, Question
from spanproof.receipt.check.time_bounds import (
    SKEW,
    Bound,
    WitnessedHead,
    find_bounds,
    is_fork,
    proves_extension,
)
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.log_proof import HEADER, parse_log_proof
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.witness.cosigning import parse_request
from spanproof.receipt.witness.policy import NONE, find_witnesses, parse_policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.check.time_bounds import TimeBounds
    from spanproof.receipt.forms.bundle import Receipt
    from spanproof.receipt.forms.signed_note import Note
    from spanproof.receipt.keys.trust_file import TrustFile
    from spanproof.receipt.witness.policy import WitnessPolicy

_REQUEST = b"old "
#: Beyond it ``datetime`` has no year; a witness of a later time bounds nothing that we can write.
_LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessedNote:
    """A head that an auditor holds, and perhaps a proof of a leaf or of a smaller tree under it.

    Nothing of it is checked.
    """

    note: Note
    checkpoint: Checkpoint
    inclusion: InclusionProof | None = None
    consistency: ConsistencyProof | None = None


def parse_witnessed(raw: bytes) -> WitnessedNote:
    """Read a cosigned checkpoint; raise MalformedNoteError for anything else.

    Also a ``.tlog-proof``, which proves a leaf under its checkpoint, and an ``add-checkpoint``
    request (C2SP tlog-witness), which proves that its checkpoint grew out of a smaller one.
    """
    text: bytes | str = raw
    index: int | None = None
    old_size: int | None = None
    hashes: tuple[bytes, ...] = ()
    if raw.startswith(HEADER.encode("ascii")):
        proof = parse_log_proof(raw)
        text, index, hashes = proof.note, proof.index, proof.hashes
    elif raw.startswith(_REQUEST):
        request = parse_request(raw)
        text, old_size, hashes = request.note, request.old_size, request.hashes
    note = parse_note(text)
    head = parse_checkpoint(note.text)
    return WitnessedNote(
        note=note,
        checkpoint=head,
        inclusion=None
        if index is None
        else InclusionProof(index=index, size=head.size, hashes=hashes),
        consistency=None
        if old_size is None
        else ConsistencyProof(old_size=old_size, new_size=head.size, hashes=hashes),
    )


def read_policy(trust: TrustFile) -> WitnessPolicy | None:
    """Who must have cosigned, by the trust file; None where it names no witness.

    Raises MalformedTrustError for a malformed policy.
    """
    if trust.witness_policy is None:
        return None
    policy = parse_policy(trust.witness_policy.encode("utf-8"))
    return policy if policy.witnesses else None


def gather_bounds(
    receipt: Receipt, trust: TrustFile, witnessed: Sequence[WitnessedNote]
) -> TimeBounds:
    """What the receipt's timestamps and cosignatures, and those given, say of its leaf.

    Raises EvidenceError for a head that its log did not sign, a witness's line that is false, or a
    timestamp that does not hold.
    """
    policy = read_policy(trust)
    included = receipt.included
    heads = []
    if policy is not None:
        own = WitnessedNote(note=parse_note(included.note), checkpoint=included.checkpoint)
        heads += _find_heads(own, policy)
    stamps, unlinked = _read_stamps(receipt, trust)
    forked: list[str] = []
    unseen: list[ConsistencyProof] = []
    for each in witnessed:
        head = each.checkpoint
        check_note(each.note, trust.require_log_keys(head.origin, size=head.size))
        found = _find_heads(each, policy)
        if not found and is_fork(head, included.checkpoint):
            # Evidence against the log, even if it is cosigned.
            forked.append(f"{head.size} leaves that {head.origin} signed")
        elif not found and each.consistency is not None:
            # A request proves something by itself: it is not cosigned yet.
            unseen.append(each.consistency)
        elif not found:
            unlinked.append(
                f"the head of {head.size} leaves of {head.origin}: not cosigned as the trust file "
                "asks"
            )
        heads += found
    unlinked += [
        f"the proof from {proof.old_size} to {proof.new_size} leaves: links no witnessed head to "
        "the receipt's"
        for proof in unseen
        if not any(proves_extension(proof, included.checkpoint, head.checkpoint) for head in heads)
    ]
    proofs = [each.consistency for each in witnessed if each.consistency is not None]
    bounds = find_bounds(included, heads, proofs=proofs, stamps=stamps)
    return replace(
        bounds,
        unlinked=(*unlinked, *bounds.unlinked),
        forked=(*forked, *bounds.forked),
        lacks_quorum=policy is not None and policy.quorum != NONE and not heads,
    )


def check_time(issued: datetime, bounds: TimeBounds, *, is_asked: bool) -> Line:
    """TIME: whether the issuer's word lies between the bounds, give or take SKEW."""
    said = f"{write_short_moment(issued)} by the issuer's word"
    if not bounds.holds(issued):
        # First: a head that bounds nothing takes nothing back of what another shows.
        words = f"{said}, {bounds} by others': more than {SKEW.seconds} seconds apart."
        return _line(LineStatus.FAILED, words, code="TIME_OUT_OF_BOUNDS")
    if bounds.unlinked:
        words = f"{said}; what was given bounds nothing: {'; '.join(bounds.unlinked)}."
        return _line(LineStatus.NOT_CHECKED, words)
    if bounds.lacks_quorum:
        words = f"{said}; the trust file demands cosigned heads, and none was given."
        return _line(LineStatus.NOT_CHECKED, words)
    if bounds.after is None and bounds.before is None:
        if is_asked:
            return _line(LineStatus.NOT_CHECKED, f"{said}; no evidence limits it.")
        return _line(LineStatus.NOT_ASKED, f"{said} only; no head that others saw was given.")
    return _line(LineStatus.OK, f"{said}, {bounds} by others'.")


def _read_stamps(receipt: Receipt, trust: TrustFile) -> tuple[list[Bound], list[str]]:
    """The timestamps over the signature, and why others bound nothing.

    A trust file without authorities asks for no timestamps: the bundle's are then not read.
    """
    authorities = trust.trusted_root.timestamp_authorities
    if not receipt.timestamps or not authorities:
        return [], []
    from spanproof.receipt.check.timestamp import check_timestamp

    try:
        found = [
            check_timestamp(token, receipt.envelope.signature, authorities)
            for token in receipt.timestamps
        ]
    except TimestampsUnavailableError as error:
        return [], [str(error)]
    return [Bound(moment=each.latest, source=each.authority) for each in found], []


def _find_heads(witnessed: WitnessedNote, policy: WitnessPolicy | None) -> list[WitnessedHead]:
    """The head, if enough witnesses cosigned it."""
    if policy is None:
        return []
    found = find_witnesses(witnessed.note, policy)
    if not found.is_met or not found.cosignatures:
        return []
    seconds = [min(each.timestamp, _LAST_SECOND) for each in found.cosignatures]
    return [
        WitnessedHead(
            checkpoint=witnessed.checkpoint,
            earliest=datetime.fromtimestamp(min(seconds), UTC),
            latest=datetime.fromtimestamp(max(seconds), UTC),
            witnesses=tuple(dict.fromkeys(each.key.name for each in found.cosignatures)),
            inclusion=witnessed.inclusion,
        )
    ]


def _line(status: LineStatus, words: str, *, code: str | None = None) -> Line:
    return Line(question=Question.TIME, status=status, words=words, code=code)
