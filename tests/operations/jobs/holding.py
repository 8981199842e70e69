"""Jobs of a worker process held where a test wants them, so that a kill meets them there.

What is to be held stands in the variable HELD_WORK of the worker's environment; whoever is held
makes a file in the folder ``held`` of the home, and goes on no more.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spanproof.operations.jobs import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.jobs import ProgressCall
    from spanproof.operations.jobs.kinds import Run

VARIABLE = "HELD_WORK"
FOLDER = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Hold a job of this kind, whose argument ``key`` is ``value``, once ``done`` units are."""

    name: str
    kind: str
    key: str
    value: str
    done: int


def to_variable(holds: Sequence[Hold]) -> str:
    """What a worker is given."""
    return json.dumps([asdict(each) for each in holds])


def list_held(home: Path) -> frozenset[str]:
    """The names of those that are held now."""
    folder = home / FOLDER
    return frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else frozenset()


def hold_work() -> None:
    """Wrap the kinds of this process as the environment says."""
    for given in json.loads(os.environ.get(VARIABLE, "[]")):
        hold = Hold(**given)
        KINDS[hold.kind] = Kind(name=hold.kind, place=_wrap(KINDS[hold.kind].load(), hold))


def _wrap(run: Run, hold: Hold) -> Run:
    def run_held(
        context: Context, arguments: Mapping[str, Any], progress: ProgressCall
    ) -> Mapping[str, Any]:
        def told(done: int, total: int) -> None:
            progress(done, total)
            if arguments.get(hold.key) == hold.value and done >= hold.done:
                folder = context.settings.home / FOLDER
                folder.mkdir(exist_ok=True)
                (folder / hold.name).touch()
                threading.Event().wait()

        return run(context, arguments, told)

    return run_held
