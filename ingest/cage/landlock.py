"""Landlock by its three system calls: a process gives up all files but those it names.

PyPI has no release of a binding, so this is ctypes on <linux/landlock.h>. Every right that the
running kernel knows is handled, hence denied; reading below the named paths is given back. TCP,
abstract Unix sockets and signals to other processes are denied where the kernel can.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# The same on every architecture: they came after the numbers were unified.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_QUESTION = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
#: How many file rights each version of the interface knows; later versions keep the last.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
# Bind and connect of TCP came with version 4, the two scopes with version 6.
_NET_VERSION, _NET_RIGHTS = 4, 0b11
_SCOPE_VERSION, _SCOPES = 6, 0b11

_PR_SET_NO_NEW_PRIVS = 38


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def _open_libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def give_up_privileges() -> None:
    """Let no program that this process might start gain rights; both locks demand it first."""
    if sys.platform == "linux":
        _check(_open_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def find_version() -> int:
    """The kernel's version of the interface; 0 where it is missing or switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_open_libc().syscall(_CREATE_RULESET, None, 0, _VERSION_QUESTION)))


def restrict_to(readable: Iterable[Path]) -> None:
    """Keep reading below these paths and give up every other file; raise OSError where it fails."""
    version = find_version()
    if version == 0:
        msg = "no Landlock in this kernel"
        raise OSError(msg)
    rights = (1 << _FILE_RIGHTS[min(version, max(_FILE_RIGHTS))]) - 1
    asked = _Ruleset(
        handled_access_fs=rights,
        handled_access_net=_NET_RIGHTS if version >= _NET_VERSION else 0,
        scoped=_SCOPES if version >= _SCOPE_VERSION else 0,
    )
    # An older kernel takes the longer structure as long as what it does not know is zero.
    libc = _open_libc()
    ruleset = _check(libc.syscall(_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0))
    try:
        for path in readable:
            _allow(libc, ruleset, path)
        _check(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
        rule = _PathBeneath(allowed_access=rights, parent_fd=opened)
        _check(libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(opened)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
