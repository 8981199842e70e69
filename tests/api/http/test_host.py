from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/documents", "/v1/verifications"])
def test_a_page_that_rebinds_its_name_to_loopback_reads_nothing(
    client: TestClient, path: str
) -> None:
    answer = client.get(path, headers={"Host": "evil.example:8321"})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "FOREIGN_HOST"
    for host in ("127.0.0.1:8321", "localhost", "[::1]:8321"):
        assert client.get(path, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["{.evil.example:8321", "`.evil.example", "[", "[::1", "localhost:x", "evil.example:99999999"],
)
def test_a_name_that_cannot_be_read_is_none_of_ours(client: TestClient, host: str) -> None:
    for path in ("/healthz", "/v1/documents"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code, answer.json()["code"]) == (421, "FOREIGN_HOST")
