"""Damaged stores: read, verified, rebuilt, and swept again."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from conftest import SMALL, command_in
from soak.features import MODERN

_SCENARIO = SMALL.replace('"6 s"', '"3 s"').replace("until = 6 }", "until = 4 }").replace('"2 s"', '"1 s"')
_AGAIN = ("compare", "small.toml", "--replications", "2", "--quiet", "--json", "--threads", "1")
_LOOKS: tuple[tuple[str, ...], ...] = (
    ("results",),
    ("results", "--json"),
    ("results", "1"),
    ("results", "2", "--json"),
    ("results", "small", "--sql", "select count(*), sum(mean_queue) from observations"),
    ("results", "1", "--table", "links", "--export", "links.csv"),
    ("results", "--where", "replication < 1", "--quiet"),
    ("results", "--verify"),
    ("results", "--prune"),
    ("results", "1", "--remove"),
    ("results", "4"),
    ("plot", "modern", "--kind", "over-time", "--out", "flows.svg"),
    ("report", "1", "--out", "page"),
    ("plot", "1", "--kind", "tradeoff", "--out", "figure.json"),
    ("responses", "1", "--band", "1 kB..20 kB"),
    _AGAIN,
)
_OFTEN = [0.1 if look[0] in {"report", "plot"} else 1.0 for look in _LOOKS]


@cache
def whole() -> tuple[Path, str]:
    """A folder with a store that is as it should be, and what it shows."""
    place = Path(tempfile.mkdtemp(prefix="whole-"))
    (place / "small.toml").write_text(_SCENARIO, encoding="utf-8")
    (place / "modern.toml").write_text(MODERN, encoding="utf-8")
    weir = command_in(place)
    shown = _estimates(weir(*_AGAIN))
    axis = "links.bottleneck.rate=1 Mbit/s,2 Mbit/s"
    for arguments in (
        ("sweep", "small.toml", "--axis", axis, "--name", "rates"),
        ("run", "small.toml", "--seed", "3"),
        ("run", "modern.toml"),
    ):
        assert weir(*arguments, "--quiet").returncode == 0
    return place, shown


def case(seed: int) -> None:
    """Every command ends with 0, 1 or 2 and says why; rebuilding brings back what the store showed."""
    rng = random.Random(seed)  # noqa: S311
    source, shown = whole()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "case"
        shutil.copytree(source, place)
        done: list[str] = []
        try:
            for _ in range(rng.choice((1, 1, 2, 4))):
                with suppress(OSError, sqlite3.Error, UnicodeDecodeError):
                    done.append(rng.choice(_DAMAGES)(place / "results" / "store", rng))
            weir = command_in(place)
            for look in rng.choices(_LOOKS, _OFTEN, k=2):
                done.append(f"weir {' '.join(look)}")
                checked(weir(*look))
            done.append("weir results --rebuild, --verify")
            if checked(weir("results", "--rebuild")).returncode == 0:
                verified = checked(weir("results", "--verify"))
                assert verified.returncode == 0, verified.stderr
                done.append("the same once more")
                again = checked(weir(*_AGAIN))
                assert again.returncode == 0, again.stderr
                now = _estimates(again)
                assert now == shown, f"other results than before: {_first_difference(shown, now)}"
        except BaseException as error:
            error.add_note("; ".join(done))
            raise


def checked(done: CompletedProcess[str]) -> CompletedProcess[str]:
    """A command that ended as commands end."""
    assert done.returncode in {0, 1, 2}, (done.args, done.returncode, done.stderr)
    assert "Traceback" not in done.stderr, (done.args, done.stderr)
    if done.returncode:
        assert done.stderr.strip(), (done.args, "says nothing")
        assert max(map(len, done.stderr.splitlines())) < 1500, (done.args, done.stderr[:3000])
    return done


def _estimates(done: CompletedProcess[str]) -> str:
    return json.dumps(json.loads(done.stdout)["estimates"])


def _first_difference(one: str, other: str) -> str:
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{one[max(0, place - 200) : place + 60]} is {other[max(0, place - 30) : place + 60]}"


def _files(store: Path, rng: random.Random) -> Path:
    found = sorted(path for path in store.rglob("*") if path.is_file())
    journal = store / "journal.sqlite"
    return journal if journal in found and rng.random() < 0.4 else rng.choice(found)


def _flip(store: Path, rng: random.Random) -> str:
    file = _files(store, rng)
    content = bytearray(file.read_bytes())
    if not content:
        return "nothing"
    # Many a page of a database is empty: also near its head.
    most = rng.choice((len(content), 200, 5000))
    for _ in range(rng.choice((1, 1, 3, 30))):
        content[rng.randrange(min(most, len(content)))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return f"bits of {file.name}"


def _cut(store: Path, rng: random.Random) -> str:
    file = _files(store, rng)
    size = rng.choice((0, 1, 100, 4096, rng.randrange(file.stat().st_size + 1)))
    os.truncate(file, size)
    return f"{file.name} cut to {size}"


def _delete(store: Path, rng: random.Random) -> str:
    file = _files(store, rng)
    file.unlink()
    return f"{file.name} deleted"


def _rename(store: Path, rng: random.Random) -> str:
    file = _files(store, rng)
    name = rng.choice(
        ("links-00001.parquet", "runs-00009.parquet", "links-99999999999999999999.parquet", "x-00001.parquet",
         "journal.sqlite-wal", ".new-journal.sqlite", ".whole-journal.sqlite", "journal.sqlite", "notes.txt")
    )  # fmt: skip
    target = rng.choice((file.parent, store, store / "tables", store / "owners")) / name
    if rng.random() < 0.5:
        shutil.copy(file, target)
    else:
        file.rename(target)
    return f"{file.name} as {target.relative_to(store)}"


def _swap(store: Path, rng: random.Random) -> str:
    one, other = _files(store, rng), _files(store, rng)
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    return f"{one.name} and {other.name} exchanged"


def _folder(store: Path, rng: random.Random) -> str:
    """A folder where a file belongs, or a file where a folder does."""
    place = store / rng.choice(
        (
            "owners",
            "tables",
            "aside",
            "sweeps",
            "owners/00000000000000aa",
            "owners/mine",
            "owners/maintenance.lock",
        )
    )
    if place.is_dir():
        shutil.rmtree(place)
        place.write_bytes(b"")
    else:
        place.unlink(missing_ok=True)
        place.mkdir(parents=True)
    return f"{place.name} another kind"


def _garbage(store: Path, rng: random.Random) -> str:
    name = rng.choice(
        ("journal.sqlite-wal", "journal.sqlite-shm", "tables/flows-00042.parquet", "tables/.x.weir-flock.tmp")
    )
    (store / name).write_bytes(rng.randbytes(rng.choice((0, 32, 5000))))
    return f"{name} of garbage"


_VALUES = (
    "NULL", "-1", "0", "1", "2", "7", "99999", "4611686018427387904", "9223372036854775807", "1e308", "''",
    "'../../x'", "'x'", "'{}'", "'[1]'", "'{\"kind\": 3}'", "x'00ff'", "'\n\x1b[31m'", "'2026-13-45'",
    "char(0x10FFFF)", "random()",
)  # fmt: skip


def _edit(store: Path, rng: random.Random) -> str:
    """A row that is changed, removed or duplicated by a tool."""
    with closing(sqlite3.connect(f"{(store / 'journal.sqlite').as_uri()}?mode=rw", uri=True)) as sql:
        sql.execute("PRAGMA ignore_check_constraints = ON")
        table = rng.choice(("chunks", "payloads", "runs", "sweeps", "sweeps"))
        columns = [row[1] for row in sql.execute(f"PRAGMA table_info({table})")]
        ids = [row for (row,) in sql.execute(f"SELECT rowid FROM {table}")]  # noqa: S608
        if not ids:
            return f"no row of {table}"
        row, column = rng.choice(ids), rng.choice(columns)
        value = rng.choice((*_VALUES, f"(SELECT {column} FROM {table} ORDER BY rowid DESC LIMIT 1)"))  # noqa: S608
        some = f"rowid = {row}" if rng.random() < 0.8 else "1"
        statement = rng.choice(
            (
                f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {some}",  # noqa: S608
                f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {some}",  # noqa: S608
                f"DELETE FROM {table} WHERE {some}",  # noqa: S608
                f"PRAGMA user_version = {rng.choice((0, 3, 5))}",
                f"PRAGMA application_id = {rng.choice((0, 3, 5))}",
                f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
                f"DROP TABLE {table}",
            )
            if rng.random() < 0.2
            else (f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {some}",)  # noqa: S608
        )
        sql.execute(statement)
        sql.commit()
    return statement


_DAMAGES: tuple[Callable[[Path, random.Random], str], ...] = (
    _flip, _flip, _cut, _delete, _rename, _swap, _folder, _garbage, _edit, _edit, _edit,
)  # fmt: skip
