"""Which queue discipline meets the targets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import weir
from conftest import Command
from weir import _core
from weir.scenario._declared import disciplines, tunable
from weir.store import Store
from weir.tune._space import Space
from weir.tune._varied import varied

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
    assert re.search(
        r"(every target is met|No discipline is shown to meet every target, of all settings searched)\.</p>",
        first,
    )
    assert re.findall(r'<th scope="row">(.*?)</th>', page) == [one["discipline"] for one in found]
    assert 'id="panel-disciplines"' in page
    assert "looked at after 7, 10, 14, 20 and 28 replications" in page
    assert page.count("<pre>weir run") == sum(bool(one["chosen"]["setting"]) for one in found)
    assert re.search(r"drop-tail: .*its defaults.* nothing is varied", " ".join(text.split()))
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
        (
            ("--disciplines", "codel", "--target", "p99 delay at bottleneck.reverse < 9 ms"),
            "--set measure.bottleneck=bottleneck.reverse tries them there",
        ),
    ],
)
def test_what_cannot_be_chosen_is_said_before_any_run(
    arguments: tuple[str, ...], said: str, which: Path, weir_command: Command, tmp_path: Path
) -> None:
    done = weir_command("tune", which, *TARGETS, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["which.toml"]


TUNED = [one.name for one in disciplines() if tunable(one.name)]


def test_what_declares_nothing_to_tune_is_known() -> None:
    """A queue without parameters, one whose parameters depend on its parts, and those that hold an AQM."""
    assert {one.name for one in disciplines()} - set(TUNED) == {"drop-tail", "modular", "fq", "ack-filter"}
    assert list(tunable("fq-codel")) == ["target", "interval"]


@pytest.mark.parametrize("name", TUNED)
def test_what_is_varied_can_be_run_and_holds_the_default(name: str) -> None:
    (variant,) = weir.Scenario.loads(SCENARIO).chosen(None, [name])
    scenario = weir.Scenario(variant.scenario)
    space = Space.of(scenario, varied(name, (), _port(scenario)))
    # HRED's is half of the buffer, which the port computes.
    assert space.defaults is not None or name == "hred"
    assert all(one.source for one in tunable(name).values())


def test_own_ranges_replace_those_of_the_discipline() -> None:
    port = _port(weir.Scenario.loads(SCENARIO))
    named = ["codel.target=1..9 ms", "flows.ftp.count=1..9"]
    assert varied("codel", named, port) == named
    declared = ["fq-codel.target=0.5..100 ms", "fq-codel.interval=10..1000 ms"]
    assert varied("fq-codel", named, port) == [*declared, "flows.ftp.count=1..9"]
    assert varied("drop-tail", [], port) == []


@pytest.mark.parametrize(
    ("buffer", "found"),
    [("120 packets", "1..120 packets"), ("60 kB", "1..40 packets"), ("1 packet", None)],
)
def test_levels_of_a_queue_are_searched_up_to_the_buffer(buffer: str, found: str | None) -> None:
    port = _port(weir.Scenario.loads(SCENARIO, {"links.bottleneck.buffer": buffer}))
    assert varied("step", [], port) == ([] if found is None else [f"step.threshold={found}"])


def test_what_was_searched_is_said(which: Path, weir_command: Command, tmp_path: Path) -> None:
    """FQ-CoDel meets these targets with a longer interval alone: its target is not all that is searched."""
    targets = ("--target", "mean delay < 12 ms", "--target", "utilisation > 50%")
    arguments = ("tune", which, *targets, "--disciplines", "fq-codel,drop-tail,red", "-q")
    (best, *others) = json.loads(weir_command(*arguments, "--json").stdout)["disciplines"]
    assert best["discipline"] == "fq-codel"
    path = "links.bottleneck.queue.fq-codel"
    assert best["searched"] == [
        {"path": f"{path}.target", "from": "0.5 ms", "to": "100 ms", "scale": "log"},
        {"path": f"{path}.interval", "from": "10 ms", "to": "1000 ms", "scale": "log"},
    ]
    assert {one["discipline"]: one["searched"] for one in others}["drop-tail"] == []
    shown = " ".join(weir_command(*arguments).stdout.split())
    page = (tmp_path / weir_command("report", "1", "-q").stdout.strip()).read_text(encoding="utf-8")
    for said in (
        "target from 0.5 to 100 ms, interval from 10 to 1,000 ms",
        "max_th from 6 to 120 packets, max_p from 0.01 to 0.5",
        "it declares no tunable parameter",
    ):
        assert said in shown
        assert said in page


def _port(scenario: weir.Scenario) -> _core.Port:
    return scenario.network.port(scenario.network.bottleneck.name)


def test_from_python(tmp_path: Path) -> None:
    scenario = weir.Scenario.loads(SCENARIO)
    found = scenario.choose(["mean delay < 5 s"], ["drop-tail", "codel"], store=tmp_path / "store")
    assert set(found.tuned) == {"drop-tail", "codel"}
    assert {one.answer.verdict for one in found.tuned.values()} == {"defaults already meet it"}
