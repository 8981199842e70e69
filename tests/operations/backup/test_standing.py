"""A log that was restored says what others have seen beyond it, and signs nothing of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.api.http.witness_app import WitnessApp
from spanproof.core.errors import LogRolledBackError
from spanproof.operations.assembly import open_context
from spanproof.operations.doctor import diagnose
from spanproof.operations.log.cosign import cosign_head
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.log.recover import recover
from spanproof.operations.log.witness import WitnessFolder, read_policy
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Shard
from spanproof.receipt.witness.cosignature import format_cosigner_key
from spanproof.receipt.witness.cosigning import Witness
from spanproof.store.log.reading import LogReader
from tests.builders import ScriptedModel
from tests.operations.audited import verify_answer
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.ingest.sandbox import Parser
    from tests.operations.backup.conftest import Site


@pytest.fixture
def witnessed(site: Site, tmp_path: Path) -> Iterator[Site]:
    """The installation, with a witness behind a socket; the new one asks it too."""
    keys = open_keys(site.settings).keys.all_log_keys
    origin = keys[-1].key.name
    policy = tmp_path / "policy"
    with WitnessFolder.open(tmp_path / "w", name="w.example", passphrase=None) as folder:
        witness = Witness(
            cosigner=folder.cosigner,
            logs={origin: [each.key for each in keys]},
            store=folder,
            clock=lambda: int(datetime.now(UTC).timestamp()),
        )
        with serve(WitnessApp(witness, folder)) as address:
            vkey = format_cosigner_key(folder.cosigner.verifier)
            policy.write_text(f"witness w {vkey} {address}\ngroup g all w\nquorum g\n")
            site.settings = site.settings.model_copy(update={"log_witnesses": policy})
            site.new = site.new.model_copy(update={"log_witnesses": policy})
            yield site


def cosign(site: Site, parser: Parser) -> int:
    """One answer more, and the witness's signature over the head; its size."""
    with open_context(site.settings, parser=parser, model=ScriptedModel()) as context:
        verify_answer(context, context.store.documents.list().items[0].document.doc_hash)
        policy = site.settings.log_witnesses
        assert policy is not None
        with httpx.Client() as client:
            report = cosign_head(
                LogReader.find(context.store.database, context.log.origin),
                context.store.database,
                read_policy(policy),
                client=client,
                clock=lambda: datetime.now(UTC),
            )
        assert report.is_witnessed
        return report.checkpoint.size


def test_a_log_behind_its_last_cosigned_head_says_so_and_another_goes_on(
    witnessed: Site, warm_parser: Parser
) -> None:
    site = witnessed
    then = cosign(site, warm_parser)
    site.save()
    later = cosign(site, warm_parser)
    report = site.restore()
    assert report.outcome is LineStatus.FAILED
    (line,) = (each for each in report.lines if each.question == "LOG")
    (found,) = line.findings
    assert found.code == "LOG_BEHIND"
    assert f"Expected the {later} leaves that were cosigned, got {then}." in found.message
    # Everything else is as it was backed up.
    assert {each.question for each in report.lines if each.status is LineStatus.FAILED} == {"LOG"}
    with open_context(site.new, parser=warm_parser, model=ScriptedModel()) as context:
        failed = {check.name: check.code for check in diagnose(context).failed}
        assert failed == {"witnesses": "LOG_BEHIND", "log": "LOG_ROLLED_BACK"}
        with pytest.raises(LogRolledBackError):
            _ = context.log
    with open_context(site.new) as context:
        done = recover(site.new, context.store, origin=None, reason="the disk was lost")
        stored = LogReader.find(context.store.database, done.opened.origin).find_statement(0)
        assert stored is not None
        event = parse_event(stored.statement.payload)
        assert isinstance(event, Shard)
        assert (event.old_origin, event.old_size) == (done.closed.origin, then)


def test_a_mark_that_survived_says_it_without_any_witness(site: Site, warm_parser: Parser) -> None:
    site.save()
    with open_context(site.settings, parser=warm_parser, model=ScriptedModel()) as context:
        context.log.include(b"after the backup")
    mark, new = site.settings.log_mark, site.new.log_mark
    assert mark is not None
    assert new is not None
    new.write_bytes(mark.read_bytes())
    report = site.restore()
    assert [each.code for line in report.lines for each in line.findings] == ["LOG_BEHIND"]


def test_a_newest_backup_is_not_behind(witnessed: Site, warm_parser: Parser) -> None:
    cosign(witnessed, warm_parser)
    witnessed.save()
    report = witnessed.restore()
    assert report.outcome is LineStatus.OK
    (line,) = (each for each in report.lines if each.question == "LOG")
    assert "w has cosigned" in line.words


def test_a_witness_that_does_not_answer_leaves_it_open(site: Site, tmp_path: Path) -> None:
    with WitnessFolder.open(tmp_path / "w", name="w.example", passphrase=None) as folder:
        vkey = folder.vkey
    policy = tmp_path / "policy"
    policy.write_text(f"witness w {vkey} http://127.0.0.1:9\ngroup g all w\nquorum g\n")
    site.new = site.new.model_copy(update={"log_witnesses": policy})
    site.save()
    report = site.restore()
    assert report.outcome is LineStatus.NOT_CHECKED
