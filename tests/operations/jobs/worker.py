"""``spanproof worker`` with the kinds of tests and a model that answers by script.

Run as ``python -m tests.operations.jobs.worker``, or with ``serve`` as its argument for the
service.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spanproof.api.cli.program import run
from spanproof.operations.entailment import loading
from tests.builders import ScriptedModel
from tests.operations.jobs import holding, kinds

if TYPE_CHECKING:
    from spanproof.core.ports import EntailmentModel
    from spanproof.operations.settings import Settings


def _script(settings: Settings) -> EntailmentModel:
    del settings
    return ScriptedModel()


def main() -> int:
    """Run the command."""
    kinds.register()
    holding.hold_work()
    # The embedded model takes seconds to load, and what is judged is not what is tested.
    loading.load_entailment = _script
    return run(sys.argv[1:] or ["worker"])


if __name__ == "__main__":
    sys.exit(main())
