from __future__ import annotations

import html
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from spanproof.api.console.rendering import render_page
from spanproof.api.console.span_view import make_span_view
from spanproof.api.console.triage.filters import read_filters
from spanproof.api.console.triage.page import (
    Chip,
    FacetRow,
    FacetView,
    PairView,
    SavedLink,
    TriageView,
)
from spanproof.api.console.triage.rows import make_row
from spanproof.core.errors import InputError
from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome
from tests.api.console.samples import (
    LINKS,
    cite,
    make_block,
    make_page,
    make_verdict,
    read_answer,
    render_answer,
)
from tests.builders import MOMENT

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</textarea></title></style></script><b>bold</b>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--",
    "]]>",
)
CITATION_FIELDS = (
    "doc_title",
    "doc_url",
    "doc_id",
    "chunk_id",
    "retrieval_method",
    "embedding_model",
    "index_version",
)


class Reader(HTMLParser):
    """Collects what a browser would act on: tags, attributes, and links."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def check_harmless(page: str, attack: str) -> None:
    reader = Reader()
    reader.feed(page)
    assert not {"b", "textarea", "style", "iframe", "object", "base"} & set(reader.tags)
    sources = [value or "" for name, value in reader.attributes if name == "src"]
    own = [each for each in sources if each.startswith("/static/console/")]
    assert reader.tags.count("script") == len(own) in {1, 2}
    for name, value in reader.attributes:
        assert not name.startswith("on")
        assert name != "style"
        if name in ("href", "src", "action"):
            assert (value or "").startswith(("/", "#", "https://good.test/"))
    assert attack in html.unescape(reader.text) or attack in reader.text


def fill(attack: str, field: str) -> str:
    """The answer page with the attack in one field that a caller or a document controls."""
    words = attack if field == "chunk or canonical text" else "four business days"
    page = make_page(f"Paid within {words} of it.", label=attack)
    quote = cite(page, attack if field == "quote" else words, doc_url="https://good.test/")
    answer: dict[str, Any] = {"question": "How long?"}
    if field in CITATION_FIELDS:
        quote[field] = attack
    elif field in ("question", "answer_id", "session_id", "trace_id"):
        answer[field] = attack
    elif field == "label":
        answer["labels"] = {attack: attack}
    elif field == "generator":
        answer["generator"] = {"model": attack}
    elif field == "chunk or canonical text":
        quote["chunk_id"] = "c"
        answer["retrieved"] = [{"chunk_id": "c", "text": f"says {attack} here"}]
    claim = f"{attack} [1]." if field == "prose" else "Paid soon [1]."
    parsed = read_answer(f"{claim} Uncited {attack if field == 'prose' else ''}.", quote, **answer)
    verdict = make_verdict(
        parsed,
        page,
        claim,
        outcome=Outcome.FAIL,
        notes=attack if field == "notes" else "why",
        codes=(attack,) if field == "code" else (),
    )
    uncited = [{"start": len(claim), "end": len(parsed.prose)}]
    block = make_block(verdict, result="fail", uncited_sentences=uncited)
    if field == "statuses":
        verdict["existence"]["status"] = verdict["outcome"] = attack
        verdict["support"] |= {"status": attack, "reason": attack}
    if field == "block":
        block |= {
            "citation_level": attack,
            "recommended_action": attack,
            "verifier_version": attack,
        }
    if field == "findings":
        parsed = replace(parsed, citations=(replace(parsed.citations[0], origin=attack),))
        fill_findings(block, attack)
    if field == "repaired":
        block["repair"] = make_repair(attack, quote["doc_hash"])
    return render_answer(parsed, block, page)


def fill_findings(block: dict[str, Any], attack: str) -> None:
    """The attack in what is found of the answer and of its claims."""
    verdict = block["verdicts"][0]
    offsets = {"char_start": 0, "char_end": 2}
    span = {"start": 0, "end": 4}
    verdict["quotations"] = [{"text": attack, "status": attack} | span | offsets]
    verdict["identity"]["newest"] = {"extraction_id": attack, "status": attack} | offsets
    token = {"side": attack, "kind": attack, "text": attack}
    edit = {"kind": attack, "quote": attack, "source": attack, "protected": True} | offsets
    verdict["existence"]["difference"] = {"source": "x", "edits": [edit | {"touches": [token]}]}
    block["codes"] = [attack]
    block["over_cited"] = [span | {"anchors": [attack], "idle": [attack]}]
    block["uncited_sentences"] = [span | {"check_worthy": True, "reason": attack}]
    block["repair"] = make_repair(attack, "") | {"citations": []}


def make_repair(attack: str, doc_hash: str) -> dict[str, Any]:
    """The account of a repair with the attack in every text of it."""
    return {
        "rejected_not_entailed": attack,
        "unconsidered": attack,
        "skipped": attack,
        "citations": [
            {
                "anchor": 2,
                "doc_hash": doc_hash,
                "doc_title": attack,
                "chunk_id": attack,
                "span": {"text": attack, "char_start": 0, "char_end": 4},
                "segment": {"start": 0, "end": 4},
            }
        ],
    }


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    "field",
    [
        "question",
        "prose",
        "answer_id",
        "session_id",
        "trace_id",
        "label",
        "generator",
        *CITATION_FIELDS,
        "quote",
        "chunk or canonical text",
        "notes",
        "code",
        "statuses",
        "block",
        "findings",
        "repaired",
    ],
)
def test_no_field_of_an_answer_becomes_markup(attack: str, field: str) -> None:
    check_harmless(fill(attack, field), attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_filter_no_value_and_no_row_becomes_markup(attack: str) -> None:
    given = dict.fromkeys(("code", "q", "generator_model", "label", "answer_id"), attack)
    form = read_filters(given, now=MOMENT)
    wrong = read_filters({"doc_hash": attack, "since": attack}, now=MOMENT)
    quote = cite(make_page("Ab cd"), "Ab", doc_title=attack)
    url = LINKS.home(form.to_query())
    facet = FacetRow(
        label=attack,
        whole=attack,
        url=url,
        is_chosen=False,
        answers=2,
        failed=1,
        rate="50 %",
        width=100,
        failed_width=50,
    )
    pair = PairView(
        url=url,
        values=(("Label", attack, attack), ("Prompt", attack, attack)),
        answers=2,
        failed=1,
        rate="",
        low="",
        high="",
        expected="",
        more=1,
    )
    view = TriageView(
        total=1,
        total_before=None,
        rate=("", "", ""),
        tiles=(),
        chart=None,
        facets=(FacetView(name="label", title="Label", rows=(facet,), more=1),),
        pairs=(pair,),
        chips=(Chip(name="Words", value=attack, url=url),),
        rows=(make_row(attack, MOMENT, read_answer(attack, quote), make_block(), LINKS),),
        first=1,
        previous_url=url,
        next_url=url,
        all_url=url,
        table_url=url,
        report_url=url,
        saved=(SavedLink(key="0", name=attack, url=url),),
        query=url.partition("?")[2],
        is_empty_store=False,
    )
    values: dict[str, Any] = {"outcomes": ("pass",), "periods": {}, "sorts": (), "may_save": True}
    values |= {"view": view, "document_url": LINKS.document(attack)}
    problems = [f"{problem.pointer} {problem.got}" for problem in wrong.problems]
    for shown, typed in (([], form), ([*problems, attack], wrong)):
        page = render_page("list.html", LINKS, form=typed, problems=shown, **values)
        check_harmless(bytes(page.body).decode(), attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_document_becomes_markup_on_its_own_page(attack: str) -> None:
    extraction = make_page(f"before {attack} after", label=attack)
    span = Span(7, 7 + len(attack))
    view = make_span_view(attack, extraction, span, LINKS)

    page = render_page("span.html", LINKS, view=view)

    check_harmless(bytes(page.body).decode(), attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_error_becomes_markup(attack: str) -> None:
    error = InputError(f"Expected words, got {attack}.", hint=attack)
    page = render_page(
        "error.html",
        LINKS,
        title="This cannot be shown",
        message=error.message,
        hint=error.hint,
        code=error.code,
    )

    check_harmless(bytes(page.body).decode(), attack)


def test_only_a_web_address_is_a_link() -> None:
    page = make_page("Ab cd")
    for url, is_link in (("https://good.test/a", True), ("javascript:alert(1)", False)):
        shown = render_answer(read_answer("x", cite(page, "Ab", doc_url=url)), make_block(), page)

        assert (f'href="{url}" rel="noopener noreferrer nofollow"' in shown) is is_link
        assert f"<bdi>{url}</bdi>" in shown


def test_a_lone_surrogate_does_not_take_the_page_with_it() -> None:
    # The parser refuses them; another format, or an older record, may not have.
    answer = replace(read_answer("x"), prose="words \ud800 here", question="why \udfff")

    assert "U+D800" in render_answer(answer, make_block())
