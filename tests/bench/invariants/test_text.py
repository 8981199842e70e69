from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.invariants import text as checks
from bench.invariants.text import check_i3, check_i5, check_i9
from spanproof.core.documents import match_views as views
from spanproof.core.span import Span
from spanproof.ingest.extraction import extract
from tests.bench.invariants.broken import forge, read_three_pages, with_text

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

#: Astral letters, a flag, combining marks, a ligature, raised and lowered figures, a fraction.
WIDE = "10² m, H₂O ½ ① 𝑥 = 𝑦 🇮🇩 e\u0301 ﬁne soft\xadhyphen — „so‘ ﾊﾞ Ａ"


def _plain(text: str) -> Extraction:
    return extract(text.encode(), filename="a.txt")


def _with_view(extraction: Extraction, text: str, positions: list[int]) -> Extraction:
    import numpy as np

    # The cache by which every reader gets an extraction's view.
    views._VIEWS[extraction] = views.MatchView(text, np.array(positions, np.int64))
    return extraction


@pytest.mark.parametrize("check", [check_i3, check_i5, check_i9])
def test_sound_texts_hold(check: object) -> None:
    for extraction in (read_three_pages(), _plain(WIDE), _plain("plain words only\n")):
        assert check(extraction).holds  # type: ignore[operator]


@pytest.mark.parametrize("bad", ["\x00", "\ud800"])
def test_a_nul_and_a_surrogate_are_told(bad: str) -> None:
    extraction = _plain("some words")
    finding = check_i3(with_text(extraction, f"some{bad}words"))
    assert Span(4, 5) in {violation.span for violation in finding.violations}


def test_a_text_under_another_texts_digest_is_told() -> None:
    extraction = _plain("some words")
    assert not check_i3(with_text(extraction, "some_words")).holds


@pytest.mark.parametrize("name", ["from_codepoint", "to_codepoint"])
def test_offsets_that_miss_a_wide_character_are_told(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # Each in turn takes every character for one unit: the fault of a client that slices UTF-16.
    monkeypatch.setattr(checks, name, lambda text, offset, _: min(offset, len(text)))
    finding = check_i5(_plain(WIDE))
    assert finding.violated
    assert any("utf16" in violation.detail for violation in finding.violations)


def test_a_view_that_goes_back_is_told() -> None:
    finding = check_i9(_with_view(_plain("abcd"), "abcd", [0, 2, 1, 3]))
    assert "goes back" in finding.violations[0].detail


def test_a_view_without_a_position_a_character_is_told() -> None:
    assert not check_i9(_with_view(_plain("abcd"), "abcd", [0, 1, 2])).holds
    assert not check_i9(_with_view(_plain("abcd"), "abcd", [0, 1, 2, 9])).holds


def test_a_view_that_says_other_words_than_its_span_is_told() -> None:
    finding = check_i9(_with_view(_plain("abcdefgh"), "abcxefgh", list(range(8))))
    assert any("reads otherwise" in violation.detail for violation in finding.violations)


@pytest.mark.parametrize(
    ("text", "view", "positions"),
    [("10² m", "102m", [0, 1, 2, 4]), ("1½", "112", [0, 1, 1]), ("10²", "10", [0, 1])],
)
def test_a_view_that_flattens_or_drops_a_raised_figure_is_told(
    text: str, view: str, positions: list[int]
) -> None:
    finding = check_i9(_with_view(_plain(text), view, positions))
    said = " ".join(violation.detail for violation in finding.violations)
    assert "reads as" in said or "is dropped" in said


def test_the_empty_text_breaks_nothing() -> None:
    empty = forge(_plain("x"), text=_plain("x").text.of(""), pages=())
    assert check_i3(empty).violated == 0
