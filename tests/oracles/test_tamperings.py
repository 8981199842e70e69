"""Each verifier refuses every tampering with what it looks at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import MalformedNoteError, MalformedReceiptError
from spanproof.receipt.check.receipt import check_receipt
from spanproof.receipt.check.report import CheckOutcome
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.keys.signing_keys import name_public_key
from spanproof.receipt.keys.trust_file import parse_trust
from tests.oracles.tamperings import ALL
from tests.oracles.tamperings.register import encode
from tests.oracles.verifiers import VERIFIERS, Case
from tests.receipt.samples import VALID_FROM, to_bytes
from tests.receipt.statements import MOMENT, to_text

if TYPE_CHECKING:
    from tests.oracles.tamperings.register import Tampering
    from tests.oracles.tamperings.scene import Scene
    from tests.oracles.verifiers import Judgement

HONEST = "honest"


@pytest.fixture(scope="module")
def judgements(
    verifier: str, scene: Scene, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, Judgement]]:
    """The verifier's name, and what it says of the honest receipt and of every tampering."""
    honest = Case(name=HONEST, raw=to_bytes(scene.receipt), trust=scene.trust)
    cases = {HONEST: honest} | {each.name: each.apply(scene) for each in ALL}
    return verifier, VERIFIERS[verifier](cases, tmp_path_factory.mktemp(verifier))


def test_the_honest_receipt_is_accepted(judgements: tuple[str, dict[str, Judgement]]) -> None:
    _, said = judgements
    assert said[HONEST].accepted, said[HONEST].reason


@pytest.mark.parametrize("tampering", ALL, ids=lambda each: each.name)
def test_who_looks_there_refuses_it(
    judgements: tuple[str, dict[str, Judgement]], tampering: Tampering
) -> None:
    verifier, said = judgements
    judgement = said[tampering.name]
    # Both ways: what a verifier's yes does not cover is in the table too.
    assert judgement.accepted == (verifier not in tampering.refused_by), judgement.reason


def test_our_own_auditor_refuses_every_one(scene: Scene) -> None:
    assert ask_spanproof(Case(name=HONEST, raw=to_bytes(scene.receipt), trust=scene.trust))
    accepted = [each.name for each in ALL if ask_spanproof(each.apply(scene))]
    assert accepted == []


def test_at_least_thirty_are_refused(judgements: tuple[str, dict[str, Judgement]]) -> None:
    _, said = judgements
    assert sum(not each.accepted for each in said.values()) >= 30


def test_every_tampering_has_its_own_name_and_file(scene: Scene) -> None:
    assert len({each.name for each in ALL}) == len(ALL)
    cases = [each.apply(scene) for each in ALL]
    assert len({(case.raw, case.trust) for case in cases}) == len(ALL)
    assert (to_bytes(scene.receipt), scene.trust) not in {(case.raw, case.trust) for case in cases}


def test_the_honest_receipt_is_one_of_ours(scene: Scene) -> None:
    receipt = parse_bundle(to_bytes(scene.receipt))
    assert receipt.envelope.payload == scene.receipt.envelope.payload
    # The lengths in what is signed would come out otherwise if characters were counted.
    assert len(receipt.envelope.payload) != len(receipt.envelope.payload.decode())


def ask_spanproof(case: Case) -> bool:
    """Whether ``spanproof audit verify`` would accept it, with nothing but the trust file."""
    trust = {
        "trusted_root": json.loads(case.trust.trusted_root),
        "signing_keys": [
            {
                "key_id": name_public_key(key),
                "spki_b64": encode(key),
                "valid_for": {"start": to_text(VALID_FROM)},
            }
            for key in case.trust.keys
        ],
        "origin": case.trust.vkeys[0].partition("+")[0],
    }
    known = parse_trust(json.dumps(trust).encode())
    try:
        return check_receipt(case.raw, known, now=MOMENT).outcome is CheckOutcome.OK
    except (MalformedReceiptError, MalformedNoteError):
        return False
