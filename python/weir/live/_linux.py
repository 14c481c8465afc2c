"""System calls that Python 3.11 has no names for."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Collection

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

CAP_NET_ADMIN = 12
CAP_NET_RAW = 13

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 0x2, 0x4, 0x8
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT = 1, 24, 47
_PR_CAP_AMBIENT_RAISE, _PR_CAP_AMBIENT_CLEAR_ALL = 2, 4
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """This process gets namespaces of its own. Raises OSError."""
    _call("unshare", flags)


def enter(namespace: int) -> None:
    """This process enters the namespace of a descriptor. Raises OSError."""
    _call("setns", namespace, 0)


def mount_proc() -> None:
    """Mounts /proc of this PID namespace, seen in this mount namespace alone. Raises OSError."""
    _call("mount", None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _call("mount", b"proc", b"/proc", b"proc", flags, None)


def mount_file(file: str, over: str) -> None:
    """A file takes the place of another in this mount namespace alone. Raises OSError."""
    _call("mount", file.encode(), over.encode(), None, ctypes.c_ulong(_MS_BIND), None)


def die_with_parent(signal: int) -> None:
    """This process gets the signal when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, signal)


def keep_capabilities(kept: Collection[int]) -> None:
    """The program that this process executes has these capabilities alone, whoever the user is.

    Raises OSError.
    """
    last = 40
    for capability in range(last + 1):
        # Of root, execution gives back what the bounding set allows.
        if capability not in kept:
            _call("prctl", *map(ctypes.c_ulong, (_PR_CAPBSET_DROP, capability, 0, 0, 0)), ignoring=True)
    mask = sum(1 << capability for capability in kept)
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    sets = struct.pack("=6I", mask, mask, mask, 0, 0, 0)
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    _call("capset", header, sets)
    for capability in kept:
        # Other users have after execution what is ambient.
        _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability)


def _prctl(option: int, *arguments: int) -> None:
    padded = (*arguments, 0, 0, 0, 0)[:4]
    _call("prctl", ctypes.c_int(option), *map(ctypes.c_ulong, padded))


def _call(name: str, *arguments: object, ignoring: bool = False) -> None:
    if getattr(_libc, name)(*arguments) != 0 and not ignoring:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
