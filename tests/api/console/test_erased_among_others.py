"""One erased verification among others: every list still shows the others, and names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.console.reviewing.queue import make_row
from spanproof.core.errors import VerificationErasedError
from spanproof.operations.erasing import erase
from spanproof.operations.export.pack import export_pack
from spanproof.store.samples.records import Outcome, QueuedReview, ReviewItem
from tests.api.conftest import context_of, make_answer, post_answer
from tests.api.console.samples import LINKS
from tests.builders import MOMENT
from tests.operations.audited import fill

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from spanproof.operations.context import Context


def test_the_list_of_the_console_shows_the_others(
    client: TestClient, document: dict[str, Any]
) -> None:
    gone, kept = (
        post_answer(client, make_answer(document)).json()["verification_id"] for _ in range(2)
    )
    erase(context_of(client), gone, reason="asked for")
    page = client.get("/")
    assert page.status_code == 200
    assert gone in page.text
    assert kept in page.text
    assert "(this record cannot be read: VERIFICATION_ERASED)" in page.text


def test_the_review_queue_names_it(context: Context) -> None:
    (gone,) = fill(context, 1)
    erase(context, gone, reason="asked for")
    outcome = Outcome(
        answer_id="a",
        number=1,
        verification_id=gone,
        answer_kind="answer",
        result="pass",
        is_flagged=False,
        cited=1,
        failed=0,
        share=0.0,
        problem_code=None,
        verified_at=MOMENT,
    )
    item = ReviewItem(answer_id="a", is_flagged=False, randomness=0, threshold=0, queued_at=MOMENT)
    row = make_row(context, QueuedReview(item=item, outcome=outcome, labels=()), LINKS, None)
    assert row.heading == "(this answer was erased)"


def test_an_export_leaves_it_out_and_says_so(context: Context, tmp_path: Path) -> None:
    gone, kept = fill(context, 2)
    erase(context, gone, reason="asked for")
    report = export_pack(context, [gone, kept], tmp_path / "pack")
    assert (report.verifications, report.erased) == ((kept,), (gone,))
    assert report.to_json()["erased"] == [gone]
    page = (tmp_path / "pack" / "index.html").read_text("utf-8")
    assert f'<span class="mono">{gone}</span>.' in page
    with pytest.raises(VerificationErasedError):
        export_pack(context, [gone], tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
