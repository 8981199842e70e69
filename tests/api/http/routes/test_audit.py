"""An evidence pack over HTTP: the same as the command writes, and gone here afterwards."""

from __future__ import annotations

import io
import tempfile
import zipfile
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from spanproof.operations.export import pack as export
from spanproof.operations.fsck.place import check_place
from tests.api.conftest import check_problem, context_of, make_answer, post_answer
from tests.operations.audited import load_trust

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from pathlib import Path

    from fastapi.testclient import TestClient

ADDRESS = "/v1/audit/export"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where archives are made, in this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def verify(client: TestClient, document: dict[str, Any]) -> str:
    response = post_answer(client, make_answer(document))
    assert response.status_code == 200
    found: str = response.json()["verification_id"]
    return found


def unpack(content: bytes, folder: Path) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        return set(archive.namelist())


def test_an_archive_of_ids_is_a_pack(
    client: TestClient, document: dict[str, Any], temporary: Path, tmp_path: Path
) -> None:
    first, second, other = (verify(client, document) for _ in range(3))
    response = client.get(ADDRESS, params={"verification_id": [first, second, first]})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/zip"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-pack-gaps"] == "0"
    assert "attachment" in response.headers["content-disposition"]
    names = unpack(response.content, tmp_path / "pack")
    assert {f"receipts/{each}.sigstore.json" for each in (first, second)} <= names
    assert f"receipts/{other}.sigstore.json" not in names
    report = check_place(str(tmp_path / "pack"), load_trust(context_of(client)))
    assert report.outcome.value == "OK"
    assert list(temporary.iterdir()) == []


def test_an_archive_of_a_time_has_all_of_it(
    client: TestClient, document: dict[str, Any], temporary: Path, tmp_path: Path
) -> None:
    made = {verify(client, document) for _ in range(2)}
    response = client.get(ADDRESS, params={"since": "2020-01-01T00:00:00Z"})
    assert response.status_code == 200
    names = unpack(response.content, tmp_path / "pack")
    assert {f"receipts/{each}.sigstore.json" for each in made} <= names
    nothing = client.get(ADDRESS, params={"until": "2020-01-01T00:00:00Z"})
    check_problem(nothing, 422, "MALFORMED_INPUT")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "query", ["", "?verification_id=a&since=2020-01-01T00:00:00Z", "?verification_ids=a"]
)
def test_ids_or_a_time_are_asked_for(client: TestClient, query: str) -> None:
    response = client.get(ADDRESS + query)
    assert response.status_code == 422


def test_no_more_are_packed_than_the_cap(
    client: TestClient, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_VERIFICATIONS", 1)
    found = [verify(client, document) for _ in range(2)]
    for params in ({"verification_id": found}, {"since": "2020-01-01T00:00:00Z"}):
        check_problem(client.get(ADDRESS, params=params), 422, "MALFORMED_INPUT")


def test_one_that_is_not_kept_leaves_nothing(client: TestClient, temporary: Path) -> None:
    response = client.get(ADDRESS, params={"verification_id": "never"})
    check_problem(response, 404, "VERIFICATION_NOT_FOUND")
    assert list(temporary.iterdir()) == []


def test_an_archive_that_is_broken_off_leaves_nothing_behind(
    client: TestClient, document: dict[str, Any], temporary: Path
) -> None:
    made = verify(client, document)
    scope = {
        "type": "http",
        "method": "GET",
        "path": ADDRESS,
        "query_string": f"verification_id={made}".encode(),
        "headers": [(b"host", b"127.0.0.1")],
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
    }
    folders: list[Path] = []

    def look() -> None:
        folders.extend(temporary.iterdir())

    async def receive() -> dict[str, Any]:
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body":
            look()
            # As when the service's end cuts an answer off.
            raise ConnectionResetError

    assert client.portal is not None
    with pytest.raises(ConnectionResetError):
        client.portal.call(client.app, scope, receive, send)
    assert len(folders) == 1
    assert list(temporary.iterdir()) == []
