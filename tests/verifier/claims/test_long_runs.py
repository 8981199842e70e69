"""A long run of one character costs no more than it is long: no pattern reads it again."""

from __future__ import annotations

import time

import pytest

from spanproof import verify
from spanproof.core.budget import Budget, spending
from tests.builders import ScriptedModel

LENGTH = 60_000
#: Read again from each of its characters, such a run takes minutes.
MOST_SECONDS = 15.0
SOURCE = "Refunds are paid within four business days."


@pytest.mark.parametrize("letter", [" ", "\t", "\u00a0", "*", "_", "#", "`", "1", ";"])
def test_a_long_run_in_a_claim_is_read_once(letter: str) -> None:
    answer = f"Refunds are paid{letter * LENGTH}within four business days [1]."
    began = time.process_time()
    verify(answer, [SOURCE], model=ScriptedModel())
    assert time.process_time() - began < MOST_SECONDS


@pytest.mark.parametrize("letter", [" ", "\t", "*"])
def test_a_long_run_in_code_is_read_once(letter: str) -> None:
    answer = f"{SOURCE[:-1]} [1].\n\n```\nx{letter * LENGTH}y z\n```\n"
    began = time.process_time()
    verify(answer, [SOURCE], model=ScriptedModel())
    assert time.process_time() - began < MOST_SECONDS


@pytest.mark.parametrize("words", ["$1", "not ", "1-", "a.b ", "2020-", "and "])
def test_a_claim_of_one_word_in_thousands_ends_with_its_budget(words: str) -> None:
    told = f"Refunds are paid {words * (15_000 // len(words))} within four business days"
    began = time.process_time()
    with spending(Budget(1.0, clock=time.process_time)):
        verify(f"{told} [1].", [f"{told}."], model=ScriptedModel())
    assert time.process_time() - began < MOST_SECONDS
