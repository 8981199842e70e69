"""The program in a process of its own: what a user types, and what comes back."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.api.cli.forking import run_forked

SCRIPT = str(Path(sys.executable).with_name("spanproof"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Exit code, raw stdout, stderr."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def body(self) -> Any:
        """Stdout as one JSON document; anything beside it makes this fail."""
        return json.loads(self.stdout)

    def require_one_line(self, code: str) -> str:
        """The single line of an error of this code; stdout must be empty."""
        assert self.stdout == b""
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith(f"spanproof: {code}: "), lines[0]
        assert "Traceback" not in lines[0]
        return lines[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """``spanproof`` with a home, further environment variables and a folder to run in."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment with our home, and without a database of somebody else."""
        own = {key: value for key, value in os.environ.items() if key != "SPANPROOF_DATABASE_URL"}
        return own | {"SPANPROOF_HOME": str(self.home)} | self.settings

    def run(self, *arguments: str | Path, stdin: bytes = b"") -> Completed:
        """Run one command to its end."""
        done = run_forked(
            [SCRIPT, *map(str, arguments)],
            environment=self.environment,
            folder=self.folder or self.home.parent,
            stdin=stdin,
        )
        return Completed(code=done.returncode, stdout=done.stdout, stderr=done.stderr.decode())

    def with_settings(self, **settings: str) -> Program:
        """The same program with ``SPANPROOF_<NAME>`` set."""
        named = {f"SPANPROOF_{name.upper()}": value for name, value in settings.items()}
        return replace(self, settings=self.settings | named)

    def stored_files(self) -> set[Path]:
        """Every blob that is kept, and anything that staging left behind."""
        return {path for path in (self.home / "blobs").rglob("*") if path.is_file()}
