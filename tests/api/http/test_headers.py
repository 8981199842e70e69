from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.mark.parametrize("path", ["/healthz", "/version", "/v1/documents", "/nowhere", "/"])
def test_every_answer_forbids_sniffing_and_referrers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-request-id"]


def test_pages_may_load_only_what_is_ours(client: TestClient) -> None:
    response = client.get("/")
    assert response.headers["content-type"].startswith("text/html")
    policy = response.headers["content-security-policy"]
    assert "default-src 'self'" in policy or "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_source_is_a_download_that_runs_nothing(
    client: TestClient, document: dict[str, Any]
) -> None:
    headers = client.get(f"/v1/documents/{document['doc_hash']}/source").headers
    assert headers["content-disposition"].startswith("attachment;")
    assert headers["content-security-policy"].startswith("sandbox")
    assert headers["x-content-type-options"] == "nosniff"
