"""How a child is locked up: limits of the system, then Landlock, then seccomp."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import spanproof
from spanproof.ingest.cage.landlock import give_up_privileges, restrict_to
from spanproof.ingest.cage.system_calls import apply_filter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import SandboxLevel
    from spanproof.ingest.limits import Limits

Lock = Literal["landlock", "seccomp"]
LOCKS: tuple[Lock, ...] = ("landlock", "seccomp")

_OPEN_FILES = 64
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9
# The kernel ends a process that ignores the first warning this many seconds later.
_GRACE_SECONDS = 5
#: Read by the C libraries that a reader may load late, and by MuPDF and pdfium for missing fonts.
_SYSTEM_FOLDERS = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/zoneinfo",
    "/etc/localtime",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What holds a process: the level, and why a lock that was wanted is missing."""

    level: SandboxLevel
    missing: tuple[str, ...] = ()


def find_readable(more: Iterable[str] = ()) -> tuple[Path, ...]:
    """The paths that Python, its libraries and this package read at run time, and ``more``."""
    package = Path(str(spanproof.__file__)).parent
    # In a checkout the folders of the package are links to others.
    packages = (package, *((package / name).resolve() for name in ("core", "ingest")))
    named = (
        sys.prefix,
        sys.base_prefix,
        sys.base_exec_prefix,
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        # Not every entry: one may be the folder in which the documents or the store are.
        *(entry for entry in sys.path if Path(entry).name in {"site-packages", "dist-packages"}),
        *_SYSTEM_FOLDERS,
        *more,
    )
    paths = dict.fromkeys((*packages, *map(Path, named)))
    # A prefix of "/" would open everything.
    return tuple(path for path in paths if path.is_absolute() and path != Path("/"))


def set_limits(limits: Limits) -> None:
    """Limit this process's memory, time, files and processes for ever."""
    # What the zygote has mapped is not the document's: libraries reserve far more than they use.
    memory = _find_mapped_bytes() + limits.memory_bytes
    seconds = int(limits.seconds) + 1
    for what, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + _GRACE_SECONDS),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
        (resource.RLIMIT_NPROC, 0, 0),
    ):
        most = resource.getrlimit(what)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)  # noqa: PLW2901 - never above our own
        resource.setrlimit(what, (soft, hard))


def confine(
    limits: Limits, readable: Iterable[Path], locks: Iterable[Lock], program: bytes | None
) -> Confinement:
    """Lock this process up as far as the kernel can; ``program`` is the compiled filter.

    A lock that fails is reported, never passed over: a caller that requires it refuses to go on.
    """
    wanted = tuple(locks)
    set_limits(limits)
    failed: dict[Lock, str] = {lock: "left out" for lock in LOCKS if lock not in wanted}
    if wanted:
        give_up_privileges()
    if "landlock" in wanted:
        try:
            restrict_to(readable)
        except OSError as error:
            failed["landlock"] = str(error)
    if "seccomp" in wanted:
        try:
            if program is None:
                failed["seccomp"] = "no libseccomp"
            else:
                apply_filter(program)
        except OSError as error:
            failed["seccomp"] = str(error)
    level: SandboxLevel = "landlock+seccomp"
    if "landlock" in failed:
        level = "limits"
    elif "seccomp" in failed:
        level = "landlock"
    return Confinement(level=level, missing=tuple(f"{k}: {why}" for k, why in failed.items()))


def die_with_parent(parent: int) -> None:
    """End this process when its parent ends, even if it is killed; end at once if it is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _find_mapped_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()
