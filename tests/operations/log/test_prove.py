"""From an answer to a time that no issuer can choose: issued, cosigned, proved, checked offline."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.api.cli.exit_code import ExitCode
from spanproof.api.cli.program import run
from spanproof.core.errors import NotFoundError, ReceiptNotFoundError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.log.cosign import cosign_head
from spanproof.operations.log.prove import TimeProof, prove_time
from spanproof.operations.log.witness import WitnessFolder
from spanproof.operations.receipts.check import check_file, open_audit
from spanproof.operations.receipts.stored import show_receipt
from spanproof.operations.receipts.trust import make_trust
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.report import CheckOutcome, LineStatus, Question
from spanproof.receipt.forms.log_proof import parse_log_proof
from spanproof.receipt.keys.trust_file import write_trust
from spanproof.receipt.witness.cosignature import format_cosigner_key
from spanproof.receipt.witness.cosigning import Witness
from spanproof.receipt.witness.policy import parse_policy
from spanproof.store.log.reading import LogReader
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.receipt.check.report import Line

ENDINGS = ("tlog-proof", "older.txt", "growth.txt")
PAYLOAD = json.dumps(
    {
        "answer": "It is replaced soon [1].",
        "citations": [{"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}],
    }
).encode()


class Office:
    """A service, a witness beside it, and an auditor's folder."""

    def __init__(self, context: Context, witness: WitnessFolder, folder: Path) -> None:
        self.context, self.witness, self.folder = context, witness, folder
        self._policy = folder / "policy"
        vkey = format_cosigner_key(witness.cosigner.verifier)
        self._policy.write_text(f"witness w {vkey} https://w.example\nquorum w\n")

    def verify(self) -> str:
        """An answer's verification, with its receipt in the folder."""
        found = verify_payload(self.context, PAYLOAD)
        name = found.verification_id
        content = show_receipt(self.context, name).content
        (self.folder / f"{name}.sigstore.json").write_bytes(content)
        return name

    def cosign(self, *, shift: int = 0) -> None:
        """The witness signs the newest head, by its own clock."""
        keys, origin = self.context.issuer.keys, self.context.log.origin
        trust = make_trust(keys, origin, policy=self._policy)
        (self.folder / "trust.json").write_bytes(write_trust(trust))
        watching = Witness(
            cosigner=self.witness.cosigner,
            logs={origin: trust.require_log_keys(origin, size=1)},
            store=self.witness,
            clock=lambda: int(time.time()) + shift,
        )

        def answer(request: httpx.Request) -> httpx.Response:
            found = watching.add_checkpoint(request.read())
            return httpx.Response(found.status, content=found.body)

        database = self.context.store.database
        with httpx.Client(transport=httpx.MockTransport(answer)) as client:
            report = cosign_head(
                LogReader.find(database, origin),
                database,
                parse_policy(self._policy.read_bytes()),
                client=client,
                clock=lambda: datetime.now(UTC),
            )
        assert report.is_witnessed, report

    def check_time(self, name: str, proof: TimeProof) -> tuple[CheckOutcome, Line]:
        """What the auditor's check says of TIME, given these proofs."""
        files = {"proof": proof.proof.encode()}
        if proof.older is not None and proof.growth is not None:
            files |= {"older": proof.older.encode(), "growth": proof.growth}
        for ending, content in files.items():
            (self.folder / ending).write_bytes(content)
        audit = open_audit(
            self.folder / "trust.json", witnessed=[self.folder / each for each in files]
        )
        found = check_file(self.folder / f"{name}.sigstore.json", audit)
        assert found.report is not None, found.problem
        return found.outcome, found.report[Question.TIME]


@pytest.fixture
def office(context: Context, tmp_path: Path) -> Iterator[Office]:
    ingest_stream(
        context, [SENTENCE.encode()], media_type=None, filename="a.txt", doc_id="agreement"
    )
    with WitnessFolder.open(tmp_path / "w", name="w.example", passphrase=None) as witness:
        yield Office(context, witness, tmp_path)


def test_a_receipt_is_bounded_from_both_sides(office: Office) -> None:
    office.verify()
    office.cosign()
    name = office.verify()
    office.verify()
    office.cosign()
    proof = prove_time(office.context.store, name)
    assert proof.after_size is not None
    assert proof.after_size <= proof.index < proof.by_size
    assert parse_log_proof(proof.proof).index == proof.index
    outcome, line = office.check_time(name, proof)
    assert outcome is CheckOutcome.OK, line.words
    assert line.status is LineStatus.OK
    assert "after " in line.words
    assert "by " in line.words


def test_the_first_receipt_is_bounded_from_above_alone(office: Office) -> None:
    name = office.verify()
    with pytest.raises(NotFoundError, match="Expected a cosigned head above leaf"):
        prove_time(office.context.store, name)
    office.cosign()
    proof = prove_time(office.context.store, name)
    assert (proof.older, proof.growth, proof.after_size) == (None, None, None)
    outcome, line = office.check_time(name, proof)
    assert outcome is CheckOutcome.OK, line.words


@pytest.mark.parametrize("shift", [-86_400, -3_600])
def test_a_receipt_from_after_its_witness_fails(office: Office, shift: int) -> None:
    """THREATS 5: what the issuer says of the time lies outside of what the witness saw."""
    name = office.verify()
    office.cosign(shift=shift)
    outcome, line = office.check_time(name, prove_time(office.context.store, name))
    assert outcome is CheckOutcome.FAILED
    assert line.code == "TIME_OUT_OF_BOUNDS"


def test_a_back_dated_receipt_fails(office: Office) -> None:
    """THREATS 5: an earlier head was cosigned long after the moment that the receipt claims."""
    office.verify()
    office.cosign(shift=86_400)
    name = office.verify()
    office.cosign(shift=86_400)
    outcome, line = office.check_time(name, prove_time(office.context.store, name))
    assert outcome is CheckOutcome.FAILED
    assert line.code == "TIME_OUT_OF_BOUNDS"


def test_an_unknown_verification_has_no_proof(office: Office) -> None:
    with pytest.raises(ReceiptNotFoundError):
        prove_time(office.context.store, "nothing")


def test_the_command_writes_the_files_that_the_auditor_takes(
    office: Office, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPANPROOF_HOME", str(office.context.settings.home))
    monkeypatch.setenv("SPANPROOF_DATABASE_URL", office.context.settings.database_url or "")
    output = office.folder / "proofs"
    office.verify()
    office.cosign()
    name = office.verify()
    assert run(["log", "prove", name, "--output", str(output)]) == ExitCode.ERROR
    assert capfd.readouterr().err.startswith("spanproof: NOT_FOUND: Expected a cosigned head")
    office.cosign()
    assert run(["log", "prove", name, "--output", str(output)]) == ExitCode.OK
    paths = capfd.readouterr().out.splitlines()
    assert paths == [str(output / f"{name}.{end}") for end in ENDINGS]
    assert run(["log", "prove", name, "--output", str(output), "--json"]) == ExitCode.OK
    body = json.loads(capfd.readouterr().out)
    assert body["files"] == paths
    assert body["after_size"] <= body["index"] < body["by_size"]
    receipt, trust = office.folder / f"{name}.sigstore.json", office.folder / "trust.json"
    given = [part for path in paths for part in ("--witness", path)]
    assert run(["audit", "verify", str(receipt), "--trust", str(trust), *given]) == ExitCode.OK
    (line,) = [each for each in capfd.readouterr().out.splitlines() if "TIME" in each]
    assert " OK " in line
