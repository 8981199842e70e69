"""What asynchronous work takes of the disk and the queue is bounded, and is given back."""

from __future__ import annotations

import fcntl
import json
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.api.http.admission import Admission
from spanproof.api.http.rooms import plan_rooms
from spanproof.operations.errors import DISK, ServiceBusyError, Work
from spanproof.operations.jobs import KINDS, JobState
from spanproof.operations.jobs.inputs import JobInputs
from spanproof.operations.jobs.tenant_jobs import QUEUE
from spanproof.operations.settings import Settings
from spanproof.operations.tenants import Tenants
from tests.api.conftest import check_problem, context_of, run_client
from tests.operations.jobs.conftest import make_settings, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

    from spanproof.operations.jobs import Job, Jobs

MOST = 100
TEXT = b"Goods are replaced within four days."


def make_inputs(home: Path, tenant: str = "acme", *, most_bytes: int = MOST) -> JobInputs:
    return JobInputs(home / "jobs" / "inputs" / tenant, most_bytes=most_bytes)


def list_files(home: Path) -> list[Path]:
    return [path for path in (home / "jobs" / "inputs").glob("*/*") if path.is_file()]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abr"), st.integers(0, 130)), max_size=12))
def test_inputs_of_all_tenants_keep_within_their_bytes_but_one_alone(
    steps: list[tuple[str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        inputs = {name: make_inputs(home, name) for name in "ab"}
        kept: list[tuple[str, str, int]] = []
        for step, size in steps:
            held = sum(each for _, _, each in kept)
            if step == "r":
                if kept:
                    tenant, name, _ = kept.pop(size % len(kept))
                    inputs[tenant].remove(name)
                continue
            try:
                kept.append((step, inputs[step].add(bytes(size)), size))
            except ServiceBusyError:
                is_full = held > 0 and held + size > MOST
                assert is_full
            else:
                assert held == 0 or held + size <= MOST
        found = {path.name: path.stat().st_size for path in list_files(home)}
        assert found == {name: size for _, name, size in kept}


def test_room_is_taken_before_the_bytes_come(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path)
    is_copying, may_go = threading.Event(), threading.Event()

    def write(stream: Any) -> None:
        is_copying.set()
        assert may_go.wait(60)
        stream.write(b"x" * 60)

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(inputs._add, 60, write)
        assert is_copying.wait(60)
        with pytest.raises(ServiceBusyError) as caught:
            inputs.add(b"y" * 41)
        assert (caught.value.work, caught.value.headers["Retry-After"]) == (DISK, "10")
        other = inputs.add(b"y" * 40)
        may_go.set()
        assert inputs.read(slow.result(60)) == b"x" * 60
    assert inputs.read(other) == b"y" * 40


def test_many_at_once_keep_within_it_together(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path)
    source = tmp_path / "upload"
    source.write_bytes(b"z" * 30)

    def add(_: int) -> bool:
        try:
            inputs.add_file(source)
        except ServiceBusyError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(16))) == 3
    assert [path.stat().st_size for path in list_files(tmp_path)] == [30, 30, 30]


def test_what_a_killed_writer_left_counts_for_nothing(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path)
    inputs.add(b"1" * 50)
    left = list_files(tmp_path)[0].with_name(f"{'0' * 32}.new")
    left.write_bytes(b"2" * 50)
    with left.open("rb") as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        with pytest.raises(ServiceBusyError):
            inputs.add(b"3" * 50)
        assert left.exists()
    inputs.add(b"3" * 50)
    assert not left.exists()


def start(jobs: Jobs, job_id: str, kind: str = "drift") -> Job:
    return jobs.start(kind, {"index": "none", "from": "1", "to": "2", "budget": 0.1}, job_id=job_id)


@pytest.fixture(params=["sqlite", "postgresql"])
def few(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tenants]:
    """A service of three jobs a tenant, which nobody runs."""
    is_postgresql = request.param == "postgresql"
    url = request.getfixturevalue("postgresql_url") if is_postgresql else None
    given = make_settings(tmp_path / "home", url).model_copy(update={"queued_jobs": 3})
    opened = Tenants(given)
    yield opened
    opened.close()


def test_a_tenant_has_so_many_jobs_that_are_not_over(few: Tenants) -> None:
    jobs, refusals = few.default.jobs, list[tuple[str, str]]()

    def try_one(number: int) -> bool:
        try:
            start(jobs, f"job-{number}")
        except ServiceBusyError as refused:
            refusals.append((refused.work, refused.headers["Retry-After"]))
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_one, range(12))) == 3
    assert refusals == [(QUEUE, "10")] * 9
    kept = jobs.list().items
    assert [job.state for job in kept] == [JobState.QUEUED] * 3
    with pytest.raises(ServiceBusyError):
        jobs.check_room()
    # One that was taken is answered again.
    assert start(jobs, kept[0].job_id).job_id == kept[0].job_id
    # What the service owes is taken, and counts for nothing.
    for kind in ("sampled_verification", "webhook_delivery"):
        jobs.start(kind, {"first": 1, "last": 1}, job_id=f"owed-{kind}")
    # Another tenant has room of its own.
    few.create("other")
    with few.using("other") as context:
        start(context.jobs, "theirs")
    jobs.cancel(kept[0].job_id)
    start(jobs, "room-again")
    with pytest.raises(ServiceBusyError):
        start(jobs, "too-many")
    assert "too-many" not in {job.job_id for job in jobs.list().items}


@pytest.mark.parametrize("few", ["sqlite"], indirect=True)
def test_jobs_that_are_over_give_their_room_back(few: Tenants) -> None:
    jobs = few.default.jobs
    for number in range(3):
        start(jobs, f"job-{number}")
    with running(few):
        for number in range(3):
            assert wait_for(jobs, f"job-{number}").state is JobState.FAILED
        start(jobs, "another")
        wait_for(jobs, "another")


def test_every_kind_that_a_request_starts_is_bounded() -> None:
    owed = {name for name, kind in KINDS.items() if not kind.is_asked}
    tests_own = {name for name in owed if not str(KINDS[name].place).startswith("spanproof.")}
    assert owed - tests_own == {"sampled_verification", "webhook_delivery"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service of one job, which nobody runs, and of little disk."""
    given = Settings(
        home=tmp_path_factory.mktemp("room") / "home",
        database_url=None,
        model=None,
        test_data=None,
        job_threads=0,
        queued_jobs=1,
        staged_bytes=1000,
    )
    with run_client(given) as opened:
        yield opened


def count_refusals(client: TestClient, work: str) -> float:
    name = f'spanproof_overload_refusals_total{{work="{work}"}} '
    rows = client.get("/metrics").text.splitlines()
    return sum(float(row.removeprefix(name)) for row in rows if row.startswith(name))


def assert_all_is_free(admission: Admission, most: int) -> None:
    """Two uploads reserve all of the disk: so no other upload has any."""
    one, two = admission.enter(Work.INGEST), admission.enter(Work.BULK)
    one.reserve_disk(1)
    two.reserve_disk(most - 1)
    one.close()
    two.close()


def list_kept(client: TestClient) -> list[Path]:
    """What uploads and jobs have on the disk now."""
    home = context_of(client).settings.home
    staged = home.glob("**/staging/*")
    return [*list_files(home), *staged]


PAIR = json.dumps(
    {"pair_id": 1, "doc_hash": f"sha256:{'0' * 64}", "span_text": "words", "claim_text": "words"}
).encode()
STARTED = {
    "bulk": ("POST", "/v1/bulk-verifications", PAIR),
    "document": ("PUT", "/v1/documents?mode=async", TEXT),
    "manifest": ("POST", "/v1/indexes/contracts/versions?version=1&mode=async", b"{}\n"),
    "answer": (
        "POST",
        "/v1/verifications?mode=async",
        json.dumps({"answer": "Nothing is cited.", "citations": []}).encode(),
    ),
}


@pytest.mark.parametrize("name", STARTED)
def test_a_request_beyond_the_queue_is_429_and_leaves_nothing(
    client: TestClient, name: str
) -> None:
    method, path, content = STARTED[name]
    first = {"Idempotency-Key": f"first-{name}", "Content-Type": "text/plain"}
    made = client.request(method, path, content=content, headers=first)
    assert made.status_code == 202, made.text
    kept, before = list_kept(client), count_refusals(client, QUEUE)
    assert len(kept) == 1
    later = {"Idempotency-Key": f"later-{name}", "Content-Type": "text/plain"}
    for headers in ({"Content-Type": "text/plain"}, later):
        refused = client.request(method, path, content=content, headers=headers)
        check_problem(refused, 429, "SERVICE_BUSY")
        assert refused.headers["retry-after"] == "10"
    assert count_refusals(client, QUEUE) == before + 2
    assert list_kept(client) == kept
    # What was taken is answered again, full or not.
    again = client.request(method, path, content=content, headers=first)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json()["job_id"] == made.json()["job_id"]
    client.post(f"/v1/jobs/{made.json()['job_id']}/cancel")
    # The key of what was refused is free.
    taken = client.request(method, path, content=content, headers=later)
    assert (taken.status_code, taken.headers["idempotency-replayed"]) == (202, "false")
    client.post(f"/v1/jobs/{taken.json()['job_id']}/cancel")
    context = context_of(client)
    for path_left in list_files(context.settings.home):
        # As a worker does with those of jobs that are over.
        context.jobs.inputs.remove(path_left.name)


def send_slowly() -> Iterator[bytes]:
    yield TEXT
    yield TEXT


@pytest.mark.parametrize("is_announced", [True, False])
def test_an_upload_beyond_the_disk_is_429_until_there_is_room(
    client: TestClient, is_announced: bool
) -> None:
    admission: Admission = client.app.state.admission  # type: ignore[attr-defined]
    other, before = admission.enter(Work.BULK), count_refusals(client, DISK)
    other.reserve_disk(990)

    def put() -> Any:
        content = TEXT * 2 if is_announced else send_slowly()
        return client.put("/v1/documents", content=content, headers={"Content-Type": "text/plain"})

    refused = put()
    check_problem(refused, 429, "SERVICE_BUSY")
    assert int(refused.headers["retry-after"]) > 0
    assert count_refusals(client, DISK) == before + 1
    assert list_kept(client) == []
    other.close()
    assert put().status_code in {200, 201}
    assert_all_is_free(admission, 1000)


def test_uploads_hold_no_more_of_the_disk_than_they_may_but_one_alone_is_taken() -> None:
    admission = Admission(plan_rooms(Settings()), body_bytes=10, staged_bytes=MOST)
    large, small = admission.enter(Work.INGEST), admission.enter(Work.BULK)
    large.reserve_disk(1000)
    large.reserve_disk(900)
    with pytest.raises(ServiceBusyError, match="100 bytes"):
        small.reserve_disk(1)
    large.close()
    large.close()
    small.reserve_disk(60)
    small.reserve_disk(100)
    # Bytes on the disk are none in memory.
    small.reserve_memory(1)
    admission.enter(Work.INGEST).reserve_memory(9)
    small.close()
    assert_all_is_free(admission, 100)
