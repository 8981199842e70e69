"""Which calls share a batch: neighbours in length, so that little of a batch is padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.entailment.backend import Call


def plan_batches(calls: Sequence[Call], *, budget: int) -> list[list[int]]:
    """Places in ``calls``, each in one batch; a batch of several holds at most ``budget`` tokens.

    Padding is counted: a batch costs its longest call times its number of calls. The longest come
    first, so that memory that is too small shows at once.
    """
    batches: list[list[int]] = []
    for place in sorted(range(len(calls)), key=lambda index: -len(calls[index].ids)):
        longest = len(calls[batches[-1][0]].ids) if batches else 0
        if batches and longest * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(place)
        else:
            batches.append([place])
    return batches
