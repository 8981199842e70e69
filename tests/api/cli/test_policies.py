"""``rehearse`` and ``policies`` as they are typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.api.cli.program import Program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
@pytest.mark.model
def test_a_change_is_rehearsed_approved_by_two_keys_and_taken_back(tmp_path: Path) -> None:
    program = Program(home=tmp_path / "home")
    answer = tmp_path / "answer.json"
    # A text that came with the answer is enough for the default policy, and not for strict.
    text = "Goods are replaced within four business days."
    payload = {"answer": f"{text[:-1]} [1].", "citations": [], "retrieved": [{"text": text}]}
    answer.write_text(json.dumps(payload))
    assert program.run("verify", answer).code == 0
    same = program.run("rehearse", "--gate", "--json")
    assert same.code == 0, same.stderr
    assert same.body["rates"]["flipped"]["count"] == 0
    stricter = program.run("rehearse", "--policy", "strict", "--gate")
    assert stricter.code == 1
    assert b"pass -> review" in stricter.stdout
    keys = []
    for name in ("alice", "bob"):
        made = program.run("keys", "create", "--scope", "admin")
        keys.append(tmp_path / name)
        keys[-1].write_bytes(made.stdout)
    first = program.run("policies", "approve", "numbered", "strict", "--key-file", keys[0])
    assert b"a second key has to approve it" in first.stdout
    again = program.run("policies", "approve", "numbered", "strict", "--key-file", keys[0])
    assert again.code == 3
    again.require_one_line("CONFLICT")
    second = program.run("policies", "approve", "numbered", "strict", "--key-file", keys[1])
    assert second.stdout == b"numbered: strict holds from now on\n"
    assert program.run("verify", answer).code == 1
    listed = program.run("policies", "list", "--json").body["policies"]
    assert {row["grammar"]: row["policy"] for row in listed}["numbered"] == "strict"
    back = program.run("policies", "roll-back", "numbered", "--key-file", keys[1], "--json")
    assert back.body["policy"] is None
    assert program.run("verify", answer).code == 0
    program.run("policies", "approve-model", "numbered", "--key-file", keys[0])
    pinned = program.run("policies", "approve-model", "numbered", "--key-file", keys[1])
    assert pinned.stdout.endswith(b" holds from now on\n")
    assert program.run("verify", answer).code == 0
    models = program.run("policies", "list", "--json").body["models"]
    assert {row["grammar"] for row in models if row["model"]} == {"numbered"}
    back = program.run("policies", "roll-back", "numbered", "--model", "--key-file", keys[0])
    assert back.stdout == b"numbered: the setting holds from now on\n"
