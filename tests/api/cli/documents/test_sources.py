"""``documents`` as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.api.cli.documents.test_erasing import spanproof  # noqa: F401 - the fixture
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.api.cli.program import Completed


def test_a_document_is_withdrawn_and_its_answers_are_listed(
    spanproof: Callable[..., Completed],  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    spanproof("ingest", "agreement.pdf", "--doc-id", "agreement")
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
    answer = {"answer": f"{SENTENCE.rstrip('.')} [1].", "citations": [citation]}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    made = spanproof("verify", "answer.json", "--json").body
    listed = spanproof("documents", "affected", "agreement")
    assert (listed.code, listed.stdout) == (0, b"")
    done = spanproof("documents", "withdraw", "agreement", "--reason", "recalled", "--json")
    assert (done.code, done.body["action"]) == (0, "withdraw")
    listed = spanproof("documents", "affected", "agreement", "--json")
    assert listed.code == 1
    assert [row["verification_id"] for row in listed.body["affected"]] == [made["verification_id"]]
    shown = spanproof("documents", "show", "agreement")
    assert b"withdrawn_from" in shown.stdout
    assert b"recalled" in shown.stdout
    back = spanproof("documents", "reinstate", "agreement", "--reason", "in error")
    assert back.code == 0
    dated = ("documents", "set", "agreement", "--reason", "r", "--valid-until")
    assert spanproof(*dated, "2020-01-01", "--confidentiality", "secret").code == 0
    assert b"SOURCE_NOT_IN_FORCE" in spanproof("documents", "affected", "agreement").stdout
    assert spanproof(*dated, "none", "--json").body["source_state"] == {
        "withdrawn_from": None,
        "amended_from": None,
        "amended_by": None,
        "valid_from": None,
        "valid_until": None,
        "licence": None,
        "confidentiality": "secret",
    }
    wrong = spanproof(*dated, "someday")
    assert wrong.code == 2
    wrong.require_one_line("MALFORMED_INPUT")
