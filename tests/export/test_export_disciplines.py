"""Every discipline has a script, or names one that has and says how far it is from it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import Lab
from exports import LINK, commands, exported, options, scenario
from weir import _core
from weir.disciplines import find
from weir.export import FORMS, ExportError, export

NAMES = _core.disciplines()

NO_KERNEL = {name for name in NAMES if find(name).tc.none is not None}
"""As the pages of the disciplines have it."""


@pytest.mark.parametrize("name", NAMES)
def test_every_discipline_has_a_script_or_names_one_that_has(name: str) -> None:
    found = exported({name: {}})
    assert (found.closest is not None) is (name in NO_KERNEL)
    text = " ".join(line.removeprefix("#").strip() for line in found.text.splitlines())
    assert found.text.startswith("#!/bin/sh\n")
    assert subprocess.run(["sh", "-n"], input=found.text, text=True, check=False).returncode == 0
    # How to take it back, what it needs, and that an error ends it.
    assert "Undo: tc qdisc del dev eth0 root" in " ".join(text.split())
    assert f"Linux {found.kernel}" in text
    assert "set -eu" in found.text
    for warning in found.warnings:
        assert warning in " ".join(text.split())
    if found.closest is not None:
        assert f"No kernel has {name}." in text
        assert found.closest.reason in " ".join(text.split())
        assert exported({found.closest.discipline: dict(found.closest.parameters)}).closest is None
    # The same text each time, and every command may be run again.
    assert exported({name: {}}).text == found.text
    assert all(words[:3] == ["tc", "qdisc", "replace"] for words in commands(found.text))


@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_KERNEL))
def test_the_kernel_is_not_older_than_the_discipline(name: str) -> None:
    kernel = find(name).tc
    found = exported({name: {}})
    assert options(found.text)["kind"] == kernel.name
    assert kernel.since is not None
    assert found.kernel is not None
    assert version(found.kernel) >= version(kernel.since)


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@pytest.mark.parametrize(
    ("aqm", "kind"),
    [
        ({"fq": {"aqm": {"codel": {}}}}, "fq_codel"),
        ({"fq": {"aqm": {"pie": {}}}}, "fq_pie"),
        ({"fq": {"aqm": {"cobalt": {}}}}, "fq_codel"),
        ({"fq": {"aqm": {"rem": {}}}}, "fq_pie"),
        ({"fq": {"aqm": {"pi2": {}}}}, "fq_pie"),
        ({"fq": {"aqm": {"red": {}}}}, "fq_codel"),
        ({"rem": {"price": "average"}}, "red"),
        ({"step": {"ecn": False}}, "red"),
        ({"modular": {"measure": "pi"}}, "pie"),
        ({"modular": {"measure": "queue"}}, "red"),
        ({"modular": {"measure": "delay", "low": 0.01, "high": 0.03}}, "pie"),
        ({"modular": {"measure": "loss", "low": 0.0, "high": 0.5}}, "sfb"),
    ],
)
def test_disciplines_with_others_inside(aqm: dict[str, Any], kind: str) -> None:
    assert options(exported(aqm).text)["kind"] == kind


def test_a_target_queue_becomes_the_delay_that_it_takes() -> None:
    # 25 packets of 1000 B at 10 Mbit/s.
    for aqm in (
        {"rem": {"target": "25 packets"}},
        {"pi": {"q_ref": "25 packets"}},
        {"pi": {"q_ref": "25 kB"}},
    ):
        assert options(exported(aqm).text)["target"] == "20ms"
    assert options(exported({"step": {"threshold": "25 packets"}}).text)["ce_threshold"] == "20ms"


def test_op_red_becomes_a_band_around_the_queue_of_its_target_delay() -> None:
    told = options(exported({"op-red": {"target_delay": "20 ms"}}).text)
    assert "adaptive" in told
    assert (int(told["min"]) + int(told["max"])) / 2 == 25_000


def test_the_difference_is_that_of_runs_in_pairs() -> None:
    base = scenario({"rem": {"target": "25 packets"}})
    found = export(base, replications=3)
    assert found.closest is not None
    assert found.measured is not None
    other = scenario({found.closest.discipline: dict(found.closest.parameters)})
    pairs = [
        [one.run(seed=3 + seed).summary()["mean_queue"][0] for seed in range(3)] for one in (base, other)
    ]
    mean = sum(b - a for a, b in zip(*pairs, strict=True)) / 3
    row = next(r for r in found.measured.differences.iter_rows(named=True) if r["measure"] == "mean_queue")
    assert row["difference"] == pytest.approx(mean)
    assert row["n"] == 3
    line = next(line for line in found.text.splitlines() if "Mean queue" in line)
    (said,) = re.findall(r"(-?[\d.]+)±[\d.<]+$", line)
    assert float(said) == pytest.approx(mean, abs=0.051)
    assert "3 replications with common seeds" in found.text


def test_what_is_red_by_another_name_does_not_differ_from_it() -> None:
    found = export(scenario({"modular": {"measure": "average", "low": 10.0, "high": 40.0}}), replications=2)
    assert found.measured is not None
    assert set(found.measured.differences["difference"].fill_nan(0.0)) == {0.0}


def test_without_runs_it_says_that_nothing_was_measured() -> None:
    assert "has not been measured" in exported({"rem": {}}).text
    assert exported({"rem": {}}).measured is None


def test_an_aqm_in_python_has_nothing_that_comes_closest(lab: Lab) -> None:
    module = lab(
        """
        from weir.aqm import Controller

        class Still(Controller):
            def update(self, seen):
                return 0.0
        """
    )
    own = {"python": {"class": f"{module}:Still"}}
    for aqm in (own, {"fq": {"aqm": own}}):
        with pytest.raises(ExportError) as caught:
            exported(aqm)
        assert caught.value.hint is not None
    assert weir.Scenario.loads(exported(own, "scenario").text).name == "exported"


@pytest.mark.parametrize(
    ("aqm", "word"),
    [
        ({"red": {"gentle": True}}, "gentle = true"),
        ({"red": {"spacing": "wait"}}, "3 times as often"),
        ({"red": {"mark_p": 0.1, "ecn": True}}, "mark_p = 0.1"),
        ({"choke": {"draws": 2}}, "draws = 2"),
        ({"pie": {"derandomise": False}}, "derandomise = false"),
        ({"pie": {"max_burst": "0 s"}}, "max_burst"),
        ({"sfb": {"levels": 4}}, "levels = 4"),
        ({"cobalt": {"target": "20 ms"}}, "target: 20000 us becomes 5000 us"),
        ({"cake": {"increment": 0.01}}, "increment = 0.01"),
        ({"cake": {"decrement": 0.01}}, "decrement = 0.01"),
        ({"cake": {"bandwidth": "20 Mbit/s"}}, "above the link's 10 Mbit/s"),
        ({"fq-codel": {"flow_hashing": "modulo"}}, "flow_hashing = modulo"),
        ({"adaptive-red": {"top": 0.3}}, "top = 0.3"),
        ({"adaptive-red": {}}, "never moves max_p from 0.1"),
        ({"op-red": {}}, "never moves max_p"),
    ],
)
def test_what_a_kernel_does_otherwise_is_warned_of(aqm: dict[str, Any], word: str) -> None:
    assert any(word in warning for warning in exported(aqm).warnings)


def test_a_plain_setting_has_no_warnings() -> None:
    for name in ("drop-tail", "red", "codel", "pie", "fq-codel", "choke", "cake"):
        assert exported({name: {}}).warnings == ()


def test_a_title_of_several_lines_stays_a_comment() -> None:
    named = weir.Scenario.loads(LINK.replace('"Four users on 10 Mbit/s"', '"a\\nrm -rf nothing\\n"'))
    text = export(named, command="weir export 'a\nrm -rf b'").text
    assert not [line for line in text.splitlines() if line.startswith("rm")]


def test_the_guide_names_every_discipline_that_no_kernel_has() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "how-to" / "export.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| `(\w+)[^|]* \|", guide, re.MULTILINE)
    told = {name: kind for names, kind in rows for name in re.findall(r"`([\w-]+)`", names)}
    no_kernel = {name: kind for name, kind in told.items() if name not in FORMS}
    assert set(no_kernel) == NO_KERNEL | {"fq"}
    for name, kind in no_kernel.items():
        assert options(exported({name: {}}).text)["kind"] == kind


def test_the_python_in_the_guide_runs() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "how-to" / "export.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102
    assert names["found"].kernel == "3.3"
    assert '# the first Linux that can do it: "3.3"' in block


@pytest.mark.parametrize("name", sorted(NO_KERNEL))
def test_the_page_of_a_discipline_names_what_is_exported(name: str) -> None:
    said = find(name).tc.none
    assert said is not None
    found = options(exported({name: {}}).text)
    kind = f"{found['kind']} … adaptive" if "adaptive" in found else found["kind"]
    assert f"`{kind}`" in said
