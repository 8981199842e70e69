"""Rooms: how many requests of a class run and wait here, and how many are in other processes."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.operations.errors import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.operations.settings import Settings

#: Submitted answers wait for one common write, not each for a turn of its own.
_SUBMITTED_FOR_EACH = 16
#: Fewest store reads at once: they wait for the disk, not for a core.
_FEWEST_STORE = 8
#: So long another process is believed to hold its places; it tells of them twice a second.
_BELIEVED_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many requests of a class run at once, and how many more may wait.

    ``shared``: how many run at once where several tenants ask; as many unless given.
    """

    running: int
    waiting: int
    shared: int | None = None


def plan_rooms(settings: Settings, *, cores: int | None = None) -> dict[Work, Room]:
    """The room of each class, from the settings or the cores of this machine."""
    cores = cores or os.cpu_count() or 1
    waiting = settings.waiting
    parsing = settings.workers or cores
    running = {
        Work.VERIFY: settings.running or 2 * cores,
        Work.INGEST: parsing,
        Work.RENDER: parsing,
        Work.BULK: cores,
        Work.STORE: max(_FEWEST_STORE, 2 * cores),
        Work.SIGN_IN: cores,
    }
    return {work: Room(running=count, waiting=waiting) for work, count in running.items()} | {
        # Turns that are long and can be handed on: one a core, so that nobody shares a core.
        Work.VERIFY: Room(
            running=running[Work.VERIFY], waiting=waiting, shared=max(1, running[Work.VERIFY] // 2)
        ),
        Work.SUBMIT: Room(running=2 * cores, waiting=_SUBMITTED_FOR_EACH * waiting),
        # A stream takes no turn: it mostly sleeps.
        Work.STREAM: Room(running=settings.streams, waiting=0),
    }


class PlacesElsewhere:
    """What other processes told of their places; it counts until they should have told again."""

    def __init__(self, time: Callable[[], float]) -> None:
        self._time = time
        #: The places of tenants by sender and class, and when they were told.
        self._held: dict[tuple[int, Work], tuple[float, Counter[str]]] = {}

    def note(self, sender: int, work: Work, tenant: str, count: int) -> None:
        """Replace what ``sender`` told of a tenant."""
        held = self._held.get((sender, work), (0.0, Counter[str]()))[1]
        held[tenant] = count
        self._held[sender, work] = self._time(), held

    def read(self, work: Work) -> list[Counter[str]]:
        """The places of one class, of each process that has told of some of late."""
        if not self._held:
            return []
        since = self._time() - _BELIEVED_SECONDS
        self._held = {key: each for key, each in self._held.items() if each[0] > since}
        return [held for (_, kind), (_, held) in self._held.items() if kind == work]
