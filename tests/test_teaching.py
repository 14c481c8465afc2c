"""The page for teaching: exercises have the results that it prints; its script checks what is handed in."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Command

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "teaching.md").read_text(encoding="utf-8")
EXERCISES = re.findall(r"^## (\d\. .*)$", PAGE, re.MULTILINE)
LEAKY = (ROOT / "examples" / "lab" / "leaky.py").read_text(encoding="utf-8")
FAST = "20 s"
"""The time of a simulation, where only the kind of the answer counts."""

LOOP = """
from weir.aqm import Aqm

class Own(Aqm):
    def __init__(self, link):
        pass

    def on_enqueue(self, packet, queue, now):
        while True:
            pass
"""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the page says to save."""
    scenario, other = blocks(PAGE, "toml")
    (script,) = blocks(PAGE, "python")
    for name, text in (("class.toml", scenario), ("rtt.toml", other), ("check.py", script)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "submissions").mkdir()
    return tmp_path


def test_there_are_six_exercises() -> None:
    assert len(EXERCISES) == 6


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_exercise_has_the_result_that_the_page_prints(exercise: str, weir_command: Command) -> None:
    for line in re.findall(r"^\$ weir (init .*)$", PAGE, re.MULTILINE):
        assert weir_command(*line.split()).returncode == 0
    section = re.split(r"^## ", PAGE.partition(f"\n## {exercise}\n")[2], flags=re.MULTILINE)[0]
    printed = ""
    for line in re.findall(r"^\$ weir (.*)$", section, re.MULTILINE):
        done = weir_command(*shlex.split(line))
        assert done.returncode == 0, done.stderr
        printed += done.stdout
    (result,) = blocks(section, "text")
    assert set(result.splitlines()) <= set(printed.splitlines())


def checked(folder: Path, *options: str) -> dict[str, str]:
    """Verdict of the script on each file."""
    command = [sys.executable, "check.py", "submissions", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


@pytest.mark.soak
def test_the_script_tells_right_from_wrong(folder: Path) -> None:
    task = folder / "class.toml"
    task.write_text(task.read_text(encoding="utf-8").replace("60 s", FAST), encoding="utf-8")

    def toml(name: str, *lines: str) -> None:
        text = "\n".join([task.read_text(encoding="utf-8"), "[variants.mine]", *lines, ""])
        (folder / "submissions" / f"{name}.toml").write_text(text, encoding="utf-8")

    queue = "links.bottleneck.queue"
    toml("good", f'{queue}.pie = {{ target = "7 ms", ecn = true, mark_ecnth = 1.0 }}')
    toml("slow", f"{queue}.red = {{ ecn = true }}")
    toml("faster-link", 'links.bottleneck.rate = "40 Mbit/s"', f"{queue}.codel = {{ ecn = true }}")
    toml("code", f'{queue}.python = {{ class = "own:Own" }}')
    (folder / "submissions" / "nothing.toml").write_text(task.read_text(encoding="utf-8"), encoding="utf-8")
    own = folder / "submissions" / "own.py"
    own.write_text(LEAKY.replace("class Leaky", "class Own"), encoding="utf-8")
    (folder / "submissions" / "raises.py").write_text(
        LOOP.replace("while True:\n            pass", "raise RuntimeError('oh')"), encoding="utf-8"
    )
    said = checked(folder)
    assert said.pop("good.toml").startswith("achieved: delay_mean ")
    assert said.pop("slow.toml").startswith("missed: delay_mean ")
    assert said.pop("own.py").startswith("missed: delay_mean ")
    for name, reason in (
        ("faster-link.toml", "something else than the queue was changed"),
        ("code.toml", "code in Python is not allowed"),
        ("nothing.toml", "there is no variant 'mine'"),
        ("raises.py", "oh"),
    ):
        found = said.pop(name)
        assert found.startswith("refused: ")
        assert reason in found
    assert said == {}


def test_the_script_ends_an_endless_class(folder: Path) -> None:
    (folder / "submissions" / "endless.py").write_text(LOOP, encoding="utf-8")
    assert checked(folder, "3") == {"endless.py": "stopped after 3 s"}
