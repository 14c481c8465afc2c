"""Scenarios to begin with: `weir init`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import weir
from conftest import Command
from weir.check import notes
from weir.cli._templates import templates

TEMPLATES = templates()
FACTS = {
    "access": ("delay_p99", "drop-tail", ["codel", "pie", "fq-codel"], 0.7),
    "isp": ("delay_p99", "drop-tail", ["small-buffer", "adaptive-red", "pie"], 0.5),
    "datacenter": ("delay_p99", "drop-tail", ["cubic-ecn", "dctcp"], 0.3),
    "cable": ("delay_p99", "drop-tail", ["docsis-pie", "fq-codel", "proactive"], 0.3),
    "wifi": ("delay_p99", "drop-tail", ["codel", "fq-codel"], 0.1),
    "parking-lot": ("delay_p99", "drop-tail", ["codel", "fq-codel", "rem"], 0.5),
    "l4s": ("mean_queue", "codel", ["dualpi2"], 0.9),
}
"""Measure, variant with the greatest value, others, and what part of it these have at most."""


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_in_a_template_misleads(name: str) -> None:
    scenario = weir.Scenario.loads(TEMPLATES[name])
    assert scenario.name == name
    assert len(TEMPLATES[name].splitlines()) < 60
    assert max(map(len, TEMPLATES[name].splitlines())) <= 110
    assert len(scenario.variants) >= 3
    for one in (scenario, *map(scenario.variant, scenario.variants)):
        assert [note for note in notes(one) if note.severity == "warning"] == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_variants_of_a_template_differ_as_they_should(name: str) -> None:
    measure, greatest, others, part = FACTS[name]
    found = weir.Scenario.loads(TEMPLATES[name]).compare().summary()
    values = dict(zip(found["variant"], found[measure], strict=True))
    assert set(values) >= {greatest, *others}
    assert all(0.0 < values[other] < part * values[greatest] for other in others), values
    assert all(found["utilisation"] > 0.8)


def test_the_list_has_every_template(weir_command: Command) -> None:
    done = weir_command("init")
    assert done.returncode == 0
    for name, text in TEMPLATES.items():
        assert f"  {name} " in done.stdout
        assert tomllib.loads(text)["title"] in done.stdout
    assert list(TEMPLATES) == sorted(FACTS)


def test_a_template_is_written_and_what_to_do_next_works(weir_command: Command, tmp_path: Path) -> None:
    done = weir_command("init", "access")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "access.toml").read_text(encoding="utf-8") == TEMPLATES["access"]
    assert "weir check access.toml" in done.stderr
    assert "weir compare access.toml" in done.stderr
    assert weir_command("check", "access.toml").returncode == 0


def test_results_are_named_after_the_file(weir_command: Command, tmp_path: Path) -> None:
    assert weir_command("init", "l4s", "--out", "mine.toml").returncode == 0
    assert weir.load(tmp_path / "mine.toml").name == "mine"


def test_no_file_is_replaced_unless_asked(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "isp.toml").write_text("mine", encoding="utf-8")
    done = weir_command("init", "isp")
    assert done.returncode == 2
    assert "isp.toml exists" in done.stderr
    assert "--force" in done.stderr
    assert (tmp_path / "isp.toml").read_text(encoding="utf-8") == "mine"
    assert weir_command("init", "isp", "--force").returncode == 0
    assert (tmp_path / "isp.toml").read_text(encoding="utf-8") == TEMPLATES["isp"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["acess"], "did you mean 'access'?"),
        (["zzz"], "there are: access, "),
        (["access", "--out", "nowhere/a.toml"], "cannot be written"),
        (["access", "--out", "a.txt"], "--out a.txt.toml"),
        (["--force"], "name a template"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments: list[str], told: str, weir_command: Command) -> None:
    done = weir_command("init", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
