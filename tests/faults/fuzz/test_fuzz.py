"""Parsers, given anything: one of ours refuses by a typed error, and nothing else gets out."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.faults.fuzz import campaign
from tests.faults.fuzz.mutate import mutate
from tests.faults.fuzz.parsers import PARSERS, Parser
from tests.strategies import unhurried

each_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)


@each_parser
@given(raw=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode()))
@settings(unhurried, max_examples=40)
def test_any_bytes_are_read_or_refused(parser: Parser, raw: bytes) -> None:
    with suppress(*parser.refusals):
        parser.read(raw)


@each_parser
@given(seed=st.integers(min_value=0, max_value=2**32))
@settings(unhurried, max_examples=60)
def test_a_changed_input_is_read_or_refused(parser: Parser, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    with suppress(*parser.refusals):
        parser.read(mutate(rng.choice(parser.seeds), rng))


@each_parser
def test_what_it_is_for_is_read(parser: Parser) -> None:
    for raw in parser.seeds:
        parser.read(raw)


def test_the_long_run_notes_what_gets_out_and_what_passes_wrongly() -> None:
    def fail(raw: bytes) -> object:
        assert raw in seeds, "a changed receipt passed"
        return "passed"

    seeds = (b"a valid input",)
    parser = Parser(name="of anything", read=fail, seeds=seeds)
    (tally,) = campaign.run(mutations=50, seed=1, parsers=[parser])
    assert tally.violations
    assert "a changed receipt passed" in tally.violations[0]
