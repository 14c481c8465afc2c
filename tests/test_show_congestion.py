"""Texts on the congestion controls: complete, true to the core, and the same everywhere."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import SMALL, Command
from weir.disciplines import Control, controls
from weir.disciplines._reference import CONTROL_FOLDER, described, read_control
from weir.report.disciplines.__main__ import control_pages
from weir.scenario._declared import choices_of

PAGES = Path(__file__).parents[1] / "docs" / "congestion"
NAMES = [one.name for one in choices_of("congestion")]
WIDEST = 78
"""Equations are not broken: with their indent they fit a terminal of 80 columns."""
OF_EVERY_FLOW = {"cwnd", "ssthresh", "flight", "srtt"}


def found(name: str) -> Control:
    (one,) = (one for one in controls() if one.name == name)
    return one


def test_every_control_has_a_text_and_a_page() -> None:
    assert described(CONTROL_FOLDER) == sorted(NAMES)
    assert set(control_pages()) == {"index.md", *(f"{name}.md" for name in NAMES)}


@pytest.mark.parametrize("name", NAMES)
def test_a_control_is_described_in_all_parts(name: str) -> None:
    parts = read_control(name)
    assert len(parts["idea"].split()) > 30
    assert parts["sources"]
    assert all(parts["equations"][index] for index in (0, -1))
    assert max(map(len, parts["equations"])) <= WIDEST
    assert all(entry["topic"] and entry["weir"] for entry in parts["deviations"])
    for variable in parts["variables"].values():
        assert variable.meaning.endswith(".") == (variable.unit is None)


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_variables_that_are_recorded_are_described(name: str) -> None:
    control = found(name)
    tcp = {f"flows.ftp.tcp.{path}": value for path, value in control.needs.items()}
    brief = {"duration": "2 s", "measure.period": "2 s", "measure.warm_up": "0 s"}
    values: dict[str, Any] = {
        **brief,
        "measure.series.flows": ["ftp.0"],
        f"flows.ftp.tcp.congestion.{name}": {},
        **tcp,
    }
    small = SMALL.partition("[variants")[0]
    series = weir.Scenario.loads(small, values).run().table("series")
    rows = series.filter(series["component"].cast(str).str.starts_with("flows."))
    recorded = set(rows["variable"].cast(str))
    assert recorded - OF_EVERY_FLOW == set(control.variables)


def test_the_committed_pages_are_what_would_be_written() -> None:
    pages = control_pages()
    assert {path.name for path in PAGES.glob("*.md")} == set(pages), "make pages"
    for name, text in pages.items():
        assert (PAGES / name).read_text(encoding="utf-8") == text, "make pages"
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            assert (PAGES / target).exists(), f"{name}: {target}"


@pytest.mark.parametrize("name", ["prague", "ledbat-plus-plus", "cubic", "bbr3"])
def test_show_prints_what_the_page_says(name: str, weir_command: Command) -> None:
    done = weir_command("show", name)
    assert done.returncode == 0, done.stderr
    control, page = found(name), control_pages()[f"{name}.md"]
    said = (control.title, *control.equations, *(parameter.name for parameter in control.parameters))
    for text in (*said, *control.variables, *(entry.topic for entry in control.deviations)):
        assert text in done.stdout
        assert text in page
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "](" not in done.stdout
    document = json.loads(weir_command("show", name, "--json").stdout)["flows.GROUP.tcp.congestion"]
    assert document["equations"] == list(control.equations)
    assert document["parameters"] == [asdict(parameter) for parameter in control.parameters]
