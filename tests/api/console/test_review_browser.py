"""The blind review stream as people use it: two label, a third decides, nobody sees the verdict."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.app import create_app
from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.sampling.waiting import verify_waiting
from tests.api.console.browsing import ATTACK
from tests.builders import ScriptedModel
from tests.operations.sampling.conftest import (
    BAD,
    GOOD,
    make_payload,
    make_settings,
    open_sampling,
    submit,
)
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.long
PLAN = {"default": 1, "review": {"flagged": 1, "others": 1}}
#: What a verdict would bring onto a page; the words of the form itself are not among them.
JUDGED = (
    "badge fail",
    "badge pass",
    "flagged",
    "EXACT",
    "ABSENT",
    "ENTAILED",
    "gauge",
    "/answers/",
)


@pytest.fixture(scope="module")
def reviewed(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, migrated_home: Path
) -> Iterator[tuple[str, list[str]]]:
    """The address of a service with two answers to review, and the keys of three people."""
    assert browser.is_connected()
    home = tmp_path_factory.mktemp("reviews") / "home"
    shutil.copytree(migrated_home, home)
    settings: Any = make_settings(home, PLAN)
    now = datetime.now(UTC)
    with open_sampling(settings) as context:
        submit(context, make_payload("plain", GOOD, BAD, question="How fast are defects mended?"))
        submit(context, make_payload("hostile", ATTACK, question=ATTACK))
        verify_waiting(context)
        wanted = KeyRequest(scopes=("audit",), expires_at=now + timedelta(hours=1))
        keys = [create_key(context, context, wanted, now=now).text or "" for _ in range(3)]
    with serve(create_app(settings, parts={"model": ScriptedModel()})) as address:
        yield address, keys


def sign_in(browser: Browser, address: str, key: str, *, scripts: bool) -> Page:
    page = browser.new_context(java_script_enabled=scripts, reduced_motion="reduce").new_page()
    page.goto(f"{address}/login?next=/reviews")
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Review queue").wait_for()
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def check_for_everybody(page: Page) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.evaluate(axe)
        report = page.evaluate("axe.run()")
        assert [(each["id"], each["nodes"][0]["html"]) for each in report["violations"]] == []
    for width in (1440, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_two_label_blindly_by_keys_and_a_third_decides(
    browser: Browser, reviewed: tuple[str, list[str]]
) -> None:
    address, keys = reviewed
    # The first uses keys 1, 2, 3; the second has no scripts and goes by Tab and arrows.
    first = sign_in(browser, address, keys[0], scripts=True)
    with first.expect_navigation(wait_until="load"):
        first.get_by_role("button", name="Take the next answer").click()
    for _ in range(2):
        source = first.content()
        assert not [word for word in JUDGED if word in source]
        assert first.evaluate("window.attacked") is None
        check_for_everybody(first)
        claims = first.locator(".claim-sheet").count()
        press(first, *("12"[:claims]))
        with first.expect_navigation(wait_until="load"):
            press(first, "Enter")
    assert first.url == f"{address}/reviews"
    assert "Nothing to review" in first.locator("main").inner_text()

    second = sign_in(browser, address, keys[1], scripts=False)
    second.get_by_role("button", name="Take the next answer").focus()
    with second.expect_navigation(wait_until="load"):
        press(second, "Enter")
    second.goto(f"{address}/reviews/plain")
    source = second.content()
    assert keys[0].partition("_")[2].partition(".")[0] not in source
    assert not [word for word in JUDGED if word in source]
    second.locator(".choices input").first.focus()
    press(second, "Space", "ArrowRight")
    second.locator(".claim-sheet").nth(1).locator("input").first.focus()
    press(second, "ArrowRight")
    second.get_by_role("button", name="Save and compare").focus()
    with second.expect_navigation(wait_until="load"):
        press(second, "Enter")
    # Now the verdict and the colleague's label stand there.
    assert "The reviewers differ: somebody else decides." in second.locator("main").inner_text()
    assert second.get_by_role("list", name="Labels so far").locator("li").count() == 2
    assert second.locator(".summary.fail").count() == 1

    third = sign_in(browser, address, keys[2], scripts=True)
    with third.expect_navigation(wait_until="load"):
        third.get_by_role("list", name="Disputes").get_by_role("link").click()
    assert "Your label decides" in third.locator("main").inner_text()
    assert third.locator(".said .badge").all_inner_texts() == [
        "correct",
        "wrong",
        "wrong",
        "wrong",
    ]
    press(third, "1", "2")
    third.get_by_label("Why").fill("Page one says so.")
    with third.expect_navigation(wait_until="load"):
        third.get_by_role("button", name="Save and compare").click()
    assert "who decided," in third.get_by_role("list", name="Labels so far").inner_text()
    second.goto(f"{address}/reviews?all=1")
    assert "Krippendorff’s alpha" in second.locator("main").inner_text()
    for page in (first, second, third):
        page.context.close()
