"""What is shipped for deployment names what exists: settings, commands, routes, volumes."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from spanproof.api.http.app import create_app
from spanproof.operations.bulk.plan import Shard
from spanproof.operations.settings import PREFIX, Settings
from tests.pages import read_page
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
#: What docs/how-to/fleet.md says that an operator makes.
SECRETS = {"spanproof", "spanproof-home"}
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
    assert settings.blobs == "s3://spanproof/production"
    assert settings.blobs == COMPOSE["services"]["api"]["environment"]["SPANPROOF_BLOBS"]
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
    maps = {e["metadata"]["name"] for e in MANIFESTS.values() if e["kind"] == "ConfigMap"}
    for pod in list_pods():
        volumes = {each["name"] for each in pod["volumes"]}
        of_claims = [each for each in pod["volumes"] if "persistentVolumeClaim" in each]
        claims = [each["persistentVolumeClaim"] for each in of_claims]
        # No folder is shared, but that of a bulk run, which is the user's own.
        assert {each["claimName"] for each in claims} <= {"spanproof-bulk"}
        secrets = {each["secret"]["secretName"] for each in pod["volumes"] if "secret" in each}
        assert secrets <= SECRETS
        for one in [*pod["containers"], *pod.get("initContainers", ())]:
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


def test_a_pod_has_the_home_that_the_documentation_packs(tmp_path: Path) -> None:
    home, secret, pod = tmp_path / "home", tmp_path / "secret", tmp_path / "pod"
    for name in ("keys/entry.json", "access-pepper", "log/mark", "spanproof.db", "blobs/a"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name, encoding="utf-8")
    secret.mkdir()
    told = read_page("fleet.md")
    (pack,) = re.findall(r'^tar -C "\$SPANPROOF_HOME" -cf home.tar .+$', told, re.MULTILINE)
    subprocess.run(["sh", "-c", pack], check=True, cwd=secret, env={"SPANPROOF_HOME": str(home)})
    for each in list_pods():
        for one in each.get("initContainers", ()):
            (unpack,) = one["args"]
            line = unpack.replace("/secret/", f"{secret}/")
            subprocess.run([*one["command"], line], check=True, env={"SPANPROOF_HOME": str(pod)})
            # Started again on what is there: a mark that moved on is not put back.
            (pod / "log" / "mark").write_text("moved on", encoding="utf-8")
            subprocess.run([*one["command"], line], check=True, env={"SPANPROOF_HOME": str(pod)})
    found = {str(path.relative_to(pod)) for path in pod.rglob("*") if path.is_file()}
    assert found == {"keys/entry.json", "access-pepper", "log/mark"}
    assert (pod / "log" / "mark").read_text(encoding="utf-8") == "moved on"
    assert pod.stat().st_mode & 0o777 == 0o700


def test_the_object_store_and_who_asks_it_have_the_same_password_and_bucket() -> None:
    context = COMPOSE["services"]
    asked = context["api"]["environment"]
    store = context["objects"]["environment"]
    assert asked["AWS_ACCESS_KEY_ID"] == store["MINIO_ROOT_USER"]
    assert asked["AWS_SECRET_ACCESS_KEY"] == store["MINIO_ROOT_PASSWORD"]
    assert asked["AWS_ENDPOINT_URL"] == "http://objects:9000"
    bucket = asked["SPANPROOF_BLOBS"].removeprefix("s3://").partition("/")[0]
    assert f"objects/{bucket}" in context["bucket"]["command"][0]
    for each in ("api", "worker"):
        assert "bucket" in context[each]["depends_on"]
    # The client that speaks to it is in the image.
    (extras,) = re.findall(
        r"^ARG EXTRAS=(\S+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {"server", "s3"} <= set(extras.split(","))


def test_the_image_has_torch_only_where_it_is_asked_for() -> None:
    written = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", written, re.MULTILINE)
    assert "torch" not in extras
    (pin,) = re.findall(r"^TORCH +:= (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f" {pin} " in written
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert pin in project["optional-dependencies"]["torch"]
