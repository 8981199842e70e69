"""``holds`` and ``retention`` as they are typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.api.cli.documents.test_erasing import spanproof  # noqa: F401 - the fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.api.cli.program import Completed


def test_a_plan_is_tried_then_applied_and_a_hold_wins(
    spanproof: Callable[..., Completed],  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    spanproof("ingest", "agreement.pdf", "--doc-id", "agreement")
    plan = {"rule": [{"name": "all", "of": "documents", "older_than_days": 0}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    given = ("--plan", "plan.json", "--json")
    placed = spanproof("holds", "place", "--document", "agreement", "--reason", "m", "--json")
    assert placed.code == 0
    assert placed.body["hold_id"].encode() in spanproof("holds", "list").stdout
    (row,) = spanproof("retention", "list", *given).body["due"]
    assert row["fate"] == "held"
    assert spanproof("retention", "apply", *given).body["erased"] == []
    refused = spanproof("erase", "agreement", "--reason", "asked for")
    assert refused.code == 3
    refused.require_one_line("LEGAL_HOLD")
    released = spanproof("holds", "release", placed.body["hold_id"], "--reason", "closed")
    assert released.code == 0
    (row,) = spanproof("retention", "apply", *given).body["erased"]
    assert row["rule"] == "all"
    assert spanproof("holds", "list", "--all", "--json").body["holds"][0]["released_at"]
    spanproof("holds", "place", "--reason", "m").require_one_line("MALFORMED_INPUT")
    spanproof("retention", "list").require_one_line("MALFORMED_INPUT")
