"""What a compliance team does in a day: each task by keyboard alone, with and without scripts."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.app import create_app
from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.sampling.waiting import verify_waiting
from tests.api.console.browsing import Service
from tests.api.console.browsing import fill as verify_two
from tests.builders import ScriptedModel
from tests.operations.audited import take_document, verify_answer
from tests.operations.sampling.conftest import (
    BAD,
    make_payload,
    make_settings,
    open_sampling,
    submit,
)
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.long
PLAN = {"default": 1, "budget": 0.03, "alpha": 0.01, "gap": 200}
ANSWERS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """A service with a thousand answers, a lost citation, raised alarms; keys of two people."""

    service: Service
    anna: str
    bert: str


@pytest.fixture(scope="module")
def office(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, migrated_home: Path
) -> Iterator[Office]:
    assert browser.is_connected()
    home = tmp_path_factory.mktemp("office") / "home"
    shutil.copytree(migrated_home, home)
    settings: Any = make_settings(home, PLAN)
    now = datetime.now(UTC)
    with open_sampling(settings) as context:
        doc_hash = take_document(context)
        for number in range(ANSWERS):
            # Every hundredth quotes what nobody wrote.
            words = {"text": f"Words number {number} of nobody."} if number % 100 == 0 else {}
            verify_answer(context, doc_hash, **({"span": words} if words else {}))
        for number in range(4):
            submit(context, make_payload(f"a{number}", BAD))
        verify_waiting(context)
        wanted = KeyRequest(scopes=SCOPES, expires_at=now + timedelta(hours=1))
        anna, bert = (create_key(context, context, wanted, now=now).text or "" for _ in range(2))
    with serve(create_app(settings, parts={"model": ScriptedModel()})) as address:
        service = verify_two(address, anna)
        service.lose_citation()
        yield Office(service=service, anna=anna, bert=bert)


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def desk(request: pytest.FixtureRequest, browser: Browser, office: Office) -> Iterator[Page]:
    """Anna's page, signed in; what a page must not do fails the test."""
    yield from open_desk(browser, office, office.anna, scripts=request.param)


def open_desk(browser: Browser, office: Office, key: str, *, scripts: bool) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=scripts, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{office.service.address}/login?next=/")
    reach(page, page.get_by_label("Key"))
    page.keyboard.type(key)
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1).wait_for()
    yield page
    context.close()
    assert errors == []


def reach(page: Page, target: Locator) -> None:
    """Go on by Tab until the element has the focus."""
    for _ in range(150):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never comes to {target}")


def follow(page: Page, target: Locator) -> None:
    """Come to a link or a button by Tab, and press it."""
    reach(page, target)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def go(page: Page, name: str) -> None:
    follow(page, page.get_by_role("navigation", name="Main").get_by_role("link", name=name))


@pytest.fixture
def check_page(request: pytest.FixtureRequest, desk: Page) -> Callable[[], None]:
    """Look whether a page is for everybody; axe-core needs the timers of scripts."""
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

    def check() -> None:
        for scheme in ("light", "dark") if request.node.callspec.params["desk"] else ():
            desk.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            desk.evaluate(axe)
            report = desk.evaluate("axe.run()")
            assert [(each["id"], each["nodes"][0]["html"]) for each in report["violations"]] == []
        for width in (390, 320, 1440):
            desk.set_viewport_size({"width": width, "height": 900})
            assert desk.evaluate("document.documentElement.scrollWidth") <= width

    return check


def test_the_evidence_of_a_failing_citation_is_two_steps_from_home(
    desk: Page, office: Office
) -> None:
    desk.set_viewport_size({"width": 1440, "height": 900})
    follow(desk, desk.locator(f'a[href="/answers/{office.service.answer}"]').first)
    card = desk.locator(".card:has(#citation-3)")
    reach(desk, card.locator("summary").first)
    desk.keyboard.press("Enter")
    for part in ("summary .why", ".claim-text", ".comparison del", ".gauge", ".sheet .box"):
        assert card.locator(part).first.is_visible(), part


def test_a_waiver_needs_two_people(browser: Browser, desk: Page, office: Office) -> None:
    address = f"{office.service.address}/answers/{office.service.answer}"
    until = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()

    def decide(page: Page, button: str, reason: str) -> str:
        page.goto(address)
        group = page.locator("article.card > details[open] .decisions").first
        if not group.locator("form").is_visible():
            reach(page, group.locator("summary"))
            page.keyboard.press("Enter")
        form = group.locator("form")
        reach(page, form.locator("[name=reason]"))
        page.keyboard.type(reason)
        if button == "Propose a waiver":
            form.locator("[name=expires]").fill(until)
        follow(page, form.get_by_role("button", name=button))
        return page.locator("article.card > details[open] .decisions").first.inner_text()

    said = decide(desk, "Propose a waiver", "next edition")
    assert "next edition" in said
    opened = open_desk(browser, office, office.bert, scripts=False)
    other = next(opened)
    said = decide(other, "Confirm the waiver", "agreed")
    assert "agreed" in said
    said = decide(desk, "Withdraw the decision", "for the next run of this test")
    assert "for the next run" in said
    next(opened, None)


def test_a_report_of_a_thousand_answers(desk: Page) -> None:
    go(desk, "Reports")
    reach(desk, desk.locator("#p-since"))
    desk.locator("#p-since").fill("2020-01-01")
    follow(desk, desk.get_by_role("button", name="Make a report"))
    row = desk.locator("ul.rows > li").first
    for _ in range(240):
        if row.get_by_role("link", name="HTML").count():
            break
        assert "failed" not in row.inner_text(), row.inner_text()
        desk.wait_for_timeout(1000)
        desk.reload()
    assert int(row.inner_text().partition(" answers")[0].split()[-1]) >= ANSWERS
    follow(desk, row.get_by_role("link", name="HTML"))
    assert "Report of verified answers" in desk.content()


def test_lost_citations_are_found_and_verified_again(
    desk: Page, check_page: Callable[[], None]
) -> None:
    go(desk, "Indexes")
    follow(desk, desk.get_by_role("link", name="terms"))
    check_page()
    assert "its chunk has other words now" in desk.content()
    follow(desk, desk.get_by_role("button", name="Verify these answers again"))
    assert "reverification" in desk.locator("ul.rows > li").first.inner_text()


def test_an_alarm_is_acknowledged(desk: Page, check_page: Callable[[], None]) -> None:
    go(desk, "Alarms")
    check_page()
    forms = desk.locator("form[action^='/alarms/']")
    before = forms.count()
    reach(desk, forms.first.locator("input"))
    desk.keyboard.type("the index is rolled back")
    follow(desk, forms.first.get_by_role("button"))
    assert forms.count() == before - 1
    assert "the index is rolled back" in desk.content()


def test_keys_are_listed_and_a_policy_is_tried(desk: Page, check_page: Callable[[], None]) -> None:
    go(desk, "Access")
    assert desk.locator("ul.rows > li").first.locator("code").is_visible()
    form = desk.locator("form[action='/access/rehearsals']")
    reach(desk, form.locator("[name=policy]"))
    desk.keyboard.type("strict")
    follow(desk, form.get_by_role("button", name="Try"))
    assert "Nothing was kept, logged or changed" in desk.content()
    check_page()


def test_a_leaf_is_found_and_its_proof_is_drawn(desk: Page, check_page: Callable[[], None]) -> None:
    go(desk, "Log")
    reach(desk, desk.locator("#l-q"))
    desk.keyboard.type("3")
    follow(desk, desk.get_by_role("button", name="Find"))
    assert desk.locator("svg.proof circle").count() >= 3
    check_page()
