from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from spanproof.core import extras
from spanproof.core.extras import find_missing_extra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
DECLARED = PROJECT["project"]["optional-dependencies"]
#: Names under which packages are imported, where they are not their own.
IMPORTED = {
    "llama-index-core": "llama_index",
    "opentelemetry-api": "opentelemetry",
    "pyjwt": "jwt",
    "python-oxmsg": "oxmsg",
}


def name_of(requirement: str) -> str:
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
    return IMPORTED.get(name, name.replace("-", "_"))


@pytest.mark.parametrize("extra", ["documents", "server", "torch", "s3", "oidc", "openvino"])
def test_every_package_of_an_extra_leads_to_it(extra: str) -> None:
    for requirement in DECLARED[extra]:
        if requirement.startswith("spanproof[") or ("==" in requirement and extra == "server"):
            continue  # exact pins of what the library has anyway
        missing = find_missing_extra(ModuleNotFoundError(name=f"{name_of(requirement)}.part"))
        assert missing is not None, requirement
        assert f"spanproof[{extra}]" in str(missing)


def test_every_extra_that_is_named_exists() -> None:
    assert set(extras._OF_EXTRA) <= set(DECLARED)


@pytest.mark.parametrize("name", ["somebody_else", "spanproof.gone", None])
def test_what_no_extra_brings_is_a_fault(name: str | None) -> None:
    assert find_missing_extra(ModuleNotFoundError(name=name)) is None
