"""Messages to people, whatever they gave: a line of it at most, and nothing that steers a terminal."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from conftest import SMALL, Command

WORD = "x" * 5000
WORDS = "abc def " * 2000
LINES = "a line\n" * 1000
BELL = "a\x07\x1b[2J\x85\u202eb\u2066"


def asked(value: str) -> list[tuple[str, ...]]:
    """Commands that quote what they were given."""
    return [
        ("check", "small.toml", "--set", f"links.bottleneck.rate={value}"),
        ("check", "small.toml", "--set", f"{value}=1"),
        ("check", "small.toml", "--set", value),
        ("check", "small.toml", "--set", f"links.{value}.rate=1"),
        ("sweep", "small.toml", "--axis", value),
        ("sweep", "small.toml", "--axis", f"links.bottleneck.rate={value}"),
        ("sweep", "small.toml", "--axis", "seed=1,2", "--name", value),
        ("compare", "small.toml", "--disciplines", value),
        ("compare", "small.toml", "--variants", value),
        ("run", "small.toml", "--measure", value),
        ("run", "small.toml", "--seed", value),
        ("run", "small.toml", "--capture", value),
        ("run", "small.toml", f"--{value}"),
        ("run", value),
        ("export", "small.toml", "--device", value),
        ("export", "small.toml", "--link", value),
        ("export", "small.toml", "--as", value),
        ("export", "small.toml", "--out", f"{value}/x"),
        ("tune", "small.toml", "--target", value),
        ("show", value),
        ("list", value),
        ("results", value),
        ("results", "--sql", value),
        ("theory", "point", value),
        (value,),
        (f"--{value}",),
    ]


@pytest.mark.parametrize(
    "given", [WORD, WORDS, LINES, BELL, "caf\udce9"], ids=["word", "words", "lines", "bell", "bytes"]
)
def test_messages_quote_a_line_of_what_they_were_given(
    weir_command: Command, tmp_path: Path, given: str
) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    for arguments in asked(given):
        done = weir_command(*arguments)
        assert done.returncode == 2, (arguments[:-1], done.stderr[:300])
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") < 12, done.stderr
        assert max(map(len, done.stderr.splitlines())) < 1600, (arguments[:-1], done.stderr[:2000])
        assert done.stderr.replace("\n", "").isprintable(), done.stderr


def test_messages_quote_a_line_of_a_file(weir_command: Command, tmp_path: Path) -> None:
    for value in (WORD, WORDS, LINES, "`" * 3000):
        for text in (
            SMALL.replace('"2 Mbit/s"', f'"""{value}"""'),
            SMALL.replace("[links.bottleneck]", f"[links.{json.dumps(value)}]"),
            SMALL.replace("count = 2", f"{json.dumps(value)} = 2"),
        ):
            (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
            done = weir_command("check", "odd.toml")
            assert done.returncode == 2
            assert max(map(len, done.stderr.splitlines())) < 1000, done.stderr[:1500]


def test_short_messages_are_left_as_they_are(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    place = "a long place/" * 5
    done = weir_command("results", "--store", place)
    assert place.rstrip("/") in done.stderr


def test_texts_of_others_never_steer_a_terminal(weir_command: Command, tmp_path: Path) -> None:
    odd = json.dumps(BELL)
    text = SMALL.replace('"Two to six users on 2 Mbit/s"', odd)
    (tmp_path / "small.toml").write_text(
        f"{text}\n[variants.a]\nlabel = {odd}\n[variants.b]\n", encoding="utf-8"
    )
    for arguments in (
        ("compare", "small.toml"),
        ("compare", "small.toml", "--json"),
        ("results", "1"),
        ("results", "1", "--json"),
        ("results", "--sql", "select label from observations"),
        ("results", "--sql", "select label from observations", "--json"),
        ("check", "small.toml"),
        ("check", "small.toml", "--json"),
        ("export", "small.toml", "--variant", "a"),
        ("export", "small.toml", "--variant", "a", "--as", "scenario"),
    ):
        done = weir_command(*arguments)
        assert done.returncode in {0, 1}, done.stderr
        shown = (done.stdout + done.stderr).replace("\n", "").replace("\t", "")
        assert shown.isprintable(), [letter for letter in shown if not letter.isprintable()]
    document = json.loads(weir_command("results", "1", "--json").stdout)
    assert document["title"] == BELL


def test_a_scenario_with_odd_texts_is_exported_as_one(weir_command: Command, tmp_path: Path) -> None:
    odd = json.dumps("a\nb\r\x00\x07\x7f\x85\u2028\u202ec")
    (tmp_path / "small.toml").write_text(
        SMALL.replace('"Two to six users on 2 Mbit/s"', odd), encoding="utf-8"
    )
    assert weir_command("export", "small.toml", "--as", "scenario", "--out", "new.toml").returncode == 0
    done = weir_command("check", "new.toml")
    assert done.returncode == 0, done.stderr


STEERING = [
    "a\x1b]0;x\x07\u202e\x9b31m",
    "\u202e'",
    '\x9b"\\',
    "a\n\x9b\u202e",
    '\'\n"""\u202e',
    "'''\x85\n\\",
]


@pytest.mark.parametrize("title", STEERING)
def test_an_exported_scenario_says_the_same_with_nothing_that_steers(
    title: str, weir_command: Command, tmp_path: Path
) -> None:
    text = SMALL.replace('"Two to six users on 2 Mbit/s"', json.dumps(title))
    (tmp_path / "small.toml").write_text(text, encoding="utf-8")
    options = ("export", "small.toml", "--as", "scenario")
    printed = weir_command(*options).stdout
    assert weir_command(*options, "--out", "new.toml").returncode == 0
    for found in (printed, (tmp_path / "new.toml").read_text(encoding="utf-8")):
        assert found.replace("\n", "").isprintable()
        assert tomllib.loads(found)["title"] == title


def test_a_label_that_no_image_can_have_is_drawn(weir_command: Command, tmp_path: Path) -> None:
    text = SMALL.replace('"RED"', json.dumps("a\x01\x0b\x1bb"))
    assert text != SMALL
    (tmp_path / "small.toml").write_text(text, encoding="utf-8")
    assert weir_command("compare", "small.toml").returncode == 0
    done = weir_command("plot", "--kind", "cdf", "-o", "cdf.svg")
    assert done.returncode == 0, done.stderr
    assert r"a\x01\x0b\x1bb" in (tmp_path / "cdf.svg").read_text(encoding="utf-8")
