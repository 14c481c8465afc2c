"""Data files of flent: what it writes, Weir reads and draws."""

from __future__ import annotations

import bz2
import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from weir._errors import WeirError
from weir.flent import PING, FlentFile, FlentSeries
from weir.plot import flent
from weir.sweep import ChartError

TIMES = [0.2, 0.4, 0.6]


def rrul(title: str = "", trip_ms: float = 20.0) -> FlentFile:
    """Two downloads, one of which has no value at one time, an upload and two kinds of ping."""
    series = [
        FlentSeries("TCP download BE", "Mbits/s", [1.0, 2.0, 3.0]),
        FlentSeries("TCP download EF", "Mbits/s", [4.0, math.nan, 6.0]),
        FlentSeries("TCP upload BE", "Mbits/s", [0.5, 0.5, 0.5]),
        FlentSeries("Ping (ms) UDP EF", "ms", [trip_ms, trip_ms, math.nan]),
        FlentSeries(PING, "ms", [trip_ms + 10.0, math.nan, math.nan]),
    ]
    return FlentFile("rrul", title, TIMES, series, hosts=("here", "there"), note="a note")


def written(document: dict[str, Any], file: Path) -> Path:
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def numbers(values: Any) -> list[float | None]:  # noqa: ANN401 - a column
    return [None if math.isnan(value) else value for value in values]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file, first = tmp_path / "x.flent.gz", rrul("A title")
    first.save(file, {"WEIR_VERSION": "1"})
    again = FlentFile.load(file)
    assert (again.test, again.title, again.hosts, again.note) == (
        "rrul",
        "A title",
        ("here", "there"),
        "a note",
    )
    assert again.times_s == TIMES
    assert [(one.name, one.unit, numbers(one.values)) for one in again.series] == [
        (one.name, one.unit, numbers(one.values)) for one in first.series
    ]
    # What is not known is null, as JSON has no NaN.
    json.loads(gzip.decompress(file.read_bytes()), parse_constant=pytest.fail)


def test_a_file_of_flent_itself_is_read(tmp_path: Path) -> None:
    resultset = pytest.importorskip("flent.resultset", reason="needs flent")
    first = rrul().document()
    theirs = resultset.ResultSet.unserialise(first)
    file = tmp_path / "theirs.flent.gz"
    with gzip.open(file, "wt", encoding="utf-8") as opened:
        theirs.dump(opened)
    read = FlentFile.load(file)
    assert read.test == "rrul"
    assert {one.name: numbers(one.values) for one in read.series} == first["results"]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_older_formats_are_read(version: int, tmp_path: Path) -> None:
    """Format 1 has no units; files had sums and means that flent now computes when it draws."""
    document: dict[str, Any] = {
        "version": version,
        "metadata": {"NAME": "tcp_download", "TITLE": None},
        "x_values": TIMES,
        "results": {"TCP download": [1, 2, None], "TCP download sum": [1, 2, 3], "Ping (ms) avg": [1, 1, 1]},
    }
    if version > 1:
        document["metadata"]["SERIES_META"] = {"TCP download": {"UNITS": "bits/s"}}
        document["results"]["TCP download"] = [1e6, 2e6, None]
    file = tmp_path / "old.flnt"
    file.write_bytes(bz2.compress(json.dumps(document).encode()))
    (only,) = FlentFile.load(file).series
    assert (only.name, only.unit, numbers(only.values)) == ("TCP download", "Mbits/s", [1.0, 2.0, None])


def changed(**entries: object) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.update(entries)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed(version="4"), "it has no version"),
        (changed(version=5), "has format 5 of flent, and Weir reads formats 1 to 4"),
        (changed(metadata=[]), "it has no metadata"),
        (changed(results=None), "it has no results"),
        (changed(x_values=[]), "it has no times"),
        (changed(x_values=[0.2, None, 0.6]), "it has no times"),
        (changed(results={"a": [1, 2]}), "'a' has not as many values as there are times"),
        (changed(results={"a": [1, "2", 3]}), "'a' has values that are no numbers"),
        (changed(results={"a": [1, True, 3]}), "'a' has values that are no numbers"),
        (changed(results={"a": [1, 10**400, 3]}), "'a' has values that are no numbers"),
    ],
)
def test_other_documents_are_refused(
    change: Callable[[dict[str, Any]], object], told: str, tmp_path: Path
) -> None:
    document = rrul().document()
    change(document)
    with pytest.raises(WeirError, match="flent") as error:
        FlentFile.load(written(document, tmp_path / "x.flent"))
    assert told in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.flent.gz", b"no", "not compressed by gzip"),
        ("x.flent.gz", gzip.compress(bytes(100_000))[:50], "its end is missing"),
        ("x.flent.bz2", b"no", "not compressed by bzip2"),
        ("x.flent", b"no", "it is no JSON"),
        ("x.flent", b"[" * 100_000, "it is no JSON"),
        ("x.flent", b"\xff\xfe\xfd", "it is no JSON"),
        ("x.flent", b"[1]", "it is no JSON object"),
        ("x.flent", None, "cannot be read: No such file"),
    ],
)
def test_other_files_are_refused(name: str, content: bytes | None, told: str, tmp_path: Path) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(WeirError) as error:
        FlentFile.load(file)
    assert told in error.value.message


def test_throughputs_are_added_up_and_round_trips_averaged() -> None:
    drawn = flent({"a": rrul()})
    assert drawn.title == "Throughput and round trip"
    rows = drawn.rows.partition_by("facet", maintain_order=True)
    assert [part["y"].to_list() for part in rows[:3]] == [[5.0, 2.0, 9.0], [0.5, 0.5, 0.5], [25.0, 20.0]]
    assert rows[3]["x"].to_list() == [20.0, 20.0, 30.0]
    assert rows[3]["y"].to_list() == pytest.approx([100.0 / 3.0, 200.0 / 3.0, 100.0])


def test_a_long_test_is_drawn_with_its_range() -> None:
    """10,000 pings: each slot of time has its mean between its lowest and its highest."""
    trips = [20.0 + at % 7 for at in range(10_000)]
    file = FlentFile("ping", "", [0.1 * at for at in range(10_000)], [FlentSeries(PING, "ms", trips)])
    over_time, shares = flent({"a": file}).rows.partition_by("facet", maintain_order=True)
    assert 100 <= len(over_time) <= 200
    assert over_time["low"].to_list() == [20.0] * len(over_time)
    assert over_time["high"].to_list() == [26.0] * len(over_time)
    assert all(22.5 < y < 23.5 for y in over_time["y"])
    assert len(shares) <= 200
    assert shares["y"].is_sorted()
    assert shares["y"][-1] == 100.0


def test_files_without_either_are_refused() -> None:
    with pytest.raises(ChartError, match="no file has throughput or round trips"):
        flent({"a": FlentFile("cpu", "", TIMES, [FlentSeries("CPU", "", [1.0, 2.0, 3.0])])})


def test_files_are_drawn_over_each_other(weir_command: Command, tmp_path: Path) -> None:
    for name in ("a", "b"):
        rrul().save(tmp_path / f"{name}.flent.gz")
    done = weir_command("plot", "a.flent.gz", "b.flent.gz", "--title", "Both", "-o", "both.svg")
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "both.svg").read_text(encoding="utf-8")
    for text in ("Both", "Download", "Upload", "Round trip (ms)", "a.flent.gz", "b.flent.gz"):
        assert f">{text}<" in drawn
    # Titles that tell the files apart stand in their place.
    for name in ("a", "b"):
        rrul(f"link {name}").save(tmp_path / f"{name}.flent.gz")
    assert weir_command("plot", "a.flent.gz", "b.flent.gz").stderr.strip() == "flent.svg"
    assert ">link b<" in (tmp_path / "flent.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["a.flent.gz", "1"], "one result at a time, or data files of flent alone"),
        (["1", "2"], "one result at a time"),
        (["a.flent.gz", "--kind", "lines"], "--kind is about a result"),
        (["a.flent.gz", "--only", "rate=2"], "--only is about a result"),
        (["a.flent.gz"], "a.flent.gz cannot be read"),
    ],
)
def test_what_cannot_be_drawn_together_is_refused(
    arguments: list[str], told: str, weir_command: Command
) -> None:
    done = weir_command("plot", *arguments)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
