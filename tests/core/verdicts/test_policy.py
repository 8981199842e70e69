from __future__ import annotations

from typing import Any

import pytest

from spanproof.core.errors import SettingsError, UnknownPolicyError
from spanproof.core.verdicts.policy import Policy
from spanproof.verifier.policies import NAMES, load_policy


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_policy_loads_under_its_name(name: str) -> None:
    policy = load_policy(name)
    assert policy.name == name
    assert policy.effect_of("EXISTENCE_EXACT") == "pass"


def test_the_contract_of_the_two_named_policies() -> None:
    balanced, strict = load_policy("balanced"), load_policy("strict")
    assert balanced.effect_of("EXISTENCE_FOLD_EQUAL") == "pass"
    assert balanced.effect_of("EXISTENCE_MOVED") == "review"
    assert balanced.effect_of("LOCATOR_MISMATCH") == "review"
    assert strict.effect_of("EXISTENCE_MOVED") == "fail"
    assert strict.effect_of("LOCATOR_MISMATCH") == "fail"
    assert strict.effect_of("HASH_NOT_GIVEN") == "review"
    assert balanced.digest != strict.digest


def test_an_unknown_policy_is_named_in_the_error() -> None:
    with pytest.raises(UnknownPolicyError, match="'lenient'"):
        load_policy("lenient")
    with pytest.raises(UnknownPolicyError):
        load_policy("../balanced")


@pytest.mark.parametrize("change", [{"sways": []}, {"sways": {"X": "shrug"}}, {"threshold": "x"}])
def test_a_policy_that_is_none_is_refused(change: dict[str, Any]) -> None:
    good = {
        "name": "x",
        "version": 1,
        "sways": {},
        "folds": [],
        "threshold": None,
        "contradiction_threshold": 0.5,
        "review_above": 0.0,
        "review_below": 0.0,
        "guard_band": 0.0,
        "max_span_chars": 10,
        "green_count": 2,
        "green_density": 0.3,
        "fail_action": "badge",
    }
    assert Policy.from_json(good).name == "x"
    with pytest.raises(SettingsError):
        Policy.from_json(good | change)
