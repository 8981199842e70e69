"""The playground and the views of documents without pages in a real browser, by keyboard alone."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest

from tests.api.console.kinds import QUOTES, make_documents

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.api.console.browsing import Service

pytestmark = pytest.mark.long


def press_until(page: Page, selector: str) -> None:
    """Go on by Tab until the element has the focus."""
    target = page.locator(selector)
    for _ in range(80):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never comes to {selector}")


def test_a_document_is_read_cited_and_judged_by_keyboard_alone(
    page: Page, service: Service
) -> None:
    quote = QUOTES["terms.html"]
    page.goto(f"{service.address}/playground")
    page.set_input_files(
        "#p-file",
        {"name": "terms.html", "mimeType": "text/html", "buffer": make_documents()["terms.html"]},
    )
    press_until(page, "form[aria-label='Upload a document'] button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/playground?job=**")
    for _ in range(60):
        if page.locator("#p-text").count():
            break
        page.wait_for_timeout(500)
        if page.locator("[data-waits] a").count() and page.url:
            page.goto(page.url)
    text = page.locator("#p-text")
    before = text.input_value().partition(quote)[0]
    press_until(page, "#p-text")
    page.keyboard.press("Control+Home")
    for _ in range(before.count("\n")):
        page.keyboard.press("ArrowDown")
    for _ in quote:
        page.keyboard.press("Shift+ArrowRight")
    has_script = page.locator("#p-quote").input_value() == quote
    if has_script:
        assert page.locator("#p-start").input_value() == str(len(before))
        assert page.locator("#p-end").input_value() == str(len(before) + len(quote))
    press_until(page, "#p-claim")
    page.keyboard.type(quote)
    if not has_script:
        press_until(page, "#p-quote")
        page.keyboard.type(quote)
    press_until(page, "form[aria-label='Cite the document'] button")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=This was tried out.")
    assert page.locator(".rendered mark").first.inner_text() == quote


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_views_of_documents_and_nothing_is_too_wide_or_heavy(
    browser: Browser, service: Service, scheme: str
) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    hashes = {name: service.put(name, each) for name, each in make_documents().items()}
    sent = service.send(
        "POST",
        "/v1/verifications",
        {
            "answer": " ".join(f"{q} [{n}]" for n, q in enumerate(QUOTES.values(), 1)),
            "citations": [
                {"anchor": n, "doc_hash": hashes[name], "span": {"text": QUOTES[name]}}
                for n, name in enumerate(QUOTES, 1)
            ],
        },
    )
    paths = [verdict["view_url"] for verdict in sent["verification"]["verdicts"]]
    paths += [f"/answers/{sent['verification_id']}"]
    paths += [f"/documents/{hashes['terms.docx']}", f"/documents/{hashes['orders.xlsx']}"]
    paths += [f"/playground?document={hashes['notice.eml']}"]
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    for path in paths:
        response = page.goto(service.address + path.removeprefix(service.address))
        assert response is not None
        assert len(response.body()) < 60_000, path
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.evaluate(axe)
        report = page.evaluate("axe.run()")
        found = [(each["id"], each["nodes"][0]["html"]) for each in report["violations"]]
        assert found == [], path
        for width in (1440, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
    page.close()
