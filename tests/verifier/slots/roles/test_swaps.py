from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.slots import compare_slots, doubt_slots

_FOLDER = Path(__file__).parent
#: Past tense and participle of verbs whose two sides are not alike.
_VERBS = (
    "sued sued, acquired acquired, hired hired, paid paid, defeated defeated, taught taught,"
    " appointed appointed, beat beaten, succeeded succeeded, replaced replaced, funded funded,"
    " supplied supplied, examined examined, treated treated, arrested arrested, chased chased,"
    " praised praised, criticised criticised, employed employed, owned owned, wrote written,"
    " founded founded, built built, attacked attacked, invited invited, served served,"
    " supervised supervised, trained trained, followed followed, led led, visited visited,"
    " contacted contacted, reimbursed reimbursed, indemnified indemnified, insured insured,"
    " audited audited, nominated nominated, represented represented, dismissed dismissed,"
    " warned warned, sponsored sponsored, poisoned poisoned, rescued rescued, saved saved,"
    " infected infected, caused caused, produced produced, absorbed absorbed, destroyed destroyed,"
    " created created, discovered discovered, observed observed, influenced influenced,"
    " inspired inspired, elected elected, removed removed, endorsed endorsed, blamed blamed,"
    " accused accused, betrayed betrayed, forgave forgiven, obeyed obeyed, governed governed,"
    " conquered conquered, colonised colonised, invaded invaded, liberated liberated,"
    " recruited recruited, promoted promoted, demoted demoted, sold sold, bought bought,"
    " leased leased, struck struck, hit hit, bit bitten, shot shot, killed killed,"
    " wounded wounded, threatened threatened, robbed robbed, adopted adopted, fed fed"
)
_PAIRS = [tuple(pair.split()) for pair in _VERBS.split(",")]
_NAMES = (
    "Alpha Ltd", "Beta Ltd", "Anna Schmidt", "Omar Haddad", "Norway", "Chile", "the Ministry",
    "the Court of Appeal", "Dr. Lee", "the bank's trustee", "Acme", "the younger brother",
)  # fmt: skip


def read_cases(name: str) -> list[tuple[str, str]]:
    """The claims and premises of a file: ``claim <- premise`` on each line."""
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [(claim, premise) for claim, _, premise in (line.partition(" <- ") for line in lines)]


def stops(claim: str, premise: str) -> set[str]:
    """The kinds of every veto and likely doubt."""
    vetoes = compare_slots(claim, premise, premise_start=0)
    doubts = doubt_slots(claim, premise, premise_start=0, level="likely")
    return {found.kind for found in (*vetoes, *doubts)}


def write(text: str) -> str:
    return text[0].upper() + text[1:] + "."


@pytest.mark.parametrize(("claim", "premise"), read_cases("exchanged.txt"))
def test_exchanged_roles_never_pass(claim: str, premise: str) -> None:
    assert stops(claim, premise)


@pytest.mark.parametrize(("claim", "premise"), read_cases("kept.txt"))
def test_the_same_roles_in_other_words_are_not_stopped(claim: str, premise: str) -> None:
    assert stops(claim, premise) == set()


def test_what_is_closed_where_it_is_else_open_is_no_opposite() -> None:
    premise = "The museum is open from 10 am to 6 pm, except on Mondays."
    assert not stops("The museum is closed on Mondays.", premise)
    assert stops("The museum is closed on Mondays.", "The museum is open on Mondays.")


def test_a_veto_names_what_stands_on_both_sides() -> None:
    premise = "The parties met in May. Alpha Ltd sued Beta Ltd for damages."
    (veto,) = compare_slots("Beta Ltd sued Alpha Ltd.", premise, premise_start=10)
    assert veto.kind == "roles"
    assert veto.source_span is not None
    start, end = veto.source_span.start - 10, veto.source_span.end - 10
    assert premise[start:end] == veto.source == "Alpha Ltd sued Beta"


@given(
    st.sampled_from(_PAIRS),
    st.lists(st.sampled_from(_NAMES), min_size=2, max_size=2, unique=True),
    st.booleans(),
    st.booleans(),
)
def test_who_did_what_to_whom(
    verb: tuple[str, str], names: list[str], in_passive: bool, claimed_in_passive: bool
) -> None:
    past, participle = verb
    first, second = names

    def tell(agent: str, patient: str, *, passive: bool) -> str:
        if passive:
            return write(f"{patient} was {participle} by {agent}")
        return write(f"{agent} {past} {patient}")

    source = tell(first, second, passive=in_passive)
    exchanged = tell(second, first, passive=claimed_in_passive)
    assert stops(exchanged, source)
    assert not stops(tell(first, second, passive=claimed_in_passive), source)
    inner = source[0].lower() + source[1:] if source.startswith("The ") else source
    assert not stops(f"In 2021, {inner}", source)
    assert not stops(f"{source[:-1]} after the vote.", f"After the vote, {inner}")
