"""What a comparison promises, over generated answers; the doors are tested in tests/api."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedAnswerError
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.verifier.answers.diff import (
    NOT_JUDGED,
    CitedPlace,
    VerifiedAnswer,
    compare_answers,
    read_verified,
)
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import ScriptedModel, make_extraction, make_library

OUTCOMES = st.sampled_from(["fail", "error", "review", NOT_JUDGED, "pass"])
TEXT = "Goods are replaced within four days. The law of Austria governs. It ends in May.\n"
SENTENCES = TEXT.strip().split(". ")


@st.composite
def cited_places(draw: st.DrawFn) -> CitedPlace:
    """A place of one of two documents, found or not, in one of two extractions."""
    document = draw(st.sampled_from(["sha256:a", "sha256:b"]))
    start = draw(st.none() | st.integers(0, 3))
    extraction = draw(st.sampled_from(["sha256:e", "sha256:f"]))
    return CitedPlace(
        doc_hash=document,
        doc_id=None,
        extraction_id=None if start is None else extraction,
        char_start=start,
        char_end=None if start is None else start + 2,
        text=draw(st.sampled_from(["one", "two", None])),
        anchors=(draw(st.integers(1, 9)),),
        outcomes=(draw(OUTCOMES),),
    )


def _identify(place: CitedPlace) -> object:
    if place.char_start is None:
        return (place.doc_hash, place.text)
    return (place.doc_hash, place.extraction_id, place.char_start)


SIDES = st.builds(
    VerifiedAnswer,
    prose=st.text("ab \n.", max_size=12),
    places=st.lists(cited_places(), max_size=6, unique_by=_identify).map(tuple),
    result=st.sampled_from(["fail", "error", "review", "pass"]),
    verifier_version=st.just("v"),
)


@given(SIDES)
def test_an_answer_is_the_same_as_itself(side: VerifiedAnswer) -> None:
    found = compare_answers(side, side)
    assert found.is_same
    assert found.unchanged == len(side.places)


@given(SIDES, st.randoms(use_true_random=False))
def test_numbers_and_order_of_citations_make_no_difference(
    side: VerifiedAnswer, random: Any
) -> None:
    places = [replace(place, anchors=(random.randint(1, 99),)) for place in side.places]
    random.shuffle(places)
    assert compare_answers(side, replace(side, places=tuple(places))).is_same


@given(SIDES, SIDES)
def test_every_citation_of_both_is_told_once(first: VerifiedAnswer, second: VerifiedAnswer) -> None:
    found = compare_answers(first, second)
    shared = found.unchanged + len(found.changed)
    assert len(found.gone) + shared == len(first.places)
    assert len(found.added) + shared == len(second.places)
    assert set(found.gone) <= set(first.places)
    assert set(found.added) <= set(second.places)
    for one, other in found.changed:
        assert one.doc_hash == other.doc_hash
        assert one.outcomes != other.outcomes
        if one.is_resolved and other.is_resolved and one.extraction_id == other.extraction_id:
            assert (one.char_start, one.char_end) == (other.char_start, other.char_end)


@given(SIDES, SIDES)
def test_what_both_resolved_alike_is_never_gone(
    first: VerifiedAnswer, second: VerifiedAnswer
) -> None:
    found = compare_answers(first, second)
    both = {_identify(place) for place in first.places} & {_identify(p) for p in second.places}
    assert not both & {_identify(place) for place in (*found.gone, *found.added)}


@given(SIDES, SIDES)
def test_the_edits_make_the_second_prose_of_the_first(
    first: VerifiedAnswer, second: VerifiedAnswer
) -> None:
    edits = compare_answers(first, second).prose.edits
    made, position = [], 0
    for edit in edits:
        assert first.prose[edit.first.start : edit.first.end] == edit.first_text
        assert second.prose[edit.second.start : edit.second.end] == edit.second_text
        made += [first.prose[position : edit.first.start], edit.second_text]
        position = edit.first.end
    assert "".join([*made, first.prose[position:]]) == second.prose


@given(SIDES, SIDES)
def test_the_other_way_round_says_the_same_of_the_whole(
    first: VerifiedAnswer, second: VerifiedAnswer
) -> None:
    assert compare_answers(first, second).is_same == compare_answers(second, first).is_same


def _verify(prose: str, *quotes: str, premise_fails: str | None = None) -> dict[str, Any]:
    """The answer as ``verify`` gives it back, citations numbered in their order."""
    extraction = make_extraction(TEXT)
    payload = {
        "answer": prose,
        "citations": [
            {
                "anchor": number,
                "doc_hash": str(extraction.document.doc_hash),
                "span": {"text": quote},
            }
            for number, quote in enumerate(quotes, start=1)
        ],
    }
    parsed = parse_answer(json.dumps(payload).encode())
    model = ScriptedModel() if premise_fails is None else _Doubting(premise_fails)
    block = verify(
        parsed.answer,
        make_library(extraction),
        model,
        load_policy("balanced"),
        verified_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return payload | {"verification": block_to_json(block)}


class _Doubting(ScriptedModel):
    """Entails everything but one premise."""

    def __init__(self, premise: str) -> None:
        super().__init__()
        self._doubted = premise

    def _say(self, premise: str) -> Any:
        said = super()._say(premise)
        if premise != self._doubted:
            return said
        return replace(said, p_entailment=0.01, p_neutral=0.98, p_contradiction=0.01)


def test_renumbered_and_reordered_citations_of_a_real_block_are_the_same() -> None:
    one = _verify("It is replaced soon [1]. Austria's law governs [2].", SENTENCES[0], SENTENCES[1])
    other = _verify(
        "It is replaced soon [2]. Austria's law governs [1].", SENTENCES[1], SENTENCES[0]
    )
    found = compare_answers(read_verified(one), read_verified(other))
    assert found.is_same, found.to_json()
    assert found.unchanged == 2


def test_gone_added_changed_and_prose_are_told_apart() -> None:
    prose = "It is replaced soon [1]. Austria's law governs [2]."
    before = read_verified(_verify(prose, SENTENCES[0], SENTENCES[1]))
    after = read_verified(
        _verify(
            "It is replaced late [1]. It ends [2].",
            SENTENCES[0],
            SENTENCES[2],
            premise_fails=SENTENCES[0],
        )
    )
    found = compare_answers(before, after).to_json()
    assert not found["same"]
    assert (found["a"]["result"], found["b"]["result"]) == ("pass", "fail")
    (gone,), (added,) = found["citations"]["gone"], found["citations"]["added"]
    assert (gone["text"], added["text"]) == (SENTENCES[1], SENTENCES[2])
    (changed,) = found["citations"]["changed"]
    assert changed["a"]["outcomes"] == ["pass"]
    assert changed["b"]["outcomes"] == ["fail"]
    assert [edit["a"]["text"] for edit in found["prose"]["edits"]][:1] == ["soon"]
    assert "[1]" not in json.dumps(found["prose"])


def test_one_citation_under_two_numbers_is_one_place_with_two_outcomes() -> None:
    side = read_verified(
        _verify("It comes soon [1]. It comes late [2].", SENTENCES[0], SENTENCES[0])
    )
    (place,) = side.places
    assert place.anchors == (1, 2)
    assert place.outcomes == ("pass", "pass")


def test_a_citation_that_no_sentence_uses_is_not_judged_and_still_matched() -> None:
    used = read_verified(_verify("It comes soon [1].", SENTENCES[0]))
    unused = read_verified(_verify("It comes soon.", SENTENCES[0]))
    found = compare_answers(used, unused)
    ((one, other),) = found.changed
    assert (one.outcomes, other.outcomes) == (("pass",), (NOT_JUDGED,))
    assert not found.gone
    assert not found.added


@pytest.mark.parametrize("path", ["verification", "answer", "citations", "verification/verdicts"])
@pytest.mark.parametrize("value", [None, 7, "text", [7], {}])
def test_a_printed_answer_that_is_none_is_malformed(path: str, value: object) -> None:
    response = _verify("Soon [1].", SENTENCES[0])
    *parents, name = path.split("/")
    target = response
    for parent in parents:
        target = target[parent]
    if isinstance(value, type(target[name])):
        target.pop(name)
    else:
        target[name] = value
    with pytest.raises(MalformedAnswerError):
        read_verified(response)


def test_a_verdict_of_a_citation_that_is_not_there_is_malformed() -> None:
    response = _verify("Soon [1].", SENTENCES[0])
    response["verification"]["verdicts"][0]["citation"] = 1
    with pytest.raises(MalformedAnswerError, match="index 1"):
        read_verified(response)


def test_long_prose_that_differs_throughout_is_one_edit() -> None:
    side = read_verified(_verify("Soon [1].", SENTENCES[0]))
    long, other = (replace(side, prose=f"{word} " * 5_000) for word in ("a", "b"))
    (edit,) = compare_answers(long, other).prose.edits
    assert edit.kind == "replace"
