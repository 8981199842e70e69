"""Attacks on the sample as folders: README says why, case.json what is sent and what must come."""

from __future__ import annotations

import json
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.monitor.sampling import draw, to_threshold
from spanproof.operations.sampling.audit import audit_epoch
from spanproof.operations.sampling.epochs import advance_draws
from spanproof.receipt.witness.cosigned_list import parse_list
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import GOOD, make_payload, sampler_of, submit
from tests.operations.sampling.witnessing import DRAW, LogWitness
from tests.spread import thin_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context

FOLDER = Path(__file__).parents[2] / "vectors" / "sampling"
CASES = sorted(path.parent for path in FOLDER.glob("*/case.json"))
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_each_case_has_a_reason_of_its_own() -> None:
    reasons = {(case / "README").read_text(encoding="utf-8") for case in CASES}
    assert len(reasons) == len(CASES) >= 9


@pytest.mark.parametrize("folder", thin_out(CASES, every=3), ids=lambda folder: folder.name)
def test_the_sample_cannot_be_aimed(folder: Path, open_home: Callable[..., Any]) -> None:
    case = json.loads((folder / "case.json").read_bytes())
    is_late = "draw" in case["plan"]
    with open_home(case["plan"] | (DRAW if is_late else {})) as context:
        for at in range(case.get("fair_answers", 0)):
            submit(context, make_payload(f"fair{at}", GOOD))
        sent = case.get("trace_state")
        header = {"trace_parent": f"00-{TRACE}-{'1' * 16}-01", "trace_state": sent} if sent else {}
        for raw in islice(make_answers(context, case), case["answers"]):
            submit(context, raw, **header)
        witness = LogWitness(shows_list=False)
        if is_late:
            for _ in range(case.get("held_back", 0)):
                witness.sign(context)
            witness.cosign(context)
            advance_draws(context)
        found = list(context.store.samples.answers.iterate("epoch-1"))
        assert {each.source for each in found} == {case["source"]}
        low, high = case["chosen"]
        # Beyond these bounds a fair draw comes once in some ten thousand runs.
        assert low <= sum(each.is_sampled for each in found) <= high
        tamper(context, case)
        sampler_of(context).close_epoch()
        lists = [parse_list(witness.cosigned)] if is_late else []
        named = [each.what for each in audit_epoch(context, "epoch-1", lists).named]
    wanted = case.get("differences", [])
    assert all(any(each.startswith(what) for each in named) for what in wanted), named
    # Beside a row that was changed the counts of the same audit may be named too.
    assert bool(named) == bool(wanted), named


def make_answers(context: Context, case: dict[str, Any]) -> Iterator[bytes]:
    """The attacker's answers, as many as are asked for."""
    more: dict[str, Any] = {"generator": {"model": case["model"]}} if "model" in case else {}
    if "trace_id" in case:
        more |= {"trace_id": case["trace_id"]}
    threshold = to_threshold(case["plan"]["default"])
    for at in count():
        if case.get("trace_ids") == "never drawn":
            # The last 56 bits are below the threshold, and no trace has them twice.
            more |= {"trace_id": f"{TRACE[:18]}{at + 1:014x}"}
        if case.get("ids") == "never drawn" and is_drawn(context, f"a{at}", threshold):
            continue
        yield make_payload(f"a{at}", GOOD, **more)


def is_drawn(context: Context, answer_id: str, threshold: int) -> bool:
    """What an operator can compute who looks at the key before the epoch is closed."""
    if context.store.samples.epochs.find_last() is None:
        submit(context, make_payload("opens the epoch", GOOD))
    epoch = context.store.samples.epochs.load("epoch-1")
    return draw(epoch.key, answer_id).value >= threshold


def tamper(context: Context, case: dict[str, Any]) -> None:
    """Change a row behind the store, as its administrator can."""
    with context.store.database.connection() as connection:
        if "remove" in case:
            for table in ("submitted_payload", "submitted_answer"):
                drop_trigger(connection, table, "delete")
                query = f"DELETE FROM {table} WHERE answer_id = :name"  # noqa: S608 - our own names
                connection.execute(text(query), {"name": case["remove"]})
        if "exchange" in case:
            drop_trigger(connection, "submitted_answer", "update")
            connection.execute(
                text("UPDATE submitted_answer SET payload_sha256 = :to WHERE answer_id = :name"),
                {"name": case["exchange"], "to": str(Digest.of(b"other words"))},
            )
