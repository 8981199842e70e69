from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spanproof.core.citation import GivenLocator
from spanproof.core.documents.document import CharacterCounts, Extraction
from spanproof.core.documents.layout import Layout
from spanproof.core.geometry import PageFrame, Rect, Rotation
from spanproof.core.span import Span
from spanproof.core.verdicts.status import LocatorStatus
from spanproof.verifier.quotes.locator import check_locator
from tests.builders import make_extraction


def laid_out(rotation: Rotation = 0) -> Extraction:
    """Ten characters, 10 points each, on a baseline from (100, 500); a page of 600 x 800."""
    plain = make_extraction("abcdefghij")
    edges = np.arange(11, dtype=np.int32) * 1000

    def one(value: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.array([value], dtype=np.int32)

    layout = Layout(
        run_start=one(0),
        run_end=one(10),
        run_x=one(10_000),
        run_y=one(50_000),
        run_cos=np.array([1.0], dtype=np.float32),
        run_sin=np.array([0.0], dtype=np.float32),
        run_ascent=one(800),
        run_descent=one(-200),
        left=edges[:-1].copy(),
        right=edges[1:].copy(),
        flags=np.zeros(10, dtype=np.uint16),
    )
    box = Rect(0, 0, 600, 800)
    frame = PageFrame(view_box=box, media_box=box, rotation=rotation)
    page = replace(plain.pages[0], frame=frame, counts=CharacterCounts(characters=10))
    return Extraction(
        document=plain.document,
        pipeline=plain.pipeline,
        text=plain.text,
        pages=(page,),
        layout=layout,
    )


SPAN = Span(2, 6)
#: The span's own box as displayed: x 120..160, y 800-508..800-498.
OWN = Rect(120, 292, 160, 302)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (GivenLocator(page=1, bbox=OWN), LocatorStatus.MATCH),
        (GivenLocator(page=1, bbox=Rect(121, 293, 159, 301)), LocatorStatus.MATCH),
        (GivenLocator(page=1, bbox=Rect(0, 0, 600, 800)), LocatorStatus.MATCH),
        (GivenLocator(page=1, bbox=None), LocatorStatus.MATCH),
        (GivenLocator(page=1, bbox=Rect(120, 292, 150, 302)), LocatorStatus.MISMATCH),
        (GivenLocator(page=1, bbox=Rect(120, 498, 160, 508)), LocatorStatus.MISMATCH),
        (GivenLocator(page=2, bbox=OWN), LocatorStatus.MISMATCH),
        (None, LocatorStatus.NOT_GIVEN),
    ],
)
def test_a_box_matches_when_it_holds_the_glyph_centres(
    given: GivenLocator | None, status: LocatorStatus
) -> None:
    check = check_locator(given, laid_out(), SPAN)
    assert check.status is status
    assert check.page == 1
    assert check.bbox is not None
    assert check.bbox.to_list() == OWN.to_list()


def test_the_box_is_on_the_page_as_displayed() -> None:
    check = check_locator(GivenLocator(page=1, bbox=OWN), laid_out(90), SPAN)
    assert check.status is LocatorStatus.MISMATCH
    assert check.bbox is not None
    turned = check_locator(GivenLocator(page=1, bbox=check.bbox), laid_out(90), SPAN)
    assert turned.status is LocatorStatus.MATCH
    assert turned.iou == pytest.approx(1.0)
    # The quads stay in user space, whatever the rotation.
    assert turned.quads == check_locator(None, laid_out(), SPAN).quads


def test_without_a_span_nothing_ran_and_without_a_layout_nothing_matches() -> None:
    given = GivenLocator(page=1, bbox=OWN)
    assert check_locator(given, laid_out(), None).status is LocatorStatus.NOT_RUN
    assert check_locator(given, None, SPAN).status is LocatorStatus.NOT_RUN
    plain = make_extraction("abcdefghij")
    assert check_locator(given, plain, SPAN).status is LocatorStatus.NO_LAYOUT
