"""What is shipped for Prometheus and Grafana: sound by its own tools, and of metrics that exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pages import read_page
from tests.test_docs_examples import read_example

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

ROOT = Path(__file__).parents[3]
RULES = ROOT / "deploy/prometheus/spanproof.rules.yaml"
TESTS = ROOT / "deploy/prometheus/spanproof.rules.test.yaml"
DASHBOARD = ROOT / "deploy/grafana/spanproof.json"
_NAME = re.compile(r"\bspanproof_[a-z0-9_]+")
_ALERT = re.compile(r"^ +- alert: (\w+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def promtool() -> str:
    """Prometheus's own checker, of Debian's package 'prometheus'."""
    found = shutil.which("promtool")
    if found is None:
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail("promtool is not installed")
        pytest.skip("promtool is not installed")
    return found


@pytest.mark.long
def test_the_rules_are_sound_and_fire_when_they_should(promtool: str) -> None:
    del promtool
    script = read_example("alerts.md", "rules")
    done = subprocess.run(
        ["bash", "-euc", script], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("SUCCESS") == 2


def test_every_alert_is_tested_and_explained() -> None:
    alerts = _ALERT.findall(RULES.read_text(encoding="utf-8"))
    assert len(alerts) >= 10
    tested = TESTS.read_text(encoding="utf-8")
    page = read_page("alerts.md")
    for alert in alerts:
        assert f"alertname: {alert}\n" in tested, alert
        assert f"## {alert}\n" in page, alert
        assert f"docs/runbooks/alerts.md#{alert.lower()}" in RULES.read_text(encoding="utf-8")


def find_metrics(client: TestClient) -> set[str]:
    """The names of all samples that /metrics can have."""
    names = set()
    for line in client.get("/metrics").text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            names.add(name)
            if kind == "histogram":
                names |= {f"{name}_{part}" for part in ("bucket", "sum", "count")}
    return names


def test_every_metric_of_rules_and_dashboard_exists(client: TestClient) -> None:
    known = find_metrics(client)
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    expressions = "\n".join(queries) + RULES.read_text(encoding="utf-8")
    named = set(_NAME.findall(expressions))
    assert "spanproof_entailment_seconds_bucket" in named
    assert named <= known, named - known


def test_every_metric_of_the_conventions_exists(client: TestClient) -> None:
    assert {
        "spanproof_citations_verified_total",
        "spanproof_answers_sampled_total",
        "spanproof_entailment_seconds",
        "spanproof_budget_log_e_value",
        "spanproof_change_log_sr",
        "spanproof_budget_ratio",
        "spanproof_drift_citations",
        "spanproof_verifier_info",
        "spanproof_last_success_timestamp_seconds",
        "spanproof_marker_adoption_ratio",
        "spanproof_unknown_field_total",
        "spanproof_orphan_total",
        "spanproof_over_cited_total",
        "spanproof_repaired_total",
    } <= find_metrics(client)


def test_every_panel_has_its_own_place_and_name() -> None:
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({panel["title"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        taken |= cells
