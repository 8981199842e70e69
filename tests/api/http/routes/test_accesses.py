"""Every door that shows evidence writes down who asked; the log of it is exported."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.settings import Settings
from tests.api.access import Guarded, run_guarded
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    home = tmp_path_factory.mktemp("accesses") / "home"
    settings = Settings(
        home=home,
        database_url=None,
        model=None,
        test_data=None,
        cross_check_rate=0.0,
        access_log=True,
    )
    with run_guarded(settings, warm_parser) as opened:
        yield opened


def test_what_is_shown_is_written_down_with_its_key(guarded: Guarded) -> None:
    key = str(guarded.make_key("alpha").text)
    put = guarded.ask("PUT", "/v1/documents", key, content=SENTENCE.encode()).json()
    citation = {"anchor": 1, "doc_hash": put["doc_hash"], "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE[:-1]} [1].", "citations": [citation]}
    made = guarded.ask("POST", "/v1/verifications", key, content=json.dumps(answer).encode())
    name = made.json()["verification_id"]
    document = f"/v1/documents/{put['doc_hash']}"
    for path in (
        document,
        f"{document}/source",
        f"{document}/text",
        f"/v1/verifications/{name}",
        f"/v1/verifications/{name}/receipt",
        f"/v1/audit/export?verification_id={name}",
        f"/answers/{name}",
        f"/documents/{put['doc_hash']}",
    ):
        assert guarded.ask("GET", path, key).status_code == 200, path
    today = datetime.now(UTC).date().isoformat()
    rows: list[dict[str, Any]] = guarded.ask("GET", f"/v1/accesses/{today}", key).json()["accesses"]
    assert [(row["door"], row["kind"], row["subject"]) for row in rows] == [
        ("api", "document", put["doc_hash"]),
        ("api", "document", put["doc_hash"]),
        ("api", "document", put["doc_hash"]),
        ("api", "answer", name),
        ("api", "answer", name),
        ("api", "pack", name),
        ("console", "answer", name),
        ("console", "document", put["doc_hash"]),
        # Who reads the log stands in it too.
        ("api", "accesses", today),
    ]
    assert {row["key_id"] for row in rows} == {key.partition(".")[0]}
    csv = guarded.ask("GET", f"/v1/accesses/{today}?format=csv", key).text
    assert csv.splitlines()[0] == "at,door,kind,subject,key_id,oidc_sub_hash,user"
    lines = guarded.ask("GET", f"/v1/accesses/{today}?format=ndjson", key).text.splitlines()
    assert json.loads(lines[0]) == rows[0]
    (day,) = guarded.ask("GET", "/v1/accesses", key).json()["days"]
    assert (day["day"], day["is_logged"]) == (today, False)


def test_a_tenant_sees_its_own_lines_only(guarded: Guarded) -> None:
    other = str(guarded.make_key("beta").text)
    assert guarded.ask("GET", "/v1/accesses", other).json() == {"days": []}
    assert guarded.ask("GET", "/v1/accesses/soon", other).status_code == 422
