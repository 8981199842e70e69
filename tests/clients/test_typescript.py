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
HTML = "text/html"
TERMS = "Approved invoices are paid within four business days of their receipt."
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
    assert "# skipped 0" in done.stdout


def test_without_a_service_the_tests_that_need_one_say_so() -> None:
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", "test/"],
        cwd=BUILT,
        env={name: value for name, value in os.environ.items() if name != "SPANPROOF_URL"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# SKIP SPANPROOF_URL names no service" in done.stdout


IN_PAGE = """async ([text, claims]) => {
  const { requirePass, SpanproofClient, VerificationFailed } = await import("/app/client.js");
  const client = new SpanproofClient({ baseUrl: location.origin });
  const found = [];
  for (const claim of claims) {
    const made = await client.verify(claim, { contexts: [text] });
    const { outcome, identity } = made.verification.verdicts[0];
    let passed = true;
    try { requirePass(made); } catch (error) {
      if (!(error instanceof VerificationFailed)) throw error;
      passed = false;
    }
    found.push([identity.status, outcome, passed]);
  }
  return found;
}"""


def test_the_client_works_in_a_browser_against_a_real_service(page: Page, tmp_path: Path) -> None:
    claims = [
        "Invoices are paid within four business days [1].",
        "Invoices are paid within nine days [1].",
    ]
    with serve_program(tmp_path) as address:
        # The page stands under the address of the service, as behind a proxy.
        browser = page.context.browser
        assert browser is not None
        tab = browser.new_page()
        tab.route(f"{address}/app/", lambda route: route.fulfill(body=PAGE, content_type=HTML))
        client = BUILT / "dist" / "client.js"
        tab.route(
            f"{address}/app/client.js",
            lambda route: route.fulfill(path=client, content_type="text/javascript"),
        )
        tab.goto(f"{address}/app/")
        found = tab.evaluate(IN_PAGE, [TERMS, claims])
        tab.close()
    assert found[0] == ["SNIPPET", "pass", True]
    assert found[1][2] is False


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


def test_a_text_of_the_request_is_shown_as_one(page: Page) -> None:
    made = _make_two_claims()
    for verdict in made["verification"]["verdicts"][1:]:
        verdict["identity"] = verdict["identity"] | {"status": "SNIPPET"}
        verdict["view_url"] = None
    _show(page, made)
    sources = page.locator("spanproof-answer dt", has_text="Source").locator("+ dd")
    first, second = sources.all_text_contents()
    assert first.startswith("sha256:")
    assert second == "text of the request"


def test_a_string_is_no_list_of_contexts_to_the_compiler(tmp_path: Path) -> None:
    for contexts, is_right in (('["a"]', True), ('new Set(["a"])', True), ('"a"', False)):
        source = tmp_path / "use.mts"
        client = json.dumps(str(BUILT / "dist" / "client.js"))
        source.write_text(
            f"import {{ withContexts }} from {client};\nwithContexts('A', {contexts});\n",
            encoding="utf-8",
        )
        compiler = BUILT / "node_modules" / ".bin" / "tsc"
        options = ["--noEmit", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"]
        done = subprocess.run(
            [str(compiler), *options, str(source)], capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) is is_right, done.stdout


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
@pytest.mark.parametrize(
    ("name", "place", "style"),
    [
        ("pass", "a.sign.pass", "color"),
        ("review", "a.sign.review", "color"),
        ("fail", "a.sign.fail", "color"),
        ("fail", "[part=verdict].fail", "border-inline-start-color"),
        ("line", ".uncited", "text-decoration-color"),
        ("ink", ":host", "color"),
        ("ground", ":host", "background-color"),
    ],
)
def test_each_colour_is_the_one_that_the_page_sets(
    page: Page, scheme: Any, name: str, place: str, style: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    made = _make_two_claims()
    if name == "review":
        made["verification"]["verdicts"][1]["outcome"] = "review"
    _show(page, made)
    element = page.locator("spanproof-answer")
    shown = element if place == ":host" else element.locator(place).first
    read = "(element, style) => getComputedStyle(element).getPropertyValue(style)"
    before = shown.evaluate(read, style)
    give = "(element, [name, value]) => element.style.setProperty(name, value)"
    element.evaluate(give, [f"--spanproof-{name}", "rgb(1, 2, 3)"])
    after = shown.evaluate(read, style)
    element.evaluate("(element, name) => element.style.removeProperty(name)", f"--spanproof-{name}")
    assert after == "rgb(1, 2, 3)" != before
    assert shown.evaluate(read, style) == before


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
