"""`weir tune` as a process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_search import SCENARIO

import weir
from conftest import Command, names_in
from waiting import HANG_S, cpu_s, until
from weir._errors import WeirError
from weir.cli._tuning import step_line
from weir.store import Store
from weir.tune._evaluator import Step
from weir.tune._tune import recorded_answer

TARGETS = ("--target", "mean delay < 30 ms", "--target", "utilisation > 93%")
VARY = ("--vary", "red.max_th=6..90", "--set", "links.bottleneck.queue.red.max_p=0.02")


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def test_an_answer_with_its_evidence(known: Path, weir_command: Command, tmp_path: Path) -> None:
    done = weir_command("tune", known, *TARGETS, *VARY, "--report")
    assert done.returncode == 0, done.stderr
    assert re.match(r"(Achieved|Your defaults already meet it): .* with 95% confidence", done.stdout)
    assert "results/1-known/report.html" in done.stderr
    made = tmp_path / "results" / "1-known"
    assert {"report.html", "answer.json", "manifest.json"} <= set(names_in(made))
    answer = json.loads((made / "answer.json").read_text(encoding="utf-8"))
    assert answer["verdict"] in done.stdout.lower()


def test_an_answer_is_a_result_like_any_other(known: Path, weir_command: Command, tmp_path: Path) -> None:
    weir_command("run", known, "--quiet")
    done = weir_command("tune", known, *TARGETS, *VARY)
    assert done.returncode == 0, done.stderr
    assert "result 2: weir report 2 writes its page" in done.stderr
    # Figures are drawn when a page is asked for.
    assert not (tmp_path / "results" / "2-known").exists()
    listed = json.loads(weir_command("results", "--json").stdout)[0]
    assert (listed["number"], listed["name"], listed["kind"]) == (2, "known", "tune")
    assert listed["command"].startswith("weir tune ")
    finished = runs_in(tmp_path)
    # The same answer from the store alone, as text, as JSON and as a page.
    assert weir_command("results", "2").stdout == done.stdout
    document = json.loads(weir_command("results", "2", "--json").stdout)
    assert document["result"] == 2
    again = json.loads(weir_command("tune", known, *TARGETS, *VARY, "--json", "--quiet").stdout)
    assert {**document, "wall_s": 0.0} == {**again, "wall_s": 0.0}
    page = weir_command("report", "2")
    assert page.stdout.strip().endswith("results/2-known/report.html")
    answer = json.loads((tmp_path / "results" / "2-known" / "answer.json").read_text(encoding="utf-8"))
    assert answer["chosen"] == document["chosen"]
    assert runs_in(tmp_path) == finished
    refused = weir_command("results", "2", "--sql", "select * from links")
    assert refused.returncode == 2
    assert "what `weir tune` found" in refused.stderr
    assert weir_command("results", "2", "--remove").returncode == 0
    assert not (tmp_path / "results" / "2-known").exists()
    assert [one["number"] for one in json.loads(weir_command("results", "--json").stdout)] == [1]
    assert "removed 0 runs" not in weir_command("results", "--prune").stdout


def runs_in(folder: Path) -> dict[int, int]:
    with Store.open(folder / "results" / "store", read_only=True) as store:
        return store.versions()


def test_an_answer_whose_runs_are_missing_is_not_made_up(tmp_path: Path) -> None:
    scenario = weir.Scenario.loads(SCENARIO, {"duration": "2 s"})
    tuned = scenario.tune(["mean delay < 500 ms"], ["red.max_th=6..90"], store=tmp_path / "one")
    assert tuned.record is not None
    with Store.open(tmp_path / "one") as store:
        found = recorded_answer(store, tuned.record)
        assert found.to_json() == tuned.to_json()
    with Store.open(tmp_path / "other", create=True) as store:
        record = store.record_sweep(tuned.record)
        with pytest.raises(WeirError, match="runs of result 1, known, are not in the store"):
            recorded_answer(store, record)


def test_json_is_what_the_text_says_and_the_same_twice(known: Path, weir_command: Command) -> None:
    arguments = ("tune", known, *TARGETS, *VARY, "--json", "--quiet")
    first, second = weir_command(*arguments), weir_command(*arguments)
    assert first.stderr == second.stderr == ""
    one, two = json.loads(first.stdout), json.loads(second.stdout)
    assert {k: v for k, v in one.items() if k != "wall_s"} == {k: v for k, v in two.items() if k != "wall_s"}
    assert one["chosen"]["state"] == "met"
    for outcome in one["chosen"]["outcomes"]:
        low, high = outcome["interval"]
        assert low <= outcome["mean"] <= high


def test_the_setting_is_a_scenario_that_runs(known: Path, weir_command: Command, tmp_path: Path) -> None:
    done = weir_command("tune", known, *TARGETS, *VARY, "--save", "tuned.toml")
    assert done.returncode == 0, done.stderr
    tuned = weir.load(tmp_path / "tuned.toml")
    assert tuned.run(replications=3).summary()["delay_mean"][0] < 30.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there is no target"),
        (("--target", "loss < 1%"), "there is nothing to vary"),
        (("--target", "los < 1%", "--vary", "red.max_p=0.1..1"), "no measure"),
        (("--target", "fct_p99 < 1 s", "--vary", "red.max_p=0.1..1"), "no flow of this scenario ends"),
        (
            ("--target", "loss < 1%", "--target", "loss > 2%", "--vary", "red.max_p=0.1..1"),
            "cannot both be met",
        ),
        (("--target", "loss < 1%", "--vary", "red.max_q=0.1..1"), "red has no parameter"),
        (("--target", "loss < 1%", "--vary", "red.max_p=1..0.1"), "the wrong way round"),
        (("--target", "loss < 1%", "--vary", "red.max_p=0.1..1", "--over", "flow=1..9"), "no condition"),
        (("--target", "loss < 1%", "--vary", "red.max_p=0.1..1", "--op-red"), "OP-RED is told"),
        (("--target", "loss < 1%", "--vary", "red.max_p=0.1..1", "--variant", "x"), "no variant"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_run(
    arguments: tuple[str, ...], said: str, known: Path, weir_command: Command, tmp_path: Path
) -> None:
    done = weir_command("tune", known, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert names_in(tmp_path) == ["known.toml"]


def test_a_region_whose_next_step_cannot_be_run(known: Path, weir_command: Command) -> None:
    """The links alone take 20 ms: a step below a round trip of 21 ms there is nothing."""
    over = ("--over", "rtt=21..80 ms", "--json", "--quiet", "--set", "duration=5 s")
    done = weir_command(
        "tune", known, "--target", "mean delay < 200 ms", "--vary", "red.max_p=0.01..0.5", *over
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["map"]
    assert len([cell for cell in cells if cell["inside"]]) == 7
    assert len([cell for cell in cells if not cell["inside"]]) == 1


def test_an_export_says_whether_the_targets_are_met(known: Path, weir_command: Command) -> None:
    missed = weir_command(
        "tune",
        known,
        "--target",
        "loss < 0.01%",
        "--vary",
        "red.max_p=0.1..0.5",
        "--export",
        "tc",
    )
    assert missed.returncode == 0, missed.stderr
    first, second, *_ = missed.stdout.splitlines()
    assert first == "#!/bin/sh"
    assert second.startswith("# TARGETS NOT MET: Not achievable")
    assert "Not achievable" in missed.stderr
    targets = ("--target", "mean delay < 18 ms", "--target", "utilisation > 93%")  # the defaults: 23 ms
    met = weir_command("tune", known, *targets, *VARY, "--export", "tc")
    assert "NOT MET" not in met.stdout
    assert re.search(r"Achieved: .* with 95% confidence", met.stderr)


def test_a_front_as_json(known: Path, weir_command: Command) -> None:
    both = ("--target", "mean delay < 20 ms", "--target", "utilisation > 93%", "--vary", "red.max_th=6..90")
    found = json.loads(weir_command("tune", known, *both, "--front", "--json", "--quiet").stdout)
    assert found["settings"]
    assert all(len(one["outcomes"]) == 2 for one in found["settings"])
    shown = json.loads(weir_command("results", "--json", "1").stdout)
    assert (shown["settings"], shown["notes"]) == (found["settings"], found["notes"])
    assert "a front has no page" in weir_command("report").stderr
    refused = weir_command("tune", known, *both, "--front", "--save", "x.toml")
    assert refused.returncode == 2
    assert "--front gives many settings" in " ".join(refused.stderr.split())


def test_ctrl_c_keeps_what_is_finished(known: Path, tmp_path: Path) -> None:
    slow = ("--set", "duration=200000 s", "--target", "mean delay < 12 ms", "--vary", "red.max_th=6..90")
    command = [sys.executable, "-m", "weir", "tune", str(known), *slow]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        until((tmp_path / "results" / "store").exists, "a store", by=process)
        begun_s = cpu_s(process.pid)
        until(lambda: cpu_s(process.pid) > begun_s + 0.5, "runs", by=process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_S)
    assert process.returncode == 130


def test_progress_names_the_parameters_and_rounds_them() -> None:
    red = "links.bottleneck.queue.red."
    step = Step("refining", 62, ((f"{red}max_th", "33 packets"), (f"{red}max_p", 0.338122)), -0.05, 0.01)
    assert step_line(step).startswith("refining, 62 runs; best max_th 33 packets, max_p 0.338: a margin of ")
