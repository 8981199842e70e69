"""The log over HTTP: any client of tiles can follow it, and nothing unsigned is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from spanproof.core.log.tiles import Tile, split_entries
from spanproof.operations.fsck.log import check_source
from spanproof.operations.log.source import UrlLog
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.log_proof import make_log_proof, parse_log_proof
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.store.log.cosignatures import Cosignatures, StoredCosignature
from tests.api.conftest import check_problem, context_of, make_answer, post_answer
from tests.operations.audited import load_trust
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from spanproof.operations.context import Context


@pytest.fixture
def verified(client: TestClient, document: dict[str, Any]) -> str:
    """A verification that the application keeps; its id."""
    return verify(client, document)


@pytest.fixture(scope="module")
def shared_verified(shared_client: TestClient, shared_document: dict[str, Any]) -> str:
    """The one verification of the shared application, whose log nobody writes any further."""
    return verify(shared_client, shared_document)


def verify(client: TestClient, document: dict[str, Any]) -> str:
    response = post_answer(client, make_answer(document))
    assert response.status_code == 200, response.text
    found: str = response.json()["verification_id"]
    return found


def append(context: Context, count: int) -> None:
    """Grow the log, and sign its head."""
    context.log.include_all([b"%d" % index for index in range(count)])


def test_there_is_no_head_before_the_first_leaf(client: TestClient) -> None:
    check_problem(client.get("/v1/log/checkpoint"), 404, "NOT_FOUND")
    check_problem(client.get("/v1/log/tile/0/000"), 404, "NOT_FOUND")


def test_the_head_is_the_newest_signed_note(
    shared_client: TestClient, shared_verified: str
) -> None:
    del shared_verified
    response = shared_client.get("/v1/log/checkpoint")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    head = parse_checkpoint(parse_note(response.text).text)
    context = context_of(shared_client)
    assert (head, response.text) == context.log.latest()


def test_the_head_has_the_lines_of_its_witnesses(client: TestClient, verified: str) -> None:
    del verified
    context = context_of(client)
    head, note = context.log.latest()
    line = note.split("\n\n")[1].replace(head.origin, "witness.example.com")
    kept = StoredCosignature(size=head.size, witness="witness.example.com+0+A", line=line)
    Cosignatures(context.store.database, context.log.log_id).add(kept, added_at=MOMENT)
    served = parse_note(client.get("/v1/log/checkpoint").text)
    assert [each.name for each in served.signatures] == [head.origin, "witness.example.com"]


def test_tiles_and_entries_are_those_of_the_log(client: TestClient, verified: str) -> None:
    del verified
    context = context_of(client)
    append(context, 300)
    size = context.log.latest()[0].size
    for tile in (
        Tile(level=0, index=0),
        Tile(level=0, index=1, width=size - 256),
        Tile(level=1, index=0, width=1),
        Tile(level=None, index=0),
        Tile(level=None, index=1, width=size - 256),
    ):
        response = client.get(f"/v1/log/{tile.path}")
        assert response.status_code == 200, tile
        assert response.headers["content-type"] == "application/octet-stream"
        assert "immutable" in response.headers["cache-control"]
        assert response.content == context.log.read_tile(tile)
    entries = split_entries(client.get("/v1/log/tile/entries/000").content)
    assert entries == tuple(context.log.entries(0, 256))


@pytest.mark.parametrize(
    "path",
    [
        "0/001",
        "0/000.p/0",
        "0/000.p/256",
        "0/000.p/2",
        "0/000.p/07",
        "0/0",
        "00/000",
        "1/000.p/1",
        "8/000.p/1",
        "63/000.p/1",
        "entries/001",
        "entries/000.p/2",
        "entries/../0/000",
        "x/000",
        "0/000/",
        "0/x000/000",
    ],
)
def test_only_what_a_signed_head_requires_is_served(
    shared_client: TestClient, shared_verified: str, path: str
) -> None:
    del shared_verified
    assert context_of(shared_client).log.latest()[0].size == 3
    check_problem(shared_client.get(f"/v1/log/tile/{path}"), 404, "NOT_FOUND")
    assert shared_client.get("/v1/log/tile/0/000.p/3").status_code == 200


def test_a_leaf_that_no_head_covers_is_not_served(client: TestClient, verified: str) -> None:
    del verified
    context_of(client).log.append(b"unsigned")
    check_problem(client.get("/v1/log/tile/entries/000.p/4"), 404, "NOT_FOUND")


def test_the_tile_of_an_older_head_stays(client: TestClient, verified: str) -> None:
    del verified
    append(context_of(client), 40)
    assert client.get("/v1/log/tile/0/000.p/3").status_code == 200
    check_problem(client.get("/v1/log/tile/0/000.p/7"), 404, "NOT_FOUND")


def test_a_client_of_tiles_checks_the_whole_log(
    shared_client: TestClient, shared_verified: str
) -> None:
    del shared_verified
    trust = load_trust(context_of(shared_client))
    source = UrlLog("http://127.0.0.1/v1/log", client=cast("Any", shared_client))
    lines, head = check_source(source, trust)
    assert {line.question: line.status.value for line in lines} == {
        "CHECKPOINT": "OK",
        "TREE": "OK",
        "KEYS": "OK",
        "HISTORY": "NOT ASKED",
    }
    assert head is not None
    assert head.size == 3


def test_a_receipt_has_its_proof_as_a_file(shared_client: TestClient, shared_verified: str) -> None:
    response = shared_client.get(f"/v1/verifications/{shared_verified}/receipt.tlog-proof")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert "attachment" in response.headers["content-disposition"]
    context = context_of(shared_client)
    bundle = parse_bundle(context.store.receipts.load(shared_verified).bundle)
    assert parse_log_proof(response.text) == make_log_proof(bundle.included)


def test_a_verification_that_is_not_kept_has_no_proof(client: TestClient) -> None:
    address = "/v1/verifications/00000000-0000-4000-8000-000000000000/receipt.tlog-proof"
    check_problem(client.get(address), 404, "VERIFICATION_NOT_FOUND")
