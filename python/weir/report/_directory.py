"""Directories of pages that a person names: they appear whole, and never replace anything else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weir._temporary import temporary_directory
from weir.store import make_readable, put_in_place

MANIFEST = "manifest.json"
REPORT = "report.html"
"""Name of the page in its folder."""


def check_writable(directory: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Raises OSError, with a message for people, if a result cannot be written there.

    Called before the runs start; leaves nothing behind.
    """
    target = _target(directory)
    if target.exists():
        if not target.is_dir():
            raise FileExistsError(f"{directory} is a file, not a results directory")
        if target == Path.cwd().resolve() or target in Path.cwd().resolve().parents:
            raise FileExistsError(f"{directory} is where you are working; name a directory inside it")
        if os.path.ismount(target):
            raise FileExistsError(f"{directory} is a mount point; name a directory inside it")
        if any(target.iterdir()):
            if not _is_result(target):
                raise FileExistsError(
                    f"{directory} holds other things than a weir result; it is left as it is"
                )
            if not replace:
                raise FileExistsError(f"{directory} holds an earlier result; it is left as it is")
    parent = target.parent
    while not parent.exists():
        parent = parent.parent
    try:
        # Permissions, read-only file systems, quotas: only trying tells.
        with temporary_directory(f".{target.name}.", parent):
            pass
    except OSError as error:
        raise type(error)(f"{directory} cannot be written: {error.strerror}") from error


@contextmanager
def replacing(directory: str | os.PathLike[str], *, replace: bool = True) -> Generator[Path]:
    """A place beside the directory to write to, which takes its name when the block ends well.

    Raises OSError, with a message for people, if a result cannot be written there.

    Example:
        >>> from pathlib import Path
        >>> from weir.report import replacing, write_manifest
        >>> for text in ("first", "second"):
        ...     with replacing("study") as place:
        ...         written = (place / "notes.txt").write_text(text)
        ...         write_manifest(place, {"weir": weir.__version__})
        >>> Path("study/notes.txt").read_text()
        'second'
    """
    check_writable(directory, replace=replace)
    target = _target(directory)
    target.parent.mkdir(parents=True, exist_ok=True)
    with temporary_directory(f".{target.name}.", target.parent) as place:
        yield place
        make_readable(place, 0o777)
        put_in_place(place, target)


def write_manifest(place: Path, manifest: Mapping[str, Any]) -> None:
    """Marks a directory as weir's own, which a later result may replace.

    A later result replaces the directory if `manifest` has the key `weir`.

    Raises OSError if the file cannot be written, and TypeError for values that JSON does not have.

    Example:
        >>> import os
        >>> from pathlib import Path
        >>> from weir.report import write_manifest
        >>> os.mkdir("study")
        >>> write_manifest(Path("study"), {"weir": weir.__version__, "study": 1})
        >>> os.listdir("study")
        ['manifest.json']
    """
    (place / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def write_document(file: Path, document: Mapping[str, Any]) -> None:
    """Writes a JSON document for programs."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    file.write_text(f"{text}\n", encoding="utf-8")


def write_into(directory: Path, write: Callable[[Path], object]) -> None:
    """Writes files and folders elsewhere first, then puts each in its place in an existing directory.
    Everything else there stays. Raises OSError."""
    with temporary_directory(".new-", directory) as place:
        write(place)
        for new in sorted(place.iterdir()):
            if new.is_dir():
                put_in_place(new, directory / new.name)
            else:
                new.replace(directory / new.name)


def _target(directory: str | os.PathLike[str]) -> Path:
    return Path(directory).resolve()


def _is_result(directory: Path) -> bool:
    try:
        manifest: Any = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, Mapping) and "weir" in manifest
