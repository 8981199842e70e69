"""What the product itself issues: receipts by HTTP and by the command line, its log, its trust."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.log.tiles import Tile, list_new_tiles
from spanproof.operations.settings import Settings
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import parse_note
from tests.api.cli.program import Program
from tests.api.conftest import make_answer, run_client
from tests.oracles.conftest import require_verifier
from tests.oracles.verifiers import SUMDB, VERIFIERS, Case, Trust, run_judge
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from tests.oracles.verifiers import Judgement

pytestmark = pytest.mark.model

SENTENCE = "Größe der Prüfung 😀: approved invoices are paid within four business days."
UNKNOWN = "sha256:" + "0" * 64
_TEXT = {"content-type": "text/plain"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """Receipts by name, and a folder with ``trust``, ``log`` and ``old.checkpoint``."""

    cases: dict[str, Case]
    folder: Path


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Issued:
    """Everything as a user would have it; one home for both doors."""
    folder = tmp_path_factory.mktemp("issued")
    home = folder / "home"
    settings = Settings(
        home=home, database_url=None, model=None, test_data=None, cross_check_rate=0.0
    )
    with run_client(settings) as client:
        stored = client.put("/v1/documents", content=SENTENCE.encode(), headers=_TEXT)
        assert stored.status_code == 201, stored.text
        answers = make_answers(stored.json())
        posted = {name: post(client, answer) for name, answer in answers.items()}
        (folder / "old.checkpoint").write_bytes(client.get("/v1/log/checkpoint").content)
        posted["again"] = post(client, answers["pass"])
        save_log(client, folder / "log")
        save_proof(client, posted["pass"], folder)

    # What the command line issues is signed by other keys than what the service did.
    program = Program(home=home, folder=folder)
    for keys in ([], ["--log"]):
        assert program.run("log", "rotate-key", *keys).code == 0
    (folder / "answer.json").write_text(json.dumps(answers["pass"]), encoding="utf-8")
    verified = program.run("verify", "answer.json", "--receipt", "cli.sigstore.json")
    assert verified.code in {0, 1}, verified.stderr
    posted["command_line"] = (folder / "cli.sigstore.json").read_bytes()
    # As the page for auditors has it.
    _, *command = read_example("other-tools.md", "other-tools-trust").split()
    assert program.run(*command).code == 0
    trust = Trust.read(folder / "trust")
    assert (len(trust.keys), len(trust.vkeys)) == (2, 2)
    return Issued(
        cases={name: Case(name=name, raw=raw, trust=trust) for name, raw in posted.items()},
        folder=folder,
    )


@pytest.fixture(scope="module")
def said(
    issued: Issued, verifier: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Judgement]:
    """What the verifier says of every receipt."""
    return VERIFIERS[verifier](issued.cases, tmp_path_factory.mktemp(verifier))


def test_what_the_doors_issue_is_accepted(said: dict[str, Judgement]) -> None:
    refused = {name: each.reason for name, each in said.items() if not each.accepted}
    assert refused == {}


def test_results_of_every_kind_were_issued(issued: Issued) -> None:
    statements = [read_statement(case.raw) for case in issued.cases.values()]
    results = {statement["predicate"]["summary"]["result"] for statement in statements}
    assert results >= {"pass", "fail", "error"}


def test_the_log_that_is_served_is_accepted(issued: Issued) -> None:
    require_verifier("sumdb")
    folder = issued.folder
    command = [str(SUMDB), "-vkeys", str(folder / "trust" / "log.vkey"), "tiles"]
    (judgement,) = run_judge(
        [*command, str(folder / "log"), str(folder / "old.checkpoint")]
    ).values()
    assert judgement.accepted, judgement.reason


def test_the_proof_that_is_served_is_accepted(issued: Issued) -> None:
    require_verifier("sumdb")
    folder = issued.folder
    command = [str(SUMDB), "-vkeys", str(folder / "trust" / "log.vkey"), "proof"]
    files = [str(folder / "entry.json"), str(folder / "receipt.tlog-proof")]
    (judgement,) = run_judge([*command, *files]).values()
    assert judgement.accepted, judgement.reason


def make_answers(document: dict[str, Any]) -> dict[str, Any]:
    """Answers that come to each result."""
    span = {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)}
    return {
        "pass": make_answer(document, span=span),
        "fail": make_answer(document, span=span | {"text": "Approved invoices are never paid."}),
        "error": make_answer(document, doc_hash=UNKNOWN, span=span),
        "no_citation": {"answer": "Nothing is cited: Prüfung № 7 😀.", "citations": []},
    }


def post(client: TestClient, answer: Any) -> bytes:
    """The receipt as it is served; it was answered as well."""
    response = client.post("/v1/verifications", content=json.dumps(answer).encode())
    assert response.status_code == 200, response.text
    body = response.json()
    served = client.get(f"/v1/verifications/{body['verification_id']}/receipt")
    assert served.status_code == 200, served.text
    assert served.json() == body["receipt"]
    return served.content


def read_statement(raw: bytes) -> Any:
    """What a receipt says."""
    return json.loads(parse_bundle(raw).envelope.payload)


def save_proof(client: TestClient, raw: bytes, folder: Path) -> None:
    """A receipt's ``.tlog-proof``, and the leaf that it is about."""
    verification_id = read_statement(raw)["predicate"]["verification_id"]
    served = client.get(f"/v1/verifications/{verification_id}/receipt.tlog-proof")
    assert served.status_code == 200, served.text
    (folder / "receipt.tlog-proof").write_bytes(served.content)
    (folder / "entry.json").write_bytes(parse_bundle(raw).entry)


def save_log(client: TestClient, folder: Path) -> None:
    """The log's files, fetched as any mirror would."""
    head = client.get("/v1/log/checkpoint").content
    size = parse_checkpoint(parse_note(head.decode()).text).size
    names = {"checkpoint": head}
    for tile in list_new_tiles(0, size):
        bundle = Tile(level=None, index=tile.index, width=tile.width)
        for each in (tile, bundle) if tile.level == 0 else (tile,):
            response = client.get(f"/v1/log/{each.path}")
            assert response.status_code == 200, response.text
            names[each.path] = response.content
    for name, content in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
