"""``spanproof serve`` in a process of its own: overloaded, then stopped while it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.service_load import Clients, find_missing, read_log, start_service, stop_under_load

if TYPE_CHECKING:
    from pathlib import Path


def test_an_overload_is_told_and_a_stop_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    # Without a model an answer is verified in full but for its support, and at little cost.
    small = {"running": "1", "workers": "1", "waiting": "0", "job_threads": "1"}
    child, port = start_service(home, model=str(tmp_path / "none"), database_url="", **small)
    try:
        clients = Clients(port, most_wait=0.02)
        clients.prepare()
        drained = stop_under_load(child, clients, 8, after=2.0)
    finally:
        child.kill()
        child.wait()
    tally = clients.tally
    statuses = {status for _, status in tally.statuses}
    assert tally.faults == []
    assert statuses == {200, 201, 429}
    assert tally.mute_refusals == 0
    assert len(tally.verified) > 1
    # The drain answered with whole answers, and told each connection to close.
    assert drained.answered >= 1
    assert (drained.lost, drained.cut) == (0, 0)
    assert drained.exit_code == 0
    assert read_log(home).splitlines()[-1] == "Stopped."
    assert "Traceback" not in read_log(home)
    assert find_missing(home, tally.verified) == []
