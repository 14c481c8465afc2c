"""Examples of the guides to theory and responses: all of them work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import weir
from conftest import SMALL, Command
from weir.theory import Study

DOCS = Path(__file__).parents[2] / "docs"


def blocks(guide: str, language: str) -> list[str]:
    text = (DOCS / guide).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def words(line: str) -> list[str]:
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', line)]


def commands(guide: str) -> list[str]:
    return re.findall(r"^\$ weir (.*)", "".join(blocks(guide, "console")), re.MULTILINE)


@pytest.mark.parametrize("line", commands("explanation/theory.md"))
def test_the_commands_of_the_theory_run(line: str, weir_command: Command) -> None:
    done = weir_command(*words(line))
    assert done.returncode == 0, done.stderr


def test_the_scenario_and_the_python_of_the_theory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (scenario,) = blocks("explanation/theory.md", "toml")
    Path("two-links.toml").write_text(scenario, encoding="utf-8")
    (python,) = blocks("explanation/theory.md", "python")
    space: dict[str, object] = {}
    exec(python, space)  # noqa: S102
    study = space["study"]
    assert isinstance(study, Study)
    assert study.trajectory.converged


@pytest.mark.soak
def test_the_guide_to_predictions_works(weir_command: Command, tmp_path: Path) -> None:
    # In order: later ones name the results of earlier ones by their numbers.
    for line in commands("how-to/theory.md"):
        quick = line.replace("-o map.svg", "--size 4 -o map.svg")
        done = weir_command(*words(quick))
        assert done.returncode == 0, (line, done.stderr)
    assert {path.name for path in tmp_path.iterdir()} >= {
        "nyquist.svg", "fluid.svg", "fluid.parquet", "map.svg", "rates.svg",
    }  # fmt: skip


def test_the_python_of_predictions_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (python,) = blocks("how-to/theory.md", "python")
    space: dict[str, object] = {}
    exec(python, space)  # noqa: S102
    assert space["loop"]


def test_the_command_of_the_bifurcation_runs(weir_command: Command) -> None:
    (line,) = commands("explanation/bifurcation.md")
    done = weir_command(*words(line.replace("--packets 9", "--packets 1 --levels 20")))
    assert done.returncode == 0, done.stderr
    # What the page says of the map.
    assert "fixed point 345.1 packets" in done.stdout
    assert "Lyapunov exponent at 0.3: 0.619" in done.stdout


def test_the_commands_of_responses_run(weir_command: Command, tmp_path: Path) -> None:
    text = SMALL.replace('name = "small"', 'name = "mine"')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    for line in commands("how-to/responses.md"):
        quick = words(line.replace("150 s", "3 s").replace("--replications 20", "--replications 2"))
        done = weir_command(*quick)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "times.csv").exists()


def test_the_python_of_responses_runs(compared: weir.Sweep) -> None:
    (python,) = blocks("how-to/responses.md", "python")
    exec(python, {"result": compared})  # noqa: S102
