"""With `--json` an error is a document, too; people read it on stderr."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SMALL, Command, Lab
from waiting import Said, killed

LOUD = """
    from weir.aqm import Controller

    class Loud(Controller):
        def __init__(self, link):
            print("made at", link.rate)

        def update(self, seen):
            return 0.0
"""

KEYS = {"file", "line", "path", "message", "hint"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("run",),
        ("compare",),
        ("sweep", "-a", "flows.ftp.count=1, 2"),
        ("tune", "--target", "loss < 1%"),
    ],
)
def test_a_mistake_in_a_file(arguments: tuple[str, ...], weir_command: Command, tmp_path: Path) -> None:
    text = SMALL.replace("delay =", "dely =", 1)
    line = 1 + text[: text.index("dely")].count("\n")
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    verb, *rest = arguments
    done = weir_command(verb, "bad.toml", *rest, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 2
    assert document.keys() == KEYS
    assert (document["file"], document["line"]) == ("bad.toml", line)
    assert document["path"].endswith("dely")
    assert document["hint"] == "did you mean `delay`?"
    assert document["message"] in done.stderr
    assert weir_command(verb, "bad.toml", *rest).stdout == ""


@pytest.mark.parametrize("more", [(), ("--axis", "flows.ftp.rtt=60, 80 ms", "--processes", "2")])
def test_what_a_class_prints_is_not_in_the_document(
    lab: Lab, weir_process: Command, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """`print` in an AQM broke what a machine reads."""
    module = lab(LOUD)
    queue = f'buffer = "20 packets"\nqueue.python.class = "{module}:Loud"'
    text = SMALL.replace('buffer = "20 packets"', queue, 1)
    (tmp_path / "loud.toml").write_text(text, encoding="utf-8")
    # A process of its own, as those of --processes write to its stdout and stderr.
    done = weir_process("sweep" if more else "run", "loud.toml", *more, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "small"
    assert "made at 2000000" in done.stderr


def test_a_document_is_there_before_the_scenario_is_saved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    # A document that fits into a buffer.
    (tmp_path / "bad.toml").write_text(SMALL.replace("delay =", "dely =", 1), encoding="utf-8")
    command = [sys.executable, "-m", "weir", "run", "bad.toml", "--watch", "--json"]
    errors = (tmp_path / "errors").open("wb")
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=errors)
    with errors, killed(process) as watching:
        assert watching.stdout is not None
        assert "did you mean `delay`?" in Said(watching.stdout.fileno()).until("\n}\n")


def test_an_error_without_a_file(weir_command: Command) -> None:
    done = weir_command("check", "web", "--set", "links.bottleneck.rate=1, 2 Mbit/s", "--json")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert (document["file"], document["line"]) == (None, None)
    assert "several values" in document["message"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "web", "--bogus"), "--bogus"),
        (("run", "web", "-n", "many"), "'many'"),
        (("sweep", "web", "--threads", "0"), "--threads"),
        (("check",), "SCENARIO"),
        (("run", "web", "web"), "web"),
        (("results", "--remove"), "name the result to remove"),
        (("results", "--sql", "select 1", "--where", "label = 'x'"), "leave out --where"),
        (("theory", "loop", "web", "--bogus"), "--bogus"),
        (("theory", "bogus"), "bogus"),
        (("chek", "web"), "chek"),
        (("responses", "--band", "5 packets"), "LOW..HIGH"),
    ],
)
def test_a_command_line_that_cannot_be_read(
    arguments: tuple[str, ...], said: str, weir_command: Command
) -> None:
    done = weir_command(*arguments, "--json")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert document.keys() == KEYS
    assert said in document["message"]
    assert (document["file"], document["line"], document["path"]) == (None, None, None)
    assert said in done.stderr
    first = weir_command("--json", *arguments).stdout
    assert first == "" or json.loads(first).keys() == KEYS
    assert weir_command(*arguments).stdout == ""


@pytest.mark.parametrize(
    "arguments", [("run", "web", "--report", "--out", "/proc/x"), ("tune", "web", "--vary", "x=1..2")]
)
def test_what_is_refused_before_anything_runs(arguments: tuple[str, ...], weir_command: Command) -> None:
    done = weir_command(*arguments, "--json")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert document.keys() == KEYS
    assert document["message"] in done.stderr


@pytest.mark.parametrize("arguments", [("plot", "--json"), ("studio", "--bogus", "--", "--json")])
def test_who_did_not_ask_for_a_document_gets_none(arguments: tuple[str, ...], weir_command: Command) -> None:
    done = weir_command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
