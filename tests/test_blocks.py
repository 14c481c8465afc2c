"""The blocks of README, tutorial and how-to guides work in an empty folder, in the order printed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import weir
from conftest import Command, command_in
from waiting import cpu_s

ROOT = Path(__file__).parents[1]
TUTORIAL = "docs/tutorial/first-hour.md"
PAGES = (
    "README.md",
    *(f"docs/how-to/{path.name}" for path in sorted((ROOT / "docs/how-to").glob("*.md"))),
)

FOREIGN = {"cd", "dask", "export", "make", "mkdir", "pip", "source", "sudo", "wireshark"}
"""Commands that a test does not run: they install, are the shell's own, need a network or a screen."""

PARSED = ("reproduce", "--dask", "weir report 1", "from-pcap FILE", "weir studio", "iperf3")
"""Commands that are read and not run. Other tests run papers, clusters, captures and the studio, and write
reports."""

SHORTER = {
    "README.md": {
        "evaluate red --quick": "evaluate red --quick --cell tcp --seeds 2 --reference drop-tail",
        'in 10" --until "goodput ±1%"': 'in 3" --until "goodput ±2%"',
        "replications=20": "replications=2",
        'load("rem-wireline")': 'load("rem-wireline", {"duration": "60 s"})',
        'duration = "60 s"': 'duration = "20 s"',
    },
    "docs/how-to/python-aqms.md": {'duration = "60 s"': 'duration = "10 s"'},
    "docs/how-to/choose.md": {"isp.toml --": 'isp.toml --set duration="15 s" --'},
    "docs/how-to/tuning.md": {"tune access.toml": 'tune access.toml --set duration="20 s"'},
    "docs/how-to/teaching.md": {
        'duration = "60 s"': 'duration = "10 s"',
        "-n 3": "-n 2",
        "-n 5": "-n 2",
        "-n 10": "-n 2",
    },
    "docs/how-to/live.md": {"+ 15": "+ 3", "30M": "5M"},
    "docs/how-to/evaluate.md": {
        "--seeds 20": "--seeds 3 --quick",
        "evaluate codel --quick": "evaluate codel --quick --cell mild --seeds 3",
    },
    TUTORIAL: {"tune access.toml": 'tune access.toml --set duration="20 s"'},
    "docs/how-to/cluster.md": {"from dask_jobqueue import SLURMCluster": "SLURMCluster = Cluster"},
}
"""Page to the parts of its commands that are replaced, so that they take less time."""


BLOCK = (
    r"^#+ (?P<heading>[^\n]*)$"
    r"|(?:`(?P<file>[\w.-]+)`:\n\n)?^(?P<indent> *)```(?P<language>\w+)\n(?P<text>.*?)^ *```$"
)


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    language: str
    text: str
    file: str
    """The file that the words above it name, or nothing."""
    heading: str


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for said, quick in SHORTER.get(page, {}).items():
        assert said in text
        text = text.replace(said, quick)
    # A whole lesson, with blocks of its own: a test of lessons reads it.
    text = re.sub(r"^````.*?^````$", "", text, flags=re.MULTILINE | re.DOTALL)
    found: list[Block] = []
    heading = ""
    for match in re.finditer(BLOCK, text, re.MULTILINE | re.DOTALL):
        heading = match["heading"] or heading
        if match["language"]:
            lines = re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
            found.append(Block(match["language"], lines, match["file"] or "", heading))
    return found


class Reader:
    """Does what a page says, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.weir: Command = command_in(folder)
        self.names: dict[str, Any] = {"Cluster": _Cluster}

    def follow(self, block: Block) -> None:
        if block.language == "toml":
            self._toml(block)
        elif block.language == "python" and block.file:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(block.text, self.names)  # noqa: S102
        elif block.language == "console":
            for line in block.text.splitlines():
                self._command(line.removeprefix("$ "), refused=block.heading == "Errors")

    def _toml(self, block: Block) -> None:
        if block.file:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
            return
        # Without a name it is a part of the scenario before.
        newest = max(self.folder.glob("*.toml"), key=lambda path: path.stat().st_mtime_ns)
        weir.Scenario.loads(newest.read_text(encoding="utf-8") + block.text)

    def _command(self, line: str, *, refused: bool) -> None:
        words = shlex.split(line, comments=True)
        words, into = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, None)
        program, *arguments = words
        if program == "weir" and any(word in line for word in PARSED):
            understood(arguments)
        elif program == "weir":
            done = self.weir(*arguments)
            assert done.returncode == (2 if refused else 0), (line, done.stderr)
            if into:
                (self.folder / into).write_text(done.stdout, encoding="utf-8")
        elif program not in FOREIGN and (program != "tshark" or shutil.which(program)):
            subprocess.run(words, cwd=self.folder, check=True, capture_output=True)


class _Cluster:
    """A stand-in for a cluster: its executor is this machine."""

    scheduler_address = "tcp://10.0.0.1:8786"

    def __init__(self, **_: object) -> None:
        """Takes what a cluster takes."""

    def adapt(self, **_: object) -> None:
        """Does nothing."""

    def get_client(self) -> _Cluster:
        return self

    def get_executor(self) -> None:
        """Returns None, which stands for threads."""


def understood(arguments: list[str]) -> None:
    """The command exists and takes these options; raises an error of typer."""
    from weir.cli._app import program

    group: Any = typer.main.get_command(program())
    name, *rest = arguments
    group.commands[name].make_context(name, rest)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr("weir.store._store.DEFAULT", Path("results/store"))
    monkeypatch.setattr("builtins.input", str)
    return Reader(tmp_path)


@pytest.mark.parametrize(
    "page", [PAGES[0], *(pytest.param(page, marks=pytest.mark.soak) for page in PAGES[1:])]
)
def test_what_a_page_says_works_in_an_empty_folder_in_its_order(page: str, reader: Reader) -> None:
    for block in blocks(page):
        reader.follow(block)


def test_the_tutorial_leads_to_a_figure_of_the_readers_own_link(reader: Reader) -> None:
    of_heading = {block.heading: number for number, block in enumerate(blocks(TUTORIAL))}
    steps = blocks(TUTORIAL)
    begun = cpu_s(os.getpid())
    for block in steps[: of_heading["A figure"] + 1]:
        reader.follow(block)
        file = reader.folder / "access.toml"
        if block.heading == "A scenario":
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace('rate = "50 Mbit/s"', 'rate = "20 Mbit/s"'), encoding="utf-8")
    # Of five minutes, the machine may take one, whatever else it does and however many cores it has.
    assert cpu_s(os.getpid()) - begun < 60
    rates = weir.Sweep.open("access").links.filter(link="line", direction="forward")["rate_bps"].unique()
    assert rates.to_list() == [20e6]
    figure = (reader.folder / "delay.svg").read_text(encoding="utf-8")
    for queue in ("DropTail", "CoDel", "PIE", "FQ-CoDel"):
        assert f">{queue}<" in figure
    assert figure.count('class="mark-area') == 4
    assert "95% confidence intervals" in figure
    for block in steps[of_heading["A figure"] + 1 :]:
        reader.follow(block)
