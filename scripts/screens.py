"""Screenshots of every page of the console, for people to look at: ``make screens``.

Starts the service over a store of some hundred answers made by hand and two that were verified,
opens each page in Chromium at 1440 x 900 and 390 x 844, light and dark, and writes
build/screens/PAGE-WIDTH-SCHEME.png. It says which page scrolls sideways or is heavier than 60 kB.
``python -m scripts.screens PAGE …`` takes these pages alone.
"""

from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bench.console import fill, open_place
from spanproof.api.http.app import create_app
from spanproof.operations.access.keys import KeyRequest, create_key
from spanproof.operations.access.principal import SCOPES
from spanproof.operations.sampling.sheets import list_claims, save_sheet
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.statement.predicate import Actor
from spanproof.store import open_store
from spanproof.verifier.formats.registry import parse_payload
from tests.api.console.browsing import fill as verify_two
from tests.api.console.conftest import ARGUMENTS
from tests.api.console.kinds import QUOTES, make_documents
from tests.builders import ScriptedModel
from tests.operations.sampling.conftest import (
    ALL,
    BAD,
    GOOD,
    make_payload,
    open_sampling,
    submit,
)
from tests.serving import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from spanproof.operations.settings import Settings
    from spanproof.store.samples.records import Label
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
    with open_place("sqlite") as place:
        with open_store(place.home) as store:
            fill(store, _ANSWERS, now=datetime.now(UTC))
        settings = _plan_reviews(place)
        key = _add_reviews(settings)
        application = create_app(settings, parts={"model": ScriptedModel()})
        with serve(application) as address, sync_playwright() as playwright:
            made = verify_two(address, key)
            made.lose_citation()
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
                "review": "/reviews/late",
                "review-compared": "/reviews/done",
                "reports": "/reports?period=all&result=fail",
                "log": "/log?q=0",
                "documents": "/documents",
                "jobs": "/jobs",
                "alarms": "/alarms",
                "indexes": "/drift",
                "lost-citations": "/drift/terms",
                "access": "/access",
                "playground": "/playground",
                "login": "/login",
                "not-found": "/nosuch",
            }
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
            wanted = sys.argv[1:] or list(pages)
            for name, path in ((each, pages[each]) for each in wanted):
                url = address + path.removeprefix(address)
                complaints += _take(browser, name, url, key)
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
        pages["playground-text"] = f"/playground?document={doc_hash}"
    prose = " ".join(f"{quote} [{anchor}]" for anchor, quote in enumerate(QUOTES.values(), 1))
    sent = made.send(
        "POST",
        "/v1/verifications",
        {"question": "What of each kind?", "answer": prose, "citations": citations},
    )
    for name, verdict in zip(QUOTES, sent["verification"]["verdicts"], strict=True):
        pages[f"span-{name.partition('.')[2]}"] = verdict["view_url"]
    return pages | {"answer-formats": f"/answers/{sent['verification_id']}"}


def _plan_reviews(settings: Settings) -> Settings:
    path = settings.home.parent / "plan.json"
    plan = ALL | {"budget": 0.03, "alpha": 0.01, "gap": 200}
    path.write_text(json.dumps(plan), encoding="utf-8")
    return settings.model_copy(update={"sampling_plan": path})


def _add_reviews(settings: Settings) -> str:
    """Answers in the review queue, of which people labelled one; the key of who looks at pages."""
    now = datetime.now(UTC)
    with open_sampling(settings) as context:
        for name, quotes in (("late", (GOOD, BAD)), ("done", (BAD, GOOD))):
            question = f"What holds when goods are {name}?"
            submit(context, make_payload(name, *quotes, question=question))
        for number in range(4):
            submit(context, make_payload(f"bad-{number}", BAD))
        verify_waiting(context)
        stored = context.store.answers.load(
            context.store.samples.reviews.load("done").outcome.verification_id or ""
        )
        claims = list_claims(parse_payload(stored.raw, "native").answer, stored.block)
        wanted = KeyRequest(scopes=SCOPES, expires_at=now + timedelta(hours=1))
        key = create_key(context, context, wanted, now=now)
        said: tuple[tuple[Actor, Label], ...] = (
            (Actor(key_id="k7c2v4"), "wrong"),
            (Actor(key_id=key.key.key_id), "correct"),
        )
        for actor, label in said:
            save_sheet(context, "done", actor, dict.fromkeys(claims, label), note="Page 1.")
    return key.text or ""


def _take(browser: Browser, name: str, url: str, key: str) -> list[str]:
    complaints = []
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
                extra_http_headers={"Authorization": f"Bearer {key}"},
            )
            response = page.goto(url)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{name}-{width}-{scheme}.png", full_page=True)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                complaints.append(f"{name} is wider than {width}")
            sent = None if response is None else response.header_value("content-length")
            if (weight := int(sent or 0)) > MOST_BYTES:
                complaints.append(f"{name} has {weight} bytes, more than {MOST_BYTES}")
            page.close()
    return list(dict.fromkeys(complaints))


if __name__ == "__main__":
    sys.exit(main())
