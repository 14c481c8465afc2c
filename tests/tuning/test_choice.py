"""Which queue discipline meets the targets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import weir
from conftest import Command
from weir.scenario._declared import disciplines
from weir.store import Store
from weir.tune._space import Space
from weir.tune._varied import VARIED, varied

SCENARIO = """
schema = 1
name = "which"
duration = "4 s"
measure.warm_up = "1 s"
[links.bottleneck]
rate = "5 Mbit/s"
delay = "10 ms"
buffer = "120 packets"
[flows.ftp]
count = 6
rtt = "60 ms"
start_jitter = "500 ms"
"""

NAMES = ("drop-tail", "codel", "step")
TARGETS = ("--target", "mean delay < 60 ms", "--target", "goodput > 60%")


@pytest.fixture
def which(tmp_path: Path) -> Path:
    path = tmp_path / "which.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def test_each_is_tuned_and_the_best_is_first(which: Path, weir_command: Command, tmp_path: Path) -> None:
    arguments = ("tune", which, *TARGETS, "--disciplines", ",".join(NAMES), "-q")
    first = weir_command(*arguments, "--json")
    assert first.returncode == 0, first.stderr
    document = json.loads(first.stdout)
    found = document["disciplines"]
    assert {one["discipline"] for one in found} == set(NAMES)
    shortfalls = [one["worst"]["shortfall"] for one in found]
    assert shortfalls == sorted(shortfalls)
    for one in found:
        assert {outcome["state"] for outcome in one["chosen"]["outcomes"]} <= {"met", "missed", "open"}
        assert set(one["chosen"]["beside"]) == {"delay_p99", "utilisation"}
    assert next(one for one in found if one["discipline"] == "drop-tail")["chosen"]["setting"] == {}

    with Store.open(tmp_path / "results" / "store", read_only=True) as store:
        runs = store.versions()
    text = weir_command(*arguments).stdout
    shown = weir_command("results", "1").stdout
    assert text == shown
    with Store.open(tmp_path / "results" / "store", read_only=True) as store:
        assert store.versions() == runs, "nothing is run twice"
    rows = [line for line in text.splitlines() if line.startswith(NAMES) and ":" not in line]
    assert [row.split()[0] for row in rows] == [one["discipline"] for one in found]
    assert all("±" in row for row in rows)
    again = json.loads(weir_command(*arguments, "--json").stdout)
    assert again["disciplines"] == found
    page = (tmp_path / weir_command("report", "1", "-q").stdout.strip()).read_text(encoding="utf-8")
    first = page.partition('<p class="said')[2]
    assert re.search(r"(every target is met|No discipline is shown to meet every target)\.</p>", first)
    assert re.findall(r'<th scope="row">(.*?)</th>', page) == [one["discipline"] for one in found]
    assert 'id="panel-disciplines"' in page
    assert "looked at after 7, 10, 14, 20 and 28 replications" in page
    assert page.count("<pre>weir run") == sum(bool(one["chosen"]["setting"]) for one in found)
    assert re.search(r"drop-tail: .*its defaults.*, nothing is varied", text)
    assert "not achievable" not in text


def test_what_a_delay_costs_the_link_is_shown(which: Path, weir_command: Command) -> None:
    """A queue that leaves the link idle meets any target of the delay alone."""
    one = ("tune", which, "--target", "mean delay < 60 ms", "-q")
    assert "Utilisation (%)" in weir_command(*one, "--disciplines", "codel,step").stdout
    setting = ("--vary", "codel.target=1..20", "--set", "links.bottleneck.queue.codel={}")
    assert ", utilisation " in weir_command(*one, *setting).stdout
    over = weir_command(*one, *setting, "--over", "flows=4..8").stdout
    assert "  beside, each in its worst condition: p99 delay " in over


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--disciplines", "codle"), "there is no queue discipline 'codle'"),
        (("--disciplines", "codel", "--vary", "red.max_p=0.1..1"), "is about none of codel"),
        (("--disciplines", "codel", "--front"), "--disciplines gives several settings"),
    ],
)
def test_what_cannot_be_chosen_is_said_before_any_run(
    arguments: tuple[str, ...], said: str, which: Path, weir_command: Command, tmp_path: Path
) -> None:
    done = weir_command("tune", which, *TARGETS, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["which.toml"]


@pytest.mark.parametrize("name", VARIED)
def test_what_is_varied_can_be_run_and_holds_the_default(name: str) -> None:
    assert name in {one.name for one in disciplines()}
    (variant,) = weir.Scenario.loads(SCENARIO).chosen(None, [name])
    space = Space.of(weir.Scenario(variant.scenario), varied(name, ()))
    assert space.defaults is not None


def test_own_ranges_replace_those_of_the_discipline() -> None:
    named = ["codel.target=1..9 ms", "flows.ftp.count=1..9"]
    assert varied("codel", named) == named
    assert varied("fq-codel", named) == ["fq-codel.target=1..50 ms", "flows.ftp.count=1..9"]
    assert varied("drop-tail", []) == []


def test_from_python(tmp_path: Path) -> None:
    scenario = weir.Scenario.loads(SCENARIO)
    found = scenario.choose(["mean delay < 5 s"], ["drop-tail", "codel"], store=tmp_path / "store")
    assert set(found.tuned) == {"drop-tail", "codel"}
    assert {one.answer.verdict for one in found.tuned.values()} == {"defaults already meet it"}
