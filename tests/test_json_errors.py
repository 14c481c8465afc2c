"""With `--json` an error is a document, too; people read it on stderr."""

import json
from pathlib import Path

import pytest

from conftest import SMALL, Command

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


def test_an_error_without_a_file(weir_command: Command) -> None:
    done = weir_command("check", "web", "--set", "links.bottleneck.rate=1, 2 Mbit/s", "--json")
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert (document["file"], document["line"]) == (None, None)
    assert "several values" in document["message"]
