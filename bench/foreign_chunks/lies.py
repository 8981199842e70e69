"""Chunks with one thing changed: each is a lie that no rung may find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.mutations.mutators import MUTATORS
from spanproof.verifier.language.protected import ProtectedToken, find_protected

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

SWAPPED = "lines swapped"
_PATIENCE = 6


def draw_lies(chunk: str, rng: random.Random, wanted: int) -> Iterator[tuple[str, str]]:
    """So many kinds and changed chunks, one protected token or two lines each; fewer if it must."""
    tokens: dict[str, list[ProtectedToken]] = {}
    for token in find_protected(chunk):
        tokens.setdefault(token.kind, []).append(token)
    kinds = [kind for kind, (theirs, _) in MUTATORS.items() if theirs & tokens.keys()]
    drawn: set[str] = set()
    for _ in range(_PATIENCE * wanted):
        kind = rng.choice([*kinds, SWAPPED])
        changed = _swap(chunk, rng) if kind == SWAPPED else _change(chunk, rng, kind, tokens)
        if changed is None or changed in drawn or changed.split() == chunk.split():
            continue
        drawn.add(changed)
        yield kind, changed
        if len(drawn) == wanted:
            return


def _change(
    chunk: str, rng: random.Random, kind: str, tokens: dict[str, list[ProtectedToken]]
) -> str | None:
    wanted, mutate = MUTATORS[kind]
    pool = tokens[rng.choice(sorted(wanted & tokens.keys()))]
    return mutate(rng, chunk, rng.choice(pool).span)


def _swap(chunk: str, rng: random.Random) -> str | None:
    lines = chunk.splitlines()
    whole = [index for index in range(1, len(lines) - 1) if lines[index].strip()]
    if len(whole) < 2:
        return None
    one, other = rng.sample(whole, 2)
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)
