"""What is shipped and what the chart renders, by Kubernetes' own schemas, without a cluster."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
import yaml

from tests.chart.rendering import GO, MANIFEST, read_values, render

pytestmark = pytest.mark.long
#: One that clusters still run, and a new one.
VERSIONS = ["1.30", "1.36"]
VOLUME: dict[str, Any] = {
    "home": read_values()["home"]
    | {"volume": read_values()["home"]["volume"] | {"enabled": True, "storageClass": "fast"}},
    "replicas": {"api": 1, "worker": 0},
    "blobs": {"address": "", "region": "", "endpoint": ""},
}


def require(found: object, name: str) -> None:
    if found is None:
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(f"not here: {name}")
        pytest.skip(f"not here: {name}")


def validate(manifest: dict[str, Any], version: str) -> None:
    """Raise for a manifest that a server of this version would refuse, an unknown field too."""
    require(find_spec("kubernetes_validate"), "kubernetes-validate")
    import_module("kubernetes_validate").validate(manifest, version, strict=True)


def list_manifests(text: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(text) if each]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_shipped_manifest_is_one_of_kubernetes(version: str) -> None:
    for path in MANIFEST.parent.glob("*.yaml"):
        for manifest in list_manifests(path.read_text(encoding="utf-8")):
            validate(manifest, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_chart_with_a_volume_renders_manifests_of_kubernetes(version: str) -> None:
    require(GO, "go, whose templates are Helm's")
    manifests = list_manifests(render(read_values(**VOLUME)))
    assert "PersistentVolumeClaim" in {each["kind"] for each in manifests}
    for manifest in manifests:
        validate(manifest, version)


def test_a_misspelt_field_is_refused() -> None:
    manifest = list_manifests(MANIFEST.read_text(encoding="utf-8"))[0]
    validate(manifest, VERSIONS[0])
    manifest["spec"]["template"]["spec"]["containerz"] = []
    with pytest.raises(Exception, match="containerz"):
        validate(manifest, VERSIONS[0])
