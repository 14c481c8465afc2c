"""`weir sweep`, `weir results` and `weir plot` as a person types them."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import weir
from conftest import SMALL, Command, command_in, names_in
from waiting import HANG_S, Said, killed
from weir.sweep._query import TABLES

AXIS = "links.bottleneck.rate=1, 2, 4 Mbit/s"


@pytest.fixture(scope="module")
def swept_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory that `swept` copies."""
    directory = tmp_path_factory.mktemp("swept")
    (directory / "small.toml").write_text(SMALL, encoding="utf-8")
    done = command_in(directory)("sweep", "small.toml", "-a", AXIS, "-n", "2")
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture
def swept(swept_once: Path, tmp_path: Path) -> Path:
    """A directory with a store that holds a sweep of three rates and three variants, twice each."""
    shutil.copytree(swept_once, tmp_path, dirs_exist_ok=True)
    return tmp_path


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "told", "hint"),
    [
        (["-a", "links.bottleneck.rat=1, 2 Mbit/s"], "links.bottleneck.rat", "did you mean `rate`?"),
        (["-a", "links.core.rate=1, 2 Mbit/s"], "links.core.rate: there is no link 'core'", "bottleneck"),
        (["-a", "links.bottleneck.rate=1, 2 kg"], "links.bottleneck.rate", ""),
        (["-a", "links.bottleneck.rate=9..3 Mbit/s in 4"], "the wrong way round", ""),
        (["-a", "links.bottleneck.rate=5..5 Mbit/s in 4"], "links.bottleneck.rate", ""),
        (["-a", "links.bottleneck.rate="], "links.bottleneck.rate", ""),
        (["-a", "links.bottleneck.rate=1..2 Mbit/s"], "no levels for a grid", "in 5"),
        (["-a", "links.bottleneck.rate"], "sets nothing", ""),
        (["-a", AXIS, "-a", AXIS], "links.bottleneck.rate", ""),
        (
            ["-a", "links.bottleneck.rate=1, 2 Mbit/s; links.bottleneck.buffer=5 packets"],
            "as many values",
            "",
        ),
        (["-a", AXIS, "--until", "happiness ±1%"], "no measure", ""),
        (["-a", AXIS, "--until", "goodput"], "is not a rule", "goodput ±0.5%"),
        (["-a", AXIS, "--until", "goodput ±1 ms"], "not a unit of goodput", ""),
        (["-a", AXIS, "--until", "goodput ±1%", "-n", "1"], "two replications", ""),
        (["-a", AXIS, "--method", "lhs"], "needs a number of samples", "--samples N"),
        (["--samples", "5"], "nothing to sample", "--axis"),
        (["-a", AXIS, "--samples", "5", "--method", "guess"], "no method 'guess'", "lhs, sobol"),
        (["-a", "links.bottlenek.rate=1, 2 Mbit/s"], "there is no link 'bottlenek'", "did you mean"),
        (["-a", "flows.fpt.count=1, 2"], "there is no flow group 'fpt'", "did you mean"),
        (["-a", "links.bottleneck.queue=red, rem"], "not a value of an axis", "--disciplines"),
        (["-a", "links.bottleneck.queue.red.max_th=8, 9 packets", "--variants", "rem"], "none of the", ""),
        (["-a", AXIS, "--set", "links.bottleneck.rate=3 Mbit/s"], "is set to a value", "leave one"),
        (["-a", AXIS, "--name", "../evil"], "is not a valid name", "letters"),
        (["-a", "links.bottleneck.rate=1, 2 parsec"], "--axis links.bottleneck.rate", ""),
        (["-a", AXIS, "--variants", "pie"], "there is no variant 'pie'", ""),
        (["-a", AXIS, "--dask", "local:many"], "not a local cluster", "local:4"),
        (["-a", AXIS, "--threads", "1", "--processes", "1"], "choose one of", ""),
        (["-a", AXIS, "--measure", "happiness"], "happiness", ""),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_runs(
    arguments: list[str], told: str, hint: str, weir_command: Command, small: Path
) -> None:
    message = refused(weir_command("sweep", small, *arguments))
    assert told in message
    assert hint in message
    assert not (small.parent / "results" / "store" / "tables").exists()


def test_axes_that_no_variant_has(weir_command: Command, small: Path) -> None:
    axis = "links.bottleneck.queue.red.max_th=8, 9 packets"
    message = refused(weir_command("sweep", small, "-a", axis, "--variants", "drop-tail,rem"))
    assert "none of the variants has what this axis varies (DropTail, REM)" in message


def test_axes_that_undo_each_other(weir_command: Command, small: Path) -> None:
    red, rem = (
        "links.bottleneck.queue.red.max_th=8, 9 packets",
        "links.bottleneck.queue.rem.target=5, 6 packets",
    )
    small.write_text(SMALL.partition("[variants")[0], encoding="utf-8")
    message = refused(weir_command("sweep", small, "-a", red, "-a", rem))
    assert "compare the two as variants" in message


def test_each_variant_takes_what_an_axis_has_for_its_aqm(small: Path) -> None:
    red, rem = "links.bottleneck.queue.red.max_th", "links.bottleneck.queue.rem.target"
    both = {f"{red}; {rem}": [["8 packets", "5 packets"], ["9 packets", "6 packets"]]}
    swept = weir.Scenario.load(small).sweep(both, variants=["red", "rem"], store=small.parent / "store")
    for point, (of_red, of_rem) in enumerate([("8", "5"), ("9", "6")]):
        assert f'max_th = "{of_red} packets"' in swept.resolved_at(point, "red")
        assert f'target = "{of_rem} packets"' in swept.resolved_at(point, "rem")


def test_an_axis_of_congestion_controls(small: Path) -> None:
    small.write_text(
        SMALL.partition("[variants")[0] + "\n[flows.ftp.tcp]\npreset = 'ns2'\n", encoding="utf-8"
    )
    axes = {
        "flows.ftp.tcp.congestion": ["tahoe", "cubic"],
        "flows.ftp.tcp.recovery": ["reno", "sack"],
        "flows.ftp.rtt": ["60 ms"],  # a choice of distributions may stand here
    }
    swept = weir.Scenario.load(small).sweep(axes, store=small.parent / "store")
    assert swept.finished["flows.ftp.tcp.congestion"].to_list() == ["tahoe", "tahoe", "cubic", "cubic"]
    # The preset's parameters, not Weir's: only so has it the hash of what ran.
    resolved = swept.resolved_at(2, swept.baseline)
    assert "[flows.ftp.tcp.congestion.cubic]" in resolved
    assert "[flows.ftp.tcp.recovery.reno]" in resolved


def test_one_point_of_many_that_cannot_be_run(weir_command: Command, small: Path) -> None:
    message = refused(weir_command("sweep", small, "-a", "flows.ftp.rtt=60, 40, 10 ms"))
    assert "flows.ftp.rtt=10 ms" in message or "flows.ftp.rtt" in message
    assert not (small.parent / "results" / "store" / "tables").exists()


def test_a_store_of_a_newer_version_is_left_alone(swept: Path, weir_command: Command) -> None:
    journal = sqlite3.connect(swept / "results" / "store" / "journal.sqlite")
    journal.execute("PRAGMA user_version = 99")
    journal.close()
    for verb in (["sweep", "small.toml", "-a", AXIS], ["results"], ["plot"]):
        message = refused(weir_command(*verb))
        assert "newer" in message
        assert "hint: " in message


def test_no_store(weir_command: Command) -> None:
    for verb in ("results", "plot"):
        assert "there is no store at results/store" in refused(weir_command(verb))


@pytest.mark.usefixtures("swept")
def test_the_second_time_there_is_nothing_to_do(weir_command: Command) -> None:
    done = weir_command("sweep", "small.toml", "-a", AXIS, "-n", "2")
    assert done.returncode == 0
    assert "0 runs in" in done.stderr
    assert "18 runs found in the store" in done.stderr
    assert "Mean queue" in done.stdout
    assert ": 18 runs\n" in done.stdout


@pytest.mark.usefixtures("swept")
def test_a_dry_run_says_what_there_is_to_do(weir_command: Command) -> None:
    done = weir_command("sweep", "small.toml", "-a", AXIS, "-n", "5", "--dry-run")
    assert "3 points, 3 variants, 5 replications; 45 runs, 18 of them finished" in done.stdout
    document = json.loads(
        weir_command("sweep", "small.toml", "-a", AXIS, "-n", "5", "--dry-run", "--json").stdout
    )
    assert (document["runs"], document["finished"]) == (45, 18)


def test_json_is_for_machines(weir_command: Command, small: Path) -> None:
    done = weir_command("sweep", small, "-a", AXIS, "-n", "3", "--json", "--quiet")
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert (document["done"], document["found"]) == (27, 0)
    row = document["estimates"][0]
    assert {"links.bottleneck.rate", "label", "measure", "mean", "half_width", "n"} <= set(row)
    assert document["cost"]["runs"] == 27


def test_the_sweep_of_a_file(weir_command: Command, small: Path) -> None:
    sweep = '\n[sweep]\nreplications = 2\n[sweep.axes]\n"flows.ftp.count" = "1..3 by 1"\n'
    small.write_text(SMALL + sweep, encoding="utf-8")
    document = json.loads(weir_command("sweep", small, "--json").stdout)
    assert document["done"] == 3 * 3 * 2
    assert document["axes"][0]["paths"] == ["flows.ftp.count"]
    # What is said on the command line counts instead.
    document = json.loads(weir_command("sweep", small, "-a", AXIS, "-n", "1", "--json").stdout)
    assert [axis["paths"] for axis in document["axes"]] == [["links.bottleneck.rate"]]
    # The rate of the file is among them: three of its runs are there.
    assert (document["done"], document["found"]) == (6, 3)


@pytest.mark.usefixtures("swept")
def test_results_are_listed(weir_command: Command) -> None:
    done = weir_command("results")
    assert "18 finished runs" in done.stdout
    assert "small" in done.stdout
    (listed,) = json.loads(weir_command("results", "--json").stdout)
    assert (listed["name"], listed["points"], listed["variants"]) == ("small", 3, 3)
    assert (listed["runs"], listed["wanted"]) == (18, 18)
    assert "Mean queue" in weir_command("results", "small").stdout
    assert "Mean queue" in weir_command("results", listed["id"][:4]).stdout
    message = refused(weir_command("results", "smal"))
    assert "no result 'smal'" in message
    assert "small" in message.partition("hint")[2]


def test_results_are_filtered_queried_and_exported(swept: Path, weir_command: Command) -> None:
    where = "label = 'RED' and \"links.bottleneck.rate\" > 1.5"
    rows = json.loads(
        weir_command("results", "small", "--where", where, "--table", "observations", "--json").stdout
    )
    # Two rates, two replications; the whole run and three periods.
    assert len(rows) == 2 * 2 * 4
    assert {row["label"] for row in rows} == {"RED"}

    sql = "select label, count(*) as n, sum(departures) as sent from links where period = -1 group by label"
    rows = json.loads(weir_command("results", "--sql", sql, "--json").stdout)
    assert {row["label"]: row["n"] for row in rows} == dict.fromkeys(("DropTail", "RED", "REM"), 6)
    assert "DropTail" in weir_command("results", "--sql", sql).stdout

    done = weir_command("results", "small", "--export", "rows.csv", "--measure", "goodput")
    assert done.returncode == 0, done.stderr
    with (swept / "rows.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert {line["measure"] for line in lines} == {"goodput"}
    assert weir_command("results", "--table", "delays", "--export", "d.parquet").returncode == 0
    assert {"run", "upto_ms", "count"} <= set(pl.read_parquet(swept / "d.parquet").columns)
    assert names_in(swept) == ["d.parquet", "results", "rows.csv", "small.toml"]


@pytest.mark.usefixtures("swept")
def test_the_help_names_every_table(weir_command: Command) -> None:
    told = " ".join(weir_command("results", "--help").stdout.split())
    (named,) = re.findall(r"Tables: ([\w, ]+)\.", told)
    assert tuple(named.split(", ")) == (*TABLES, "results")
    for table in TABLES:
        done = weir_command("results", "--table", table, "--json")
        assert done.returncode == 0, done.stderr
    assert json.loads(
        weir_command("results", "--sql", "select number, name, bytes from results", "--json").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--sql", "selec"], "the query failed"),
        (["--sql", "select nothing from links"], "nothing"),
        (["--where", "happy = 1"], "happy"),
        (["--table", "tables"], "there is no table 'tables'"),
        (["--export", "rows.xlsx"], ".csv"),
        (["--export", "nowhere/rows.csv"], "cannot be written"),
        (["--sql", "select 1", "--where", "1 = 1"], "leave out"),
        (["--measure", "happiness"], "happiness"),
    ],
)
@pytest.mark.usefixtures("swept")
def test_bad_questions_are_refused(arguments: list[str], told: str, weir_command: Command) -> None:
    assert told in refused(weir_command("results", *arguments))


def test_a_store_is_verified(swept: Path, weir_command: Command) -> None:
    assert "all files are as the journal says" in weir_command("results", "--verify").stderr
    victim = next((swept / "results" / "store" / "tables").glob("flows-*.parquet"))
    whole = victim.read_bytes()
    # Of the same length: only reading it all can tell.
    victim.write_bytes(whole[:100] + bytes([whole[100] ^ 255]) + whole[101:])
    told = weir_command("results", "--verify").stderr
    assert victim.name in told
    assert victim.read_bytes() == whole


def test_figures_are_drawn_from_the_store_alone(swept: Path, weir_command: Command) -> None:
    (swept / "small.toml").unlink()
    for arguments, file, magic in (
        (["--kind", "lines", "--measure", "goodput"], "lines.svg", b"<svg"),
        (["--kind", "tradeoff", "-o", "t.pdf"], "t.pdf", b"%PDF"),
        (["--kind", "cdf", "-o", "c.png"], "c.png", b"\x89PNG"),
        (["--kind", "over-time", "--only", "rate=2", "-o", "o.html"], "o.html", b"<!"),
    ):
        done = weir_command("plot", "small", *arguments)
        assert done.returncode == 0, done.stderr
        assert (swept / file).read_bytes().lstrip().startswith(magic), file


def test_all_figures_go_where_they_are_wanted(swept: Path, weir_command: Command) -> None:
    assert (
        weir_command("plot", "small", "-o", "mine").stderr.splitlines()[-1]
        == "mine/report.html: result 1, small"
    )
    assert "delay-goodput.svg" in names_in(swept / "mine" / "figures")
    (swept / "mine" / "manifest.json").unlink()
    assert "holds other things" in refused(weir_command("plot", "small", "-o", "mine"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--kind", "pie"], "no kind of figure"),
        (["--kind", "lins"], "did you mean 'lines'?"),
        (["--kind", "overtime"], "did you mean 'over-time'?"),
        (["--kind", "lines", "--x", "colour"], "no dimension 'colour'"),
        (["--kind", "lines", "--measure", "happiness"], "happiness"),
        (["--kind", "sensitivity"], "morris"),
        (["--kind", "lines", "-o", "figure.docx"], ".docx"),
        (["--measure", "goodput"], "add --kind"),
        (["-o", "all.svg"], "add --kind"),
    ],
)
@pytest.mark.usefixtures("swept")
def test_bad_figures_are_refused(arguments: list[str], told: str, weir_command: Command) -> None:
    assert told in refused(weir_command("plot", "small", *arguments))


def test_python_draws_the_same_figure(swept: Path, weir_command: Command) -> None:
    done = weir_command("plot", "small", "--kind", "lines", "-o", "l.json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    with weir.Store.open(swept / "results" / "store") as store:
        chart = weir.plot.lines(weir.Sweep(store, store.find_sweep("small")))
    written = json.loads((swept / "l.json").read_text(encoding="utf-8"))
    assert chart.altair().to_dict()["datasets"] == written["datasets"]


@pytest.mark.soak
def test_a_terminal_sees_how_far_it_is(small: Path) -> None:
    """Rate, time left and the widest interval so far, in a terminal of its own."""
    leader, follower = pty.openpty()
    command = [
        sys.executable, "-m", "weir", "sweep", str(small), "-a", AXIS, "-n", "30", "--threads", "2",
        "--set", "duration=800 s", "--set", "measure.period=400 s", "--set", "measure.series.interval=200 s",
    ]  # fmt: skip
    environment = {**os.environ, "COLUMNS": "120"}
    process = subprocess.Popen(
        command, cwd=small.parent, stdout=subprocess.DEVNULL, stderr=follower, env=environment
    )
    os.close(follower)
    with killed(process):
        text = Said(leader).rest()
        assert process.wait(timeout=HANG_S) == 0
    os.close(leader)
    for word in ("of 270 runs", "runs/s", "left", "widest interval so far", "Goodput", "2 threads"):
        assert word in text, word


def test_an_axis_may_name_a_row_of_links(weir_command: Command, tmp_path: Path) -> None:
    done = weir_command(
        "sweep", "parking-lot", "--axis", "links.hop.queue.rem.gamma=0.001, 0.01",
        "--set", 'duration="22 s"', "--set", 'measure.warm_up="2 s"',
        "--replications", "1", "--store", str(tmp_path / "store"), "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "0.01" in done.stdout


def test_a_table_names_all_paths_of_an_axis(weir_command: Command, small: Path) -> None:
    together = "links.bottleneck.rate=2, 3 Mbit/s; links.bottleneck.buffer=20, 30 packets"
    done = weir_command("sweep", small, "-a", together, "--set", "duration=6 s", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "bottleneck rate with buffer" in done.stdout.lower()
    axes = json.loads(weir_command("results", "--json").stdout)[0]["axes"]
    assert axes == ["bottleneck rate with buffer"]
