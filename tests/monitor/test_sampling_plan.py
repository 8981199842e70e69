from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError
from spanproof.monitor.sampling_plan import MAX_STRATA, Contract, parse_plan

PROBABILITY = st.one_of(st.just(0.0), st.floats(1e-6, 1))
SHARE = st.floats(1e-6, 1 - 1e-6)
STRATUM = st.fixed_dictionaries(
    {"name": st.from_regex(r"[b-z][a-z0-9._-]{0,8}", fullmatch=True), "probability": PROBABILITY},
    optional={"budget": SHARE},
).flatmap(lambda row: st.text(min_size=1).map(lambda model: row | {"model": model}))
PLAN = st.fixed_dictionaries(
    {},
    optional={
        "default": PROBABILITY,
        "strata": st.lists(STRATUM, max_size=4, unique_by=lambda row: row["name"]),
        "budget": SHARE,
        "alpha": SHARE,
        "gap": st.floats(1.5, 1e12),
        "review": st.fixed_dictionaries({}, optional={"flagged": PROBABILITY}),
        "epoch_hours": st.floats(0.01, 1e6),
        "trust_trace_ids": st.booleans(),
        "keep_every_payload": st.booleans(),
        "draw": st.one_of(
            st.just({"source": "key"}),
            st.builds(lambda key: {"source": "witness", "witness": key}, st.text(min_size=1)),
        ),
    },
    # Who trusts trace ids lets no witness draw.
).filter(lambda plan: not (plan.get("trust_trace_ids") and "witness" in plan.get("draw", {})))


def dump(value: Any) -> str:
    return json.dumps(value)


@given(PLAN)
def test_a_plan_that_is_kept_reads_back_the_same(given_plan: dict[str, Any]) -> None:
    plan = parse_plan(dump(given_plan))
    again = parse_plan(plan.dumps()) if _is_storable(plan.to_json()) else plan
    assert again == plan
    assert again.digest == plan.digest


def _is_storable(value: Any) -> bool:
    # JCS has no lone surrogate; a plan's file in UTF-8 has none either.
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def test_an_empty_plan_is_the_default() -> None:
    plan = parse_plan("{}")
    assert (plan.default, plan.rules, plan.epoch_hours) == (0.05, (), 24.0)
    assert plan.contract == Contract(budget=0.03, alpha=0.01, gap=1e5)
    assert (plan.review_flagged, plan.review_others) == (0.2, 0.02)
    assert not plan.trusts_trace_ids
    assert not plan.keeps_every_payload
    assert plan.names == ("all",)


def test_the_first_rule_that_matches_whole_is_the_stratum() -> None:
    plan = parse_plan(
        dump(
            {
                "strata": [
                    {"name": "both", "model": "m", "index_version": "i", "probability": 1},
                    {"name": "one", "model": "m", "probability": 0.5, "budget": 0.1},
                    {"name": "of-tenant", "tenant": "t", "probability": 0},
                ]
            }
        )
    )
    fields = {"tenant": "t", "model": "m", "index_version": "i"}
    assert plan.find_stratum(fields) == "both"
    assert plan.find_stratum(fields | {"index_version": None}) == "one"
    assert plan.find_stratum(fields | {"model": "x"}) == "of-tenant"
    assert plan.find_stratum({"tenant": "u", "model": None, "index_version": "i"}) == "all"
    assert plan.sampling.strata == {"both": 1, "one": 0.5, "of-tenant": 0}
    assert plan.find_contract("one").budget == 0.1
    assert plan.find_contract("both").budget == plan.find_contract("gone").budget == 0.03
    assert plan.names == ("both", "one", "of-tenant", "all")


ROW = {"name": "x", "model": "m", "probability": 0.5}
WRONG: list[tuple[Any, str]] = [
    ([], "/"),
    ({"rate": 1}, "/rate"),
    ({"default": 1.5}, "/default"),
    ({"default": -0.1}, "/default"),
    ({"default": 1e-9}, "/default"),
    ({"default": True}, "/default"),
    ({"default": "often"}, "/default"),
    ({"default": "nan"}, "/default"),
    ({"budget": 0}, "/budget"),
    ({"budget": 1}, "/budget"),
    ({"alpha": 1}, "/alpha"),
    ({"gap": 1}, "/gap"),
    ({"gap": "inf"}, "/gap"),
    ({"epoch_hours": 0}, "/epoch_hours"),
    ({"review": {"flagged": 2}}, "/review/flagged"),
    ({"review": {"some": 1}}, "/review/some"),
    ({"trust_trace_ids": 1}, "/trust_trace_ids"),
    ({"draw": "key"}, "/draw"),
    ({"draw": {"source": "dice"}}, "/draw/source"),
    ({"draw": {"source": "witness"}}, "/draw"),
    ({"draw": {"source": "key", "witness": "w"}}, "/draw"),
    ({"draw": {"source": "witness", "witness": "w"}, "trust_trace_ids": True}, "/"),
    ({"keep_every_payload": None}, "/keep_every_payload"),
    ({"strata": {}}, "/strata"),
    ({"strata": [ROW, ROW]}, "/strata"),
    ({"strata": [ROW | {"name": "all"}]}, "/strata"),
    ({"strata": [ROW | {"name": f"s{at}"} for at in range(MAX_STRATA + 1)]}, "/strata"),
    ({"strata": [ROW | {"name": "Upper"}]}, "/strata/0/name"),
    ({"strata": [ROW | {"name": None}]}, "/strata/0/name"),
    ({"strata": [ROW | {"model": 7}]}, "/strata/0/model"),
    ({"strata": [{"name": "x", "probability": 1}]}, "/strata/0"),
    ({"strata": [{"name": "x", "model": "m"}]}, "/strata/0/probability"),
    ({"strata": [ROW | {"budget": 1}]}, "/strata/0/budget"),
    ({"strata": [ROW | {"more": 1}]}, "/strata/0/more"),
    ({"strata": ["x"]}, "/strata/0"),
]


@pytest.mark.parametrize(("value", "pointer"), WRONG)
def test_a_plan_that_is_none_names_its_field(value: Any, pointer: str) -> None:
    with pytest.raises(InputError, match=f" at {pointer} of the plan"):
        parse_plan(dump(value))


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[" * 100_000])
def test_text_that_is_no_json_is_no_plan(raw: bytes) -> None:
    with pytest.raises(InputError, match="plan"):
        parse_plan(raw)
