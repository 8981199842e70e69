"""Chromium and a running service, for the tests that look at pages as a person does."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.api.console.browsing import Service, run_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skipped by name without it, failed where it must be."""
    found = shutil.which("chromium")
    if found is None:
        reason = "chromium is not installed (Debian: apt-get install chromium fonts-dejavu-core)"
        if os.environ.get("CI") or os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The real service; the browser stands first, so that without one nothing is started."""
    assert browser.is_connected()
    with run_service(tmp_path_factory.mktemp("console")) as service:
        yield service


@pytest.fixture(scope="module")
def with_script(browser: Browser) -> Iterator[BrowserContext]:
    """A person's windows, which keep what they fetched, as from test to test."""
    yield from open_context(browser, has_script=True)


@pytest.fixture(scope="module")
def without_script(browser: Browser) -> Iterator[BrowserContext]:
    """The same where JavaScript is switched off."""
    yield from open_context(browser, has_script=False)


@pytest.fixture(
    params=["with JavaScript", pytest.param("without JavaScript", marks=pytest.mark.long)]
)
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that must not complain: no script error, no breach of the content policy."""
    name = "with_script" if request.param == "with JavaScript" else "without_script"
    yield from open_page(request.getfixturevalue(name))


@pytest.fixture
def scripted_page(with_script: BrowserContext) -> Iterator[Page]:
    """A page with JavaScript."""
    yield from open_page(with_script)


def open_context(browser: Browser, *, has_script: bool) -> Iterator[BrowserContext]:
    context = browser.new_context(
        java_script_enabled=has_script,
        viewport={"width": 1280, "height": 900},
        reduced_motion="reduce",
    )
    yield context
    context.close()


def open_page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type != "log" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    yield page
    page.close()
    assert complaints == []
