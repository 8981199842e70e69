from __future__ import annotations

from typing import TYPE_CHECKING

from api.operations.doctor import DoctorReport, diagnose
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from api.wiring import Services


def test_every_part_is_tried(services: Services) -> None:
    services._model = ScriptedModel()
    report = diagnose(services)
    names = [check.name for check in report.checks]
    assert names == ["settings", "database", "blobs", "policy", "model", "parser"]
    assert report.is_ready
    assert report.to_json()["ready"] is True


def test_what_fails_says_what_to_do(services: Services, tmp_path: Path) -> None:
    settings = {"model": tmp_path / "nowhere", "policy": "lenient"}
    services.settings = services.settings.model_copy(update=settings)
    report = diagnose(services)
    assert not report.is_ready
    assert {check.name: check.code for check in report.failed} == {
        "model": "MODEL_UNAVAILABLE",
        "policy": "UNKNOWN_POLICY",
    }
    assert all(check.hint for check in report.failed)


def test_a_misspelt_setting_is_a_warning(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    services._model = ScriptedModel()
    monkeypatch.setenv("SPANPROOF_PROT", "1")
    report = diagnose(services)
    assert report.checks[0].status == "warning"
    assert "SPANPROOF_PROT" in report.checks[0].detail
    assert report.is_ready


def test_no_check_is_not_ready() -> None:
    assert not DoctorReport(checks=()).is_ready
