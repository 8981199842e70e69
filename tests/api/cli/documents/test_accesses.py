"""``accesses`` as it is typed: commands that show evidence are in the log, with the account."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.api.cli.documents.test_erasing import spanproof  # noqa: F401 - the fixture

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.api.cli.program import Completed


def test_commands_that_show_evidence_are_written_down(
    spanproof: Callable[..., Completed],  # noqa: F811 - the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPANPROOF_ACCESS_LOG", "true")
    monkeypatch.setenv("LOGNAME", "auditor")
    spanproof("ingest", "agreement.pdf", "--doc-id", "agreement")
    assert spanproof("text", "agreement").code == 0
    assert spanproof("find", "agreement", "four business days").code == 0
    today = datetime.now(UTC).date().isoformat()
    lines = [
        json.loads(line) for line in spanproof("accesses", "export", today).stdout.splitlines()
    ]
    assert [(row["kind"], row["subject"], row["user"]) for row in lines] == [
        ("document", "agreement", "auditor"),
        ("document", "agreement", "auditor"),
        ("accesses", today, "auditor"),
    ]
    assert spanproof("accesses", "export", today, "--csv").stdout.startswith(b"at,door,kind,")
    (day,) = spanproof("accesses", "days", "--json").body["days"]
    assert (day["accesses"], day["is_logged"]) == (4, False)
    assert spanproof("accesses", "digest").code == 0
    spanproof("accesses", "export", "soon").require_one_line("MALFORMED_INPUT")
