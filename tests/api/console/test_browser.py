"""The console in a real browser: what a person would see and touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.console.browsing import Service, Shot

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator, Page

# A browser costs more than all that it draws; test_routes.py reads the same pages without one.
pytestmark = pytest.mark.long
#: How wide a window is, and whether the cards stand beside the answer in it.
WIDTHS = {1280: True, 1000: True, 800: False, 360: False}


def box_of(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box is not None
    return box


def check_on_ink(page: Page, figure: Locator, *, is_whole: bool = False) -> None:
    """Every box of a figure is tinted and lies on ink.

    Where the whole page is shown, the same box on blank paper is neither.
    """
    sheet = figure.locator(".sheet")
    sheet.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    shot = Shot.of(sheet.screenshot(animations="disabled"))
    frame = box_of(sheet)
    boxes = [box_of(box) for box in figure.locator(".box").all()]
    assert boxes
    for box in boxes:
        left, top = box["x"] - frame["x"], box["y"] - frame["y"]
        width, height = box["width"], box["height"]
        assert shot.dark_share(left, top, width, height) > 0.05, f"no ink in {box}"
        # A box that is off by half a line would lose its ink in the middle.
        assert shot.dark_share(left, top + height / 4, width, height / 2) > 0.05
        assert shot.tinted_share(left, top, width, height) > 0.5, f"not highlighted: {box}"
        if not is_whole:
            continue
        # Both pages of the document are blank towards the lower right.
        blank = (frame["width"] - width - 12, frame["height"] - height - 12, width, height)
        assert shot.dark_share(*blank) < 0.005
        assert shot.tinted_share(*blank) < 0.005


def test_from_the_list_to_the_box_on_the_page(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/")
    page.locator(f'a[href="/answers/{service.answer}"]').click()
    assert page.locator("h1").inner_text().startswith("How fast are defects made good")

    page.locator('.prose a[href="#citation-1"]').first.click()

    page.wait_for_url("**#citation-1")
    card = page.locator("#citation-1")
    box = box_of(card)
    assert -1 <= box["y"] < 200
    assert page.locator("#citation-1:target").count() == 1
    assert "EXACT" in (card.text_content() or "")
    check_on_ink(page, card.locator("figure.page").first)


@pytest.mark.parametrize("anchor", [2, 3, 4])
def test_each_box_lies_on_its_words(page: Page, service: Service, anchor: int) -> None:
    # 2 stands in the right column, 3 is ALTERED, 4 stands on a turned and cropped page.
    page.goto(f"{service.address}/answers/{service.answer}#citation-{anchor}")

    check_on_ink(page, page.locator(f"#citation-{anchor} figure.page").first)


def test_the_right_column_is_marked_in_the_right_column(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/answers/{service.answer}#citation-2")
    page.locator("#citation-2 a", has_text="Whole page").click()
    figure = page.locator("figure.page").first
    check_on_ink(page, figure, is_whole=True)
    sheet = box_of(figure.locator(".sheet"))
    for box in figure.locator(".box").all():
        assert box_of(box)["x"] > sheet["x"] + sheet["width"] / 2


def test_failed_anchors_are_struck_badged_and_seen(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/answers/{service.answer}#citation-3")

    for number, word in ((3, "fail"), (5, "fail"), (9, "orphan")):
        anchor = page.locator(f'.prose .anchor:has(> a > s:text-is("[{number}]"))')
        assert anchor.is_visible()
        assert anchor.locator("> .badge").inner_text().endswith(word)
        assert anchor.locator("> .badge").is_visible()
    assert page.locator("#citation-3 del").first.is_visible()
    assert "This is not a pass" in (page.locator("#citation-6").text_content() or "")
    assert page.locator(".prose .uncited").inner_text() == "This sentence cites nothing."


def test_hover_and_focus_show_the_chunk_and_leave_again(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/answers/{service.answer}")
    anchor = page.locator('.prose .anchor:has(a[href="#citation-1"])').first
    tip = anchor.locator(".tip")
    assert not tip.is_visible()

    anchor.locator("a").hover()
    assert tip.is_visible()
    shown = tip.inner_text()
    page.locator("h1").hover()
    assert not tip.is_visible()
    anchor.locator("a").focus()

    assert tip.is_visible()
    for expected in ("Supply terms", "0.840", "hybrid:bm25+dense", "2026-11-01", "four business"):
        assert expected in shown
    assert tip.locator("mark").inner_text().startswith("The supplier")
    assert box_of(tip)["x"] + box_of(tip)["width"] <= 1280


def test_the_first_failure_shows_its_evidence_on_one_screen(page: Page, service: Service) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service.address}/answers/{service.answer}")
    words = [
        each.locator("summary .badge").first.inner_text().split()[-1]
        for each in page.locator(".card").all()
    ]
    assert len(words) == 6
    assert words == sorted(words, key=["fail", "error", "review", "unused", "pass"].index)
    assert page.locator(".card > details[open]").count() == 1

    page.goto(f"{service.address}/answers/{service.answer}#citation-3")
    card = page.locator(".card:has(#citation-3)")
    card.locator("img").first.wait_for()
    for part in ("summary .why", ".claim-text", ".comparison del", ".gauge", ".sheet"):
        box = box_of(card.locator(part).first)
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= 900, part
    assert "threshold" in card.locator(".gauge-words").inner_text()


def test_a_page_is_enlarged_turned_and_left_with_and_without_script(
    page: Page, service: Service
) -> None:
    page.goto(f"{service.address}/answers/{service.answer}#citation-1")
    figure = page.locator("#citation-1 figure.page").first
    before = box_of(figure.locator(".box").first)["width"]
    for name in ("in", "turn", "next"):
        figure.locator(f'[data-tool="{name}"]').click()
        if "/view/" in page.url:
            # Without script each tool is a link to the page of the span.
            figure = page.locator("figure.page").first
        if name == "in":
            assert box_of(figure.locator(".box").first)["width"] != before
        if name == "turn":
            turned = figure.locator("svg > g").get_attribute("transform") or ""
            assert turned.startswith("rotate(90")
    figure.locator(".tools-page", has_text="Page 2").wait_for()


def test_keys_go_from_citation_to_citation(scripted_page: Page, service: Service) -> None:
    scripted_page.goto(f"{service.address}/answers/{service.answer}")
    opened = scripted_page.locator(".card > details[open] > summary .number")
    keys, seen = scripted_page.keyboard, []
    for _ in range(3):
        keys.press("j")
        seen.append(opened.inner_text())
    keys.press("k")
    assert len(set(seen)) == 3
    assert opened.inner_text() == seen[1]
    keys.press("o")
    assert opened.count() == 0
    assert scripted_page.locator(".keys-help").is_visible()
    keys.press("?")
    assert scripted_page.get_by_role("dialog").is_visible()
    scripted_page.locator(".keys-on").uncheck()
    keys.press("?")
    keys.press("j")
    assert opened.count() == 0


def test_escape_puts_the_tip_away(scripted_page: Page, service: Service) -> None:
    scripted_page.goto(f"{service.address}/answers/{service.answer}")
    anchor = scripted_page.locator('.prose .anchor:has(a[href="#citation-1"])').first
    anchor.locator("a").focus()
    assert anchor.locator(".tip").is_visible()

    scripted_page.keyboard.press("Escape")

    assert not anchor.locator(".tip").is_visible()


def test_following_an_anchor_moves_the_focus_to_its_card(
    scripted_page: Page, service: Service
) -> None:
    scripted_page.goto(f"{service.address}/answers/{service.answer}")
    scripted_page.locator('.prose a[href="#citation-2"]').first.click()

    assert scripted_page.evaluate("document.activeElement.id") == "citation-2"
    assert scripted_page.locator(".card.is-active").count() == 1


def test_two_columns_when_wide_and_never_a_sideways_scroll(page: Page, service: Service) -> None:
    for path in ("/", f"/answers/{service.attacked}", f"/answers/{service.answer}"):
        page.goto(service.address + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    for width, is_beside in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        prose, cards = box_of(page.locator("section.answer")), box_of(page.locator("section.cards"))
        assert (cards["x"] >= prose["x"] + prose["width"]) is is_beside, width


def test_the_permanent_page_of_a_span(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/answers/{service.answer}#citation-1")
    page.locator("#citation-1 a", has_text="permanent page").click()

    assert "/view/sha256:" in page.url
    assert page.locator("mark").first.inner_text().startswith("The supplier")
    check_on_ink(page, page.locator("figure.page").first, is_whole=True)
    original = page.locator("a", has_text="Original document").get_attribute("href")
    assert original is not None
    assert original.endswith("#page=1")


def test_nothing_that_a_caller_sends_runs(scripted_page: Page, service: Service) -> None:
    for path in ("/", f"/answers/{service.attacked}"):
        scripted_page.goto(service.address + path)
        scripted_page.wait_for_load_state("networkidle")
        assert scripted_page.evaluate("window.attacked") is None
        assert scripted_page.locator("main img:not(.sheet img)").count() == 0
        assert scripted_page.locator('a[href^="javascript:"]').count() == 0


def test_every_step_can_be_taken_by_keyboard(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/answers/{service.answer}")
    page.keyboard.press("Tab")
    assert page.locator("a.skip:focus").is_visible()
    page.locator('.prose a[href="#citation-2"]').first.focus()
    page.keyboard.press("Enter")

    page.wait_for_url("**#citation-2")


def test_the_filter_form_works(page: Page, service: Service) -> None:
    page.goto(f"{service.address}/")
    page.locator("#f-result").select_option("pass")
    page.get_by_role("button", name="Filter").click()

    assert "result=pass" in page.url
    page.locator("h2", has_text="No verification matches").wait_for()
    page.get_by_role("link", name="Clear", exact=True).click()
    page.locator("li.row").first.wait_for()
    assert page.locator("li.row").count() == 2


def test_the_http_reference_draws_each_operation_with_our_files_alone(
    scripted_page: Page, service: Service
) -> None:
    foreign: list[str] = []
    own = (service.address, "data:", "blob:")
    scripted_page.on(
        "request", lambda sent: None if sent.url.startswith(own) else foreign.append(sent.url)
    )
    scripted_page.goto(f"{service.address}/docs")
    scripted_page.locator("#operations-verifications-createVerification").wait_for()
    assert scripted_page.locator(".opblock").count() > 50
    assert not foreign
