"""Every example runs with the real packages and shows what holds and what does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings
from spanproof.operations.verification.in_process import load_shared_model
from tests.environments import ROOT
from tests.examples.model_server import ModelServer
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = ROOT / "examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, ModelServer]]:
    """A model server and a service, both on sockets."""
    model = ModelServer()
    settings = Settings(home=tmp_path_factory.mktemp("served") / "home", cross_check_rate=0.0)
    app = create_app(settings, parts={"model": load_shared_model()})
    with serve(model) as models, serve(app) as service:
        yield models, service, model


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_holds_and_what_does_not(
    name: str, addresses: tuple[str, str, ModelServer]
) -> None:
    models, service, server = addresses
    server.asked.clear()
    variables = {
        "OPENAI_BASE_URL": f"{models}/v1",
        "ANTHROPIC_BASE_URL": models,
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_API_KEY": "none",
        "SPANPROOF_URL": service,
        # Haystack counts its users otherwise.
        "HAYSTACK_TELEMETRY_ENABLED": "False",
    }
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert len(server.asked) == 1
    said = done.stdout
    assert "'900 euros' where the span says '850 euros'" in said, said
    assert re.search(r"\[1\] pass|^PASS ", said, re.MULTILINE), said
    assert re.search(r"\bfail\b|\bFAIL\b|score: 0\.5", said), said
    needs_service = "AnswerQueue" in (FOLDER / name).read_text(encoding="utf-8")
    # The document of these texts is not ingested: one line says under which id it was looked for.
    assert done.stderr.count("answer_document_unknown id='lease") == needs_service, done.stderr


def test_the_index_of_the_examples_is_complete() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+\.py)\]\((\w+\.py)\) \|.*\| (yes|no) \|$", index, re.MULTILINE)
    assert sorted(name for name, _, _ in rows) == EXAMPLES
    for name, address, needs_service in rows:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert name == address
        assert ("AnswerQueue" in text) == (needs_service == "yes")
        assert "SPANPROOF_SAMPLING_RATE=1" in text
        assert ("SPANPROOF_SAMPLING_RATE=1 spanproof serve" in text) == (needs_service == "yes")
