"""What the log holds of an answer, whatever fails on the way to its receipt."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    IntegrityError,
    LimitExceededError,
    LogError,
    LogStoppedError,
    MalformedAnswerError,
)
from spanproof.operations.assembly import open_context
from spanproof.operations.receipts.stored import show_receipt
from spanproof.operations.verification import judging
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import LineStatus, Question
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Intake, IntakeError
from spanproof.store.log.failpoints import Failpoint
from tests.builders import ScriptedModel
from tests.contexts import with_parts
from tests.operations.receipts.conftest import list_statements, make_payload, read_predicate
from tests.store.log.samples import Saboteur

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


def test_intake_configuration_and_result_are_logged_in_this_order(kept: Context) -> None:
    raw = make_payload()
    first, second = verify_payload(kept, raw), verify_payload(kept, raw)
    kinds = [each.statement.kind for each in list_statements(kept.log)]
    assert kinds == ["intake", "config-change", "result", "intake", "result"]
    intake = parse_event(list_statements(kept.log)[0].statement.payload)
    assert isinstance(intake, Intake)
    assert intake.request_digest == Digest.of(raw)
    assert intake.verification_id == first.verification_id
    assert read_predicate(first.receipt).log.intake_index == 0
    assert read_predicate(second.receipt).log.intake_index == 3
    assert kept.log.open_intakes() == ()


def test_the_model_is_asked_only_after_the_intake_is_durable(
    kept: Context,
) -> None:
    seen: list[int] = []

    class Watching(ScriptedModel):
        def judge(self, pairs: Any) -> Any:
            seen.append(len(kept.log.open_intakes()))
            return super().judge(pairs)

    verify_payload(with_parts(kept, model=Watching()), make_payload())
    assert seen
    assert set(seen) == {1}


def test_what_cannot_be_parsed_is_not_taken_in(kept: Context) -> None:
    before = kept.log.head().size
    with pytest.raises(MalformedAnswerError):
        verify_payload(kept, b"{}")
    assert kept.log.head().size == before


@pytest.mark.parametrize(
    ("error", "reason", "code"),
    [
        (RuntimeError("zanzibar"), "failed", "INTERNAL"),
        (MalformedAnswerError("No.", hint="Mend it."), "failed", "MALFORMED_ANSWER"),
        (KeyboardInterrupt(), "interrupted", "INTERNAL"),
    ],
)
def test_what_fails_after_the_intake_is_logged_as_its_error(
    kept: Context,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    reason: str,
    code: str,
) -> None:
    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(judging, "list_documents", fail)
    with pytest.raises(type(error)):
        verify_payload(kept, make_payload())
    intake, closing = list_statements(kept.log)
    assert closing.statement.intake_index == intake.index
    event = parse_event(closing.statement.payload)
    assert isinstance(event, IntakeError)
    assert (event.reason, event.code) == (reason, code)
    assert kept.log.open_intakes() == ()
    assert kept.store.answers.list().items == ()
    assert b"zanzibar" not in closing.statement.payload


def test_an_answer_that_cannot_be_logged_is_not_answered(
    kept: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer = kept.issuer

    def refuse(*_: Any, **__: Any) -> Any:
        raise LogError("Expected a log, got none.", hint="Mend it.")

    monkeypatch.setattr(issuer.log, "append", refuse)
    with pytest.raises(LogError):
        verify_payload(kept, make_payload())
    assert kept.log.head().size == 0
    assert kept.store.answers.list().items == ()


def test_an_error_that_cannot_be_logged_leaves_the_intake_for_the_next_start(
    kept: Context, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise LogError("Expected a log, got none.", hint="Mend it.")

    def fail(*_: Any) -> Any:
        monkeypatch.setattr(kept.issuer.log, "append", refuse)
        raise RuntimeError

    monkeypatch.setattr(judging, "list_documents", fail)
    with pytest.raises(RuntimeError):
        verify_payload(kept, make_payload())
    assert len(kept.log.open_intakes()) == 1
    # While this process lives nobody closes it.
    with open_context(settings) as other:
        assert len(other.log.open_intakes()) == 1
    # Once it has gone, the next start does.
    kept.intakes.close()
    with open_context(settings) as other:
        assert other.log.open_intakes() == ()
        closing = parse_event(list_statements(other.log)[-1].statement.payload)
    assert isinstance(closing, IntakeError)
    assert closing.reason == "interrupted"


def test_an_intake_that_was_written_and_not_answered_is_left_for_the_next_start(
    kept: Context, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = kept.issuer.log.append

    def fail(*given: Any) -> Any:
        append(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(kept.issuer.log, "append", fail)
    with pytest.raises(KeyboardInterrupt):
        verify_payload(kept, make_payload())
    assert len(kept.log.open_intakes()) == 1
    kept.intakes.close()
    with open_context(settings) as other:
        assert other.log.open_intakes() == ()


_KILLED = """
import os, sys
from pathlib import Path
from spanproof.operations.verification import judging, verify
from spanproof.operations.settings import Settings
from spanproof.operations.assembly import open_context
from tests.builders import ScriptedModel

def die(*_):
    os.kill(os.getpid(), 9)

settings = Settings(home=Path(sys.argv[1]), cross_check_rate=0.0)
with open_context(settings, model=ScriptedModel()) as context:
    judging.list_documents = die
    verify.verify_payload(context, sys.argv[2].encode())
"""


@pytest.mark.long
def test_what_a_killed_process_left_open_is_closed_as_interrupted(
    kept: Context, settings: Settings
) -> None:
    raw = make_payload()
    arguments = [sys.executable, "-c", _KILLED, str(settings.home), raw.decode()]
    environment = os.environ | {"SPANPROOF_DATABASE_URL": settings.database_url or ""}
    done = subprocess.run(arguments, check=False, capture_output=True, env=environment)
    assert done.returncode == -9, done.stderr
    # ``kept`` opens the log only now.
    intake, closing = list_statements(kept.log)
    event = parse_event(closing.statement.payload)
    assert isinstance(event, IntakeError)
    assert (event.reason, event.code) == ("interrupted", "INTERRUPTED")
    assert closing.statement.intake_index == intake.index
    assert kept.log.open_intakes() == ()
    assert list((settings.home / "log/processes").iterdir()) == []


def test_a_block_that_no_receipt_can_hold_is_not_kept(
    kept: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.receipt.statement.statement.MAX_PAYLOAD_BYTES", 4000)
    with pytest.raises(LimitExceededError, match="in parts"):
        verify_payload(kept, make_payload())
    assert kept.store.answers.list().items == ()
    event = parse_event(list_statements(kept.log)[-1].statement.payload)
    assert isinstance(event, IntakeError)
    assert event.code == "LIMIT_EXCEEDED"


def test_a_statement_of_ours_that_cannot_be_read_is_our_fault(
    kept: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.receipt.statement.issuance.LIMITATIONS", "elsewhere")
    with pytest.raises(IntegrityError, match="limitations"):
        verify_payload(kept, make_payload())
    assert kept.store.answers.list().items == ()


@pytest.mark.parametrize("point", [Failpoint.CHECKPOINT_SIGNED, Failpoint.NOTE_WRITTEN])
def test_a_result_that_was_logged_gets_its_receipt_at_the_next_start(
    kept: Context, settings: Settings, point: Failpoint
) -> None:
    kept.issuer.log._reach = Saboteur(point, OSError("Input/output error"))
    with pytest.raises(LogStoppedError):
        verify_payload(kept, make_payload())
    (left,) = kept.log.find_unreceipted()
    name = left.statement.subject
    assert kept.store.receipts.find(name) is None
    # While this process lives, it may be about to answer.
    with open_context(settings) as other:
        assert len(other.log.find_unreceipted()) == 1
    kept.intakes.close()
    with open_context(settings) as other:
        assert other.log.find_unreceipted() == ()
        raw = show_receipt(other, name).content
        trust = other.issuer.keys.keys.to_trust(other.log.origin)
        report = check_receipt(raw, trust, AuditInputs(), now=datetime.now(UTC))
        found = {line.question: line.status for line in report.lines}
        assert found[Question.SIGNATURE] is found[Question.LOG] is LineStatus.OK
        assert other.log.open_intakes() == ()
