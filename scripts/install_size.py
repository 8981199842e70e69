"""How much a bare install is: packages and megabytes, in an environment made for it.

``python scripts/install_size.py WHEEL`` installs the wheel alone, prints both, and exits 1 where
one is over what is promised.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MAX_PACKAGES, MAX_MEGABYTES = 35, 300
#: What an environment brings itself.
_OWN = {"pip", "setuptools", "wheel"}


def measure(python: Path) -> tuple[list[str], float]:
    """The distributions of an environment, without pip, and the megabytes that they take."""
    code = (
        "import importlib.metadata as m, sysconfig;"
        "print(sysconfig.get_path('purelib'));"
        "print(*sorted({d.metadata['Name'].lower() for d in m.distributions()}))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    place, names = done.stdout.splitlines()
    folders = {*_OWN, "pkg_resources", "_distutils_hack"}
    size = sum(
        path.stat().st_size
        for top in Path(place).iterdir()
        if top.name.split("-")[0] not in folders
        for path in ([top] if top.is_file() else top.rglob("*"))
        if path.is_file() and not path.is_symlink()
    )
    return [name for name in names.split() if name not in _OWN], size / 1e6


def main() -> None:
    """Install, measure, print."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, wheel], check=True)
        names, megabytes = measure(python)
    print(f"{len(names)} packages (at most {MAX_PACKAGES}): {', '.join(names)}")
    print(f"{megabytes:.0f} MB (at most {MAX_MEGABYTES})")
    sys.exit(len(names) > MAX_PACKAGES or megabytes > MAX_MEGABYTES)


if __name__ == "__main__":
    main()
