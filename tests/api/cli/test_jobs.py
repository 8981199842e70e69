"""``jobs``, ``worker`` and ``webhooks`` as a user types them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.operations.jobs import KINDS
from spanproof.operations.tenants import Tenants
from tests.api.cli.program import Program
from tests.conftest import copy_home
from tests.operations.jobs import kinds
from tests.operations.jobs.conftest import make_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, migrated_home: Path) -> Iterator[Path]:
    """A home with one job that nobody runs."""
    copy_home(migrated_home, tmp_path / "home")
    known = dict(KINDS)
    kinds.register()
    tenants = Tenants(make_settings(tmp_path / "home"))
    tenants.default.jobs.start("counted", {"name": "one"}, job_id="one")
    tenants.close()
    yield tmp_path / "home"
    KINDS.clear()
    KINDS.update(known)


@pytest.mark.long
def test_a_job_is_listed_shown_and_cancelled(home: Path) -> None:
    program = Program(home=home)
    listed = program.run("jobs", "list", "--json").body
    assert [job["job_id"] for job in listed["jobs"]] == ["one"]
    assert program.run("jobs", "list", "--state", "done", "--json").body["jobs"] == []
    assert b"one  counted  queued" in program.run("jobs", "list").stdout
    shown = program.run("jobs", "show", "one", "--json").body
    assert (shown["kind"], shown["state"]) == ("counted", "queued")
    assert program.run("jobs", "cancel", "one", "--json").body["state"] == "cancelled"
    assert b"JOB_CANCELLED" in program.run("jobs", "show", "one").stdout
    unknown = program.run("jobs", "show", "two")
    unknown.require_one_line("JOB_NOT_FOUND")
    assert unknown.code == 3


def test_a_worker_of_no_threads_is_refused(tmp_path: Path) -> None:
    done = Program(home=tmp_path / "home").run("worker", "--threads", "0")
    done.require_one_line("BAD_SETTING")
    assert not (tmp_path / "home").exists()


def test_a_webhook_is_added_listed_rotated_and_removed(program: Program) -> None:
    url = "https://hooks.example.org/in"
    made = program.run("webhooks", "add", url, "--event", "alarm.raised", "--json").body
    assert made["secret"].startswith("whsec_")
    webhook_id = made["webhook_id"]
    (listed,) = program.run("webhooks", "list", "--json").body["webhooks"]
    assert listed == {name: value for name, value in made.items() if name != "secret"}
    rotated = program.run("webhooks", "rotate", webhook_id, "--json").body["secret"]
    assert rotated != made["secret"]
    assert program.run("webhooks", "enable", webhook_id).code == 0
    assert program.run("webhooks", "log", webhook_id, "--json").body == {"tries": []}
    replayed = program.run("webhooks", "replay", webhook_id, "msg_none")
    replayed.require_one_line("WEBHOOK_NOT_FOUND")
    assert program.run("webhooks", "remove", webhook_id).code == 0
    assert program.run("webhooks", "list", "--json").body == {"webhooks": []}
    program.run("webhooks", "log", webhook_id).require_one_line("WEBHOOK_NOT_FOUND")
    refused = program.run("webhooks", "add", "http://hooks.example.org/in")
    refused.require_one_line("MALFORMED_ADDRESS")
    assert refused.code == 2
