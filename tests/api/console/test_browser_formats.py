"""Answers in providers' formats in a real browser: links that the answer itself does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.app import create_app
from spanproof.operations.settings import Settings
from tests.api.console.browsing import ATTACK, LEFT, RIGHT, fill
from tests.builders import ScriptedModel
from tests.databases import HOMES
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, FloatRect, Locator, Page

    from tests.api.console.browsing import Service

# A browser and a service of its own; the shorter run looks at the same parts in other pages.
pytestmark = pytest.mark.long
#: Sentences of the document, as the providers' retrievers would have cut them.
REPLACED, NOTICE = (f"{sentence}." for sentence in LEFT.split(". ")[:2])
WITHHOLD, INTEREST = (f"{sentence}." for sentence in RIGHT.split(". ")[:2])
DOCUMENT = {"doc_id": "supply-terms", "index": 0, "file_id": "file-1", "title": "Supply terms"}


@pytest.fixture(scope="module")
def service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service in this process, with a model by script: only the pages are asked about."""
    assert browser.is_connected()
    home = tmp_path_factory.mktemp("formats") / "home"
    settings = Settings(
        home=home, database_url=HOMES.find(home), model=None, test_data=None, cross_check_rate=0.0
    )
    app = create_app(settings, parts={"model": ScriptedModel()})
    with serve(app) as address:
        yield fill(address)


def to_anthropic() -> tuple[dict[str, Any], str]:
    """Two cited blocks of text, the second quotes words that the source does not have."""

    def block(text: str, cited: str | None = None) -> dict[str, Any]:
        location = {
            "type": "page_location",
            "cited_text": cited,
            "document_index": 0,
            "document_title": ATTACK,
            "start_page_number": 1,
            "end_page_number": 3,
        }
        return {"type": "text", "text": text, "citations": [location] if cited else None}

    content = [
        block("According to the terms, "),
        block(REPLACED, REPLACED),
        block(" And "),
        block("“nobody ever pays” late.", INTEREST),
        block(" Goods weigh 4 tons."),
    ]
    message = {"type": "message", "role": "assistant", "content": content, "model": "claude"}
    text = "".join(piece["text"] for piece in content)
    return {"response": message | {"stop_reason": "end_turn"}, "documents": [DOCUMENT]}, text


def to_openai() -> tuple[dict[str, Any], str]:
    """Two files cited at points inside the prose; the provider quotes nothing of either."""
    text = f"{REPLACED} {WITHHOLD} That is all."
    marks = [
        {"type": "file_citation", "file_id": "file-1", "filename": "terms.pdf", "index": index}
        for index in (len(REPLACED) - 1, len(REPLACED) + 1 + len(WITHHOLD) - 1)
    ]
    content = {"type": "output_text", "text": text, "annotations": marks}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [content]}
    response = {"object": "response", "status": "completed", "output": [message]}
    return {"response": response, "documents": [DOCUMENT]}, text


def show(page: Page, service: Service, payload: dict[str, Any], query: str) -> None:
    """Verify an answer and open its page."""
    sent = service.send("POST", f"/v1/verifications?{query}", payload)
    page.goto(f"{service.address}/answers/{sent['verification_id']}")


def read_words(page: Page) -> str:
    """The prose without the links that were added to it: what a reader copies."""
    prose: str = page.locator(".prose").evaluate(
        "prose => { const copy = prose.cloneNode(true);"
        "for (const added of copy.querySelectorAll('.added, .tip, .badge')) added.remove();"
        "return copy.textContent; }"
    )
    return prose


def box_of(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box is not None
    return box


def summary_of(page: Page, number: int) -> Locator:
    """The line of a card that is always seen."""
    return page.locator(f".card:has(#citation-{number}) > details > summary")


def check_added_links(page: Page, count: int) -> None:
    """Each is seen, raised beside the words, says its outcome, and leads to its card."""
    added = page.locator(".prose .anchor.added")
    assert added.count() == count
    for number, anchor in enumerate(added.all(), start=1):
        link = anchor.locator("> a")
        assert link.inner_text() == f"[{number}]"
        assert link.get_attribute("aria-label") == f"Citation [{number}]"
        box = box_of(link)
        assert box["width"] >= 8
        assert box["height"] >= 8
        assert anchor.locator("> .badge").first.inner_text().split()[-1] in (
            "pass",
            "fail",
            "review",
            "error",
        )
        link.focus()
        assert anchor.locator(".tip").is_visible()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**#citation-{number}")


def check_in_windows(page: Page) -> None:
    """The two links of an answer in a wide window and in a telephone's."""
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        check_added_links(page, 2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def check_lines(page: Page) -> None:
    """A link never begins a line."""
    for width in (1280, 500, 420, 360):
        page.set_viewport_size({"width": width, "height": 900})
        left = box_of(page.locator(".prose"))["x"]
        links = page.locator(".prose .anchor.added > a").all()
        assert links
        for link in links:
            assert box_of(link)["x"] > left + 10, width


def test_an_answer_of_anthropic(page: Page, service: Service) -> None:
    payload, text = to_anthropic()

    show(page, service, payload, "format=anthropic")

    assert read_words(page).strip() == text
    check_in_windows(page)
    check_lines(page)
    first, second = page.locator("#citation-1"), page.locator("#citation-2")
    assert "from anthropic" in summary_of(page, 1).inner_text()
    assert "Place given: pages 1 to 2." in (first.text_content() or "")
    quotation = second.locator(".quotations li")
    assert quotation.locator("q").text_content() == "nobody ever pays"
    assert "QUOTATION_ABSENT" in (quotation.text_content() or "")
    uncited = page.locator(".findings li", has_text="Goods weigh 4 tons.").last
    assert "worth a check: it gives a number" in (uncited.text_content() or "")


def test_an_answer_of_openai(page: Page, service: Service) -> None:
    payload, text = to_openai()

    show(page, service, payload, "format=openai-responses")

    assert read_words(page).strip() == text
    check_in_windows(page)
    summary = summary_of(page, 1).inner_text()
    assert "The provider quotes nothing" in summary
    assert "error" in summary
    assert "This is not a pass" in (page.locator("#citation-1").text_content() or "")


def test_a_repaired_citation_is_told_apart(page: Page, service: Service) -> None:
    answer = {"answer": f"{INTEREST} {NOTICE}", "citations": [], "documents": ["supply-terms"]}

    show(page, service, answer, "repair=true")

    assert read_words(page).strip() == f"{INTEREST} {NOTICE}"
    check_added_links(page, 2)
    for number in (1, 2):
        assert "Repaired: this citation was attached afterwards" in (
            page.locator(f"#citation-{number}").text_content() or ""
        )
    assert page.locator(".prose .anchor", has_text="repaired").count() == 2
    summary = page.locator(".summary").text_content() or ""
    assert "Repaired citations never count for the answer." in summary
    assert "GREEN" not in summary
