"""Versions of indexes over HTTP: streamed in, listed, compared, held against a budget."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.ingest.manifest import open_manifest, write_manifest
from spanproof.operations.settings import Settings
from tests.api.conftest import check_problem, context_of, run_client
from tests.databases import HOMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient

HASH = str(Digest.of(b"document"))


def make_row(chunk_id: str, text: str, **given: Any) -> dict[str, Any]:
    row = {
        "chunk_id": chunk_id,
        "doc_id": "d",
        "doc_hash": HASH,
        "char_start": 0,
        "char_end": len(text),
        "text_sha256": str(Digest.of(text.encode())),
        "extraction_pipeline": "other@1",
    }
    return row | given


def to_lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


OLD = to_lines(*(make_row(name, name) for name in ("same", "moved", "reassigned", "gone")))
NEW = to_lines(
    make_row("same", "same"),
    make_row("moved", "moved", char_start=7, char_end=12),
    make_row("reassigned", "other words"),
    make_row("new", "new"),
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application on a home that the module shares; each test has indexes of its own."""
    home = tmp_path_factory.mktemp("indexes") / "home"
    settings = Settings(
        home=home, database_url=HOMES.find(home), model=None, test_data=None, max_manifest_rows=50
    )
    with run_client(settings) as client:
        yield client


def post(client: TestClient, name: str, version: str, content: Any, **headers: str) -> Any:
    path = f"/v1/indexes/{name}/versions"
    return client.post(path, params={"version": version}, content=content, headers=headers)


def test_versions_are_registered_listed_and_compared(client: TestClient) -> None:
    first = post(client, "contracts", "v1", OLD)
    assert (first.status_code, first.json()["is_new"]) == (201, True)
    assert first.json()["manifest_sha256"] == str(Digest.of(OLD))
    again = post(client, "contracts", "v1", OLD)
    assert (again.status_code, again.json()) == (200, first.json() | {"is_new": False})
    second = post(client, "contracts", "v2", NEW).json()
    listed = client.get("/v1/indexes/contracts/versions").json()
    assert [each["version"] for each in listed["versions"]] == ["v2", "v1"]
    indexes = {each["name"]: each for each in client.get("/v1/indexes").json()["indexes"]}
    newest = {name: value for name, value in second.items() if name != "is_new"}
    assert indexes["contracts"] == {"name": "contracts", "versions": 2, "newest": newest}
    pair = {"from": "v1", "to": "v2"}
    diff = client.get("/v1/indexes/contracts/diff", params=pair).json()
    assert diff["chunks"] == {"same": 1, "moved": 1, "reassigned": 1, "gone": 1, "new": 1}
    assert "lists" not in diff
    whole = client.get("/v1/indexes/contracts/diff", params=pair | {"list": "true"}).json()
    assert [row["chunk_id"] for row in whole["lists"]["chunks"]["reassigned"]] == ["reassigned"]
    drift = client.get("/v1/indexes/contracts/drift").json()
    assert (drift["chunk_share"], drift["over_budget"], drift["budget"]) == (0.5, True, 0.001)
    within = client.get("/v1/indexes/contracts/drift", params={"budget": "0.5"}).json()
    assert within["over_budget"] is False
    shown = client.get("/metrics").text
    assert 'spanproof_drift_citations{index="contracts",status="reassigned"} 0.0' in shown


def test_parquet_is_taken_too_and_gives_the_same_version(
    client: TestClient, tmp_path: Path
) -> None:
    from datetime import UTC, datetime

    from spanproof.ingest.manifest.rows import ManifestHeader

    path = tmp_path / "old.jsonl"
    path.write_bytes(OLD)
    header = ManifestHeader(
        created_at=datetime(2026, 11, 20, tzinfo=UTC),
        extraction_pipelines=("other@1",),
        embedding_model="minilm",
    )
    with open_manifest(path) as manifest:
        write_manifest(tmp_path / "old.parquet", header, manifest.rows)
    content = (tmp_path / "old.parquet").read_bytes()
    assert post(client, "columns", "v1", OLD).status_code == 201
    found = post(client, "columns", "v2", content).json()
    assert (found["rows"], found["header"]["embedding_model"]) == (4, "minilm")
    diff = client.get("/v1/indexes/columns/diff", params={"from": "v1", "to": "v2"}).json()
    assert diff["chunks"] == {"same": 4, "moved": 0, "reassigned": 0, "gone": 0, "new": 0}


def test_a_digest_that_is_announced_is_compared(client: TestClient) -> None:
    right = base64.b64encode(hashlib.sha256(OLD).digest()).decode()
    field = {"Content-Digest": f"sha-256=:{right}:"}
    wrong = client.post(
        "/v1/indexes/digested/versions", params={"version": "v1"}, content=NEW, headers=field
    )
    check_problem(wrong, 422, "DIGEST_MISMATCH")
    assert client.get("/v1/indexes/digested/versions").status_code == 404
    assert post(client, "digested", "v1", OLD, **field).status_code == 201


BAD = {
    "nothing": (b"", "MALFORMED_MANIFEST"),
    "no JSON": (b"chunk_id,doc_id\n", "MALFORMED_MANIFEST"),
    "another encoding": (
        to_lines(make_row("a", "b")).decode().encode("utf-16"),
        "MALFORMED_MANIFEST",
    ),
    "Latin-1": (b'{"chunk_id": "caf\xe9"}\n', "MALFORMED_MANIFEST"),
    "a column too few": (to_lines({"chunk_id": "a"}), "MALFORMED_MANIFEST"),
    "a wrong type": (to_lines(make_row("a", "b", char_start="0")), "MALFORMED_MANIFEST"),
    "a boolean offset": (to_lines(make_row("a", "b", char_start=False)), "MALFORMED_MANIFEST"),
    "a short hash": (to_lines(make_row("a", "b", doc_hash="sha256:12")), "MALFORMED_MANIFEST"),
    "twice an id": (to_lines(make_row("a", "b"), make_row("a", "c")), "MALFORMED_MANIFEST"),
    "half a Parquet file": (b"PAR1" + b"\0" * 40, "MALFORMED_MANIFEST"),
    "a last line cut": (OLD[:-20], "MALFORMED_MANIFEST"),
    "too many rows": (to_lines(*(make_row(str(n), "b") for n in range(51))), "MANIFEST_TOO_LARGE"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_manifest_is_refused_whole(client: TestClient, case: str) -> None:
    content, code = BAD[case]
    status = 413 if code == "MANIFEST_TOO_LARGE" else 422
    check_problem(post(client, "bad", "v1", content), status, code)
    assert client.get("/v1/indexes/bad/versions").status_code == 404
    staging = context_of(client).settings.home / "blobs" / "staging"
    assert not list(staging.iterdir())


def test_what_is_not_there_or_recorded_otherwise_is_a_problem(client: TestClient) -> None:
    check_problem(client.get("/v1/indexes/none/versions"), 404, "INDEX_NOT_FOUND")
    check_problem(client.get("/v1/indexes/none/drift"), 404, "INDEX_NOT_FOUND")
    pair = {"from": "v1", "to": "v2"}
    check_problem(client.get("/v1/indexes/none/diff", params=pair), 404, "INDEX_NOT_FOUND")
    assert post(client, "one", "v1", OLD).status_code == 201
    check_problem(post(client, "one", "v1", NEW), 409, "CONFLICT")
    check_problem(client.get("/v1/indexes/one/drift"), 404, "INDEX_NOT_FOUND")
    check_problem(
        client.get("/v1/indexes/one/drift", params={"budget": "2"}), 422, "MALFORMED_PARAMETER"
    )
    check_problem(client.post("/v1/indexes/one/versions"), 422, "MALFORMED_PARAMETER")
    check_problem(post(client, "n" * 600, "v1", OLD), 422, "MALFORMED_INPUT")
    coded = post(client, "one", "v2", OLD, **{"Content-Encoding": "gzip"})
    check_problem(coded, 422, "UNSUPPORTED_MEDIA_TYPE")


def test_a_body_over_the_cap_is_refused_by_its_length(client: TestClient) -> None:
    settings = context_of(client).settings
    size = settings.max_manifest_bytes + 1
    response = post(client, "large", "v1", b"x", **{"Content-Length": str(size)})
    problem = check_problem(response, 413, "MANIFEST_TOO_LARGE")
    assert "SPANPROOF_MAX_MANIFEST_BYTES" in problem["hint"]


def test_a_reader_sends_no_event_for_a_budget_of_its_own(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "spanproof.operations.indexes.drift.notify",
        lambda *_, event_id, **__: told.append(event_id),
    )
    post(client, "flooded", "v1", OLD)
    post(client, "flooded", "v2", NEW)
    for budget in ("0.1", "0.2", "0.3"):
        shown = client.get("/v1/indexes/flooded/drift", params={"budget": budget}).json()
        assert shown["over_budget"] is True
    assert told == []
    assert client.get("/v1/indexes/flooded/drift").json()["over_budget"] is True
    assert len(told) == 1
