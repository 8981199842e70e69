"""Two hosts that share a database and a bucket, and no folder: what one keeps, the other has."""

from __future__ import annotations

import json
import shutil
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.assembly import to_object_place
from spanproof.operations.doctor import diagnose
from spanproof.operations.erasing import erase
from spanproof.operations.fsck.store import check_store
from spanproof.operations.settings import Settings
from spanproof.operations.tenants import to_tenant_settings
from spanproof.receipt.check.receipt import check_receipt
from spanproof.receipt.check.report import CheckOutcome, LineStatus
from spanproof.store.blobs.object_blobs import MARK, ObjectBlobs
from spanproof.store.errors import ObjectStoreUnavailableError
from tests.api.conftest import check_problem, context_of, make_answer, post_answer, run_client
from tests.object_store import BUCKET, KEY_ID, SECRET, ObjectServer, refuse, swallow_puts
from tests.operations.audited import load_trust
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser
    from tests.postgresql import PostgresqlServer

FIRST_BYTES = b"\x89PNG"
DOWN = refuse("403 Forbidden", "AccessDenied")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Two services with homes of their own; what an operator copies to a new host was copied."""

    one: TestClient
    two: TestClient
    prefix: str


def copy_home(home: Path, other: Path) -> None:
    """What docs/how-to/fleet.md says that a host is given."""
    shutil.copytree(home / "keys", other / "keys")
    shutil.copy(home / "access-pepper", other / "access-pepper")
    (other / "log").mkdir()
    shutil.copyfile(home / "log" / "mark", other / "log" / "mark")


@pytest.fixture(scope="module")
def hosts(
    object_server: ObjectServer,
    postgresql_server: PostgresqlServer,
    tmp_path_factory: pytest.TempPathFactory,
    warm_parser: Parser,
) -> Iterator[Hosts]:
    folder = tmp_path_factory.mktemp("hosts")
    prefix = uuid.uuid4().hex
    assert not object_server.keys(prefix)
    with ExitStack() as stack:
        url = stack.enter_context(postgresql_server.database())

        def open_host(name: str) -> TestClient:
            settings = Settings(
                home=folder / name,
                database_url=url,
                blobs=f"s3://{BUCKET}/{prefix}",
                model=None,
                test_data=None,
                cross_check_rate=0.0,
                job_threads=0,
            )
            return stack.enter_context(run_client(settings, parser=warm_parser))

        one = open_host("one")
        now = datetime.now(UTC)
        wanted = KeyRequest(scopes=SCOPES, expires_at=now + timedelta(hours=1), label=None)
        key = create_key(context_of(one), context_of(one), wanted, now=now)
        (folder / "two").mkdir()
        copy_home(folder / "one", folder / "two")
        two = open_host("two")
        for client in (one, two):
            # Made by the one, believed by both.
            client.headers["Authorization"] = f"Bearer {key.text}"
        yield Hosts(one=one, two=two, prefix=prefix)


def ingest(client: TestClient, title: str) -> dict[str, Any]:
    response = client.put(
        "/v1/documents", params={"doc_id": title}, content=make_pdf() + f"% {title}\n".encode()
    )
    assert response.status_code == 201, response.text
    row: dict[str, Any] = response.json()
    return row


def forget(*clients: TestClient) -> None:
    for client in clients:
        context_of(client).store.blobs.forget_all()


def test_what_one_host_takes_in_another_one_verifies_shows_and_proves(
    hosts: Hosts, object_server: ObjectServer
) -> None:
    document = ingest(hosts.one, "agreement")
    answer = post_answer(hosts.two, make_answer(document))
    assert answer.status_code == 200, answer.text
    block = answer.json()["verification"]
    assert block["verdicts"][0]["existence"]["status"] == "EXACT"
    image = hosts.two.get(f"/v1/documents/{document['doc_hash']}/pages/1.png")
    assert image.content.startswith(FIRST_BYTES)
    # The receipt of the one host, by the other one, and for an auditor.
    path = f"/v1/verifications/{answer.json()['verification_id']}/receipt"
    bundle = hosts.one.get(path).content
    assert bundle == hosts.two.get(path).content
    report = check_receipt(bundle, load_trust(context_of(hosts.one)), now=datetime.now(UTC))
    assert report.outcome is CheckOutcome.OK
    # Nothing of the document stands in a home, except what the cache copied.
    for client in (hosts.one, hosts.two):
        assert not (context_of(client).settings.home / "blobs").exists()
    digest = document["doc_hash"].removeprefix("sha256:")
    assert f"blobs/{digest[:2]}/{digest}" in object_server.keys(hosts.prefix)


@pytest.mark.long
def test_the_whole_store_is_checked_against_the_bucket(
    hosts: Hosts, object_server: ObjectServer
) -> None:
    document = ingest(hosts.one, "checked")
    context = context_of(hosts.two)
    context.store.documents.load_extraction(
        context.store.documents.find(document["doc_hash"]).extraction_ids[0]  # type: ignore[union-attr]
    )
    assert check_store(context, None, with_log=False).outcome is LineStatus.OK
    digest = document["doc_hash"].removeprefix("sha256:")
    key = f"{hosts.prefix}/blobs/{digest[:2]}/{digest}"
    whole = object_server.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    object_server.client.put_object(Bucket=BUCKET, Key=key, Body=whole + b" ")
    report = check_store(context, None, with_log=False)
    assert [each.code for each in report.findings] == ["BLOB_DIGEST_MISMATCH"]
    object_server.client.delete_object(Bucket=BUCKET, Key=key)
    report = check_store(context, None, with_log=False)
    assert [each.code for each in report.findings] == ["STORE_INTEGRITY"]
    object_server.client.put_object(Bucket=BUCKET, Key=key, Body=whole)
    assert check_store(context, None, with_log=False).outcome is LineStatus.OK


def test_what_one_host_erases_is_gone_from_the_bucket_and_from_the_other(
    hosts: Hosts, object_server: ObjectServer
) -> None:
    document = ingest(hosts.one, "unwanted")
    digest = document["doc_hash"].removeprefix("sha256:")
    two = context_of(hosts.two)
    assert two.store.documents.read_source(
        two.store.documents.find("unwanted").document.doc_hash  # type: ignore[union-attr]
    )
    copies = two.settings.home / "blob-copies"
    assert (copies / digest[:2] / digest).exists()
    (done,) = erase(context_of(hosts.one), "unwanted", reason="asked for")
    assert done.removed
    kept = object_server.keys(hosts.prefix)
    assert f"blobs/{digest[:2]}/{digest}" not in kept
    assert not any(f"blobs/{each.hex[:2]}/{each.hex}" in kept for each in done.content.digests)
    check_problem(hosts.two.get(f"/v1/documents/{document['doc_hash']}"), 410, "DOCUMENT_ERASED")
    # As after an hour, or a start.
    two.store.blobs._next_forget = 0.0  # type: ignore[attr-defined]
    ingest(hosts.two, "wanted")
    assert not (copies / digest[:2] / digest).exists()


def test_a_store_that_is_down_is_a_typed_problem_and_the_service_is_well_after(
    hosts: Hosts, object_server: ObjectServer
) -> None:
    document = ingest(hosts.one, "patience")
    forget(hosts.one, hosts.two)
    source = make_pdf() + b"% refused\n"
    with object_server.failing(DOWN):
        page = f"/v1/documents/{document['doc_hash']}/pages/1.png"
        for response in (
            hosts.two.get(page),
            post_answer(hosts.two, make_answer(document)),
            hosts.two.put("/v1/documents", params={"doc_id": "refused"}, content=source),
        ):
            problem = check_problem(response, 503, "STORE_UNAVAILABLE")
            assert response.headers["retry-after"]
            assert "a refusal of our credentials" in problem["detail"]
            assert BUCKET not in problem["detail"]
        problem = check_problem(hosts.two.get("/readyz"), 503, "NOT_READY")
        assert "/blobs" in [error["pointer"] for error in problem["errors"]]
        # What cannot be looked at is not called damaged.
        with pytest.raises(ObjectStoreUnavailableError):
            check_store(context_of(hosts.two), None, with_log=False)
    with object_server.failing(swallow_puts):
        lost = hosts.two.put("/v1/documents", params={"doc_id": "refused"}, content=source)
        check_problem(lost, 503, "STORE_UNAVAILABLE")
    # Nothing was half written: no row without its bytes.
    check_problem(hosts.one.get("/v1/documents/refused"), 404, "DOCUMENT_NOT_FOUND")
    assert hosts.two.get(page).content.startswith(FIRST_BYTES)
    assert post_answer(hosts.two, make_answer(document)).status_code == 200
    assert hosts.two.put("/v1/documents", content=source).status_code == 201


def test_a_jobs_input_is_read_where_the_job_runs(hosts: Hosts, object_server: ObjectServer) -> None:
    one, two = (context_of(each).jobs.inputs for each in (hosts.one, hosts.two))
    name = one.add(b"what was sent")
    assert two.read(name) == b"what was sent"
    two.remove(name)
    assert not any(name in each for each in object_server.keys(hosts.prefix))


def test_what_a_job_made_is_read_on_every_host(hosts: Hosts, object_server: ObjectServer) -> None:
    one, two = (context_of(each).jobs.outputs for each in (hosts.one, hosts.two))
    made = two.path("a-job") / "rows" / "part.parquet"
    made.parent.mkdir(parents=True)
    made.write_bytes(b"rows")
    two.share("a-job")
    (found,) = one.list_files("a-job", "rows")
    assert found.read_bytes() == b"rows"
    with object_server.failing(DOWN), pytest.raises(ObjectStoreUnavailableError):
        one.list_files("a-job", "rows")
    one.remove("a-job")
    assert not any("a-job" in each for each in object_server.keys(hosts.prefix))


def test_doctor_tries_the_store_and_tells_no_credentials(hosts: Hosts) -> None:
    context = context_of(hosts.two)
    report = diagnose(context)
    (check,) = [each for each in report.checks if each.name == "blobs"]
    assert check.status == "ok"
    assert check.detail == f"s3://{BUCKET}/{hosts.prefix}: a probe was put, read and deleted"
    told = json.dumps(report.to_json()) + hosts.two.get("/readyz").text
    assert SECRET not in told
    assert KEY_ID not in told


def test_each_tenant_has_a_prefix_of_its_own(object_server: ObjectServer, tmp_path: Path) -> None:
    prefix = uuid.uuid4().hex
    settings = Settings(home=tmp_path / "home", blobs=f"s3://{BUCKET}/{prefix}")
    opened = {}
    for tenant in ("default", "acme"):
        own = to_tenant_settings(settings, tenant)
        place = to_object_place(own)
        assert place is not None
        opened[tenant] = ObjectBlobs(place, own.home / "blob-copies")
    digest = opened["acme"].put(b"of a tenant")
    key = f"blobs/{digest.hex[:2]}/{digest.hex}"
    names = object_server.keys(prefix)
    assert sorted(names) == [f"tenants/acme/{key}", f"tenants/acme/{MARK}"]
    opened["default"].answer()
    assert not opened["default"].has(digest)
    assert opened["default"].put(b"of a tenant") == digest
    assert key in object_server.keys(prefix)
    for blobs in opened.values():
        blobs.close()
