from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from spanproof.ingest.sandbox import Parser
from spanproof.operations.assembly import open_context
from spanproof.operations.doctor import DoctorReport, diagnose
from tests.builders import ScriptedModel
from tests.contexts import with_parts, with_settings

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


def test_every_part_is_tried(context: Context) -> None:
    report = diagnose(context)
    names = [check.name for check in report.checks]
    parts = ["database", "blobs", "policy", "model", "log", "keys", "parser"]
    assert names == parts
    assert report.is_ready
    assert report.to_json()["ready"] is True


def test_what_fails_says_what_to_do(context: Context, tmp_path: Path) -> None:
    report = diagnose(with_settings(context, model=tmp_path / "nowhere", policy="lenient"))
    assert not report.is_ready
    assert {check.name: check.code for check in report.failed} == {
        "model": "MODEL_UNAVAILABLE",
        "policy": "UNKNOWN_POLICY",
    }
    assert all(check.hint for check in report.failed)


@pytest.mark.long
def test_the_parsers_cage_is_shown_and_a_missing_lock_is_a_warning(context: Context) -> None:
    with Parser(without=["seccomp"]) as parser:
        check = diagnose(with_parts(context, parser=parser)).checks[-1]
    assert (check.name, check.status, check.code) == ("parser", "warning", "SANDBOX_UNAVAILABLE")
    assert "seccomp" not in check.detail
    assert "SPANPROOF_SANDBOX=required" in str(check.hint)
    with Parser(cage="off") as parser:
        check = diagnose(with_parts(context, parser=parser)).checks[-1]
    assert check.status == "ok"
    assert "sandbox: limits" in check.detail


def test_offline_no_socket_is_opened_and_what_is_left_out_is_named(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("Expected no network call.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    found = {check.name: check for check in diagnose(context, offline=True).checks}
    assert {check.status for name, check in found.items() if name != "parser"} == {"ok"}
    assert "signs receipts, 1 keys sign the heads of t-" in found["keys"].detail
    # Nobody listens there: whoever asked would wait, or fail.
    far = with_settings(
        context,
        database_url="postgresql://nobody@192.0.2.1/spanproof",
        blobs="s3://bucket/prefix",
        model_url="http://192.0.2.1/",
        log_witnesses=tmp_path / "policy",
    )
    report = diagnose(far, offline=True)
    left = {check.name for check in report.checks if check.status == "skipped"}
    assert left == {"database", "blobs", "model", "log", "witnesses"}
    assert report.is_ready


def test_a_key_that_does_not_open_is_found(settings: Settings, warm_parser: Parser) -> None:
    with open_context(settings, parser=warm_parser, model=ScriptedModel()) as context:
        _ = context.log
    (key,) = (settings.home / "keys").glob("entry-*.pem")
    key.chmod(0o600)
    key.write_bytes(b"not a key")
    with open_context(settings, parser=warm_parser, model=ScriptedModel()) as context:
        failed = {check.name: check.code for check in diagnose(context, offline=True).failed}
    assert failed["keys"] == "KEY_UNAVAILABLE"


def test_no_check_is_not_ready() -> None:
    assert not DoctorReport(checks=()).is_ready
