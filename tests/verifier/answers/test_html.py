from __future__ import annotations

from html.parser import HTMLParser

import pytest

from spanproof.core.errors import InputError
from spanproof.verifier.answers.html import (
    STYLES,
    RenderedSource,
    Style,
    is_web_address,
    render_html,
)

EVIL = '<script>alert("1")</script>"\' onload=x'


class Markup(HTMLParser):
    """What a browser makes of it: tags, names of attributes, links."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [str(value) for name, value in attrs if name == "href"]


@pytest.mark.parametrize("style", STYLES)
def test_no_field_can_bring_markup(style: Style) -> None:
    source = RenderedSource(title=EVIL, url=f"javascript:{EVIL}", quote=EVIL, outcome=EVIL)
    shown = render_html(
        f"{EVIL} [1]", {("1",): source}, grammars=("numbered",), style=style, question=EVIL
    )
    found = Markup()
    found.feed(shown)
    assert found.tags <= {
        "article",
        "p",
        "div",
        "span",
        "sup",
        "a",
        "footer",
        "aside",
        "ol",
        "li",
        "q",
    }
    assert found.attributes <= {"class", "id", "href", "title", "data-outcome"}
    assert all(link.startswith("#source-") for link in found.links)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//evil", "http:", "ftp://a",
        "java\nscript:x", " https://a b", "https://[", None, "",
    ],
)  # fmt: skip
def test_other_addresses_are_no_links(url: str | None) -> None:
    source = RenderedSource(title="T", url=url)
    assert not is_web_address(url)
    shown = render_html("x [1]", {("1",): source}, grammars=("numbered",), style="inline")
    assert "href" not in shown


def test_the_styles_place_the_sources() -> None:
    source = RenderedSource(title="Terms", url="https://a.example/?x=1&y=2", quote="4 < 5")
    sources: dict[tuple[str, ...], RenderedSource] = {("1",): source}
    made = {s: render_html("Four [1].", sources, grammars=("numbered",), style=s) for s in STYLES}
    assert '<a href="https://a.example/?x=1&amp;y=2"' in made["inline"]
    assert "<footer><ol>" in made["footnotes"]
    assert "<aside><ol>" in made["sidebar"]
    assert "<q>4 &lt; 5</q>" in made["sidebar"]


def test_a_token_without_a_source_is_shown_as_unknown() -> None:
    assert "[1?]" in render_html("Four [7].", {}, grammars=("numbered",))


def test_the_question_is_shown_as_it_is() -> None:
    shown = render_html("Four.", {}, grammars=("numbered",), question="What of [1] & <b>?")
    assert "What of [1] &amp; &lt;b&gt;?" in shown


def test_another_style_is_refused() -> None:
    with pytest.raises(InputError, match="inline"):
        render_html("x", {}, grammars=(), style="popup")  # type: ignore[arg-type]
