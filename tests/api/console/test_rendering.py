from __future__ import annotations

import re
from itertools import chain

import pytest

from spanproof.api.console.rendering import (
    CONTENT_SECURITY_POLICY,
    STATIC_FILES,
    load_environment,
    read_static,
    render_static,
)
from spanproof.operations.presentation.words import NOT_PROVED
from tests.api.console.samples import make_block, read_answer, render_answer

#: The templates with one script, a file of ours.
SCRIPTED = {"answer.html", "base.html", "playground.html", "review.html", "span.html"}
PAIRS = (
    ("text", "ground"),
    ("text", "surface"),
    ("text", "sunk"),
    ("muted", "ground"),
    ("muted", "surface"),
    ("muted", "sunk"),
    ("accent", "ground"),
    ("accent", "surface"),
    ("mark-text", "mark"),
    *((tone, f"{tone}-ground") for tone in ("pass", "fail", "review", "error", "none")),
    *((tone, "surface") for tone in ("pass", "fail", "review", "error", "none")),
)


def read_palettes() -> list[dict[str, str]]:
    roots = re.findall(r":root \{(.*?)\}", read_static("console.css").decode(), re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", root)) for root in roots]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_has_contrast(scheme: int, text: str, ground: str) -> None:
    palette = read_palettes()[scheme]
    low, high = sorted(luminance(palette[name]) for name in (text, ground))

    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_there_is_a_light_and_a_dark_palette_with_the_same_names() -> None:
    light, dark = read_palettes()

    assert set(light) == set(dark)


def test_no_template_holds_a_script_or_a_style_of_its_own() -> None:
    environment = load_environment()
    assert environment.autoescape is True
    for name in environment.list_templates():
        assert environment.loader is not None
        source, _, _ = environment.loader.get_source(environment, name)
        assert not re.search(r"\son\w+=|\sstyle=|<style|\|\s*safe|autoescape", source), name
        # Each script is a file of ours, and its element holds nothing.
        scripts = re.findall(r"<script([^>]*)>([^<]*)", source)
        assert len(scripts) == (name in SCRIPTED), name
        for attributes, content in scripts:
            assert attributes.startswith(' src="{{ links.static(')
            assert content == ""


def test_nothing_is_loaded_from_elsewhere() -> None:
    environment = load_environment()
    files = [read_static(name).decode() for name in STATIC_FILES]
    sources = [
        environment.loader.get_source(environment, name)[0]
        for name in environment.list_templates()
        if environment.loader
    ]
    for source in chain(files, sources):
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+", source))
        assert addresses <= {"http://www.w3.org"}
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'")


def test_only_the_consoles_own_files_are_served() -> None:
    assert render_static("../routes.py") is None
    assert render_static("base.html") is None
    served = render_static("console.js")
    assert served is not None
    assert served.headers["content-type"].startswith("text/javascript")


def test_every_answer_says_what_is_not_proved() -> None:
    page = render_answer(read_answer("Words."), make_block(result="review"))

    assert "What this does not prove" in page
    assert len(NOT_PROVED) == 5
    assert "attribution is not cause" in page


def test_no_citation_is_not_a_pass() -> None:
    page = render_answer(read_answer("Words."), make_block(result="review"))

    assert "which is not a pass" in page
