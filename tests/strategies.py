"""Hypothesis strategies and small real values for texts, quotes, folds and mutations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from spanproof.core.documents.layout import CharFlag, Layout
from tests.builders import make_extraction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction

#: No time limit an example: the first one builds tables, and machines are shared.
unhurried = settings(deadline=None)
#: Words that no rule protects, so that a fold between them is allowed.
PLAIN_WORDS = [
    "agreement",
    "appeal",
    "argument",
    "building",
    "claim",
    "consent",
    "contract",
    "court",
    "delivery",
    "deposit",
    "document",
    "evidence",
    "garden",
    "harbour",
    "hearing",
    "invoice",
    "judge",
    "kitchen",
    "landlord",
    "letter",
    "market",
    "notice",
    "opinion",
    "paper",
    "payment",
    "property",
    "record",
    "repair",
    "report",
    "river",
    "street",
    "supplier",
    "tenant",
    "window",
    "witness",
]
#: Tokens of which no character may change.
PROTECTED_TOKENS = (
    "4",
    "1,500",
    "5.5",
    "86%",
    "$250",
    "-3",
    "≥7",
    "12th",
    "not",
    "never",
    "cannot",
    "without",
    "must",
    "may",
    "only",
    "unless",
    "fourteen",
    "twenty-five",
)
plain_sentences = st.lists(st.sampled_from(PLAIN_WORDS), min_size=6, max_size=20).map(" ".join)
any_texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=200
)


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, int, int]:
    """Any text and a span of it that holds something to read."""
    text = draw(any_texts.filter(lambda candidate: any(c.isalnum() for c in candidate)))
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    if not any(c.isalnum() for c in text[start:end]):
        start, end = 0, len(text)
    return text, start, end


@st.composite
def sentences_with_protected(draw: st.DrawFn) -> tuple[str, int, int]:
    """A sentence, and where one protected token stands in it."""
    words = draw(st.lists(st.sampled_from(PLAIN_WORDS), min_size=8, max_size=16, unique=True))
    place = draw(st.integers(2, len(words) - 3))
    token = draw(st.sampled_from(PROTECTED_TOKENS))
    start = len(" ".join(words[:place])) + 1
    return " ".join([*words[:place], token, *words[place:]]), start, start + len(token)


def with_layout(
    text: str,
    *,
    synthetic: Iterable[int] = (),
    separators: Iterable[int] = (),
    invisible: Iterable[int] = (),
    offpage: Iterable[int] = (),
) -> Extraction:
    """An extraction whose characters carry these flags (a layout without boxes)."""
    flags = np.zeros(len(text), np.uint16)
    for indexes, flag in (
        (synthetic, CharFlag.SYNTHETIC),
        (separators, CharFlag.SEPARATOR),
        (invisible, CharFlag.INVISIBLE),
        (offpage, CharFlag.OFFPAGE),
    ):
        for index in indexes:
            flags[index] |= int(flag)
    none = np.zeros(0, np.int32)
    layout = Layout(
        run_start=none.copy(),
        run_end=none.copy(),
        run_x=none.copy(),
        run_y=none.copy(),
        run_cos=np.zeros(0, np.float32),
        run_sin=np.zeros(0, np.float32),
        run_ascent=none.copy(),
        run_descent=none.copy(),
        left=np.zeros(len(text), np.int32),
        right=np.zeros(len(text), np.int32),
        flags=flags,
    )
    return replace(make_extraction(text), layout=layout)
