"""Each page for everybody: axe-core finds nothing, nothing is too wide, the keyboard is enough.

In both schemes, with the colours that a system forces, at 320 pixels and on paper.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from bench.console import PLANTED, fill
from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings
from spanproof.store import open_store
from tests.builders import ScriptedModel
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.long
PAGES = (
    "/",
    "/?period=all&q=payment&sort=failures&label=team%3Dclaims",
    "/?q=nosuchword",
    "/?since=yesterday",
    "/documents",
    "/alarms",
    "/jobs",
    "/access",
    "/playground",
    "/log",
    "/log?q=0",
    "/reviews",
    "/reports?period=all&result=fail",
    "/login",
    "/nosuch",
)


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service over some hundred answers, of which a pair of values fails."""
    assert browser.is_connected()
    home = tmp_path_factory.mktemp("accessibility") / "home"
    settings = Settings(home=home, database_url=None, cross_check_rate=0.0, model=None)
    with open_store(settings.home) as store:
        fill(store, 700, now=datetime.now(UTC))
    with serve(create_app(settings, parts={"model": ScriptedModel()})) as served:
        yield served


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_too_wide(
    browser: Browser, address: str, scheme: str
) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    for path in PAGES:
        response = page.goto(address + path)
        assert response is not None
        assert len(response.body()) < 60_000, path
        page.evaluate(axe)
        report = page.evaluate("axe.run()")
        found = [(each["id"], each["nodes"][0]["html"]) for each in report["violations"]]
        assert found == [], path
        for width in (1440, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
    page.close()


def test_the_pair_that_fails_is_found_by_keyboard_alone_without_scripts(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(
        java_script_enabled=False, forced_colors="active", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{address}/?period=all")
    link = page.locator(".pairs a").first
    steps = 0
    while not link.evaluate("element => element === document.activeElement"):
        page.keyboard.press("Tab")
        steps += 1
        assert steps < 80
    page.keyboard.press("Enter")
    page.wait_for_url("**generator_model=**")
    chips = page.locator(".chips").inner_text()
    assert all(value in chips for value in PLANTED.values())
    assert page.locator(".facet").first.is_visible()
    page.emulate_media(media="print")
    assert not page.locator("header.site nav").is_visible()
    assert page.locator(".tile").first.is_visible()
    context.close()
