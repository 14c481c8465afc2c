"""The data file of one test of flent: series over time in JSON, compressed.

Source: flent 2.3.0, `flent/resultset.py`, file format 4; and its older formats, as far as their series go.
"""

from __future__ import annotations

import bz2
import gzip
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from weir._errors import WeirError, is_a

SUFFIXES = (".flent.gz", ".flent.bz2", ".flent", ".flnt")
"""Endings of the names of data files; `.flnt` was that of flent 0.9."""

PING = "Ping (ms) ICMP"
"""The series of round trips."""

_FORMAT = 4
_WRITTEN_LIKE = "2.3.0"
"""Version of flent whose settings the files have."""

_LARGEST = 256 << 20
"""Bytes of the largest file that is read, before compression: hours of flent's largest test."""

_MBPS = "Mbits/s"
_UNITS = {"Mbits/s": 1.0, "bits/s": 1e-6, "Kbits/s": 1e-3, "Gbits/s": 1e3}
"""Units of throughput, in Mbit/s."""

_USUAL = {"Ping": "ms", "TCP": _MBPS}
"""Beginning of a name to the unit that the series then has."""

_COMPUTED = (" sum", " avg", " totals", " fairness")
"""Endings of series that flent computes of others."""


@dataclass(frozen=True)
class FlentSeries:
    """A measured series: one thing over time."""

    name: str
    """Name that flent gives it: `TCP download BE`, `Ping (ms) ICMP`."""
    unit: str
    """Unit: `Mbits/s`, `ms`; empty if the file does not tell."""
    values: Sequence[float]
    """Values at the times of the file; NaN where there is none."""

    @property
    def is_round_trip(self) -> bool:
        """True for a round trip, in ms."""
        return self.name.startswith("Ping (ms)")

    @property
    def direction(self) -> str | None:
        """`download` or `upload` for a throughput, in Mbit/s; else None."""
        if self.unit != _MBPS:
            return None
        return next((way for way in ("download", "upload") if f" {way}" in self.name), None)


@dataclass(frozen=True)
class FlentFile:
    """One test: its series, and what the test was."""

    test: str
    """Name of flent's test: `rrul`, `tcp_1up`."""
    title: str
    times_s: Sequence[float]
    """Times since the test began, s."""
    series: Sequence[FlentSeries]
    began_s: float = 0.0
    """When it began, in seconds since 1970."""
    step_s: float = 0.2
    """Time between two values, s."""
    hosts: tuple[str, str] = ("", "")
    """The host that measured, and the one it measured with."""
    note: str = ""

    @classmethod
    def load(cls, file: str | Path) -> FlentFile:
        """Reads a data file. Raises WeirError for what is none, or is larger than 256 MB.

        Example:
            >>> from weir.flent import FlentFile, FlentSeries
            >>> trips = FlentSeries("Ping (ms) ICMP", "ms", [20.0, 32.0])
            >>> FlentFile("ping", "At home", [0.2, 0.4], [trips]).save("home.flent.gz")
            >>> FlentFile.load("home.flent.gz").series[0].values
            [20.0, 32.0]
        """
        file = Path(file)
        document = _document(file)
        metadata: dict[str, Any] = _mapping(document, "metadata", file)
        results = _mapping(document, "results", file)
        times = document.get("x_values")
        if not is_a(times, list) or not times or not all(map(_is_number, times)):
            raise _not_flent(file, "it has no times (x_values)")
        told = _entries(metadata.get("SERIES_META"))
        series = [
            _series(name, values, _entries(told.get(name)), len(times), file)
            for name, values in results.items()
            if not name.endswith(_COMPUTED)
        ]
        return cls(
            str(metadata.get("NAME") or ""),
            str(metadata.get("TITLE") or ""),
            [float(time) for time in times],
            series,
            hosts=(str(metadata.get("LOCAL_HOST") or ""), str(metadata.get("HOST") or "")),
            note=str(metadata.get("NOTE") or ""),
        )

    def save(self, file: str | Path, made_by: Mapping[str, str] | None = None) -> None:
        """Writes a data file, compressed by gzip; `made_by` are more entries of its description. Raises
        OSError.

        Example:
            >>> from weir.flent import FlentFile, FlentSeries
            >>> upload = FlentSeries("TCP upload", "Mbits/s", [9.5, 9.6])
            >>> FlentFile("tcp_1up", "", [0.2, 0.4], [upload]).save("up.flent.gz")
        """
        with gzip.open(file, "wt", encoding="utf-8") as opened:
            json.dump(self.document(made_by), opened)

    def document(self, made_by: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The file before it is compressed, as `json.load` would give it.

        Example:
            >>> from weir.flent import FlentFile, FlentSeries
            >>> upload = FlentSeries("TCP upload", "Mbits/s", [9.5, 9.6])
            >>> FlentFile("tcp_1up", "", [0.2, 0.4], [upload]).document()["results"]
            {'TCP upload': [9.5, 9.6]}
        """
        raw = {
            one.name: [
                {"t": self.began_s + at, "val": value, "dur": self.step_s}
                for at, value in zip(self.times_s, one.values, strict=True)
                if not math.isnan(value)
            ]
            for one in self.series
        }
        return {
            "version": _FORMAT,
            "metadata": {**self._metadata(), **(made_by or {})},
            "x_values": list(self.times_s),
            "results": {
                one.name: [None if math.isnan(value) else value for value in one.values]
                for one in self.series
            },
            "raw_values": raw,
        }

    def _metadata(self) -> dict[str, Any]:
        length = self.times_s[-1] if self.times_s else 0.0
        began = (
            datetime.fromtimestamp(self.began_s, UTC)
            .isoformat(timespec="microseconds")
            .replace("+00:00", "Z")
        )
        here, there = self.hosts
        return {
            "NAME": self.test,
            "TITLE": self.title,
            "NOTE": self.note,
            "TIME": began,
            "T0": began,
            "HOST": there,
            "HOSTS": [there],
            "LOCAL_HOST": here,
            "LENGTH": round(length),
            "TOTAL_LENGTH": math.ceil(length),
            "STEP_SIZE": self.step_s,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {},
            "FLENT_VERSION": _WRITTEN_LIKE,
            "DATA_FILENAME": None,
            "BATCH_NAME": None,
            "BATCH_TIME": None,
            "BATCH_TITLE": None,
            "BATCH_UUID": None,
            "SERIES_META": {one.name: {"UNITS": one.unit} for one in self.series},
        }


def _document(file: Path) -> dict[str, Any]:
    openers: dict[str, Callable[[Path], IO[bytes]]] = {
        ".gz": lambda path: cast("IO[bytes]", gzip.open(path)),  # noqa: SIM115 - below
        ".bz2": lambda path: cast("IO[bytes]", bz2.open(path)),  # noqa: SIM115
        ".flnt": lambda path: cast("IO[bytes]", bz2.open(path)),  # noqa: SIM115
    }
    opener = openers.get(file.suffix, lambda path: path.open("rb"))
    try:
        with opener(file) as opened:
            text = opened.read(_LARGEST + 1)
    except gzip.BadGzipFile:
        raise _not_flent(file, "it is not compressed by gzip, as its name says") from None
    except (EOFError, zlib.error):
        raise _not_flent(file, "its end is missing, or a part is damaged") from None
    except OSError as error:
        if error.errno:
            raise WeirError(f"{file} cannot be read: {error.strerror}") from None
        raise _not_flent(file, "it is not compressed by bzip2, as its name says") from None
    if len(text) > _LARGEST:
        raise WeirError(f"{file} has more than {_LARGEST >> 20} MB of data")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_flent(file, "it is no JSON") from None
    if not isinstance(document, dict):
        raise _not_flent(file, "it is no JSON object")
    found = cast("dict[str, Any]", document)
    version = found.get("version")
    if not isinstance(version, int):
        raise _not_flent(file, "it has no version")
    if version > _FORMAT:
        raise WeirError(
            f"{file} has format {version} of flent, and Weir reads formats 1 to {_FORMAT}",
            "let flent write an older one, or a newer Weir read it",
        )
    return found


def _entries(value: object) -> dict[str, Any]:
    """The entries of a JSON object; none of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _mapping(document: Mapping[str, Any], name: str, file: Path) -> dict[str, Any]:
    found = document.get(name)
    if not isinstance(found, dict):
        raise _not_flent(file, f"it has no {name}")
    return cast("dict[str, Any]", found)


def _series(name: str, values: object, about: Mapping[str, Any], length: int, file: Path) -> FlentSeries:
    if not isinstance(values, list) or len(cast("list[object]", values)) != length:
        raise _not_flent(file, f"{name!r} has not as many values as there are times")
    found = cast("list[object]", values)
    if not all(value is None or _is_number(value) for value in found):
        raise _not_flent(file, f"{name!r} has values that are no numbers")
    # Format 1 has no units; throughput was in Mbit/s and pings in ms then, too.
    usual = next((unit for begin, unit in _USUAL.items() if name.startswith(begin)), "")
    known = str(about.get("UNITS") or usual)
    factor = _UNITS.get(known, 1.0)
    return FlentSeries(
        name,
        _MBPS if known in _UNITS else known,
        [math.nan if value is None else factor * float(cast("float", value)) for value in found],
    )


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False  # an integer that no float holds


def _not_flent(file: Path, why: str) -> WeirError:
    return WeirError(
        f"{file} is no data file of flent: {why}",
        "flent writes NAME.flent.gz, and so does weir live --flent NAME.flent.gz",
    )
