"""Blind reviews: who gets which answer, one sheet a person, agreement, and disputes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import ConflictError, InputError
from spanproof.operations.erasing import erase
from spanproof.operations.sampling.sheets import (
    find_role,
    list_claims,
    measure_agreement,
    save_sheet,
    take_next,
)
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.receipt.statement.predicate import NOBODY, Actor
from spanproof.store.samples.counts import SampleFilter
from spanproof.verifier.formats.registry import parse_payload
from tests.operations.sampling.conftest import ALL, BAD, GOOD, make_payload, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.context import Context
    from spanproof.store.samples.records import Label

ANN, BOB, CAT = (Actor(key_id=name) for name in ("ann", "bob", "cat"))


def say(context: Context, answer_id: str, actor: Actor, *labels: Label) -> Any:
    review = context.store.samples.reviews.load(answer_id)
    stored = context.store.answers.load(review.outcome.verification_id or "")
    answer = parse_payload(stored.raw, "native").answer
    claims = list_claims(answer, stored.block)
    said = dict(zip(claims, labels, strict=False))
    return save_sheet(context, answer_id, actor, said, note=None)


def test_two_people_label_and_a_third_decides(open_home: Callable[..., Any]) -> None:
    with open_home(ALL) as context:
        submit(context, make_payload("two", GOOD, BAD))
        submit(context, make_payload("none"))
        verify_waiting(context)
        reviews = context.store.samples.reviews
        with pytest.raises(ConflictError, match="got one by nobody"):
            take_next(context, NOBODY)
        first = take_next(context, ANN)
        assert first in {"two", "none"}
        # Asked again, the same: the place is hers. The order is the draw's for everybody.
        assert take_next(context, ANN) == first == take_next(context, BOB)
        other = "none" if first == "two" else "two"
        assert take_next(context, CAT) == other
        review = reviews.load(first)
        assert [find_role(context, review, each) for each in (ANN, BOB, CAT)] == [
            "reviewer",
            "reviewer",
            "reviewer",
        ]

        with pytest.raises(InputError, match="each of 2 claims, got 1"):
            say(context, "two", ANN, "correct")
        said = say(context, "two", ANN, "correct", "wrong")
        assert (said.verdict, said.is_split) == ("wrong", False)
        with pytest.raises(ConflictError, match="closed to you"):
            say(context, "two", ANN, "correct", "correct")
        said = say(context, "two", BOB, "wrong", "wrong")
        # They agree on the answer and differ on its first claim.
        assert (said.verdict, said.is_disputed, said.is_split) == ("wrong", False, True)
        assert [each.item.answer_id for each in reviews.list_split(2)] == ["two"]
        assert find_role(context, said, CAT) == "adjudicator"
        assert find_role(context, said, BOB) == "done"
        ended = say(context, "two", CAT, "correct", "correct")
        assert (ended.verdict, ended.is_split, ended.labels[-1].is_final) == (
            "correct",
            False,
            True,
        )
        assert reviews.list_split(2) == ()
        assert find_role(context, ended, Actor(key_id="dan")) == "closed"
        # Rates take the final word; agreement takes what was said blindly.
        counted = [each.labels for each in context.store.samples.count(SampleFilter())]
        assert counted == [{(True, "correct"): 1}]
        agreement = measure_agreement(context)
        assert (agreement.units, agreement.labels) == (2, 4)

        # An answer without a citation is one claim.
        (whole,) = say(context, "none", CAT, "unclear").labels[0].claims
        assert (whole.start, whole.end) == (0, len("Nothing is cited here."))
        erase(context, reviews.load("none").outcome.verification_id or "", reason="asked for")
        assert take_next(context, ANN) is None
