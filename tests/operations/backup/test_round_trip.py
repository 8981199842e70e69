"""What was backed up comes back, while others write, from each kind of store."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ContentKeyMissingError, LogRolledBackError, OutputError
from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.assembly import open_context
from spanproof.operations.backup import save
from spanproof.operations.backup.content_keys import put_keys, read_keys, save_keys
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.erasing import erase
from spanproof.operations.errors import BackupRefusedError
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.words import set_words
from spanproof.operations.tenants import Tenants
from spanproof.receipt.check.report import LineStatus
from tests.builders import ScriptedModel
from tests.operations.audited import codes, fill, verify_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.backup.manifest import BackupFile
    from spanproof.operations.settings import Settings
    from tests.operations.backup.conftest import Site


def add_tenant(settings: Settings, parser: Parser) -> str:
    """A key of a tenant of its own, and an answer in its store."""
    tenants = Tenants(settings, {"parser": parser, "model": ScriptedModel()})
    try:
        now = datetime.now(UTC)
        acme = tenants.create("acme")
        wanted = KeyRequest(scopes=("read",), expires_at=now + timedelta(hours=1), label=None)
        create_key(tenants.default, acme, wanted, now=now)
        return fill(acme, 1)[0]
    finally:
        tenants.close()


@pytest.mark.parametrize("kind", ["site", pytest.param("fleet_site", marks=pytest.mark.long)])
def test_all_tenants_come_back_and_replay(
    kind: str, request: pytest.FixtureRequest, warm_parser: Parser
) -> None:
    site: Site = request.getfixturevalue(kind)
    theirs = add_tenant(site.settings, warm_parser)
    done = site.save()
    assert [each.name for each in done.manifest.tenants] == ["default", "acme"]
    assert done.is_signed
    assert done.to_json()["tenants"][1]["verifications"] == 1
    report = site.restore(sample=5)
    told = {f"{line.question} {line.words}": line.status for line in report.lines}
    assert report.outcome is LineStatus.NOT_CHECKED
    # The other tenant's answer was judged by a scripted model, which is not here.
    (left,) = (each for each, status in told.items() if status is LineStatus.NOT_CHECKED)
    assert left.startswith("REPLAY acme: of 1 verifications 1 were computed again: 1 NOT_CHECKED")
    assert any("of 2 verifications 2 were computed again: 2 REPLAYED" in each for each in told)
    with open_context(site.new) as context:
        assert set(site.ids) == {
            each.verification_id for each in context.store.answers.list().items
        }
        # Without the mark nothing goes on under the name of the log.
        with pytest.raises(LogRolledBackError):
            _ = context.log
    tenants = Tenants(site.new)
    try:
        with tenants.using("acme") as context:
            assert context.store.answers.has(theirs)
    finally:
        tenants.close()


@pytest.mark.long
def test_a_backup_is_whole_while_answers_are_written(site: Site, warm_parser: Parser) -> None:
    stopped = threading.Event()
    with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
        doc_hash = context.store.documents.list().items[0].document.doc_hash

        def write() -> None:
            while not stopped.is_set():
                site.ids.append(verify_answer(context, doc_hash))

        thread = threading.Thread(target=write)
        thread.start()
        try:
            while len(site.ids) < 5:
                pass
            done = site.save()
        finally:
            stopped.set()
            thread.join()
    assert done.manifest.tenants[0].rows["verification"] >= 5
    report = site.restore()
    assert report.outcome is LineStatus.OK, report.to_json()


def test_the_host_that_moves_goes_on_with_its_mark(site: Site, warm_parser: Parser) -> None:
    site.save()
    mark = site.settings.log_mark
    assert mark is not None
    assert site.new.log_mark is not None
    site.new.log_mark.write_bytes(mark.read_bytes())
    assert site.restore().outcome is LineStatus.OK
    with open_context(site.new, parser=warm_parser, model=ScriptedModel()) as context:
        before = context.log.head().size
        context.log.include(b"goes on")
        assert context.log.head().size == before + 1


def test_each_backup_is_the_store_of_its_moment(site: Site, warm_parser: Parser) -> None:
    site.save("first")
    with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
        doc_hash = context.store.documents.list().items[0].document.doc_hash
        later = verify_answer(context, doc_hash)
    site.save("second")
    site.restore("first")
    with open_context(site.new) as context:
        assert context.store.answers.has(site.ids[0])
        assert not context.store.answers.has(later)


def test_what_is_erased_meanwhile_is_in_no_backup(
    site: Site, warm_parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    copy_home = save._copy_home

    def erase_first(*given: object) -> Iterator[BackupFile]:
        tries.append(given)
        if len(tries) == 1:
            with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
                erase(context, "agreement", reason="asked for")
        return copy_home(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(save, "_copy_home", erase_first)
    site.save()
    assert len(tries) == 2
    report = site.restore()
    assert report.outcome is LineStatus.OK, report.to_json()
    assert any("erased 1, each with its tombstone" in line.words for line in report.lines)


@pytest.mark.parametrize("kind", ["site", pytest.param("fleet_site", marks=pytest.mark.long)])
def test_encrypted_words_come_back_with_their_keys_alone(
    kind: str, request: pytest.FixtureRequest, warm_parser: Parser
) -> None:
    site: Site = request.getfixturevalue(kind)
    with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
        set_words(context, "encrypted", now=datetime.now(UTC))
        doc_hash = context.store.documents.list().items[0].document.doc_hash
        kept, gone = (verify_answer(context, doc_hash) for _ in range(2))
        site.save()
        early, late = site.folder / "early.keys", site.folder / "late.keys"
        assert save_keys(site.settings, early) == 2
        erase(context, gone, reason="asked for")
        assert save_keys(site.settings, late) == 1
        with pytest.raises(OutputError):
            save_keys(site.settings, late)
    with pytest.raises(BackupRefusedError):
        site.restore(keys=site.folder / "mark-old")
    report = site.restore(keys=late)
    # The backup is from before the erasing, and is as unreadable as the store is.
    assert [each.code for line in report.lines for each in line.findings] == [
        ContentKeyMissingError.code
    ]
    with open_context(site.new) as context:
        assert context.store.answers.load(kept).raw
        with pytest.raises(ContentKeyMissingError):
            context.store.answers.load(gone)
        assert put_keys(site.new, read_keys(early)) == 1
        assert context.store.answers.load(gone).raw


@pytest.mark.parametrize("kind", ["site", pytest.param("fleet_site", marks=pytest.mark.long)])
def test_encrypted_documents_come_back_with_their_keys_alone(
    kind: str, request: pytest.FixtureRequest, warm_parser: Parser
) -> None:
    site: Site = request.getfixturevalue(kind)
    content = b"Nobody but the holder of the key reads of the xylophone.\n"
    with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
        set_words(context, "encrypted", now=datetime.now(UTC))
        chunks = [content]
        doc_hash = ingest_stream(
            context, chunks, media_type="text/plain", filename="a.txt", doc_id=None
        ).doc_hash
        assert doc_hash is not None
        site.save()
        keys = site.folder / "content.keys"
        assert save_keys(site.settings, keys) == len(context.store.content_keys.list_all()) > 0
    for path in (site.folder / "backup").rglob("*"):
        assert not path.is_file() or b"xylophone" not in path.read_bytes()
    report = site.restore()
    found = {each.code for line in report.lines for each in line.findings}
    assert found == {ContentKeyMissingError.code}
    with open_context(site.new) as context:
        assert put_keys(site.new, read_keys(keys)) > 0
        assert context.store.documents.read_source(doc_hash) == content
        assert codes(check_store(context, None, with_log=False)) == []
