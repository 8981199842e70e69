"""The review queue as a person uses it: from the list to an answer, and a label by a button."""

from __future__ import annotations

import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from spanproof.api.http.app import create_app
from spanproof.operations.assembly import open_context
from spanproof.operations.sampling.waiting import verify_waiting
from tests.operations.sampling.conftest import (
    BAD,
    GOOD,
    make_payload,
    make_settings,
    open_sampling,
    submit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from spanproof.operations.settings import Settings

pytestmark = pytest.mark.long
PLAN = {"default": 1, "review": {"flagged": 1, "others": 1}}


@contextmanager
def serve(settings: Settings) -> Iterator[str]:
    """The application on a free port of this process; its address."""
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            thread.join(0.05)
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)


@pytest.fixture
def settings(tmp_path: Path, migrated_home: Path) -> Settings:
    """A home with two answers in the queue, one of them flagged."""
    home = tmp_path / "home"
    shutil.copytree(migrated_home, home)
    found: Any = make_settings(home, PLAN)
    with open_sampling(found) as context:
        submit(context, make_payload("good", GOOD, question="How fast are defects made good?"))
        submit(context, make_payload("bad", GOOD, BAD))
        verify_waiting(context)
    return found  # type: ignore[no-any-return] # what make_settings gives


def test_a_person_labels_an_answer_from_the_queue(settings: Settings, scripted_page: Page) -> None:
    page = scripted_page
    with serve(settings) as address:
        page.goto(address)
        page.get_by_role("link", name="Reviews").click()
        rows = page.get_by_role("list", name="Answers to review").locator("li")
        assert rows.count() == 2
        page.get_by_role("link", name="How fast are defects made good?").click()
        # The answer with its anchors and the cited span, as its own page shows them.
        assert page.locator(".prose .anchor").count() == 1
        assert GOOD in (page.locator(".cards mark").first.text_content() or "")
        page.get_by_label("Your name").fill("ann")
        page.get_by_label("Why").fill("It stands there.")
        page.get_by_role("button", name="correct").click()
        said = page.get_by_role("list", name="Labels so far")
        assert "ann" in said.inner_text()
        assert "It stands there." in said.inner_text()
        page.get_by_role("link", name="Back to the queue").click()
        assert rows.count() == 1
    with open_context(settings) as context:
        labels = context.store.samples.reviews.load("good").labels
        assert [(each.reviewer, each.label) for each in labels] == [("ann", "correct")]
