"""Results whose records say what none can say: commands tell so, and none ends with a traceback."""

from __future__ import annotations

import io
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import SMALL, Command, command_in


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Command, dict[str, Any]]:
    """A folder with a small sweep, and its definition."""
    place = tmp_path_factory.mktemp("swept")
    (place / "small.toml").write_text(SMALL.replace('"6 s"', '"3 s"'), encoding="utf-8")
    weir = command_in(place)
    axis = "links.bottleneck.rate=1 Mbit/s,2 Mbit/s"
    assert weir("sweep", "small.toml", "--axis", axis, "--quiet").returncode == 0
    with closing(sqlite3.connect(place / "results" / "store" / "journal.sqlite")) as sql:
        ((text,),) = sql.execute("SELECT definition FROM sweeps").fetchall()
    return place, weir, json.loads(text)


def record(store: Path, text: str) -> None:
    """Gives the result another definition, and the sum that belongs to it."""
    with closing(sqlite3.connect(store / "journal.sqlite")) as sql:
        key, name, title, command = sql.execute("SELECT id, name, title, command FROM sweeps").fetchone()
        checksum = zlib.crc32(json.dumps([key, name, title, text, command]).encode())
        sql.execute("UPDATE sweeps SET definition = ?, crc32 = ?", (text, checksum))
        sql.commit()


ODD: list[object] = [None, -1, 1.5, 10**30, "", "x", "\ud800", [], {}, [1], True]


def changed(definition: dict[str, Any]) -> Iterator[str]:
    """The definition with one part of it left out, or replaced."""
    for name, value in definition.items():
        yield json.dumps({key: one for key, one in definition.items() if key != name})
        for odd in ODD:
            if odd != value:
                yield json.dumps({**definition, name: odd})


def test_a_definition_that_is_none_is_said(swept: tuple[Path, Command, dict[str, Any]]) -> None:
    place, weir, definition = swept
    for text in changed(definition):
        record(place / "results" / "store", text)
        for arguments in (("results",), ("results", "1")):
            done = weir(*arguments)
            assert done.returncode in {0, 2}, (text[:200], done.stderr)
            assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text",
    ["[]", "1", "null", "[" * 100_000, "{", '{"kind": []}', '{"kind": "tune", "scenario": 1}', "9" * 9999],
)
@pytest.mark.parametrize("verb", [("results",), ("results", "1"), ("report", "1")])
def test_what_is_no_definition_at_all(
    swept: tuple[Path, Command, dict[str, Any]], text: str, verb: tuple[str, ...]
) -> None:
    place, weir, _ = swept
    record(place / "results" / "store", text)
    done = weir(*verb)
    assert done.returncode == (0 if verb == ("results",) else 2), done.stderr
    assert "Traceback" not in done.stderr
    assert verb == ("results",) or "weir results 1 --remove" in done.stderr


def test_a_result_of_which_nothing_is_finished(weir_command: Command, tmp_path: Path) -> None:
    place = tmp_path
    (place / "small.toml").write_text(SMALL, encoding="utf-8")
    assert weir_command("run", "small.toml", "--quiet").returncode == 0
    with closing(sqlite3.connect(place / "results" / "store" / "journal.sqlite")) as sql:
        sql.executescript("DELETE FROM runs; DELETE FROM payloads; DELETE FROM chunks;")
    for table in (place / "results" / "store" / "tables").iterdir():
        table.unlink()
    for arguments in (
        ("results", "1"),
        ("report", "1"),
        ("plot", "1", "--kind", "lines"),
        ("responses", "1", "--band", "1 kB..9 kB"),
    ):
        done = weir_command(*arguments)
        assert done.returncode == 2, done.stderr
        assert "no run of result 1, small, is finished yet" in done.stderr


def test_tables_with_other_columns_are_said(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    assert weir_command("run", "small.toml", "--quiet").returncode == 0
    with closing(sqlite3.connect(tmp_path / "results" / "store" / "journal.sqlite")) as sql:
        for key, chunk, name, data in sql.execute("SELECT id, chunk, name, data FROM payloads").fetchall():
            if name != "runs":
                buffer = io.BytesIO()
                pl.read_parquet(data).select("run", odd=pl.lit("x")).write_parquet(buffer)
                checksum = zlib.crc32(buffer.getvalue(), zlib.crc32(f"{chunk} {name}".encode()))
                values = (buffer.getvalue(), checksum, key)
                sql.execute("UPDATE payloads SET data = ?, crc32 = ?, written_ns = NULL WHERE id = ?", values)
        sql.commit()
    for arguments in (
        ("results", "1"),
        ("report", "1"),
        ("plot", "1", "--kind", "lines"),
        ("results", "1", "--json"),
    ):
        done = weir_command(*arguments)
        assert done.returncode == 2, done.stderr
        assert "are not as this Weir writes them" in done.stderr


NOTE = {"code": "c", "severity": "note", "path": "p", "message": "m", "hint": "h"}


@pytest.mark.parametrize(
    "odd",
    [
        {"live": {"notes": [{"x": 1}]}},
        {"live": {"notes": [{**NOTE, "code": 5}]}},
        {"live": {"notes": "none"}},
        {"live": {"facts": 5}},
        {"live": {"facts": {"Kernel": [1]}}},
        {"live": {"honesty": 3}},
        {"python": ["lab:Mine"]},
        {"python": {"lab:Mine": 5}},
        {"choices": 5},
    ],
)
def test_odd_additions_are_said(odd: dict[str, Any], swept: tuple[Path, Command, dict[str, Any]]) -> None:
    """Covers the entries that only live runs have, and those of results with classes in Python."""
    place, weir, definition = swept
    kind = {"kind": "live"} if "live" in odd else {}
    record(place / "results" / "store", json.dumps({**definition, **kind, **odd}))
    for arguments in (("results", "1"), ("results", "1", "--json"), ("report", "1")):
        done = weir(*arguments)
        assert done.returncode == 2
        assert "is damaged: its definition is none" in done.stderr


def test_the_additions_that_live_runs_have(swept: tuple[Path, Command, dict[str, Any]]) -> None:
    place, weir, definition = swept
    live: dict[str, Any] = {"facts": {"Kernel": "Linux"}, "notes": [NOTE], "honesty": [{}]}
    record(place / "results" / "store", json.dumps({**definition, "live": live}))
    assert weir("results", "1").returncode == 0
    assert weir("report", "1").returncode == 0
