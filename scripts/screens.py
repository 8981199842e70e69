"""Screenshots of every page of the console, for people to look at: ``make screens``.

Starts the service over a store of some hundred answers made by hand and two that were verified,
opens each page in Chromium at 1440 x 900 and 390 x 844, light and dark, and writes
build/screens/PAGE-WIDTH-SCHEME.png. It says which page scrolls sideways or is heavier than 60 kB.
``python -m scripts.screens PAGE …`` takes these pages alone.
"""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bench.console import fill, open_place
from spanproof.api.http.app import create_app
from spanproof.store import open_store
from tests.api.console.browsing import fill as verify_two
from tests.api.console.conftest import ARGUMENTS
from tests.api.console.kinds import QUOTES, make_documents
from tests.builders import ScriptedModel
from tests.serving import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.api.console.browsing import Service

FOLDER = Path("build/screens")
SIZES = ((1440, 900), (390, 844))
MOST_BYTES = 60_000
_ANSWERS = 3_000


def main() -> int:
    """Write the pictures; 1 where a page is too wide or too heavy."""
    found = shutil.which("chromium")
    if found is None:
        print("Expected chromium, got none. On Debian: apt-get install chromium", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    complaints: list[str] = []
    with open_place("sqlite") as settings:
        with open_store(settings.home) as store:
            fill(store, _ANSWERS, now=datetime.now(UTC))
        application = create_app(settings, parts={"model": ScriptedModel()})
        with serve(application) as address, sync_playwright() as playwright:
            made = verify_two(address)
            verification = made.send("GET", f"/v1/verifications/{made.answer}")
            verdict = verification["verification"]["verdicts"][0]
            pages = _fill_formats(made) | {
                "home": "/",
                "all-time": "/?period=all",
                "search": "/?period=all&q=payment&result=fail",
                "nothing": "/?period=all&q=nosuchword",
                "wrong-filter": "/?since=yesterday",
                "answer": f"/answers/{made.answer}",
                "hostile-answer": f"/answers/{made.attacked}",
                "document": f"/documents/{verdict['identity']['doc_hash']}",
                "span": verdict["view_url"],
                "reviews": "/reviews",
                "log": "/log?q=0",
                "documents": "/documents",
                "jobs": "/jobs",
                "alarms": "/alarms",
                "access": "/access",
                "login": "/login",
                "not-found": "/nosuch",
            }
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
            wanted = sys.argv[1:] or list(pages)
            for name, path in ((each, pages[each]) for each in wanted):
                complaints += _take(browser, name, address + path.removeprefix(address))
            browser.close()
    print(f"wrote {len(wanted) * len(SIZES) * 2} pictures to {FOLDER}")
    print("\n".join(complaints))
    return 1 if complaints else 0


def _fill_formats(made: Service) -> dict[str, str]:
    """Pages of documents without page pictures: an answer that cites them all, and each span."""
    pages, citations = {}, []
    for anchor, (name, content) in enumerate(make_documents().items(), start=1):
        doc_hash = made.put(name, content)
        citations.append(
            {
                "anchor": anchor,
                "doc_hash": doc_hash,
                "doc_title": name,
                "span": {"text": QUOTES[name]},
            }
        )
        pages[f"document-{name.partition('.')[2]}"] = f"/documents/{doc_hash}"
    prose = " ".join(f"{quote} [{anchor}]" for anchor, quote in enumerate(QUOTES.values(), 1))
    sent = made.send(
        "POST",
        "/v1/verifications",
        {"question": "What of each kind?", "answer": prose, "citations": citations},
    )
    for name, verdict in zip(QUOTES, sent["verification"]["verdicts"], strict=True):
        pages[f"span-{name.partition('.')[2]}"] = verdict["view_url"]
    return pages | {"answer-formats": f"/answers/{sent['verification_id']}"}


def _take(browser: Browser, name: str, url: str) -> list[str]:
    complaints = []
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            response = page.goto(url)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{name}-{width}-{scheme}.png", full_page=True)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                complaints.append(f"{name} is wider than {width}")
            if response is not None and (weight := len(response.body())) > MOST_BYTES:
                complaints.append(f"{name} has {weight} bytes, more than {MOST_BYTES}")
            page.close()
    return list(dict.fromkeys(complaints))


if __name__ == "__main__":
    sys.exit(main())
