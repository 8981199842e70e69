"""Every parser of what others wrote, with valid inputs, and what an acceptance must mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedReceiptError, SpanproofError
from spanproof.core.json_reader import strict_json
from spanproof.core.log.merkle import prove_consistency
from spanproof.core.log.tiles import join_entries, parse_tile_path, split_entries
from spanproof.receipt.check.consistency import parse_proof
from spanproof.receipt.check.receipt import check_receipt
from spanproof.receipt.check.report import CheckOutcome
from spanproof.receipt.check.timing import parse_witnessed
from spanproof.receipt.export.evidence_pack import parse_manifest, write_manifest
from spanproof.receipt.forms.bundle import Receipt, parse_bundle
from spanproof.receipt.forms.checkpoint_note import format_checkpoint, parse_checkpoint
from spanproof.receipt.forms.log_entry import parse_entry
from spanproof.receipt.forms.log_proof import make_log_proof, parse_log_proof, write_log_proof
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.receipt.keys.verifier_key import parse_verifier_key
from spanproof.receipt.statement.event_statement import parse_event, write_event
from spanproof.receipt.statement.events import Intake
from spanproof.receipt.statement.statement import parse_statement
from spanproof.receipt.witness.cosignature import format_cosigner_key, parse_cosigner_key
from spanproof.receipt.witness.cosigning import parse_request
from spanproof.receipt.witness.policy import parse_policy
from tests.receipt.check.proofs import write_proof
from tests.receipt.samples import (
    Issuer,
    cosign,
    make_cosigner,
    make_witness_policy,
    to_bytes,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """``read`` takes any bytes; it returns, or raises one of ``refusals`` and nothing else.

    It may return a word for what it made of them, and raises AssertionError for an acceptance that
    is wrong.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...] = (SpanproofError,)


def _make_issuer() -> tuple[Issuer, Receipt]:
    issuer = Issuer()
    for _ in range(3):
        issuer.issue()
    receipt = issuer.issue()
    issuer.issue()
    return issuer, receipt


_ISSUER, _RECEIPT = _make_issuer()
_BUNDLE = to_bytes(_RECEIPT)
_WITNESS = make_cosigner()
_TRUST_BYTES = to_trust_bytes(_ISSUER, witnesses=[_WITNESS])
_TRUST = parse_trust(_TRUST_BYTES)
_NOTE = cosign(_ISSUER.log.note(), _WITNESS, MOMENT)


def _list_content(receipt: Receipt) -> tuple[object, ...]:
    """What a receipt says; its note may have lines of strangers, its key's name is a hint."""
    included = receipt.included
    return receipt.envelope, receipt.entry, included.leaf, included.checkpoint, included.proof


def _check(raw: bytes) -> str:
    """A receipt that passes says what was issued, whatever became of its bytes."""
    report = check_receipt(raw, _TRUST, now=MOMENT)
    if report.outcome is not CheckOutcome.OK:
        return "failed"
    same = _list_content(parse_bundle(raw)) == _list_content(_RECEIPT)
    assert same, "a changed receipt passed"
    return "passed with what was issued"


def _read_text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    """For parsers of text: bytes that are no UTF-8 are not theirs to refuse."""
    return lambda raw: parse(raw.decode("utf-8", "replace"))


def _read_tile_path(raw: bytes) -> None:
    path = raw.decode("latin-1")
    tile = parse_tile_path(path)
    assert tile is None or tile.path == path, "two spellings of one tile"


def _read_entries(raw: bytes) -> None:
    assert join_entries(split_entries(raw)) == raw, "a bundle of entries with two readings"


def _read_json(raw: bytes) -> None:
    strict_json.parse(
        raw,
        what="a text",
        error=MalformedReceiptError,
        hint="Give it whole.",
        limits=strict_json.JsonLimits(max_bytes=1 << 20),
    )


def _read_bundle(raw: bytes) -> None:
    parse_bundle(raw)


_GROWTH = prove_consistency(_ISSUER.log._read, 4, len(_ISSUER.log.entries))
_EVENTS = (
    write_event(
        Intake(
            event_id="01935a6e-8a00-7000-8000-000000000001",
            nonce=bytes(range(16)),
            time=MOMENT,
            origin=_ISSUER.log.origin,
            verification_id="0b0e7a52-6c1f-4a3e-9b3e-3f0c7d8a9e10",
            request_digest=Digest.of(b"request"),
            process="0" * 32,
        )
    ),
)
PARSERS = (
    Parser(name="receipt, checked", read=_check, seeds=(_BUNDLE,)),
    Parser(name="bundle", read=_read_bundle, seeds=(_BUNDLE,)),
    Parser(name="trust file", read=parse_trust, seeds=(_TRUST_BYTES, to_trust_bytes(_ISSUER))),
    Parser(name="predicate", read=parse_statement, seeds=(_RECEIPT.envelope.payload,)),
    Parser(name="event", read=parse_event, seeds=_EVENTS),
    Parser(name="leaf", read=parse_entry, seeds=(_RECEIPT.entry,)),
    Parser(name="note", read=parse_note, seeds=(_NOTE.encode(),)),
    Parser(
        name="checkpoint",
        read=_read_text(parse_checkpoint),
        seeds=(format_checkpoint(_ISSUER.log.checkpoint()).encode(),),
    ),
    Parser(
        name="log proof",
        read=parse_log_proof,
        seeds=(write_log_proof(make_log_proof(_RECEIPT.included)).encode(),),
    ),
    Parser(name="consistency proof", read=parse_proof, seeds=(write_proof(_GROWTH).encode(),)),
    Parser(
        name="witness request",
        read=parse_request,
        seeds=(_ISSUER.log.prove_growth(4).encode(),),
    ),
    Parser(
        name="witnessed head",
        read=parse_witnessed,
        seeds=(_NOTE.encode(), _ISSUER.log.prove_growth(4).encode()),
    ),
    Parser(
        name="witness policy", read=parse_policy, seeds=(make_witness_policy([_WITNESS]).encode(),)
    ),
    Parser(
        name="verifier key",
        read=_read_text(parse_verifier_key),
        seeds=(format_cosigner_key(_WITNESS.verifier).encode(),),
    ),
    Parser(
        name="cosigner key",
        read=_read_text(parse_cosigner_key),
        seeds=(format_cosigner_key(_WITNESS.verifier).encode(),),
    ),
    Parser(
        name="manifest",
        read=parse_manifest,
        seeds=(
            write_manifest(
                {"receipts/a.sigstore.json": Digest.of(b"a"), "trust.json": Digest.of(b"b")},
                verifications=["v1"],
                origin=_ISSUER.log.origin,
                made_at=MOMENT,
            ),
        ),
    ),
    Parser(name="strict JSON", read=_read_json, seeds=(_BUNDLE, b'{"a": [1, "b", null, true]}')),
    Parser(
        name="tile path",
        read=_read_tile_path,
        seeds=(b"tile/0/x001/067.p/8", b"tile/entries/000", b"tile/8/x123/x456/789"),
    ),
    Parser(
        name="entry bundle",
        read=_read_entries,
        seeds=(join_entries([b"one", b"", b"three" * 40]),),
        refusals=(ValueError,),
    ),
)
