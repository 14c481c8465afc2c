"""A name in `weir plot`, `report` and `results` means the newest result that can answer; it is said which."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import SMALL, Command
from weir._errors import WeirError
from weir.store import Record, Store
from weir.sweep._plan import EVALUATION

TRANSFERS = 'traffic.closed-loop = { size = "10 kB", think_time = "10 ms" }'


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of one name: 1 has transfers, series and a group `web`, 2 is a sweep, 3 a run, 4 an
    evaluation."""
    place = tmp_path / "results" / "store"
    text = SMALL.partition("[variants")[0]
    bare = re.sub(r"series = .*\n", "", text)
    weir.Scenario.loads(f'{text}\n[flows.web]\nrtt = "60 ms"\n{TRANSFERS}\n').run(store=place)
    weir.Scenario.loads(bare).sweep({"flows.ftp.rtt": ["60 ms", "80 ms"]}, store=place)
    weir.Scenario.loads(bare).run(replications=2, store=place)
    with Store.open(place) as store:
        of: dict[str, Any] = {"kind": EVALUATION, "runs": [], "results_version": 6}
        store.record_sweep(Record("e" * 10, "small", "", of, "weir evaluate x"))
    return tmp_path


@pytest.mark.usefixtures("results")
def test_what_no_result_could_answer_is_said_once(weir_command: Command) -> None:
    for option, value, said in (
        ("--y-range", "5..1", "error: 5..1: the first end is not below the second\n"),
        ("--size", "8x", "error: '8x' is no size\n"),
    ):
        done = weir_command("plot", "small", "--kind", "lines", option, value)
        assert done.returncode == 2
        assert done.stderr.startswith(said)


@pytest.mark.parametrize(
    ("asked", "took", "lacks"),
    [
        ("plot small --kind slowdown", 1, "no flows come and go"),
        ("plot small --kind over-time", 1, ""),
        ("plot small --kind lines --x flows.ftp.rtt", 2, "3 small: "),
        ("plot small --kind cdf", 3, "newer, but cannot answer: 4 small: "),
        ("plot --kind slowdown", 1, "2 small: no flows"),
        ("results small", 3, "is an evaluation"),
        ("results small --table series", 1, ""),
        ("results small --table completions", 1, ""),
        ("results small --measure fct_mean", 1, ""),
        ("results small --by group", 3, ""),
        ("results small --sql select_*_from_transfers", 3, ""),
        ("results small --sql select_*_from_completions", 1, ""),
        ("report small", 3, "is an evaluation"),
    ],
)
def test_the_newest_that_can_answer(
    results: Path, weir_command: Command, asked: str, took: int, lacks: str
) -> None:
    done = weir_command(*(word.replace("_", " ") if "select" in word else word for word in asked.split()))
    assert done.returncode == 0, done.stderr
    assert f"result {took}, small" in done.stderr
    assert lacks in done.stderr
    assert results.is_dir()


def test_no_rows_of_a_condition_are_an_answer(results: Path, weir_command: Command) -> None:
    done = weir_command("results", "small", "--where", "replication > 1000", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    assert "result 3, small" in done.stderr
    assert results.is_dir()


def test_a_number_means_that_result(results: Path, weir_command: Command) -> None:
    done = weir_command("plot", "3", "--kind", "slowdown")
    assert done.returncode == 2
    assert "no flows come and go" in done.stderr
    quiet = weir_command("results", "small", "--quiet")
    assert quiet.stderr == ""
    # A name is removed without a look at what it can answer.
    assert "removed result 4, small" in weir_command("results", "small", "--remove").stdout
    assert results.is_dir()


def test_it_is_said_what_each_lacks(results: Path, weir_command: Command) -> None:
    done = weir_command("plot", "small", "--kind", "sensitivity")
    assert done.returncode == 2
    assert "no result 'small' can answer: 4 small: " in done.stderr
    assert "; 3 small: " in done.stderr
    # What is wrong with the question is said once.
    wrong = weir_command("results", "3", "--table", "nowhere")
    assert "error: there is no table 'nowhere'" in wrong.stderr
    assert results.is_dir()


def test_a_name_in_python_means_the_newest_with_tables(results: Path) -> None:
    place = results / "results" / "store"
    with weir.Sweep.open("small", place) as named, weir.Sweep.open(store=place) as newest:
        assert named.number == newest.number == 3
    with pytest.raises(WeirError, match="is an evaluation"):
        weir.Sweep.open(4, place)
