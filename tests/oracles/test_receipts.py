"""Receipts of every kind and place are accepted by every verifier."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.verdicts.status import Outcome
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.forms.signed_note import Signature, parse_note, write_note
from spanproof.receipt.witness.cosignature import LocalCosigner
from tests.oracles.tamperings.scene import make_fields, trust_in
from tests.oracles.verifiers import VERIFIERS, Case
from tests.receipt.samples import (
    Issuer,
    MemoryLog,
    make_entry_key,
    make_log_key,
    make_trust,
    to_bytes,
)
from tests.receipt.statements import make_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.receipt.forms.bundle import Receipt
    from tests.oracles.verifiers import Judgement

#: Trees at whose right edge, and at whose tiles' edges, proofs change their shape.
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257)


def make_results() -> Iterator[Case]:
    """Every result, and what a payload may have in it."""
    issuer = Issuer()
    for result in Outcome:
        yield make_case(result.value, issuer.issue(**make_fields(result)), issuer)
    yield make_case("no_verdicts", issuer.issue(verdicts=[]), issuer)
    words = 'Prüfstelle №7 😀 e\u0301 \u202e "\\/\u0001\u2028'
    yield make_case("not_ascii", issuer.issue(actor={"key_id": words}), issuer)
    many = [make_verdict() | {"anchor": number} for number in range(300)]
    yield make_case("long", issuer.issue(verdicts=many), issuer)


def make_places() -> Iterator[Case]:
    """At the ends and in the middle of trees of many sizes."""
    issuer = Issuer()
    envelopes = [issuer.sign({"number": number}) for number in range(max(SIZES))]
    entries = [write_entry(envelope, issuer.key.public_key) for envelope in envelopes]
    issuer.log.entries.extend(entries)
    for size in SIZES:
        for index in sorted({0, size // 2, size - 1}):
            included = issuer.log.prove(index, size)
            receipt = issuer.wrap(envelopes[index], entries[index], included)
            yield make_case(f"leaf_{index}_of_{size}", receipt, issuer)


def make_signers() -> Iterator[Case]:
    """Checkpoints that others signed too, and trust in more than one key."""
    issuer = Issuer()
    plain = issuer.issue()
    yield make_case("cosigned", sign_beside(plain, before=False), issuer)
    yield make_case("cosigned_before", sign_beside(plain, before=True), issuer)

    known = make_case("known_beside_others", plain, issuer)
    keys = (make_entry_key(5).public_key, *known.trust.keys, make_entry_key(6).public_key)
    yield replace(known, trust=replace(known.trust, keys=keys))

    # The log changed its key, and what the new one signed is trusted beside what the old one did.
    changed = Issuer(log=MemoryLog(key=make_log_key(2), entries=issuer.log.entries))
    root = make_trust([issuer.key], [issuer.log.key, changed.log.key])["trusted_root"]
    for name, by in (("before_the_keys_change", issuer), ("after_the_keys_change", changed)):
        case = make_case(name, by.issue(), by)
        vkeys = trust_in(issuer).vkeys + trust_in(changed).vkeys
        trust = replace(case.trust, trusted_root=json.dumps(root), vkeys=vkeys)
        yield replace(case, trust=trust)


def sign_beside(receipt: Receipt, *, before: bool) -> Receipt:
    """The receipt with a witness's cosignature and a line of a key that nobody knows."""
    note = parse_note(receipt.included.note)
    witness = LocalCosigner.generate("witness.example.com").cosign(note.text, 1_800_000_000)
    unknown = Signature(name="unknown.example.com", key_id=b"\x01\x02\x03\x04", content=bytes(64))
    others = (witness, unknown)
    lines = (*others, *note.signatures) if before else (*note.signatures, *others)
    return replace(receipt, included=replace(receipt.included, note=write_note(note.text, lines)))


def make_case(name: str, receipt: Receipt, issuer: Issuer) -> Case:
    """The receipt's file, for an auditor of its issuer."""
    return Case(name=name, raw=to_bytes(receipt), trust=trust_in(issuer))


CASES = {case.name: case for make in (make_results, make_places, make_signers) for case in make()}


@pytest.fixture(scope="module")
def said(verifier: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judgement]:
    """What the verifier says of every receipt."""
    return VERIFIERS[verifier](CASES, tmp_path_factory.mktemp(verifier))


@pytest.mark.parametrize("name", CASES)
def test_an_honest_receipt_is_accepted(said: dict[str, Judgement], name: str) -> None:
    assert said[name].accepted, said[name].reason
