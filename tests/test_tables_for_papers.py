"""Tables of results: for LaTeX, in SQL where something is not defined, and those that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from conftest import SMALL, Command, command_in
from weir.stats import wording
from weir.sweep._latex import of_rows

WATCHED = """
schema = 1
name = "watched"
duration = "3 s"
measure.warm_up = "1 s"
measure.series = { interval = "50 ms", flows = ["ftp"] }

[links.b]
rate = "5 Mbit/s"
delay = "5 ms"
buffer = "20 packets"

[flows.ftp]
count = 2
rtt = "40 ms"
start_jitter = "1 s"

[variants.odd]
label = "50%_a&b"
[variants.red]
links.b.queue.red = { min_th = "5 packets", max_th = "15 packets" }
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Result 1 has series of flows, result 2 no series at all."""
    made = tmp_path_factory.mktemp("tables")
    (made / "watched.toml").write_text(WATCHED, encoding="utf-8")
    silent = "".join(line for line in SMALL.splitlines(keepends=True) if "series" not in line)
    (made / "silent.toml").write_text(silent, encoding="utf-8")
    for name in ("watched.toml", "silent.toml"):
        assert command_in(made)("compare", name, "-n", "3", "--quiet").returncode == 0
    return made


@pytest.fixture(scope="module")
def results(there: Path) -> Command:
    weir_in = command_in(there)
    return lambda *arguments: weir_in("results", *arguments)


def test_what_is_not_defined_is_null_in_sql(results: Command) -> None:
    """NaN is above every number, and no word of SQL asks for it."""

    def count(condition: str) -> int:
        query = f"select count(*) as n from series where {condition} and variable = 'srtt'"  # noqa: S608 - ours
        return json.loads(results("1", "--sql", query, "--json").stdout)[0]["n"]

    every, undefined = count("true"), count("value is null")
    assert 0 < undefined < every
    assert count("value is not null") == every - undefined
    assert count("value > 1000000") == 0
    shown = results("1", "--table", "series", "--where", "value is null and variable = 'srtt'", "--json")
    rows = json.loads(shown.stdout)
    assert len(rows) == undefined
    assert {row["value"] for row in rows} == {None}


def test_the_rows_of_a_condition_are_those_of_the_table(results: Command, there: Path) -> None:
    """Exported, NaN stays what it is."""
    results("1", "--table", "series", "--export", "all.parquet")
    results("1", "--table", "series", "--where", "value is null", "--export", "some.parquet")
    every, some = (pl.read_parquet(there / f"{name}.parquet") for name in ("all", "some"))
    assert some.equals(every.filter(pl.col("value").is_nan()))


@pytest.mark.parametrize("condition", ["isnan(value)", "value is nan", "is_nan(value)", "value is not nan"])
def test_who_asks_for_nan_is_told_the_word(results: Command, condition: str) -> None:
    done = results("1", "--table", "series", "--where", condition)
    assert done.returncode == 2
    assert "hint: what is not defined is NULL: `loss is null`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--table", "series"), 'hint: add to it: series = { interval = "100 ms" } under [measure]'),
        (("--sql", "select * from series"), 'hint: add to it: series = { interval = "100 ms" }'),
        (("--table", "series", "--where", "value > 1"), "error: the scenario asks for no series"),
    ],
)
def test_a_table_that_a_scenario_does_not_have_says_how_to_get_it(
    results: Command, arguments: tuple[str, ...], told: str
) -> None:
    done = results("2", *arguments)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_table_without_rows_says_why(results: Command) -> None:
    assert "no flows come and go in this scenario" in results("2", "--table", "completions").stderr
    assert "traffic.list reads one" in results("2", "--table", "transfers").stderr


def test_a_table_for_latex_is_the_one_that_is_shown(results: Command, there: Path) -> None:
    results("1", "--export", "shown.tex", "--measure", "goodput", "--measure", "mean_queue")
    text = (there / "shown.tex").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == "% \\usepackage{booktabs}"
    assert [line for line in lines if line.startswith("\\")] == [
        "\\begin{tabular}{lrr}",
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "\\end{tabular}",
    ]
    assert " & Goodput (\\%) & Mean queue (packets) \\\\" in lines
    (first,) = [line for line in lines if line.startswith("50\\%\\_a\\&b & $")]
    assert first.count(" \\pm ") == 2


def test_rows_are_written_for_latex_as_for_csv(results: Command, there: Path) -> None:
    query = "select label, variable, value from series where replication = 0 order by value limit 5"
    for suffix in ("tex", "csv"):
        results("1", "--sql", query, "--export", f"rows.{suffix}")
    lines = (there / "rows.tex").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "\\begin{tabular}{llr}"
    assert len([line for line in lines if line.endswith("\\\\")]) == 1 + len(pl.read_csv(there / "rows.csv"))


def test_no_text_is_a_command_of_latex() -> None:
    frame = pl.DataFrame({
        "a_b": ["50% & $x$ #1 {y} ~ ^ \\end", "[x]", None],
        "n": [1.5e-7, float("nan"), -2.0],
        "m": [3, -4, None],
    })  # fmt: skip
    lines = of_rows(frame).splitlines()
    assert lines[3] == "a\\_b & n & m \\\\"
    assert lines[5] == (
        "50\\% \\& \\$x\\$ \\#1 \\{y\\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{}end"
        " & $1.5 \\times 10^{-7}$ & 3 \\\\"
    )
    assert lines[6] == "{}[x] & -- & $-4$ \\\\"
    assert lines[7] == "-- & $-2$ & -- \\\\"


def test_the_mark_of_a_correlation_is_explained_where_it_stands(there: Path) -> None:
    shown = command_in(there)("results", "2").stdout
    assert "(r " in shown or "; r " in shown
    assert wording.R in " ".join(shown.split())
    report = command_in(there)("report", "2", "--quiet")
    page = Path(there, report.stdout.strip()).read_text(encoding="utf-8")
    assert f"<p>{wording.R}.</p>" in page
