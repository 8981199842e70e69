"""What the markup of a page takes from its reader's eyes is flagged, and nothing else is.

Each document says a plain sentence and a second one in a way of its own.
"""

from __future__ import annotations

import numpy as np
import pytest

from spanproof.core.documents.layout import HIDDEN
from spanproof.ingest import extract

SEEN = "The tenant pays the rent monthly."
DOUBTED = "The landlord waives the deposit."

HIDDEN_HTML = {
    "a class": '<style>.x{display:none}</style><p class="x">%s</p>',
    "an id": '<style>#x{visibility:hidden}</style><p id="x">%s</p>',
    "an element": "<style>aside{opacity:0}</style><aside>%s</aside>",
    "a descendant": '<style>.a p{font-size:0}</style><div class="a"><div><p>%s</p></div></div>',
    "a child": '<style>.a > p{color:#fff}</style><div class="a"><p>%s</p></div>',
    "an attribute": '<style>[data-x="1"]{display:none}</style><p data-x="1">%s</p>',
    "a rule for screens": '<style>@media screen{.x{display:none}}</style><p class="x">%s</p>',
    "important": "<style>.x{display:none!important}</style>"
    '<p class="x" style="display:block">%s</p>',
    "opacity": '<p style="opacity: 0.01">%s</p>',
    "font-size 0": '<p style="font-size:0px">%s</p>',
    "a pixel": '<p style="font-size:1px">%s</p>',
    "font: 0/0": '<p style="font:0/0 serif">%s</p>',
    "white on white": '<p style="color:white">%s</p>',
    "nearly white": '<p style="color:#fdfdfd">%s</p>',
    "rgb on white": '<p style="color: rgb(255, 255, 250)">%s</p>',
    "the same colours": '<div style="background:#123456"><p style="color:#123457">%s</p></div>',
    "transparent": '<p style="color:transparent">%s</p>',
    "alpha 0": '<p style="color:rgba(0,0,0,0)">%s</p>',
    "old attributes": '<font color="#ffffff">%s</font>',
    "off the screen": '<p style="position:absolute;left:-9999px">%s</p>',
    "indented away": '<p style="text-indent:-9999px">%s</p>',
    "a margin": '<p style="margin-left:-5000px">%s</p>',
    "moved away": '<p style="transform:translateX(-9999px)">%s</p>',
    "scaled to nothing": '<p style="transform: scale(0)">%s</p>',
    "clipped": '<p style="position:absolute;clip:rect(0 0 0 0)">%s</p>',
    "a clip path": '<p style="clip-path: inset(100%%)">%s</p>',
    "no height": '<div style="height:0;overflow:hidden">%s</div>',
    "one pixel": '<div style="width:1px;height:1px;overflow:hidden">%s</div>',
    "no script": "<noscript>%s</noscript>",
    "a closed dialog": "<dialog>%s</dialog>",
    "right to left": '<p style="unicode-bidi:bidi-override;direction:rtl">%s</p>',
    "words before it": '<style>.x::before{content:"Not: "}</style><p class="x">%s</p>',
}
STRUCK_HTML = {
    "s": "<p><s>%s</s></p>",
    "del": "<p><del>%s</del></p>",
    "strike": "<p><strike>%s</strike></p>",
    "a style": '<p style="text-decoration:line-through">%s</p>',
    "a class": '<style>.x{text-decoration-line:line-through}</style><p class="x">%s</p>',
}
SEEN_HTML = {
    "plain": "<p>%s</p>",
    "shown again": "<style>p.x{visibility:hidden}.x b{visibility:visible}</style>"
    '<p class="x"><b>%s</b></p>',
    "a child with a size": '<p style="font-size:0"><b style="font-size:14px">%s</b></p>',
    "white on black": '<div style="background:black"><p style="color:#fff">%s</p></div>',
    "white on a picture": '<div style="background:url(a.png)"><p style="color:#fff">%s</p></div>',
    "a class that is not its own": '<style>.y{display:none}</style><p class="x">%s</p>',
    "a rule for print": '<style>@media print{.x{display:none}}</style><p class="x">%s</p>',
    "a rule for a pointer": '<style>.x:hover{display:none}</style><p class="x">%s</p>',
    "a weaker rule": '<style>p{display:none}.x{display:block}</style><p class="x">%s</p>',
    "small": '<p style="font-size:8px">%s</p>',
    "grey": '<p style="color:#777">%s</p>',
    "a link": '<a href="#" style="text-decoration:underline">%s</a>',
    "in a box": '<div style="height:40px;overflow:hidden">%s</div>',
    "marked": "<mark>%s</mark>",
    "inserted": "<ins>%s</ins>",
    "an icon before it": '<style>.x:before{content:"\\e901"}</style><p class="x">%s</p>',
}
HIDDEN_MARKDOWN = {
    "a comment": "<!-- %s -->",
    "a footnote without a mark": "[^9]: %s",
    "a named colour": "<style>:root{--c:#fff}</style><p style='color:var(--c)'>%s</p>",
    "a comment of lines": "<!--\n\n%s\n\n-->",
    "a definition": '[x]: http://a.example "%s"',
    "the title of a link": '[here](http://a.example "%s")',
    "words for a picture": "![%s](a.png)",
    "HTML": '<div style="display:none">\n\n%s\n\n</div>',
    "HTML in a line": 'So <span style="font-size:0">%s</span> it is.',
    "the hidden attribute": "<p hidden>%s</p>",
    "struck": "~~%s~~",
    "deleted": "<del>%s</del>",
}
SEEN_MARKDOWN = {
    "plain": "%s",
    "a link": "[%s](http://a.example)",
    "a comment in code": "```\n<!-- %s -->\n```",
    "inline code": "`<!--%s-->`",
    "a footnote": "So it is.[^9]\n\n[^9]: %s",
    "a named ink": "<style>:root{--c:#123}</style><p style='color:var(--c)'>%s</p>",
    "bold": "**%s**",
    "HTML": '<div align="center">\n\n%s\n\n</div>',
    "a list": "- %s",
    "a quote": "> %s",
}


def _flags(data: bytes, filename: str, words: str) -> tuple[bool, bool]:
    """Whether some of the words are hidden, and whether all are."""
    extraction = extract(data, filename=filename)
    start = extraction.text.text.index(words)
    letters = np.array([not c.isspace() for c in words])
    if extraction.layout is None:
        return False, False
    carried = (extraction.layout.flags[start : start + len(words)] & np.uint16(HIDDEN)) != 0
    return bool(carried.any()), bool(carried[letters].all())


def _page(way: str) -> bytes:
    return f"<html><body><p>{SEEN}</p>{way % DOUBTED}</body></html>".encode()


def _note(way: str) -> bytes:
    return f"{SEEN}\n\n{way % DOUBTED}\n".encode()


@pytest.mark.parametrize("way", [*HIDDEN_HTML.values(), *STRUCK_HTML.values()])
def test_a_page_that_hides_or_strikes_words(way: str) -> None:
    assert _flags(_page(way), "a.html", DOUBTED) == (True, True)
    assert _flags(_page(way), "a.html", SEEN) == (False, False)


@pytest.mark.parametrize("way", SEEN_HTML.values())
def test_a_page_that_shows_them(way: str) -> None:
    assert _flags(_page(way), "a.html", DOUBTED) == (False, False)


@pytest.mark.parametrize("way", HIDDEN_MARKDOWN.values())
def test_a_markdown_text_that_hides_or_strikes_words(way: str) -> None:
    assert _flags(_note(way), "a.md", DOUBTED) == (True, True)
    assert _flags(_note(way), "a.md", SEEN) == (False, False)


@pytest.mark.parametrize(
    ("before", "hidden"),
    [(f"---\ntitle: {DOUBTED}\n---\n\n", True), (f"---\n\n{DOUBTED}\n\n---\n\n", False)],
)
def test_what_stands_before_a_text_for_programs_is_not_shown(before: str, *, hidden: bool) -> None:
    assert _flags(f"{before}{SEEN}\n".encode(), "a.md", DOUBTED)[1] == hidden


@pytest.mark.parametrize("way", SEEN_MARKDOWN.values())
def test_a_markdown_text_that_shows_them(way: str) -> None:
    assert _flags(_note(way), "a.md", DOUBTED) == (False, False)


def _message(plain: str, html: str) -> bytes:
    return (
        "From: a@b.example\nSubject: x\nMIME-Version: 1.0\n"
        'Content-Type: multipart/alternative; boundary="B"\n\n'
        f"--B\nContent-Type: text/plain\n\n{plain}\n\n"
        f"--B\nContent-Type: text/html\n\n{html}\n--B--\n"
    ).encode()


@pytest.mark.parametrize(
    ("html", "hidden"),
    [
        (f"<p>{SEEN}</p><p>{DOUBTED}</p>", False),
        (f"<p>{SEEN}</p><p>The landlord <b>waives</b> the\ndeposit.</p>", False),
        (f"<p>{SEEN}</p><p>The landlord keeps the deposit.</p>", True),
        (f"<p>{SEEN}</p><p>The landlord never waives the deposit.</p>", True),
        (f"<p>{SEEN}</p>", True),
        (f'<p>{SEEN}</p><p style="font-size:0">{DOUBTED}</p>', True),
    ],
)
def test_a_message_whose_parts_differ(html: str, *, hidden: bool) -> None:
    data = _message(f"{SEEN}\n\n{DOUBTED}", html)
    assert _flags(data, "a.eml", DOUBTED)[0] == hidden
