"""``spanproof worker`` with the kinds of tests and a model that answers by script.

Run as ``python -m tests.api.jobs.worker``, or with ``serve`` as its argument for the service.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spanproof.api.cli.program import run
from spanproof.api.wiring import Services
from tests.api.jobs import holding, kinds
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel


def _script(services: Services) -> EntailmentModel:
    del services
    return ScriptedModel()


def main() -> int:
    """Run the command."""
    kinds.register()
    holding.hold_work()
    # The embedded model takes seconds to load, and what is judged is not what is tested.
    Services._load_model = _script  # type: ignore[method-assign, assignment]
    return run(sys.argv[1:] or ["worker"])


if __name__ == "__main__":
    sys.exit(main())
