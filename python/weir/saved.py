"""The results directory.

    manifest.json            versions, scenario hashes, seeds, command line, cost
    resolved.toml            the scenario with every default (resolved/NAME.toml with variants)
    runs.parquet ...         the tables
    figures/NAME.svg, .png   the charts
    captures/LINK.pcapng     the packets of the first run, where they were asked for
    report.html              everything on one page, offline

The tables and resolved scenarios are the same, byte for byte, whenever the same scenario is run
with the same seeds; what differs between two runs, time and cost, is in the manifest alone.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from weir.captures import Captured
from weir.record import Record
from weir.replace import discard, make_readable, put_in_place
from weir.tables import TABLES

if TYPE_CHECKING:
    from weir.result import Result

MANIFEST = "manifest.json"
REPORT = "report.html"


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
        Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".tmp", dir=parent)).rmdir()
    except OSError as error:
        raise type(error)(f"{directory} cannot be written: {error.strerror}") from error


@contextmanager
def replacing(directory: str | os.PathLike[str], *, replace: bool = True) -> Generator[Path]:
    """A place beside the directory to write to, which takes its name when the block ends well.

    Raises OSError, with a message for people, if a result cannot be written there.
    """
    check_writable(directory, replace=replace)
    target = _target(directory)
    target.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent))
    try:
        yield place
        make_readable(place, 0o777)
        put_in_place(place, target)
    finally:
        discard(place)


def write(result: Result, directory: str | os.PathLike[str], *, report: bool, replace: bool) -> None:
    """Writes beside the target under a temporary name, then puts the whole in its place."""
    with replacing(directory, replace=replace) as place:
        _write_tables(result, place)
        if isinstance(result.captures, Captured):
            result.captures.keep(place)
        if report:
            from weir.report.comparison import write_report

            write_report(result, place)
        # Last: a directory with a manifest is whole.
        write_manifest(place, {"tables": list(TABLES), **result.record.to_json()})


def write_manifest(place: Path, manifest: Mapping[str, Any]) -> None:
    """Marks a directory as weir's own, which a later result may replace."""
    (place / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def read(
    directory: str | os.PathLike[str],
) -> tuple[Record, dict[str, pl.DataFrame], dict[str, str]]:
    """Record, tables and resolved scenarios. Raises ValueError where there is no result."""
    place = Path(directory)
    if not _is_result(place):
        raise ValueError(f"{directory} is not a weir result: it has no {MANIFEST} of weir's")
    manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    tables = {name: pl.read_parquet(place / f"{name}.parquet") for name in manifest.pop("tables")}
    record = Record.from_json(manifest)
    resolved = {
        variant.name: _resolved_path(place, record, variant.name).read_text(encoding="utf-8")
        for variant in record.variants
    }
    return record, tables, resolved


def _write_tables(result: Result, place: Path) -> None:
    for name, frame in result.tables.items():
        frame.write_parquet(place / f"{name}.parquet", compression="zstd")
    for name, text in result.resolved.items():
        path = _resolved_path(place, result.record, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _resolved_path(place: Path, record: Record, variant: str) -> Path:
    if len(record.variants) == 1:
        return place / "resolved.toml"
    return place / "resolved" / f"{variant}.toml"


def _target(directory: str | os.PathLike[str]) -> Path:
    return Path(directory).resolve()


def _is_result(directory: Path) -> bool:
    try:
        manifest: Any = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, Mapping) and "weir" in manifest
