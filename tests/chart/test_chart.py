"""The Helm chart: the shipped manifest is what it renders, and what else its values may say."""

from __future__ import annotations

import os
import tomllib
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml

from tests.chart.rendering import CHART, GO, MANIFEST, read_values, render

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", autouse=True)
def go() -> None:
    if GO is None:
        reason = "not here: go, whose templates are Helm's"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)


def render_all(**changed: Any) -> dict[str, dict[str, Any]]:
    values = read_values(**changed)
    jsonschema.validate(values, yaml.safe_load((CHART / "values.schema.json").read_text("utf-8")))
    return {each["kind"]: each for each in yaml.safe_load_all(render(values)) if each}


def test_the_shipped_manifest_is_what_the_chart_renders() -> None:
    hint = "python -m tests.chart.rendering > deploy/kubernetes/spanproof.yaml"
    assert MANIFEST.read_text(encoding="utf-8").endswith(render(read_values())), hint


def test_the_version_is_that_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((CHART.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert chart["version"] == chart["appVersion"] == project["project"]["version"]
    assert read_values()["image"]["tag"] == chart["appVersion"]


def test_one_pod_may_have_a_volume_and_no_object_store() -> None:
    home = read_values()["home"]
    home["volume"] |= {"enabled": True, "accessMode": "ReadWriteOnce", "storageClass": "fast"}
    found = render_all(
        home=home,
        replicas={"api": 1, "worker": 0},
        blobs={"address": "", "region": "", "endpoint": ""},
        settings={"SPANPROOF_POLICY": 'strict "as written"'},
    )
    claim = found["PersistentVolumeClaim"]
    assert claim["spec"]["storageClassName"] == "fast"
    pod = found["Deployment"]["spec"]["template"]["spec"]
    (volume,) = pod["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert "initContainers" not in pod
    assert "SPANPROOF_BLOBS" not in found["ConfigMap"]["data"]
    assert found["ConfigMap"]["data"]["SPANPROOF_POLICY"] == 'strict "as written"'
    assert not [e for e in pod["containers"][0]["env"] if e["name"].startswith("AWS_")]
    with pytest.raises(jsonschema.ValidationError):
        render_all(home=home)
    with pytest.raises(jsonschema.ValidationError):
        render_all(settings={"POLICY": "strict"})
