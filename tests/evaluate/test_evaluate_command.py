"""`weir evaluate` from the command line: files, exit codes, runs that are not done twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import Command
from weir.store import Store

LEAKY = """
from weir.aqm import Controller, Link, Seen


class Leaky(Controller):
    period = 0.05

    def update(self, seen: Seen) -> float:
        return min(1.0, 1e-3 * seen.packets)
"""

MINE = """
schema = 1
name = "mine"
duration = "5 s"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "1 ms"
buffer = "1 BDP"
queue.codel = { target = "8 ms" }

[flows.ftp]
rtt = "50 ms"
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdicts(place: str) -> dict[str, Any]:
    return json.loads((Path("results") / place / "verdicts.json").read_text(encoding="utf-8"))


def test_the_scorecard_its_files_and_a_second_time(weir_command: Command) -> None:
    arguments = ("evaluate", "codel", "--quick", "--cell", "medium", "--cell", "burst-size", "--seeds", "3")
    first = weir_command(*arguments, "--reference", "drop-tail")
    assert first.returncode == 0, first.stderr
    folder = Path("results/evaluate-codel")
    page = (folder / "scorecard.html").read_text(encoding="utf-8")
    for said in ("The gate holds", "Never worse than DropTail", "without framed video"[8:], "CoDel's"[:5]):
        assert said.lower() in page.lower()
    found = verdicts("evaluate-codel")
    (codel,) = found["disciplines"]
    assert (codel["gate"], found["exit_code"], len(codel["criteria"])) == ("holds", 0, 16)
    by_name = {one["name"]: one for one in codel["criteria"]}
    assert by_name["short-queue"]["cell"] == "medium"
    assert by_name["short-queue"]["section"] == "8.2.3"
    low, high = by_name["goodput"]["interval"]
    assert low <= by_name["goodput"]["value"] <= high
    cells = pl.read_parquet(folder / "cells.parquet")
    assert cells.columns == ["suite", "cell", "level", "discipline", "seed", "measure", "value"]
    assert set(cells["discipline"]) == {"codel", "drop-tail"}
    assert (folder / "resolved/codel/medium.toml").exists()
    with Store.open("results/store", read_only=True) as store:
        before = store.cost().runs
    again = weir_command(*arguments, "--reference", "drop-tail", "--json")
    with Store.open("results/store", read_only=True) as store:
        assert store.cost().runs == before
    assert json.loads(again.stdout)["disciplines"] == found["disciplines"]
    listed = weir_command("results").stdout
    assert "evaluate-codel" in listed
    assert weir_command("results", "--prune").stdout.startswith("removed 0 runs")


def test_an_aqm_in_python_and_the_queue_of_a_scenario(
    weir_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("leaky.py").write_text(LEAKY, encoding="utf-8")
    Path("mine.toml").write_text(MINE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    monkeypatch.setattr(sys, "path", [str(Path.cwd()), *sys.path])
    done = weir_command(
        "evaluate", "leaky:Leaky", "mine.toml", "--quick", "--cell", "udp-flood", "--seeds", "2",
        "--reference", "drop-tail", "--threads", "1",
    )  # fmt: skip
    assert done.returncode in {0, 1, 3}, done.stderr
    found = {one["name"]: one for one in verdicts("evaluate-leaky-mine")["disciplines"]}
    assert found["mine"]["parameters"]["target"] == "8 ms"
    assert found["leaky"]["discipline"] == "python"
    assert Path("results/evaluate-leaky-mine/comparison.html").exists()
    scorecard = Path("results/evaluate-leaky-mine/leaky/scorecard.html").read_text(encoding="utf-8")
    assert "leaky:Leaky: its file in Python" in scorecard
    assert "class Leaky(" in scorecard


def test_a_gate_that_nothing_decides_is_exit_code_3(weir_command: Command) -> None:
    done = weir_command(
        "evaluate", "codel", "--cell", "rrul", "--quick", "--seeds", "2", "--reference", "drop-tail"
    )
    assert done.returncode == 3, done.stdout
    assert "The gate is not available" in done.stdout


def test_a_worse_queue_is_exit_code_1(weir_command: Command) -> None:
    """RED whose thresholds starve a single flow, where a delay would have to fall to a hundredth to count."""
    Path("bounds.toml").write_text(
        "[thresholds]\nsafe-tail = { pass = 0.01, fail = 0.01 }\n", encoding="utf-8"
    )
    done = weir_command(
        "evaluate", "red", "--set", "red.min_th=1 packets", "--set", "red.max_th=3 packets", "--set",
        "red.max_p=1", "--cell", "tcp", "--quick", "--seeds", "3", "--reference", "drop-tail",
        "--thresholds", "bounds.toml",
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert "The gate does not hold" in done.stdout


def test_a_cell_runs_alone(weir_command: Command) -> None:
    done = weir_command("run", "evaluation/rfc7928/mild", "--set", "duration=25 s", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scenario"] == "mild"
