"""What answers are counted and found by: kept at intake, read once, forgotten when erased."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.digest import Digest
from spanproof.store.erasing.refusal import ErasureRecord
from spanproof.store.facts.reading import AnswerFacts
from spanproof.store.facts.words import MAX_CHARACTERS, TABLE
from tests.store.examples import HOUR, NOON, make_block, make_payload, make_verdict
from tests.store.log.samples import make_leaf, open_log

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.facts.columns import Facts

DOC = Digest.of(b"cited")


def keep(store: Store, name: str, *, result: str = "pass", **payload: Any) -> None:
    citation = {
        "anchor": 1,
        "doc_title": "Bail à loyer",
        "index_version": "v1",
        "span": {"text": "four business days"},
    }
    bad = make_verdict(doc_hash=DOC, outcome=result, codes=("SUPPORT_NEUTRAL", "EXISTENCE_EXACT"))
    given = {
        "generator": {"model": "m\x00", "prompt_id": "p"},
        "labels": {"team": "claims", "odd": 7},
    }
    store.answers.add(
        make_payload(citations=[citation], **(given | payload)),
        make_block(bad, make_verdict(), result=result)
        | {"codes": ["UNCITED_STATEMENT"], "policy": {"name": "strict"}},
        verification_id=name,
        answer_id=name,
        verified_at=NOON + HOUR * len(name),
    )


def tell(facts: Facts, place: int) -> dict[str, list[str]]:
    """The values of one answer by the facts' names."""
    return {
        name: [value for value in column.values if column.has(value)[place]]
        for name, column in facts.columns.items()
    }


def test_an_answer_is_counted_by_all_that_it_has(store: Store) -> None:
    assert len(store.facts.load()) == 0
    keep(store, "v1", result="fail")
    assert tell(store.facts.load(), 0) == {
        "result": ["fail"],
        "code": ["EXISTENCE_EXACT", "SUPPORT_NEUTRAL", "UNCITED_STATEMENT"],
        "generator_model": ["m\x00"],
        "prompt_id": ["p"],
        "index_version": ["v1"],
        "doc_hash": [str(DOC)],
        "policy": ["strict"],
        "label": ["team=claims"],
        "outcome": ["fail", "pass"],
    }
    keep(store, "v22", generator=None, labels={})
    facts = store.facts.load()
    assert facts.failed.tolist() == [1, 0]
    assert facts.seconds.tolist() == [(NOON + HOUR * n).timestamp() for n in (2, 3)]
    assert tell(facts, 1)["generator_model"] == tell(facts, 1)["label"] == []
    # What was read piece by piece is what is read at once.
    again = AnswerFacts(store.database).load()
    assert [tell(again, place) for place in (0, 1)] == [tell(facts, place) for place in (0, 1)]
    assert store.facts.find([2, 9, 1]) == [("v22", NOON + 3 * HOUR), ("v1", NOON + 2 * HOUR)]
    assert [row["labels"] for row in store.facts.list([2, 1])] == [[], ["team=claims"]]


def test_answers_are_found_by_their_words(store: Store) -> None:
    keep(store, "v1", question="Is the FÜRST paid?", answer="Payment is due, 1,500.25 in all [1].")
    keep(store, "v22", answer="x" * 200 + " \x00\ud800 貸借 ends " + "word " * MAX_CHARACTERS)
    for asked, found in (
        ("furst", [1]),
        ("Fürst PAYMENT", [1]),
        ("payment nothing", []),
        ('"payment is due"', [1]),
        ('"due payment"', []),
        ("loyer business", [1, 2]),
        ("1,500.25", [1]),
        ("貸借 ends", [2]),
        ("x" * 200, []),
        ("' OR 1=1 -- ) & | ! :*", []),
        ('"unclosed quote', []),
        ("words NOT payment", []),
        ("", []),
        ("- !", []),
    ):
        assert sorted(store.facts.find_words(asked)) == found, asked


def test_what_is_erased_is_found_and_counted_by_no_word_of_it(store: Store) -> None:
    keep(store, "v1", answer="A xylograph answer [1].")
    keep(store, "v22", answer="A xylograph too [1].")
    log = open_log(store)
    log.include_all([make_leaf(1)])
    store.facts.load()
    store.erasures.record(
        ErasureRecord(
            kind="verification",
            subject="v1",
            origin=log.origin,
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )
    store.erasures.remove("verification", "v1")
    assert store.facts.find_words("xylograph") == [2]
    facts = store.facts.load()
    assert tell(facts, 0)["label"] == []
    assert tell(facts, 1)["label"] == ["team=claims"]
    assert tell(facts, 0)["result"] == ["pass"]
    store.erasures.record(
        ErasureRecord(
            kind="verification",
            subject="v22",
            origin=log.origin,
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )
    store.erasures.remove("verification", "v22")
    with store.database.read_connection() as connection:
        assert connection.exec_driver_sql(f"SELECT count(*) FROM {TABLE}").scalar() == 0  # noqa: S608
    if not store.database.is_postgresql:
        files = [path for path in store.home.rglob("*") if path.is_file()]
        assert [path for path in files if b"xylograph" in path.read_bytes()] == []


def test_numbers_follow_each_other_though_writers_meet(store: Store) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: keep(store, f"v{number}"), range(12)))
    assert np.array_equal(store.facts.load().numbers, np.arange(1, 13))
