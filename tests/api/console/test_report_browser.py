"""The page of a report that checks its signature: in Chromium, from the disk, without a network."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.report.files import FOLDER
from spanproof.operations.report.job import run
from spanproof.operations.report.material import write_view
from spanproof.operations.triage.choosing import View
from tests.operations.audited import take_document, verify_answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from spanproof.operations.context import Context

pytestmark = pytest.mark.long


def test_the_browser_tells_a_whole_report_from_a_changed_one(
    browser: Browser, context: Context, tmp_path: Path
) -> None:
    doc_hash = take_document(context)
    for number in range(3):
        verify_answer(context, doc_hash, span={"text": f"Words number {number} of nobody."})
    arguments = {"seed": "j", "view": write_view(View(), {}), "asked_at": "2199-01-01T00:00:00Z"}
    run(context, arguments, lambda _done, _total: None)
    folder = tmp_path / "report"
    shutil.copytree(context.jobs.outputs.path("j") / FOLDER, folder)
    trust = tmp_path / "trust.json"
    trust.write_bytes((folder / "trust.json").read_bytes())
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    page = browser.new_page(bypass_csp=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for name in ("report.html", "check.html"):
            page.goto((folder / name).as_uri())
            page.evaluate(axe)
            found = page.evaluate("axe.run()")["violations"]
            assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
            page.set_viewport_size({"width": 320, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.close()

    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def check() -> str:
        page.goto((folder / "check.html").as_uri())
        page.locator("#pack").set_input_files(folder)
        page.locator("#trust").set_input_files(trust)
        page.locator("#check").focus()
        page.keyboard.press("Enter")
        result = page.locator("#result", has_text="OK")
        return result.inner_text()

    assert check().startswith("OK: ")
    html = folder / "report.html"
    whole = html.read_bytes()
    html.write_bytes(whole.replace(b"fail", b"pass"))
    assert check() == "NOT OK: report.html was changed."
    html.write_bytes(whole)
    (folder / "more.txt").write_text("beside", encoding="utf-8")
    assert check() == "NOT OK: more.txt is not in the manifest."
    (folder / "more.txt").unlink()
    manifest = folder / "manifest.json"
    raw = manifest.read_bytes()
    manifest.write_bytes(raw.replace(b'"verifications":[', b'"verifications": ['))
    assert check() == "NOT OK: manifest.json is not what was signed."
    manifest.write_bytes(raw)
    seal = folder / "manifest.dsse.json"
    found = json.loads(seal.read_bytes())
    signature = found["signatures"][0]["sig"]
    found["signatures"][0]["sig"] = (
        signature[:20] + ("A" if signature[20] != "A" else "B") + signature[21:]
    )
    seal.write_text(json.dumps(found), encoding="utf-8")
    assert check().startswith("NOT OK: the signature ")
    assert all(each.startswith("file:") for each in asked)
    page.close()
