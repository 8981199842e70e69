from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.store.accounts.samples import make_claim
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.accounts.requests import RequestClaim


def test_of_many_at_once_one_has_the_claim(store: Store) -> None:
    def claim(number: int) -> RequestClaim:
        return store.requests.claim(make_claim(reference=f"v{number}"))

    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(claim, range(16)))
    (ours,) = [each for each in claims if each.is_ours]
    assert {each.reference for each in claims} == {ours.reference}
    assert not any(each.is_ended for each in claims)


def test_what_was_answered_stays_answered_and_what_was_in_vain_is_followed(store: Store) -> None:
    assert store.requests.find("r" * 64) is None
    first = store.requests.claim(make_claim())
    store.requests.end(first, status=None, at=NOON)
    second = store.requests.claim(make_claim(reference="v2"))
    assert (second.is_ours, second.position) == (True, 1)
    store.requests.end(second, status=200, at=NOON)
    # The first end of a claim stays.
    store.requests.end(second, status=None, at=NOON)
    third = store.requests.claim(make_claim(reference="v3"))
    assert (third.is_ours, third.status, third.reference) == (False, 200, "v2")
    assert store.requests.find("r" * 64) == third
    assert store.requests.claim(make_claim(request="s" * 64)).is_ours
