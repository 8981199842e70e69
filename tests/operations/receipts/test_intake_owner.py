from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import LogStoppedError
from spanproof.operations.receipts.intake_owner import IntakeOwner

if TYPE_CHECKING:
    from pathlib import Path

_HOLD = """
import sys
from pathlib import Path
from spanproof.operations.receipts.intake_owner import IntakeOwner

owner = IntakeOwner(Path(sys.argv[1]))
print(owner.token, flush=True)
sys.stdin.read()
"""


def test_a_process_lives_until_it_is_killed(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    token = child.stdout.readline().decode().strip()
    owner = IntakeOwner(tmp_path)
    assert owner.find_state(token) == "alive"
    owner.forget(owner.list_dead_owners())
    assert owner.find_state(token) == "alive"
    child.kill()
    child.communicate()
    assert owner.find_state(token) == "gone"
    owner.forget(owner.list_dead_owners())
    assert owner.find_state(token) == "unknown"


def test_a_process_knows_itself_and_leaves_nothing_behind(tmp_path: Path) -> None:
    owner, other = IntakeOwner(tmp_path), IntakeOwner(tmp_path)
    token = owner.token
    assert owner.token == token
    assert (owner.find_state(token), other.find_state(token)) == ("alive", "alive")
    owner.close()
    owner.close()
    assert list(tmp_path.iterdir()) == []
    assert other.find_state(token) == "unknown"
    assert owner.token != token


def test_a_process_that_left_something_open_is_seen_to_be_gone(tmp_path: Path) -> None:
    owner, other = IntakeOwner(tmp_path), IntakeOwner(tmp_path)
    token = owner.token
    owner.close(is_kept=True)
    assert other.find_state(token) == "gone"


def test_a_process_that_dies_after_the_look_is_not_forgotten(tmp_path: Path) -> None:
    owner, other, first = (IntakeOwner(tmp_path) for _ in range(3))
    token, old = other.token, first.token
    first.close(is_kept=True)
    (tmp_path / "notes.lock").touch()
    gone = owner.list_dead_owners()
    assert gone == {old}
    # Killed while what the first one left is being closed: its own is still to be closed.
    other.close(is_kept=True)
    owner.forget(gone)
    assert (owner.find_state(old), owner.find_state(token)) == ("unknown", "gone")


def test_a_child_is_not_taken_for_its_parent(tmp_path: Path) -> None:
    owner = IntakeOwner(tmp_path)
    token = owner.token
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, owner.token.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 64).decode() != token
    os.close(read)
    os.close(write)
    assert owner.token == token


def test_a_file_that_somebody_took_for_gone_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    taken: list[str] = []
    real = fcntl.flock

    def steal(descriptor: int, operation: int) -> None:
        if not taken:
            (path,) = tmp_path.glob("*.lock")
            taken.append(path.stem)
            path.unlink()
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", steal)
    owner = IntakeOwner(tmp_path)
    assert owner.token not in taken
    assert owner.find_state(owner.token) == "alive"


def test_a_name_that_is_none_and_a_folder_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        IntakeOwner(tmp_path).find_state("../../etc")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(LogStoppedError):
        _ = IntakeOwner(tmp_path / "file" / "below").token
    with pytest.raises(LogStoppedError):
        IntakeOwner(tmp_path / "file").find_state("0" * 32)
