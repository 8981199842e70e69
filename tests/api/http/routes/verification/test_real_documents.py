"""Documents of the world through the door: each is taken or refused by name, none breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

#: The smallest of the corpus: enough kinds of damage, little time.
COUNT = 25
MOST_BYTES = 300_000


@pytest.mark.long
def test_real_pdfs_are_taken_or_refused_by_name(client: TestClient, test_data: Path) -> None:
    found = sorted((test_data / "documents" / "pdf").rglob("*.pdf"), key=lambda p: p.stat().st_size)
    paths = [path for path in found if path.stat().st_size < MOST_BYTES]
    chosen = paths[:: max(1, len(paths) // COUNT)]
    taken = 0
    for path in chosen:
        content = path.read_bytes()
        response = client.put("/v1/documents", content=content)
        if response.status_code == 422:
            check_problem(response, 422, response.json()["code"])
            assert client.get(f"/v1/documents/{Digest.of(content)}").status_code == 404
            continue
        assert response.status_code in (200, 201), (path.name, response.text)
        taken += 1
        row = response.json()
        address = f"/v1/documents/{row['doc_hash']}"
        text = client.get(f"{address}/text").content
        assert len(text.decode()) == row["characters"]
        assert str(Digest.of(text)) == row["text_sha256"]
        assert client.get(f"{address}/source").content == content
        page = client.get(f"{address}/pages/1.png")
        assert page.status_code in (200, 422), (path.name, page.text)
    assert taken > len(chosen) / 2
