from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.ingest.sandbox import Parser
from spanproof.operations.doctor import DoctorReport, diagnose
from tests.contexts import with_parts, with_settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from spanproof.operations.context import Context


def test_every_part_is_tried(context: Context) -> None:
    report = diagnose(context)
    names = [check.name for check in report.checks]
    assert names == ["settings", "database", "blobs", "policy", "model", "log", "parser"]
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


def test_a_misspelt_setting_is_a_warning(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANPROOF_PROT", "1")
    report = diagnose(context)
    assert report.checks[0].status == "warning"
    assert "SPANPROOF_PROT" in report.checks[0].detail
    assert report.is_ready


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


def test_no_check_is_not_ready() -> None:
    assert not DoctorReport(checks=()).is_ready
