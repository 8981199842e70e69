"""The first findings are kept whole, and every one is counted."""

from __future__ import annotations

from spanproof.receipt.check.finding import MOST_FINDINGS, Finding, Findings


def make_finding(number: int) -> Finding:
    return Finding(code="LEAF", place=str(number), message="words")


def test_a_finding_is_printed_with_its_code_its_place_and_its_words() -> None:
    assert Finding(code="LEAF", place="tile/0/000", message="Expected 1, got 2.").to_json() == {
        "code": "LEAF",
        "place": "tile/0/000",
        "detail": "Expected 1, got 2.",
    }


def test_nothing_was_found_at_first() -> None:
    found = Findings()
    assert (len(found), found.listed, list(found)) == (0, (), [])


def test_what_is_added_is_kept_in_its_order() -> None:
    found = Findings()
    found.add("LEAF", "0", "words")
    found.extend((make_finding(1), make_finding(2)))
    assert found.listed == (make_finding(0), make_finding(1), make_finding(2))
    assert list(found) == list(found.listed)
    assert len(found) == 3


def test_what_nobody_kept_is_counted() -> None:
    found = Findings()
    found.extend([make_finding(0)], unkept=5)
    found.extend([], unkept=7)
    assert (len(found), found.listed) == (13, (make_finding(0),))


def test_a_thousand_are_kept_and_the_others_counted() -> None:
    found = Findings()
    found.extend([make_finding(number) for number in range(600)])
    found.extend([make_finding(number) for number in range(600, 1001)])
    found.add("LEAF", "1001", "words")
    assert MOST_FINDINGS == 1000
    assert found.listed == tuple(make_finding(number) for number in range(1000))
    assert len(found) == 1002
