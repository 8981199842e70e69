"""The client for JavaScript as npm packs it: in Node against a real service, in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from spanproof.api.http.wire.examples.verifications import VERIFICATION
from tests.api.console.conftest import ARGUMENTS
from tests.serving import serve, serve_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page
    from starlette.requests import Request

BUILT = Path(__file__).parents[2] / "build" / "typescript"
ATTACK = '<img src=x onerror="window.attacked=1">'

PAGE = """<!doctype html><html lang="en"><title>Answer</title><main><h1>Answer</h1>
<spanproof-answer base-url="https://spanproof.example"></spanproof-answer></main>
<script type="module" src="/dist/answer-element.js"></script></html>"""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    missing = [name for name in ("node", "chromium") if shutil.which(name) is None]
    if not (BUILT / ".built").exists():
        missing.append("build/typescript (make typescript)")
    if missing:
        reason = f"not here: {', '.join(missing)}"
        if os.environ.get("SPANPROOF_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)


def _show_page(request: Request) -> HTMLResponse:
    del request
    return HTMLResponse(PAGE)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page with an element for each answer that a test gives it."""
    from playwright.sync_api import sync_playwright

    files = StaticFiles(directory=BUILT)
    with (
        serve(Starlette(routes=[Route("/", _show_page), Mount("/", files)])) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page()
        page.goto(address)
        page.add_script_tag(url=f"{address}/node_modules/axe-core/axe.min.js")
        yield page
        browser.close()


def _show(page: Page, verification: dict[str, Any]) -> None:
    give = "given => { document.querySelector('spanproof-answer').verification = given; }"
    page.evaluate(give, verification)
    page.locator("spanproof-answer [part=headline]").wait_for()


def test_an_answer_that_is_given_before_the_script_has_run_is_shown(page: Page) -> None:
    page.evaluate(
        """given => {
          const early = document.createElement("spanproof-early");
          early.verification = given;
          document.querySelector("main").append(early);
          const Answer = customElements.get("spanproof-answer");
          customElements.define("spanproof-early", class extends Answer {});
        }""",
        _make_two_claims(),
    )
    early = page.locator("spanproof-early")
    assert "1 of 2" in early.locator("[part=headline]").inner_text()
    early.evaluate("element => element.remove()")


def _make_two_claims() -> dict[str, Any]:
    """A sentence that passes, one that fails after a wide character, one without a citation."""
    made: dict[str, Any] = json.loads(json.dumps(VERIFICATION))
    (first,) = made["verification"]["verdicts"]
    prose = made["answer"]
    second = json.loads(json.dumps(first)) | {"anchor": 2, "outcome": "fail", "notes": ATTACK}
    start = len(prose) + len(" 😀 ")
    claim = f"Late goods are free {ATTACK} [2]."
    second["claim"] = first["claim"] | {"text": claim, "start": start, "end": start + len(claim)}
    made["answer"] = f"{prose} 😀 {claim} Nobody said this."
    end = start + len(claim) + 1
    made["verification"] |= {
        "result": "fail",
        "verdicts": [first, second],
        "uncited_sentences": [
            {"start": end, "end": end + 17, "check_worthy": True, "reason": "states"}
        ],
    }
    return made


def test_the_client_works_against_a_real_service(tmp_path: Path) -> None:
    with serve_program(tmp_path) as address:
        done = subprocess.run(
            ["node", "--test", "test/"],
            cwd=BUILT,
            env=os.environ | {"SPANPROOF_URL": address},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout


def test_each_entry_is_small_and_the_package_holds_nothing_else() -> None:
    for name in ("client.js", "answer-element.js"):
        assert (BUILT / "dist" / name).stat().st_size < 15_000
    packed = json.loads((BUILT / "package.json").read_text(encoding="utf-8"))
    assert "dependencies" not in packed
    (archive,) = BUILT.glob("spanproof-client-*.tgz")
    listed = subprocess.run(
        ["tar", "tzf", str(archive)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {Path(name).parts[1] for name in listed} == {"dist", "README.md", "package.json"}


def test_the_element_marks_each_claim_and_says_what_the_answer_comes_to(page: Page) -> None:
    _show(page, _make_two_claims())
    element = page.locator("spanproof-answer")
    assert element.locator("[part=headline]").inner_text() == (
        "1 of 2 citations pass; the answer fails."
    )
    claims = element.locator("[part=claim]").all_inner_texts()
    assert claims == [VERIFICATION["answer"], f"Late goods are free {ATTACK} [2]."]
    assert element.locator(".uncited").inner_text() == "Nobody said this."
    assert element.locator("a.sign").all_inner_texts() == ["✓", "✗"]


def test_the_keyboard_alone_leads_from_a_claim_to_its_reason(page: Page) -> None:
    _show(page, _make_two_claims())
    page.locator("spanproof-answer a.sign").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    details = page.locator("spanproof-answer #verdict-2")
    assert details.get_attribute("open") is not None
    focused = "document.querySelector('spanproof-answer').shadowRoot.activeElement.tagName"
    assert page.evaluate(focused) == "SUMMARY"
    link = details.locator("dd a").get_attribute("href") or ""
    assert link.startswith("https://spanproof.example/view/sha256:")


def test_no_text_of_an_answer_becomes_html(page: Page) -> None:
    _show(page, _make_two_claims())
    assert ATTACK in page.locator("spanproof-answer [part=prose]").inner_text()
    assert page.evaluate("window.attacked") is None
    assert page.locator("spanproof-answer img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_element_is_accessible(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    ground = "scheme => { document.body.style.background = scheme === 'dark' ? '#0d1117' : '#fff';"
    page.evaluate(
        ground + " document.body.style.color = scheme === 'dark' ? '#fff' : '#000'; }", scheme
    )
    _show(page, _make_two_claims())
    for details in page.locator("spanproof-answer details").all():
        details.locator("summary").click()
    report = page.evaluate("axe.run()")
    assert [each["id"] for each in report["violations"]] == []
    assert report["passes"]
