"""A report whose words are erased is gone, whoever erased them and whenever."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.erasing import erase
from spanproof.operations.errors import JobNotFoundError
from spanproof.operations.jobs.records import JobState
from spanproof.operations.report.files import ARCHIVE, FOLDER, PAGE, ZIP, find_file
from spanproof.operations.report.job import run, start_report
from spanproof.operations.report.material import write_view
from spanproof.operations.tenants import Tenants
from spanproof.operations.triage.choosing import View
from tests.engines import needs_mupdf
from tests.operations.audited import take_document, verify_answer
from tests.operations.jobs.conftest import make_settings, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context

pytestmark = [needs_mupdf, pytest.mark.long]
ALL = View(facts={"result": "fail"})


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[Tenants]:
    opened = Tenants(make_settings(tmp_path / "home"))
    yield opened
    opened.close()


@pytest.fixture
def served(tenants: Tenants) -> Iterator[Context]:
    """A tenant whose jobs run."""
    with running(tenants, threads=1), tenants.using("default") as context:
        yield context


def make(context: Context, name: str) -> None:
    # An open period ends with the last whole second.
    time.sleep(1.1)
    start_report(context, write_view(ALL, {"result": "fail"}), job_id=name)
    assert wait_for(context.jobs, name).state is JobState.DONE


def fail(context: Context, doc_hash: Digest, words: str) -> str:
    return verify_answer(context, doc_hash, span={"text": words})


def test_what_a_report_shows_is_erased_with_it(served: Context) -> None:
    doc_hash = take_document(served)
    name = fail(served, doc_hash, "Words that stand nowhere at all.")
    make(served, "first")
    make(served, "second")
    assert find_file(served, "first", PAGE).is_file()
    copy = shutil.copytree(
        served.jobs.outputs.path("second"), served.jobs.outputs.path("second").with_name("copy")
    )
    (report,) = erase(served, name, reason="asked for")
    # The payload, the block, and both reports.
    assert report.removed == 4
    assert not served.jobs.outputs.path("first").exists()
    for each in (PAGE, ZIP):
        with pytest.raises(JobNotFoundError) as caught:
            find_file(served, "first", each)
        assert "make it again" in caught.value.hint
    # Another host has its own copy, and does not serve it.
    shutil.copytree(copy, served.jobs.outputs.path("second"))
    with pytest.raises(JobNotFoundError):
        find_file(served, "second", PAGE)
    assert not served.jobs.outputs.path("second").exists()
    again = erase(served, name, reason="asked for")
    assert again[0].removed == 0


def test_a_report_that_shows_an_erased_document_is_gone(served: Context) -> None:
    doc_hash = take_document(served)
    fail(served, doc_hash, "Words that stand nowhere at all.")
    make(served, "cites")
    (report,) = erase(served, str(doc_hash), reason="asked for")
    assert report.quoting
    with pytest.raises(JobNotFoundError):
        find_file(served, "cites", PAGE)


def test_a_report_of_others_stays(served: Context) -> None:
    doc_hash = take_document(served)
    kept = fail(served, doc_hash, "Words that stand nowhere at all.")
    make(served, "kept")
    later = fail(served, doc_hash, "Other words that stand nowhere.")
    erase(served, later, reason="asked for")
    manifest = find_file(served, "kept", "manifest.json")
    assert json.loads(manifest.read_bytes())["predicate"]["verifications"] == [kept]


def test_what_is_erased_while_a_report_is_written_is_not_in_it(context: Context) -> None:
    doc_hash = take_document(context)
    kept = fail(context, doc_hash, "Words that stand nowhere at all.")
    gone = fail(context, doc_hash, "Secret words that stand nowhere.")
    asked = datetime.now(UTC).isoformat()
    arguments = {"seed": "j", "view": write_view(ALL, {"result": "fail"}), "asked_at": asked}
    erased: list[str] = []

    def erase_at_the_end(done: int, total: int) -> None:
        if done == total - 2 and not erased:
            erased.append(gone)
            erase(context, gone, reason="asked for")

    result = run(context, json.loads(json.dumps(arguments)), erase_at_the_end)
    assert erased
    assert result["failures"] == 1
    folder = context.jobs.outputs.path("j")
    manifest = json.loads((folder / FOLDER / "manifest.json").read_bytes())
    assert manifest["predicate"]["verifications"] == [kept]
    assert "Secret" not in (folder / FOLDER / PAGE).read_text("utf-8")
    assert (folder / ARCHIVE / ZIP).is_file()
