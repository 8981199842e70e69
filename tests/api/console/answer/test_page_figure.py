from __future__ import annotations

import pytest

from spanproof.api.console.answer.page_figure import draw_figures
from spanproof.core.citation import ClaimedLocator
from spanproof.core.geometry import Rect
from spanproof.core.span import Span
from tests.api.console.samples import LINKS, make_page
from tests.builders import make_extraction


def parse_points(polygon: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in polygon.split())]


def test_boxes_are_in_points_of_the_displayed_page() -> None:
    (figure,) = draw_figures(make_page("Ab cd"), [Span(0, 2)], LINKS)

    assert (figure.width, figure.height) == (380, 470)
    assert parse_points(figure.polygons[0]) == [(30, 442), (40, 442), (40, 452), (30, 452)]


def test_rotation_and_user_unit_turn_the_box_with_the_page() -> None:
    # INGEST's fixture: the origin (150, 250) stands at (40, 60) of the page as displayed.
    page = make_page("Ab cd", rotation=90, user_unit=2.0)

    (figure,) = draw_figures(page, [Span(0, 2)], LINKS)
    points = parse_points(figure.polygons[0])

    assert (figure.width, figure.height) == (940, 760)
    assert (min(x for x, _ in points), max(x for x, _ in points)) == (36, 56)
    assert (min(y for _, y in points), max(y for _, y in points)) == (60, 80)


def test_the_box_that_the_answer_gives_is_drawn_apart() -> None:
    given = ClaimedLocator(page=1, bbox=Rect(1, 2, 3, 4))

    (figure,) = draw_figures(make_page("Ab cd"), [Span(0, 2)], LINKS, given=given)

    assert figure.given == "1.00,2.00 3.00,2.00 3.00,4.00 1.00,4.00"


@pytest.mark.parametrize("page", [2, 10**9])
def test_a_given_page_that_the_document_lacks_draws_nothing(page: int) -> None:
    given = ClaimedLocator(page=page, bbox=Rect(1, 2, 3, 4))

    assert draw_figures(make_page("Ab cd"), [], LINKS, given=given) == ()


def test_plain_text_has_no_figure() -> None:
    assert draw_figures(make_extraction("Ab cd"), [Span(0, 2)], LINKS) == ()
