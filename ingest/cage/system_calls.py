"""A seccomp filter: it allows the few system calls that computing needs and refuses all others.

It lists the allowed calls, not the forbidden ones: so it also refuses the calls of later kernels.
A refused call fails with EPERM instead of killing: a library that merely asks (is there a terminal,
how many processors) goes on, and a document that makes it ask for more becomes an error with words.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import sys
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALLOWED = (
    # Bytes of what is open already: the socket to the parent, files that Landlock lets through.
    ("read", "readv", "pread64", "preadv", "write", "writev", "close", "lseek", "_llseek"),
    ("poll", "ppoll", "select", "pselect6", "dup"),
    # Looking at files; contents are openat's matter.
    ("stat", "stat64", "fstat", "fstat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx"),
    ("statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd"),
    ("getdents", "getdents64", "fadvise64"),
    # Memory.
    ("brk", "mmap", "mmap2", "munmap", "mremap", "mprotect", "madvise", "mincore", "membarrier"),
    # Its own signals and locks, and the end.
    ("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "futex", "futex_time64"),
    ("set_robust_list", "rseq", "sched_yield", "restart_syscall", "exit", "exit_group"),
    # What time it is, who it is, how much there is.
    ("clock_gettime", "clock_gettime64", "clock_getres", "clock_nanosleep", "nanosleep"),
    ("gettimeofday", "time", "times", "getrandom", "getpid", "gettid", "getppid", "getuid"),
    ("geteuid", "getgid", "getegid", "getrusage", "uname", "sysinfo", "getrlimit", "ugetrlimit"),
    ("getcpu", "sched_getaffinity"),
)
#: Opening with any of these flags is refused: they write or make a file.
_WRITING = (
    os.O_WRONLY
    | os.O_RDWR
    | os.O_CREAT
    | os.O_TRUNC
    | os.O_APPEND
    | (os.O_TMPFILE & ~os.O_DIRECTORY)
)
#: Which argument holds the flags.
_OPENING: Mapping[str, int] = MappingProxyType({"open": 1, "openat": 2})

# Not the commands that name an owner or a signal: through them a file could signal any process.
_FILE_COMMANDS = (
    fcntl.F_DUPFD,
    fcntl.F_DUPFD_CLOEXEC,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
)

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_INSTRUCTION_BYTES = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def compile_filter() -> bytes | None:
    """The filter as the kernel takes it; None where libseccomp is missing.

    Called once, before anything is locked: the binding looks for its library by starting programs.
    """
    if sys.platform != "linux":
        return None
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    for name in chain.from_iterable(_ALLOWED):
        _add(made, name)
    for name, position in _OPENING.items():
        _add(made, name, pyseccomp.Arg(position, pyseccomp.MASKED_EQ, _WRITING, 0))
    for command in _FILE_COMMANDS:
        for name in ("fcntl", "fcntl64"):
            _add(made, name, pyseccomp.Arg(1, pyseccomp.EQ, command))
    # Reading one's own limits; setting any, or another process's, is refused.
    _add(made, "prlimit64", pyseccomp.Arg(0, pyseccomp.EQ, 0), pyseccomp.Arg(2, pyseccomp.EQ, 0))
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def apply_filter(program: bytes) -> None:
    """Put this process under the filter for ever; raise OSError on a kernel without filters."""
    instructions = ctypes.create_string_buffer(program, len(program))
    asked = _Program(
        length=len(program) // _INSTRUCTION_BYTES,
        instructions=ctypes.addressof(instructions),
    )
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(asked), 0, 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _add(made: Any, name: str, *arguments: Any) -> None:  # noqa: ANN401 - an untyped binding
    import pyseccomp

    try:
        made.add_rule(pyseccomp.ALLOW, name, *arguments)
    except (OSError, ValueError, RuntimeError):
        # Another architecture or an older library does not know the call: nothing can make it.
        return
