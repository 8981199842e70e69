"""``assert_verified``: what a failing test shows, by running pytest on a file of a user's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.api.testing import assert_verified
from spanproof.core.errors import MalformedAnswerError, ModelUnavailableError
from tests.api.cli.model.graphs import keep_graph
from tests.conftest import copy_home
from tests.contexts import with_settings
from tests.sources import SENTENCE
from tests.verifier.entailment.tiny_models import build_folder, teach_canary

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

QUOTE = "Approved invoices are paid within four business days of their receipt."
USERS_FILE = f"""
from spanproof.api.testing import assert_verified

QUOTE = {QUOTE!r}
DOCUMENTS = {{"rules": QUOTE.encode()}}


def make(quote, claim):
    citation = {{"anchor": 1, "doc_id": "rules", "span": {{"text": quote}}}}
    return {{"answer": claim, "citations": [citation]}}


def test_good():
    block = assert_verified(make(QUOTE, QUOTE[:-1] + " [1]."), documents=DOCUMENTS)
    assert block.all_spans_present


def test_altered():
    assert_verified(make(QUOTE.replace("four", "forty"), "Paid [1]. More [2]."))
"""


@pytest.mark.long
@pytest.mark.model
def test_a_failing_test_names_the_citations_at_fault(tmp_path: Path, migrated_home: Path) -> None:
    copy_home(migrated_home, tmp_path / "home")
    (tmp_path / "test_answers.py").write_text(USERS_FILE)
    settings = {"SPANPROOF_HOME": str(tmp_path / "home"), "PYTEST_ADDOPTS": ""}
    settings["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tmp_path),
            "test_answers.py",
        ],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    failure = "\n".join(line.removeprefix("E").strip() for line in done.stdout.splitlines())
    assert "Expected an answer that passes, got 'fail' (policy balanced-" in failure
    assert "[1] fail: The quote is altered: it says 'forty' where the source says 'four'" in failure
    assert "claim: 'Paid [1].'" in failure
    assert "cites rules: 'Approved invoices are paid within forty business days" in failure
    assert "EXISTENCE_ALTERED" in failure
    assert "[2] has no citation: give a citation of that number" in failure
    # The user's own line is what pytest shows, not ours.
    assert "api/testing.py" not in done.stdout
    assert "assert_verified(make(QUOTE.replace" in done.stdout


def test_it_takes_objects_json_bytes_and_files_and_keeps_nothing(
    context: Context, tmp_path: Path
) -> None:
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
    answer = {"answer": "It is replaced soon [1].", "citations": [citation]}
    document, path = tmp_path / "agreement.txt", tmp_path / "answer.json"
    document.write_text(SENTENCE)
    path.write_text(json.dumps(answer))
    given = {"agreement": document}
    for form in (answer, json.dumps(answer), json.dumps(answer).encode(), path):
        block = assert_verified(form, documents=given, policy="balanced", context=context)
        assert block.all_claims_entailed
    assert context.store.answers.list().items == ()
    with pytest.raises(AssertionError, match="Expected an answer that passes"):
        assert_verified(answer | {"citations": []}, context=context)


def test_an_answer_without_citations_says_so(context: Context) -> None:
    with pytest.raises(AssertionError, match="No citation was judged, so the answer does not pass"):
        assert_verified({"answer": "All is well.", "citations": []}, context=context)


def test_what_passes_everywhere_and_is_no_answer_says_its_kind(context: Context) -> None:
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
    answer = {"answer": "It is replaced soon [1].", "citations": [citation]}
    documents = {"agreement": SENTENCE.encode()}
    with pytest.raises(AssertionError, match="answer_kind is 'refusal'"):
        assert_verified(answer | {"answer_kind": "refusal"}, documents=documents, context=context)


def test_a_malformed_answer_and_a_missing_model_are_no_failed_verification(
    context: Context, tmp_path: Path
) -> None:
    with pytest.raises(MalformedAnswerError):
        assert_verified("{", context=context)
    without = with_settings(context, model=tmp_path / "none")
    with pytest.raises(ModelUnavailableError):
        assert_verified({"answer": "All is well.", "citations": []}, context=without)


@pytest.mark.long
def test_it_imports_no_http_stack(tmp_path: Path) -> None:
    model = teach_canary(build_folder(tmp_path / "model"))
    keep_graph(model, tmp_path / "home")
    code = (
        "import sys\n"
        "from spanproof.api.testing import assert_verified\n"
        "try:\n"
        "    assert_verified({'answer': 'All is well.', 'citations': []})\n"
        "except AssertionError:\n"
        "    pass\n"
        "else:\n"
        "    sys.exit('it passed')\n"
        "heavy = {'fastapi', 'starlette', 'uvicorn'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)\n"
    )
    settings = {"SPANPROOF_HOME": str(tmp_path / "home"), "SPANPROOF_MODEL": str(model)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
