"""What is shipped for deployment names what exists: settings, commands, routes, volumes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from api.app import create_app
from api.operations.bulk_plan import Shard
from api.settings import PREFIX, Settings
from tests.test_docs import build_command

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = {
    f"{path.stem} {each['kind']} {each['metadata']['name']}": each
    for path in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
    for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))
}
FILES = [
    ROOT / "Dockerfile",
    ROOT / "deploy" / "compose.yaml",
    *(ROOT / "deploy" / "kubernetes").glob("*.yaml"),
]
WORKLOADS = [each for each in MANIFESTS.values() if "template" in each.get("spec", {})]


def list_pods() -> Iterator[dict[str, Any]]:
    for each in WORKLOADS:
        yield each["spec"]["template"]["spec"]


def list_commands() -> list[list[str]]:
    """What containers of ours run."""
    ours = [each for each in COMPOSE["services"].values() if "build" in each]
    commands = [each["command"] for each in ours]
    commands += [one["args"] for pod in list_pods() for one in pod["containers"]]
    (default,) = re.findall(r"^CMD \[(.+)\]$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return [*commands, [part.strip().strip('"') for part in default.split(",")]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_that_is_named_is_one(path: Path) -> None:
    named = set(re.findall(rf"{PREFIX}[A-Z_]+[A-Z]", path.read_text(encoding="utf-8")))
    assert named
    assert named <= {PREFIX + name.upper() for name in Settings.model_fields}


def test_the_values_of_settings_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {**COMPOSE["services"]["api"]["environment"]}
    for each in MANIFESTS.values():
        given |= each.get("data", {})
    # What compose puts in from its own environment.
    for name, value in given.items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:\?[^}]*\}", "secret", value))
    settings = Settings()
    assert settings.cache_entries == 0
    assert settings.allowed_hosts == ("spanproof",)


def test_every_command_exists_with_its_options() -> None:
    commands = list_commands()
    assert len(commands) == 6
    for words in commands:
        command = cast("Any", build_command())
        rest = list(words)
        while hasattr(command, "commands"):
            command = command.commands[rest.pop(0)]
        options = {opt for parameter in command.params for opt in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= options
        if "--shard" in rest:
            shard = rest[rest.index("--shard") + 1].replace("$(JOB_COMPLETION_INDEX)", "7")
            count = MANIFESTS["bulk Job spanproof-bulk"]["spec"]["completions"]
            assert Shard.parse(shard) == Shard(index=7, count=count)


def test_every_probe_asks_a_route_that_exists() -> None:
    routes = create_app(Settings()).openapi()["paths"]
    probes = [
        one[kind]["httpGet"]
        for pod in list_pods()
        for one in pod["containers"]
        for kind in ("livenessProbe", "readinessProbe")
        if kind in one
    ]
    paths = [each["path"] for each in probes]
    paths += re.findall(r"127\.0\.0\.1:8321(/\w+)", str(COMPOSE["services"]["api"]["healthcheck"]))
    assert sorted(paths) == ["/healthz", "/readyz", "/readyz"]
    assert set(paths) <= set(routes)
    assert {each["port"] for each in probes} == {Settings().port}


def test_every_volume_and_reference_leads_somewhere() -> None:
    claims = {e["metadata"]["name"] for e in MANIFESTS.values() if "Claim" in e["kind"]}
    maps = {e["metadata"]["name"] for e in MANIFESTS.values() if e["kind"] == "ConfigMap"}
    for pod in list_pods():
        volumes = {each["name"] for each in pod["volumes"]}
        named = {each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"]}
        # The folder of a bulk run is the user's own.
        assert named - {"spanproof-bulk"} <= claims
        for one in pod["containers"]:
            assert {each["name"] for each in one["volumeMounts"]} <= volumes
            assert {each["configMapRef"]["name"] for each in one["envFrom"]} <= maps
        assert pod["securityContext"]["runAsNonRoot"] is True
    for service in COMPOSE["services"].values():
        for volume in service["volumes"]:
            assert volume.partition(":")[0] in COMPOSE["volumes"]


def test_selectors_choose_the_pods_of_their_workload() -> None:
    for each in WORKLOADS:
        if "selector" in each["spec"]:
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert each["spec"]["selector"]["matchLabels"] == labels
    served = MANIFESTS["spanproof Service spanproof"]["spec"]["selector"]
    assert served in [
        e["spec"]["template"]["metadata"].get("labels")
        for e in WORKLOADS
        if "metadata" in e["spec"]["template"]
    ]


def test_the_image_is_one_and_nobody_is_root_in_it() -> None:
    images = {one["image"] for pod in list_pods() for one in pod["containers"]}
    images |= {e["image"] for e in COMPOSE["services"].values() if "build" in e}
    assert len(images) == 1
    written = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (user,) = re.findall(r"^USER (\d+)$", written, re.MULTILINE)
    users = {pod["securityContext"]["runAsUser"] for pod in list_pods()}
    assert users == {int(user)}
