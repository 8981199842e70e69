"""``sample``, ``rates``, ``review`` and ``audit sample`` on one home with verified answers."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.api.cli.program import run
from spanproof.operations.sampling.waiting import verify_waiting
from spanproof.store.samples.tables import SubmittedAnswerRow
from spanproof.store.triggers import list_names, make_triggers
from tests.databases import drop_trigger
from tests.operations.sampling.conftest import (
    BAD,
    GOOD,
    make_payload,
    make_settings,
    open_sampling,
    sampler_of,
    submit,
)
from tests.operations.sampling.witnessing import DRAW, LogWitness

if TYPE_CHECKING:
    from pathlib import Path

PLAN = {"default": 1, "review": {"flagged": 1, "others": 1}}


@pytest.fixture
def home(tmp_path: Path, migrated_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with three verified answers, which the environment names."""
    home = tmp_path / "home"
    shutil.copytree(migrated_home, home)
    settings = make_settings(home, PLAN)
    with open_sampling(settings) as context:
        for name, quote in (("a", GOOD), ("b", BAD), ("c", GOOD)):
            submit(context, make_payload(name, quote, generator={"model": f"m-{name}"}))
        verify_waiting(context)
    monkeypatch.setenv("SPANPROOF_HOME", str(home))
    monkeypatch.setenv("SPANPROOF_SAMPLING_PLAN", str(settings.sampling_plan))
    return home


def read(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """What a command prints as JSON."""
    assert run([*arguments, "--json"]) == code
    return json.loads(capfd.readouterr().out)


def test_the_commands_lead_from_an_open_epoch_to_its_audit(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert home.is_dir()
    (epoch,) = read(capfd, "sample", "epochs")["epochs"]
    assert (epoch["epoch"], epoch["key"], epoch["closed"]) == ("epoch-1", None, None)
    early = read(capfd, "audit", "sample", "epoch-1", code=4)
    assert (early["disclosed"], early["differences"]) == (False, 0)
    assert read(capfd, "sample", "close") == {"closed": "epoch-1"}
    assert read(capfd, "sample", "close", code=1) == {"closed": None}
    (epoch,) = read(capfd, "sample", "epochs")["epochs"]
    assert len(bytes.fromhex(epoch["key"])) == 32
    report = read(capfd, "audit", "sample", "epoch-1")
    assert (report["answers"], report["chosen"], report["verified"]) == (3, 3, 3)
    assert (report["reviews"], report["differences"], report["named"]) == (3, 0, [])
    assert run(["audit", "sample", "epoch-1"]) == 0
    assert "differences 0" in capfd.readouterr().out
    assert run(["audit", "sample", "epoch-2"]) == 2
    assert "NOT_FOUND" in capfd.readouterr().err


def test_an_audit_of_a_sample_with_a_changed_row_exits_1(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with open_sampling(make_settings(home, PLAN)) as context:
        sampler_of(context).close_epoch()
        with context.store.database.connection() as connection:
            table = SubmittedAnswerRow.__table__  # type: ignore[attr-defined]
            for name in list_names(table, connection.dialect.name):
                drop_trigger(connection, table.name, name.rpartition("_")[2])
            connection.execute(
                text("UPDATE submitted_answer SET threshold = '80000000000000' WHERE number = 1")
            )
            make_triggers(connection, [table])
    report = read(capfd, "audit", "sample", "epoch-1", code=1)
    assert report["differences"] == len(report["named"]) > 0
    assert "threshold" in {each["what"] for each in report["named"]}
    assert run(["audit", "sample", "epoch-1"]) == 1
    assert f"differences {report['differences']}" in capfd.readouterr().out


def test_an_epoch_that_a_witness_draws_waits_for_it(
    tmp_path: Path,
    migrated_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    home = tmp_path / "home"
    shutil.copytree(migrated_home, home)
    settings, witness = make_settings(home, PLAN | DRAW), LogWitness()
    monkeypatch.setenv("SPANPROOF_HOME", str(home))
    monkeypatch.setenv("SPANPROOF_SAMPLING_PLAN", str(settings.sampling_plan))
    with open_sampling(settings) as context:
        submit(context, make_payload("a", GOOD))
    assert run(["sample", "close"]) == 1
    assert "run 'spanproof log cosign'" in capfd.readouterr().err
    assert read(capfd, "sample", "close", code=1) == {"closed": None}
    with open_sampling(settings) as context:
        witness.cosign(context)
    assert read(capfd, "sample", "close") == {"closed": "epoch-1"}
    listed = tmp_path / "cosigned"
    listed.write_bytes(witness.cosigned)
    report = read(capfd, "audit", "sample", "epoch-1", "--cosigned", str(listed))
    assert (report["chosen"], report["differences"]) == (1, 0)
    assert "no earlier signature was held back" in report["claim"]
    listed.write_bytes(b"log\n7")
    assert run(["audit", "sample", "epoch-1", "--cosigned", str(listed)]) == 2
    assert run(["audit", "sample", "epoch-1", "--cosigned", str(tmp_path / "none")]) == 2
    capfd.readouterr()
    assert run(["audit", "sample", "epoch-1"]) == 0
    assert "give the witness's own list with --cosigned" in capfd.readouterr().out


def test_rates_and_reviews_are_shown_and_labelled(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert home.is_dir()
    report = read(capfd, "rates", "--by", "model")
    assert {group["group"] for group in report["groups"]} == {"m-a", "m-b", "m-c"}
    assert run(["rates", "--epoch", "epoch-1"]) == 0
    shown = capfd.readouterr().out
    assert "answers 3, verified 3, flagged by the judge 33.33%" in shown
    assert "labelled 0, wrong unknown" in shown
    assert run(["rates", "--by", "weather"]) == 2
    assert "MALFORMED_INPUT" in capfd.readouterr().err
    queue = read(capfd, "review", "list")
    assert {each["answer_id"] for each in queue["reviews"]} == {"a", "b", "c"}
    told = ["--reviewer", "ann", "--note", "Not there."]
    labelled = read(capfd, "review", "label", "b", "wrong", *told)
    assert (labelled["agreed"], labelled["labels"][0]["note"]) == ("wrong", "Not there.")
    assert len(read(capfd, "review", "list")["reviews"]) == 2
    assert len(read(capfd, "review", "list", "--all", "--limit", "5")["reviews"]) == 3
    assert run(["review", "list", "--all"]) == 0
    assert "b  flagged  wrong" in capfd.readouterr().out
    assert run(["review", "label", "b", "maybe", "--reviewer", "ann"]) == 2
    assert run(["review", "label", "nobody", "wrong", "--reviewer", "ann"]) == 3
    assert read(capfd, "sample", "verify")["verified"] == 0
