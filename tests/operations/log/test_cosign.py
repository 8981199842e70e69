"""Asking witnesses: what each may answer, what is kept of it, and when the policy is met."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.operations.log.cosign import (
    MAX_ANSWER_BYTES,
    CosignReport,
    WitnessStatus,
    cosign_head,
)
from spanproof.operations.log.witness import WitnessFolder, name_log
from spanproof.receipt.forms.signed_note import check_note, parse_note, write_line
from spanproof.receipt.witness.cosignature import (
    LocalCosigner,
    find_cosignatures,
    format_cosigner_key,
)
from spanproof.receipt.witness.cosigning import Witness
from spanproof.receipt.witness.policy import parse_policy
from spanproof.store.log.cosignatures import Cosignatures
from spanproof.store.log.reading import LogReader
from tests.receipt.samples import make_cosigner, make_log_key
from tests.store.examples import NOON
from tests.store.log.samples import open_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.receipt.keys.signing_keys import LogKey
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog
    from tests.conftest import StorePlace

    Handler = Callable[[httpx.Request], httpx.Response]

KEY = make_log_key().verifier


@pytest.fixture
def log(store: Store) -> TransparencyLog:
    found = open_log(store)
    found.include_all([b"entry %d" % number for number in range(5)])
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[WitnessFolder]:
    with WitnessFolder.open(tmp_path / "w", name="w.example", passphrase=None) as opened:
        yield opened


def watch(folder: WitnessFolder, key: LogKey = KEY) -> Handler:
    """The witness of a folder, answering as its server does."""
    witness = Witness(
        cosigner=folder.cosigner,
        logs={key.name: [key]},
        store=folder,
        clock=lambda: 1_700_000_000,
    )

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            assert request.url.path == f"/submit/{name_log(key.name)}/cosigned"
            return httpx.Response(200, content=folder.find_list(name_log(key.name)))
        assert request.method == "POST"
        assert request.url.path == "/submit/add-checkpoint"
        found = witness.add_checkpoint(request.read())
        headers = {"content-type": found.media_type}
        return httpx.Response(found.status, content=found.body, headers=headers)

    return answer


def run(log: LogReader, store: Store, policy: str, handler: Handler | None = None) -> CosignReport:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with httpx.Client(transport=httpx.MockTransport(handler or refuse)) as client:
        return cosign_head(
            log, store.database, parse_policy(policy.encode()), client=client, clock=lambda: NOON
        )


def make_policy(*witnesses: LocalCosigner, url: str = "https://w.example/submit/") -> str:
    lines = [
        f"witness w{number} {format_cosigner_key(each.verifier)} {url}"
        for number, each in enumerate(witnesses)
    ]
    names = " ".join(f"w{number}" for number in range(len(witnesses)))
    return "\n".join([*lines, f"group g all {names}", "quorum g", ""])


def test_the_newest_head_is_cosigned_and_kept(
    log: TransparencyLog, store: Store, folder: WitnessFolder
) -> None:
    policy = make_policy(folder.cosigner)
    report = run(log, store, policy, watch(folder))
    assert report.is_witnessed
    assert [each.status for each in report.outcomes] == [WitnessStatus.COSIGNED]
    note = parse_note(report.note)
    assert check_note(note, [KEY]) == (KEY,)
    (found,) = find_cosignatures(note, [folder.cosigner.verifier])
    assert found.timestamp == report.outcomes[0].timestamp == 1_700_000_000
    assert report.to_json()["witnessed"] is True
    assert report.to_json()["witnesses"][0]["status"] == "COSIGNED"
    kept = Cosignatures(store.database, log.log_id)
    assert [each.size for each in kept.list(5)] == [5]
    # Asked again about the same head, and about a larger one.
    assert run(log, store, policy, watch(folder)).note == report.note
    log.include(b"more")
    grown = run(log, store, policy, watch(folder))
    assert grown.is_witnessed
    assert grown.checkpoint.size == 6
    assert kept.list_sizes() == (5, 6)


def test_a_witness_that_has_seen_more_than_we_know_names_its_size(
    log: TransparencyLog, store: Store, folder: WitnessFolder
) -> None:
    answer, asked = watch(folder), []

    def record(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            asked.append(request.read().split(b"\n")[0])
        return answer(request)

    # A monitor may have shown it a head: below, its answer got lost.
    policy = make_policy(folder.cosigner)
    run(log, store, make_policy(make_cosigner(9)), record)
    log.include(b"more")
    assert run(log, store, policy, record).is_witnessed
    assert asked == [b"old 0", b"old 0", b"old 5"]
    # What got lost is taken from its list.
    assert Cosignatures(store.database, log.log_id).list_sizes() == (5, 6)
    log.include(b"and more")
    assert run(log, store, policy, record).is_witnessed
    assert asked[3:] == [b"old 6"]


def test_too_few_witnesses_do_not_meet_the_policy(
    log: TransparencyLog, store: Store, folder: WitnessFolder
) -> None:
    policy = make_policy(folder.cosigner, make_cosigner(7))
    report = run(log, store, policy, watch(folder))
    assert not report.is_witnessed
    assert not report.is_contradicted
    assert [each.status.value for each in report.outcomes] == ["COSIGNED", "UNAVAILABLE"]
    assert "Expected a cosignature of 'witness7.example.net', got none" in report.outcomes[1].words


def test_a_policy_without_addresses_asks_nobody(log: TransparencyLog, store: Store) -> None:
    report = run(log, store, make_policy(make_cosigner(), url=""))
    assert [each.words for each in report.outcomes] == ["the policy gives no address"]
    assert not report.is_witnessed
    assert report.note == log.latest()[1]


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (403, b"no\n", WitnessStatus.REFUSED),
        (404, b"\x1b[31mwho?\n", WitnessStatus.REFUSED),
        (400, b"", WitnessStatus.REFUSED),
        (409, b"five\n", WitnessStatus.REFUSED),
        (409, b"05\n", WitnessStatus.REFUSED),
        (422, b"a fork\n", WitnessStatus.CONTRADICTED),
        (500, b"oops", WitnessStatus.UNAVAILABLE),
        (503, b"later", WitnessStatus.UNAVAILABLE),
        (302, b"", WitnessStatus.UNAVAILABLE),
        (200, b"", WitnessStatus.UNAVAILABLE),
        (200, b"<html>", WitnessStatus.UNAVAILABLE),
        (200, b"\xff", WitnessStatus.UNAVAILABLE),
        (200, b"x" * (MAX_ANSWER_BYTES + 1), WitnessStatus.UNAVAILABLE),
        (409, b"6\n", WitnessStatus.CONTRADICTED),
        (409, b"0\n", WitnessStatus.UNAVAILABLE),
    ],
)
def test_another_answer_cosigns_nothing(
    log: TransparencyLog, store: Store, status: int, body: bytes, expected: WitnessStatus
) -> None:
    report = run(
        log, store, make_policy(make_cosigner()), lambda _: httpx.Response(status, content=body)
    )
    assert [each.status for each in report.outcomes] == [expected]
    assert report.outcomes[0].words.isprintable()
    assert not report.is_witnessed
    assert report.is_contradicted is (expected is WitnessStatus.CONTRADICTED)
    assert report.to_json()["witnessed"] is False
    assert Cosignatures(store.database, log.log_id).list_sizes() == ()


def test_nobody_at_the_address_is_unavailable(log: TransparencyLog, store: Store) -> None:
    (outcome,) = run(log, store, make_policy(make_cosigner())).outcomes
    assert (outcome.status, outcome.words) == (
        WitnessStatus.UNAVAILABLE,
        "no answer (ConnectError)",
    )
    odd = make_policy(make_cosigner(), url="gopher://w/")
    assert run(log, store, odd).outcomes[0].status is WitnessStatus.UNAVAILABLE


def test_a_false_cosignature_is_not_kept(log: TransparencyLog, store: Store) -> None:
    cosigner = make_cosigner()
    line = write_line(cosigner.cosign("something else\n", 5)).encode()
    report = run(log, store, make_policy(cosigner), lambda _: httpx.Response(200, content=line))
    assert report.outcomes[0].status is WitnessStatus.UNAVAILABLE
    assert "got one that is not" in report.outcomes[0].words
    assert Cosignatures(store.database, log.log_id).list_sizes() == ()


def test_a_head_that_grew_while_it_was_asked_about_is_no_contradiction(
    log: TransparencyLog, store: Store
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        log.include(b"meanwhile")
        return httpx.Response(409, content=b"6\n")

    (outcome,) = run(log, store, make_policy(make_cosigner()), answer).outcomes
    assert outcome.status is WitnessStatus.UNAVAILABLE
    assert outcome.words == "it has cosigned a newer head, of 6 leaves"


def test_a_restored_backup_is_contradicted(
    store_place: StorePlace, folder: WitnessFolder, tmp_path: Path
) -> None:
    """THREATS 3 and 4: the witness has seen what the restored log has not."""
    if store_place.database_url is not None:
        pytest.skip("a backup of SQLite is a copy of its folder")
    policy = make_policy(folder.cosigner)
    with store_place.open() as store:
        open_log(store).include_all([b"entry %d" % number for number in range(5)])
    backup = tmp_path / "backup"
    shutil.copytree(store_place.home, backup)
    with store_place.open() as store:
        log = open_log(store)
        log.include(b"lost")
        assert run(log, store, policy, watch(folder)).is_witnessed
    shutil.rmtree(store_place.home)
    shutil.copytree(backup, store_place.home)
    # The mark that would have refused is lost as well.
    (store_place.home.parent / "outside" / "mark").unlink()
    with store_place.open() as store:
        reader = LogReader.find(store.database, KEY.name)
        report = run(reader, store, policy, watch(folder))
        assert report.is_contradicted
        assert "cosigned 6 leaves and the log has 5" in report.outcomes[0].words
