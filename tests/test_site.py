"""The documentation as a site: it asks no other server, and its search works from the disk."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from scripts.site_check import INDEX, find_addresses, find_search_faults, on_post_build
from tests.api.console.conftest import ARGUMENTS

SITE = Path(__file__).parents[1] / "build" / "site"
PAGE = '<script src="a.js"></script><a href="https://example.com/">elsewhere</a>'


def _make_site(folder: Path, page: str = PAGE, style: str = "", index: str | None = None) -> Path:
    (folder / "search").mkdir(parents=True)
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "a.js").write_text("", encoding="utf-8")
    (folder / "a.css").write_text(style, encoding="utf-8")
    found = 'var __index = {"docs": [{"location": "index.html#a"}]}' if index is None else index
    (folder / INDEX).write_text(found, encoding="utf-8")
    return folder


def test_a_site_of_its_own_files_is_built_and_may_link_to_others(tmp_path: Path) -> None:
    on_post_build({"site_dir": str(_make_site(tmp_path / "site", style="a {b: url(data:,)}"))})


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://cdn.example.com/a.js"></script>',
        '<script src="//cdn.example.com/a.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example.com/css">',
        '<img src="http://example.com/a.png">',
        '<img srcset="a.js 1x, https://example.com/a.png 2x">',
        '<style>@import "https://example.com/a.css";</style>',
        '<script src="missing.js"></script>',
        '<script src="../a.js"></script>',
    ],
)
def test_a_page_that_loads_what_the_site_lacks_ends_the_build(tmp_path: Path, page: str) -> None:
    site = _make_site(tmp_path / "site", page=page)
    assert len(list(find_addresses(site))) == 1
    with pytest.raises(SystemExit, match="expected a file of the site"):
        on_post_build({"site_dir": str(site)})


def test_a_style_sheet_that_loads_a_font_of_another_server_ends_the_build(tmp_path: Path) -> None:
    site = _make_site(tmp_path / "site", style="@font-face {src: url('https://example.com/a')}")
    with pytest.raises(SystemExit, match=r"a\.css: expected a file of the site"):
        on_post_build({"site_dir": str(site)})


@pytest.mark.parametrize(
    "index",
    [
        "",
        '{"docs": []}',
        'var __index = {"docs": []}',
        'var __index = {"docs": [{"location": "b"}]}',
    ],
)
def test_a_site_that_no_one_can_search_from_the_disk_ends_the_build(
    tmp_path: Path, index: str
) -> None:
    site = _make_site(tmp_path / "site", index=index)
    assert len(list(find_search_faults(site))) == 1
    with pytest.raises(SystemExit, match=re.escape(INDEX)):
        on_post_build({"site_dir": str(site)})
    (site / INDEX).unlink()
    with pytest.raises(SystemExit, match="got none"):
        on_post_build({"site_dir": str(site)})


@pytest.mark.long
def test_a_browser_searches_the_site_from_the_disk_and_asks_no_server() -> None:
    missing = [] if shutil.which("chromium") else ["chromium"]
    missing += [] if (SITE / "index.html").exists() else ["build/site (make docs)"]
    if missing:
        reason = f"not here: {', '.join(missing)}"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((SITE / "index.html").as_uri())
        page.locator("input[name=query]").fill("tlog-proof")
        found = page.locator(".md-search-result__link").first
        found.wait_for(state="attached")
        target = found.get_attribute("href") or ""
        browser.close()
    assert target.startswith(SITE.as_uri())
    assert any(url.endswith(INDEX) for url in asked)
    # What a script or a style sheet carries in itself leaves this machine as little as a file.
    assert {url.partition(":")[0] for url in asked} <= {"file", "blob", "data"}
