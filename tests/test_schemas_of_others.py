"""Files that other programs read, by the schemas that those programs publish."""

from __future__ import annotations

import json
import os
from importlib import resources
from importlib.util import find_spec
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml

from tests.environments import ROOT


def read_schema(name: str) -> dict[str, Any]:
    """A schema that check-jsonschema brings along."""
    if find_spec("check_jsonschema") is None:
        reason = "not here: check-jsonschema"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    ("path", "schema"),
    [("deploy/compose.yaml", "compose-spec"), ("action.yml", "github-actions")],
)
def test_the_file_is_what_its_reader_expects(path: str, schema: str) -> None:
    content = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    jsonschema.validate(content, read_schema(schema))
    with pytest.raises(jsonschema.ValidationError, match="servicez"):
        jsonschema.validate(content | {"servicez": {}}, read_schema(schema))
