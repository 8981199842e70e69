"""The client's calls that start jobs, read what they made, or erase: against the real service."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from spanproof.client import AsyncClient, Client, RequestRefusedError, ResourceNotFoundError
from spanproof.core.errors import InputError
from tests.api.conftest import make_answer
from tests.api.http.routes.test_indexes import make_row, to_lines
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.client.results import JobReport
    from tests.client.conftest import Served


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.url) as opened:
        yield opened


def wait(client: Client, job: JobReport) -> JobReport:
    deadline = time.monotonic() + 60
    while not job.is_final:
        assert time.monotonic() < deadline
        time.sleep(0.05)
        job = client.job(job.job_id)
    return job


def test_an_index_is_registered_checked_and_verified_again(client: Client, tmp_path: Path) -> None:
    manifest = tmp_path / "v1.jsonl"
    manifest.write_bytes(to_lines(make_row("a", "a"), make_row("b", "b")))
    for version, content in (("v1", manifest), ("v2", to_lines(make_row("a", "a")))):
        done = wait(client, client.register_index("by client", version, content))
        assert (done.kind, done.state) == ("index_registration", "done")
    checked = wait(client, client.check_drift("by client", budget=0.6))
    assert checked.result is not None
    assert (checked.result["chunk_share"], checked.result["over_budget"]) == (0.5, False)
    again = wait(client, client.reverify("by client", old="v1", new="v2"))
    assert again.result == {"answers": 0, "verifications": []}
    with pytest.raises(ResourceNotFoundError):
        client.check_drift("no such index")
    with pytest.raises(RequestRefusedError):
        client.check_drift("by client", old="v1")
    with pytest.raises(InputError):
        client.register_index("by client", "v3", tmp_path / "none")


def test_pairs_are_verified_and_their_verdicts_read(client: Client) -> None:
    document = client.ingest(make_pdf())
    pair = {
        "pair_id": "a\u2028b",
        "doc_hash": document.doc_hash,
        "span_text": SENTENCE,
        "claim": SENTENCE,
    }
    job = client.verify_bulk(to_lines(pair), policy="strict", idempotency_key="one")
    assert client.verify_bulk(to_lines(pair), policy="strict", idempotency_key="one") is not job
    done = wait(client, job)
    assert done.state == "done"
    (row,) = client.bulk_rows(job.job_id)
    assert row["pair_id"] == pair["pair_id"]
    assert row["existence_status"] == "EXACT"
    assert len([each for each in client.jobs(kind="bulk_verification") if not each.problem]) == 1
    with pytest.raises(RequestRefusedError):
        client.verify_bulk(b"neither")


def test_what_is_erased_is_told(served: Served) -> None:
    async def use() -> list[dict[str, object]]:
        async with AsyncClient(served.url) as client:
            document = await client.ingest(make_pdf("Words that are to go."))
            verified = await client.verify(make_answer(dict(document.raw)))
            await client.erase("verification", verified.verification_id, reason="asked for")
            with pytest.raises(ResourceNotFoundError):
                await client.erase("verification", "no such", reason="asked for")
            return await client.erase("document", document.doc_hash, reason="asked for")

    (row,) = asyncio.run(use())
    assert (row["kind"], row["still_quoted_by"]) == ("document", [])
