from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.api.cli.program import Program


def test_there_is_no_recovery_by_accident(fresh_program: Program) -> None:
    done = fresh_program.run("log", "recover")
    assert done.code == 2
    assert "Expected --new-shard" in done.require_one_line("MALFORMED_INPUT")
    assert not fresh_program.home.exists()


def test_a_store_without_a_log_has_none_to_recover(program: Program) -> None:
    done = program.run("log", "recover", "--new-shard")
    assert done.code == 3
    assert "Verify an answer first" in done.require_one_line("NOT_FOUND")


def test_a_log_whose_mark_is_gone_goes_on_under_a_new_origin(program: Program) -> None:
    # The first trust file makes the log.
    trust = program.home.parent / "trust.json"
    assert program.run("audit", "trust", "--output", trust).code == 0
    (program.home / "log" / "mark").unlink()
    refused = program.run("log", "rotate-key")
    assert refused.code == 3
    assert "log recover --new-shard" in refused.require_one_line("LOG_ROLLED_BACK")
    told = program.run("log", "recover", "--new-shard", "--reason", "disk lost", "--json").body
    assert told["closed"]["size"] == 0
    assert told["opened"]["origin"] == told["closed"]["origin"].replace(".", "-2.", 1)
    assert told["reason"] == "disk lost; the high-water mark is gone"
    shown = program.run("log", "recover", "--new-shard", "--origin", "log.example.com")
    assert shown.code == 0
    assert shown.stdout.decode() == (
        f"{told['opened']['origin']} is closed at 1 leaves; log.example.com goes on.\n"
    )
    assert "'spanproof audit trust --output FILE'" in shown.stderr
    assert program.run("log", "rotate-key", "--json").body["log"]["origin"] == "log.example.com"
