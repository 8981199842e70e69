"""A view over many answers: what is counted is what a plain count over the kept answers gives."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bench.console import PLANTED, fill
from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.operations.triage.choosing import View, choose
from spanproof.operations.triage.export import COLUMNS, write_view
from spanproof.operations.triage.overview import FACETS, make_overview
from spanproof.store.records import VerificationFilter

if TYPE_CHECKING:
    from spanproof.operations.context import Context

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
ANSWERS = 700


def read_kept(context: Context) -> list[dict[str, Any]]:
    """The answers as they are kept, newest first: payload, block and moment."""
    names: list[str] = []
    page = context.store.answers.list(limit=200)
    names += [each.verification_id for each in page.items]
    while page.next_cursor is not None:
        page = context.store.answers.list(cursor=page.next_cursor, limit=200)
        names += [each.verification_id for each in page.items]
    found = context.store.answers.load_several(names)
    return [
        json.loads(each.raw)  # type: ignore[union-attr] # none is erased
        | {"at": each.verified_at, "name": name, "block": each.block}  # type: ignore[union-attr]
        for name, each in found.items()
    ]


def test_a_view_counts_what_is_kept(kept_context: Context) -> None:
    context = kept_context
    fill(context.store, ANSWERS, now=NOW)
    kept = read_kept(context)
    assert len(kept) == ANSWERS

    whole = make_overview(choose(context, View(), now=NOW), values_shown=1000)
    assert whole.before is None
    assert whole.now.answers == sum(sum(bar.results.values()) for bar in whole.bars) == ANSWERS
    assert [facet.name for facet in whole.facets] == list(FACETS)
    counted = {
        facet.name: {v.value: (v.answers, v.failed) for v in facet.values} for facet in whole.facets
    }
    models = Counter(each["generator"]["model"] for each in kept)
    bad = Counter(each["generator"]["model"] for each in kept if each["block"]["result"] == "fail")
    assert counted["generator_model"] == {name: (models[name], bad[name]) for name in models}
    documents = Counter(c for each in kept for c in {c["doc_hash"] for c in each["citations"]})
    assert {name: count for name, (count, _) in counted["doc_hash"].items()} == documents
    # One model with one index fails; it stands first, before each value of it.
    first = whole.pairs[0]
    assert dict((first.first, first.second)) == PLANTED
    assert first.cell.rate.low > 0.4

    since = NOW - timedelta(days=90)
    chosen = choose(context, View(since=since, facts={"result": "fail"}), now=NOW)
    overview = make_overview(chosen, values_shown=2)
    inside = [e for e in kept if e["at"] >= since and e["block"]["result"] == "fail"]
    earlier = [
        e
        for e in kept
        if since - timedelta(days=90) <= e["at"] < since and e["block"]["result"] == "fail"
    ]
    assert overview.now.answers == overview.now.results["fail"] == len(inside)
    assert overview.before is not None
    assert overview.before.answers == len(earlier) > 0
    assert all(len(facet.values) <= 2 for facet in overview.facets)
    rows = list(csv.DictReader(io.StringIO(b"".join(write_view(context, chosen)).decode())))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["verification_id"] for row in rows] == [each["name"] for each in inside]

    # Words, several facts, one citation that meets two of them, and the order.
    word = "order 00077"
    (found,) = choose(context, View(words='"order 77"'), now=NOW).list(0, 9)
    assert context.store.facts.find([found])[0][0] == "verification-00000077", word
    doc = kept[0]["citations"][0]["doc_hash"]
    code = "EXISTENCE_ABSENT"
    met = [
        each["name"]
        for each in kept
        for verdict in each["block"]["verdicts"]
        if verdict["identity"]["doc_hash"] == doc and code not in verdict["codes"]
    ]
    view = View(facts={"doc_hash": doc, "outcome": "pass"})
    numbers = choose(context, view, now=NOW).list(0, 100)
    assert [name for name, _ in context.store.facts.find(numbers)] == met
    rest = VerificationFilter(doc_hash=Digest.parse(doc), page=2)
    assert not len(choose(context, View(rest=rest), now=NOW).places)
    failures = choose(context, View(sort="failures"), now=NOW)
    assert [failures.facts.failed[n - 1] for n in failures.list(0, 3)] == [1, 1, 1]
    oldest = choose(context, View(sort="oldest"), now=NOW).list(0, 2)
    assert oldest == (1, 2)
    with pytest.raises(InputError, match="begins before it ends"):
        choose(context, View(since=NOW, until=NOW), now=NOW)
    nothing = make_overview(choose(context, View(words="nosuchword"), now=NOW), values_shown=5)
    assert (nothing.now.answers, nothing.now.rate, nothing.bars, nothing.pairs) == (0, None, (), ())
