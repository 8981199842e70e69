from __future__ import annotations

import itertools

from hypothesis import given

from spanproof.verifier.answers.stream import TokenStripper
from spanproof.verifier.formats.cleaning import clean
from spanproof.verifier.formats.grammars import GRAMMARS
from tests.verifier.formats.grammars.prose import CUTS, PROSE


def read_in_cuts(prose: str, cuts: list[int]) -> tuple[list[str], TokenStripper]:
    stripper = TokenStripper(GRAMMARS)
    edges = sorted({0, *(cut % (len(prose) + 1) for cut in cuts), len(prose)})
    parts = [stripper.push(prose[a:b]) for a, b in itertools.pairwise(edges)]
    return [*parts, stripper.close()], stripper


@given(prose=PROSE, cuts=CUTS)
def test_any_cuts_give_the_whole_text_cleaned(prose: str, cuts: list[int]) -> None:
    expected = clean(prose, GRAMMARS)
    parts, stripper = read_in_cuts(prose, cuts)
    assert "".join(parts) == expected.text
    assert stripper.result() == expected


@given(prose=PROSE)
def test_one_character_at_a_time_gives_the_whole_text_cleaned(prose: str) -> None:
    parts, stripper = read_in_cuts(prose, list(range(len(prose))))
    assert "".join(parts) == clean(prose, GRAMMARS).text
    assert stripper.result() == clean(prose, GRAMMARS)
