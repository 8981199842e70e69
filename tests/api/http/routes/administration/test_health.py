from __future__ import annotations

import shutil
from importlib import metadata
from typing import TYPE_CHECKING

from spanproof.api.http.wire.administration import HealthOut, ReadyOut, VersionOut
from spanproof.store.errors import StoreUnavailableError
from tests.api.conftest import check_problem, context_of

if TYPE_CHECKING:
    import pytest
    from fastapi.testclient import TestClient


def test_the_process_answers(client: TestClient) -> None:
    HealthOut.model_validate(client.get("/healthz").json())


def test_it_is_ready_when_every_part_works(client: TestClient) -> None:
    response = client.get("/readyz")
    assert response.status_code == 200, response.text
    ReadyOut.model_validate(response.json())
    names = [check["name"] for check in response.json()["checks"]]
    assert names == ["database", "blobs", "policy", "model", "log"]


def test_it_is_not_ready_without_its_blobs(client: TestClient) -> None:
    blobs = context_of(client).settings.home / "blobs"
    shutil.rmtree(blobs)
    problem = check_problem(client.get("/readyz"), 503, "NOT_READY")
    assert [error["pointer"] for error in problem["errors"]] == ["/blobs"]
    assert client.get("/readyz").headers["retry-after"]


def test_it_is_not_ready_without_its_database(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        message = "Expected the database, got none."
        raise StoreUnavailableError(message, hint="Start it.")

    monkeypatch.setattr(context_of(client).store.documents.__class__, "list", refuse)
    problem = check_problem(client.get("/readyz"), 503, "NOT_READY")
    assert [error["pointer"] for error in problem["errors"]] == ["/database"]


def test_the_version_is_the_packages(client: TestClient) -> None:
    row = client.get("/version").json()
    VersionOut.model_validate(row)
    assert row["version"] == metadata.version("spanproof")
    assert row["api"] == "v1"
