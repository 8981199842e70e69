from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import SettingsError
from spanproof.core.verdicts.policy import Policy
from spanproof.core.verdicts.status import SupportStatus
from spanproof.verifier.policies import NAMES, load_policy
from spanproof.verifier.slots import compare_slots, doubt_slots
from spanproof.verifier.support.judge import SupportJudge
from tests.builders import ScriptedModel
from tests.strategies import any_texts

_FILM = (
    "The film was written and directed by Mike Binder. Adam Sandler plays a widower beside"
    " Don Cheadle, and Russ Alsobrook shot it in New York."
)
_SOLD = (
    "Paul Reed was with the firm until May. It was sold to Carl Dean. Left were two clerks of the"
    " firm."
)
_LISTED = "Production took place in Sydney, Darwin, Kununurra and Bowen."


@pytest.mark.parametrize(
    ("claim", "premise", "kind", "ours", "theirs"),
    [
        ("Reign Over Me was directed by Russ Alsobrook.", _FILM, "name", "Russ Alsobrook",
         "Mike Binder"),
        ("The award went to Acme Binder.", "The award went in the end to Mike Binder.", "name",
         "Acme Binder", "Mike Binder"),
        ("The trial lasted 40 days.", "It began in May. The patients stayed for 30 days.", "number",
         "40 days", "30 days"),
        ("The bag held 7 kg of flour.", "The plant paid for 7 mg of a drug.", "unit",
         "7 kg", "7 mg"),
        ("King Charles spoke in May.", "Prince Charles spoke in May.", "name", "King Charles",
         "Prince Charles"),
        ("The tenant pays for each repair of windows.",
         "The landlord, says the contract, bears any repair.", "antonym", "tenant", "landlord"),
    ],
)  # fmt: skip
def test_a_likely_doubt_names_both_sides(
    claim: str, premise: str, kind: str, ours: str, theirs: str
) -> None:
    # Where a veto speaks nobody asks for doubts.
    assert compare_slots(claim, premise, premise_start=0) == ()
    (doubt,) = doubt_slots(claim, premise, premise_start=50, level="likely")
    assert doubt.kind == f"unconfirmed_{kind}"
    assert ours in doubt.claim
    assert doubt.source is not None
    assert theirs in doubt.source
    assert doubt.source_span is not None
    start, end = doubt.source_span.start - 50, doubt.source_span.end - 50
    assert premise[start:end] == doubt.source
    assert claim[doubt.claim_span.start : doubt.claim_span.end] == doubt.claim


@pytest.mark.parametrize(
    ("claim", "premise", "kind"),
    [
        ("The film was praised by Roger Ebert.", _FILM, "name"),
        ("The film was not shot in spring.", _FILM, "negation"),
        ("The film may be shot again.", _FILM, "modality"),
        ("All of the film was shot there.", _FILM, "quantifier"),
        ("The film was shot after the play.", _FILM, "antonym"),
        ("The film took 90 days.", _FILM, "number"),
    ],
)
def test_what_the_span_has_nothing_of_is_a_possible_doubt(
    claim: str, premise: str, kind: str
) -> None:
    assert doubt_slots(claim, premise, premise_start=0, level="likely") == ()
    doubts = doubt_slots(claim, premise, premise_start=0, level="possible")
    assert [doubt.kind for doubt in doubts] == [f"unconfirmed_{kind}"]
    assert doubts[0].source_span is None


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Reign Over Me was directed by Mike Binder.", _FILM),
        ("Production took place in Bowen.", _LISTED),
        ("There are boys and girls in the gym.", "Girls play in a gym while boys watch."),
        ("Barak Obama spoke.", "President Barack Obama spoke."),
        ("Queen Victoria died in 1901.", "Alexandrina Victoria died in 1901."),
        ("Mr Smith resigned.", "John Smith resigned."),
        ("The Supreme Court dismissed it.", "The Supreme Court of the United States dismissed it."),
        ("John Smith resigned in May.", "John Smith, the head of Acme, resigned in May."),
        ("Paul Reed left the firm.", _SOLD),
        ("Sales rose to $5 million.", "Sales rose to USD 5m, or 5 million US dollars."),
        ("It fell to minus 5 degrees.", "It fell to -5 degrees."),
        ("Users must be 18 years of age.", "Users must be 18 or more."),
        ("It took two weeks.", "It took 14 days."),
        ("The dose was 20 and it was safe.", "It was safe (p = 0.36)."),
    ],
)
def test_what_the_span_says_in_its_own_way_is_no_likely_doubt(claim: str, premise: str) -> None:
    assert doubt_slots(claim, premise, premise_start=0, level="likely") == ()


def test_a_likely_doubt_is_a_possible_one_too() -> None:
    claim = "Reign Over Me was directed by Russ Alsobrook."
    likely = doubt_slots(claim, _FILM, premise_start=0, level="likely")
    assert set(likely) <= set(doubt_slots(claim, _FILM, premise_start=0, level="possible"))


@given(any_texts, any_texts)
def test_offsets_point_at_what_they_name_and_twice_is_the_same(claim: str, premise: str) -> None:
    doubts = doubt_slots(claim, premise, premise_start=3, level="possible")
    assert doubts == doubt_slots(claim, premise, premise_start=3, level="possible")
    for doubt in doubts:
        assert claim[doubt.claim_span.start : doubt.claim_span.end] == doubt.claim
        assert (doubt.source is None) == (doubt.source_span is None)
        if doubt.source_span is not None:
            start, end = doubt.source_span.start - 3, doubt.source_span.end - 3
            assert premise[start:end] == doubt.source
    spans = [doubt.claim_span for doubt in doubts]
    assert all(one.end <= other.start for one, other in pairwise(spans))


@given(any_texts)
def test_a_text_confirms_itself(text: str) -> None:
    found = doubt_slots(text, text, premise_start=0, level="likely")
    assert [doubt for doubt in found if doubt.kind != "unconfirmed_antonym"] == []


_CLAIMS = (
    "Reign Over Me was directed by Russ Alsobrook.",
    "The film wasn't shot by Don Cheadle's firm in 90 days.",
    "All of the film may be older than Adam Binder.",
)


@given(
    st.sampled_from(_CLAIMS),
    st.lists(st.sampled_from((" ", "  ", "\u00a0", "\t")), min_size=12, max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_white_space_marks_and_a_final_stop_change_no_finding(
    claim: str, gaps: list[str], curled: bool, stopped: bool
) -> None:
    words = claim.split(" ")
    changed = words[0] + "".join(gap + word for gap, word in zip(gaps, words[1:], strict=False))
    changed = changed.replace("'", "’") if curled else changed
    changed = changed if stopped else changed.removesuffix(".")
    for level in ("likely", "possible"):
        one, other = (
            doubt_slots(text, _FILM, premise_start=0, level=level) for text in (claim, changed)
        )
        assert [(d.kind, d.source_span) for d in one] == [(d.kind, d.source_span) for d in other]


def _judge(
    policy: str, claim: str, said: tuple[float, float, float]
) -> tuple[str, str | None, int]:
    judge = SupportJudge(ScriptedModel({_FILM: said}), load_policy(policy))
    support = judge.judge(_FILM, claim, premise_start=0)
    return support.status, support.reason, len(support.vetoes)


def test_a_doubt_sends_to_a_person_what_would_pass_and_nothing_else() -> None:
    claim, sure = "Reign Over Me was directed by Russ Alsobrook.", (0.97, 0.02, 0.01)
    for policy in NAMES:
        expected = (SupportStatus.BORDERLINE, "slots_unconfirmed", 1)
        assert _judge(policy, claim, sure) == expected
    assert _judge("balanced", claim, (0.1, 0.85, 0.05)) == (SupportStatus.NEUTRAL, None, 0)
    assert _judge("balanced", claim, (0.02, 0.08, 0.9)) == (SupportStatus.CONTRADICTED, None, 0)


def test_possible_doubts_count_where_the_policy_asks_for_them() -> None:
    claim, sure = "The film may be shot again.", (0.97, 0.02, 0.01)
    assert _judge("balanced", claim, sure)[0] is SupportStatus.ENTAILED
    for policy in ("strict", "review"):
        assert _judge(policy, claim, sure)[:2] == (SupportStatus.BORDERLINE, "slots_unconfirmed")


def test_a_policy_with_another_level_is_refused() -> None:
    raw = {
        "name": "own", "version": 1, "sways": {}, "folds": [], "threshold": None,
        "contradiction_threshold": 0.5, "review_above": 0.1, "review_below": 0.1,
        "guard_band": 0.0, "max_span_chars": 10, "green_count": 1, "green_density": 0.1,
        "fail_action": "badge",
    }  # fmt: skip
    assert Policy.from_json(raw).doubts == "likely"
    with pytest.raises(SettingsError, match="doubts"):
        Policy.from_json(raw | {"doubts": "none"})


@pytest.mark.parametrize(
    ("claim", "premise", "ours"),
    [
        ("Net profit rose by 8 per cent.", "Net profit rose to 8 per cent of sales.", "8 per cent"),
        ("Sales fell to 12 million euros.", "Sales fell by 12 million euros.", "12 million euros"),
        ("The fee is 10 euros.", "The fee is 10\u2070 euros.", "10 euros"),
        ("The fee is 90 euros.", "The fee is 90\u00bd euros.", "90 euros"),
        ("The study had 1,240 women.", "The study had 1,240 adults; 610 women died.", "1,240"),
    ],
)
def test_an_amount_of_something_else_is_a_likely_doubt(claim: str, premise: str, ours: str) -> None:
    (doubt,) = doubt_slots(claim, premise, premise_start=0, level="likely")
    assert doubt.claim == ours


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("Net profit rose by 8 per cent.", "Net profit rose by 8 per cent, to 90 million euros."),
        ("The study had 1,240 women.", "The study had 1,240 adult women and 30 men."),
        ("The fee is 10 euros.", "The fee is 10 euros\u00b2."),
    ],
)
def test_an_amount_of_the_same_is_none(claim: str, premise: str) -> None:
    assert doubt_slots(claim, premise, premise_start=0, level="likely") == ()
