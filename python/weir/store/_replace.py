"""Putting what is finished, a directory or a file, in the place of an earlier one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from weir._temporary import temporary_file

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def put_in_place(new: Path, target: Path) -> None:
    """`new` becomes `target`; what was there before is gone afterwards.

    On Linux the two change names in one step. Elsewhere there is an instant without `target`,
    and an interruption in it brings the earlier one back.
    """
    if not target.exists():
        new.rename(target)
    elif exchange(new, target):
        discard_directory(new)
    else:
        aside = new.with_suffix(".old")
        try:
            target.rename(aside)
            new.rename(target)
        except BaseException:
            if aside.exists() and not target.exists():
                aside.rename(target)
            raise
        discard_directory(aside)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Has a file written under another name, then gives it its own. What is no file, a pipe or a device, and
    what a link leads to, is written where it is. Raises OSError."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        write(path)
        return
    with temporary_file(f".{path.name}.", path.parent) as temporary:
        write(temporary)
        make_readable(temporary, 0o666)
        temporary.replace(path)


def make_readable(path: Path, mode: int) -> None:
    """Temporary names are for the owner alone; what takes their place is as any file one makes."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(mode & ~mask)


def discard_directory(directory: Path) -> None:
    """Removes a directory of ours, if it is there; an interruption finishes it first."""
    try:
        shutil.rmtree(directory, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def exchange(a: Path, b: Path) -> bool:
    """Swaps two names atomically; False where system or file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(a), _AT_FDCWD, os.fsencode(b), _RENAME_EXCHANGE)
    if done == 0:
        return True
    error = ctypes.get_errno()
    if error in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}:
        return False
    raise OSError(error, os.strerror(error), str(b))
