"""Texts on the disciplines: complete, true to the core, and the same everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import SMALL, Command
from weir import _core
from weir.disciplines import Discipline, Parameter, find, registered
from weir.disciplines._catalogue import CATALOGUE
from weir.disciplines._reference import DEVIATION_COLUMNS, DISCIPLINE_FOLDER, described, read
from weir.disciplines._text import text_of_choice, text_of_entry
from weir.report.disciplines.__main__ import SCENARIO
from weir.report.disciplines.__main__ import pages as written
from weir.report.disciplines._figure import figures, loads, shown
from weir.scenario._declared import CHOICE_KINDS, chosen_as
from weir.scenario._toml import to_toml

PAGES = Path(__file__).parents[1] / "docs" / "disciplines"
NAMES = _core.disciplines()
WIDEST = 78
"""Equations are not broken: with their indent they fit a terminal of 80 columns."""


@pytest.fixture(scope="session")
def disciplines() -> dict[str, Discipline]:
    """All disciplines of the core, by name."""
    return {discipline.name: discipline for discipline in registered()}


@cache
def pages() -> dict[str, str]:
    """The pages that `make pages` would write."""
    return written()


@pytest.mark.parametrize("name", NAMES)
def test_every_discipline_is_described_in_all_parts(name: str) -> None:
    assert name in described(), f"{name} has no file in {DISCIPLINE_FOLDER}"
    discipline = find(name)
    assert len(discipline.idea.split()) > 30
    assert discipline.summary
    assert discipline.sources
    assert all(discipline.equations[index] for index in (0, -1))
    assert discipline.deviations
    assert "weir" in discipline.columns
    for parameter in discipline.parameters:
        assert parameter.summary
        assert parameter.default or parameter.computed


@pytest.mark.parametrize("name", described())
def test_every_file_can_be_used(name: str) -> None:
    parts = read(name)
    assert set(parts["figure"]) <= set(parts["variables"])
    assert max(map(len, parts["equations"])) <= WIDEST
    for variable in parts["variables"].values():
        # `sentence` makes one sentence of both.
        assert variable.meaning.endswith(".") == (variable.unit is None)
    tc = parts["tc"]
    if tc.none is None:
        assert None not in {tc.name, tc.since}
        assert tc.line.startswith(f"tc qdisc add dev eth0 root {tc.name} ")
    else:
        assert (tc.name, tc.line, tc.since) == (None, None, None)
    for entry in parts["deviations"]:
        # A row says something of somebody else, or that Weir fills a gap.
        assert any(entry[column] for column in DEVIATION_COLUMNS)
        assert entry["topic"]


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_variables_that_are_probed_are_described(name: str) -> None:
    queue = weir.Queue(name, rate="20 Mbit/s", buffer="225 packets")
    assert set(find(name).variables) == set(queue.variables)


def test_they_are_what_is_recorded_over_time(disciplines: dict[str, Discipline]) -> None:
    brief = weir.Scenario.load(
        SCENARIO,
        {
            "duration": "2 s",
            "measure.period": "1 s",
            "measure.settle": "0 s",
            "flows.more.start": "1 s",
            "flows.more.stop": "2 s",
        },
    )
    series = brief.compare(disciplines=list(disciplines)).tables["series"]
    for name, discipline in disciplines.items():
        rows = series.filter(series["variant"].cast(str) == name)
        recorded = set(rows["variable"].cast(str))
        assert {"queue", *discipline.variables} <= recorded


def test_the_committed_pages_are_what_would_be_written() -> None:
    assert {path.name for path in PAGES.glob("*.md")} == set(pages()), "make pages"
    for name, text in pages().items():
        assert (PAGES / name).read_text(encoding="utf-8") == text, "make pages"


def test_every_page_has_its_figure_and_links_lead_somewhere() -> None:
    for name, text in pages().items():
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            # A discipline that is described but not in the core yet has no page.
            waits = Path(target).stem in described() and Path(target).stem not in NAMES
            assert waits or (PAGES / target).exists(), f"{name}: {target}"


def test_tables_in_pages_are_whole() -> None:
    for name, text in pages().items():
        widths: list[int] = []
        for line in text.splitlines():
            if line.startswith("|"):
                widths.append(len(re.findall(r"(?<!\\)\|", line)))
            elif widths:
                assert len(widths) > 2, f"{name}: a table without rows"
                assert len(set(widths)) == 1, f"{name}: {line}"
                widths = []


def test_the_index_is_a_lineage(disciplines: dict[str, Discipline]) -> None:
    years = [int(year) for year in re.findall(r"^\| (\d{4}) \|", pages()["index.md"], re.MULTILINE)]
    assert years == sorted(discipline.year for discipline in disciplines.values())


def test_the_figure_shows_queue_and_variables_with_the_steps_marked(
    disciplines: dict[str, Discipline],
) -> None:
    scenario = weir.Scenario.load(SCENARIO)
    assert loads(scenario) == [(0.0, 10), (20.0, 50), (40.0, 10)]
    for name, figure in figures(scenario, list(disciplines.values())).items():
        specification = figure.specification
        drawn = ["queue", *disciplines[name].figure]
        assert set(figure.rows["variable"]) == set(drawn)
        assert len(specification["vconcat"]) == len(drawn)
        assert '"50 flows"' in json.dumps(specification)
        titles = [panel["layer"][0]["encoding"]["y"]["title"] for panel in specification["vconcat"]]
        assert titles[0] == "Queue (packets)"
        for variable, title in zip(drawn[1:], titles[1:], strict=True):
            has_unit = disciplines[name].variables[variable].unit is not None
            assert re.fullmatch(re.escape(variable) + (r" \([\w/]+\)" if has_unit else ""), title)


def test_a_panel_is_in_a_unit_of_few_digits(disciplines: dict[str, Discipline]) -> None:
    figure = figures(weir.Scenario.load(SCENARIO), [disciplines["avq"]])["avq"]
    assert '"virtual_capacity (MB/s)"' in json.dumps(figure.specification)
    highest = figure.rows.filter(figure.rows["variable"] == "virtual_capacity")["highest"].to_list()
    # 20 Mbit/s are 2.5 MB/s.
    assert 1.0 < max(highest) <= 2.5


def test_what_a_figure_sets_is_on_its_page(disciplines: dict[str, Discipline]) -> None:
    for name, discipline in disciplines.items():
        page = pages()[f"{name}.md"]
        assert all(f"`{path} = {to_toml(value)}`" in page for path, value in discipline.set.items())
        assert discipline.caption in page


def test_the_low_latency_line_and_the_step_show_what_they_are_for(disciplines: dict[str, Discipline]) -> None:
    scenario = weir.Scenario.load(SCENARIO)
    dualpi2 = figures(scenario, [disciplines["dualpi2"]])["dualpi2"].rows
    assert max(dualpi2.filter(dualpi2["variable"] == "L")["highest"]) > 5
    links = weir.Scenario(shown(scenario, disciplines["step"]).core).run().links
    assert links["marks"].sum() > 100
    assert links["drops_forced"].sum() < links["marks"].sum() / 10


def parameter(discipline: str, name: str) -> Parameter:
    (found,) = (one for one in find(discipline).parameters if one.name == name)
    return found


def test_a_default_comes_with_its_source() -> None:
    for discipline, name, default, source in (
        ("op-red", "min_th", "5 packets", "Floyd, 1997"),
        ("rem", "interval", "2 ms", "ns-2, `pupdtime_`; the paper gives none"),
        ("pie", "alpha", "0.125", "RFC 8033"),  # The source of the whole table.
        ("sfb", "d2", "0.000166667", "the kernel; tc sets 0.00005"),
        ("pi", "a", "1.822e-05", "the paper; ns-2"),
    ):
        found = parameter(discipline, name)
        assert (found.default, found.source) == (default, source)
        assert found.shown == f"{default} ({source})"


def test_a_computed_default_is_described() -> None:
    found = parameter("adaptive-red", "max_th")
    assert (found.default, found.computed, found.source) == (None, "three times `min_th`", "")
    assert found.shown == found.computed


def test_words_to_choose_from_come_with_their_meaning() -> None:
    spacing = parameter("red", "spacing")
    assert spacing.default in spacing.choices
    assert {"geometric", "uniform", "wait"} == set(spacing.choices)
    assert parameter("red", "min_th").choices == {}


def test_show_prints_what_the_page_says(weir_command: Command) -> None:
    done = weir_command("show", "red")
    assert done.returncode == 0, done.stderr
    red = find("red")
    for said in (*red.equations, *red.variables, *(parameter.name for parameter in red.parameters)):
        assert said in done.stdout
    for said in ("Floyd, 1997", "ns-2", "burst 60"):
        assert said in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_the_data_can_be_had(weir_command: Command) -> None:
    document = json.loads(weir_command("show", "rem", "--json").stdout)
    rem = find("rem")
    assert document["name"] == "rem"
    assert document["variables"] == {name: asdict(variable) for name, variable in rem.variables.items()}
    assert [parameter["name"] for parameter in document["parameters"]] == [p.name for p in rem.parameters]
    assert document["deviations"][0]["topic"] == rem.deviations[0].topic
    assert document["tc"]["line"] is None


def test_a_nearly_right_name_is_suggested(weir_command: Command) -> None:
    done = weir_command("show", "rad")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "there is no discipline 'rad'" in done.stderr
    assert "did you mean 'red'?" in done.stderr
    assert "there are: drop-tail, red" in weir_command("show", "zzzz").stderr


def test_a_name_may_be_written_with_underscores() -> None:
    assert find("Drop_Tail").name == "drop-tail"


@pytest.mark.parametrize("width", [40, 60, 120])
def test_text_is_broken_to_the_width_and_free_of_markdown(
    width: int, disciplines: dict[str, Discipline]
) -> None:
    for discipline in disciplines.values():
        text = text_of_entry(discipline, width)
        unbroken = max(map(len, discipline.equations)) + 2
        assert max(map(len, text.splitlines())) <= max(width, 48, unbroken)
        assert "](" not in text


def test_the_list_is_short_and_says_where_there_is_more(weir_command: Command) -> None:
    done = weir_command("list", "disciplines")
    assert "weir show NAME" in done.stderr
    for name in NAMES:
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)
    assert "max_th  " not in done.stdout
    entries = json.loads(weir_command("list", "disciplines", "--json").stdout)["disciplines"]
    assert {"min_th", "max_th"} <= {p["name"] for p in entries[NAMES.index("red")]["parameters"]}


@pytest.mark.parametrize("kind", CHOICE_KINDS)
def test_every_choice_of_a_scenario_is_shown_with_an_example_that_runs(
    kind: str, tmp_path: Path, weir_command: Command
) -> None:
    (tmp_path / "uplink.csv").write_text("time,bytes\n0.0,1500\n0.1,1500\n", encoding="utf-8")
    (tmp_path / "flows.csv").write_text("start,size\n0.0,15000\n1.1,15000\n", encoding="utf-8")
    for entry in CATALOGUE[kind]():
        shown = chosen_as(entry["name"])[CHOICE_KINDS[kind][0]]
        text = text_of_choice(CHOICE_KINDS[kind][0], shown, 80)
        assert max(len(line) for line in text.splitlines()) <= 80
        assert all(parameter.summary.split()[0] in text for parameter in shown.parameters)
        assert all(parameter.takes or parameter.choices for parameter in shown.parameters), text
        assert all("required" in parameter.shown for parameter in shown.parameters if parameter.required)
        head, *lines = (line.strip() for line in text.partition("\nExample\n")[2].splitlines())
        line = "\n".join(lines)
        text = SMALL.partition("[variants")[0] + "[flows.web]\nrtt = '60 ms'\n"
        assert head in text
        if kind == "sizes":
            line += "\ntraffic.poisson.load = 0.1"
        (tmp_path / "one.toml").write_text(text.replace(head, f"{head}\n{line}"), encoding="utf-8")
        done = weir_command("run", "one.toml", "--set", "duration=2 s", "--set", "measure.period=2 s", "-q")
        assert done.returncode == 0, (line, done.stderr)


def test_a_unit_is_said_where_there_is_no_default(weir_command: Command) -> None:
    said = " ".join(weir_command("show", "poisson").stdout.split())
    assert "size required (a size on the wire with its unit: B, kB, MB, KiB, MiB, packets)" in said
    assert "rate not set (a rate of arrivals with its unit: /s, /ms, /min)" in said
    assert "load not set (number)" in said
    assert 'traffic.poisson = {load = 0.5, size = {cdf = "web-search"}}' in said


def test_all_that_is_listed_is_shown(weir_command: Command) -> None:
    for kind, entries in CATALOGUE.items():
        for entry in entries() if kind != "scenarios" else entries()[:3]:
            done = weir_command("show", entry["name"])
            assert done.returncode == 0, entry["name"]
            assert done.stdout
    assert "[flows.ftp]" in weir_command("show", "rem-wireline").stdout
    assert "web is a bundled scenario, too" in weir_command("show", "web").stderr
    assert "did you mean 'poisson'?" in weir_command("show", "poison").stderr
    assert "`tcp.congestion.bbr3` (version 3)" in weir_command("show", "bbr").stderr
    assert "did you mean 'ledbat-plus-plus'?" in weir_command("show", "ledbat++").stderr
    assert json.loads(weir_command("show", "goodput", "--json").stdout)["unit"] == "%"


@pytest.mark.parametrize(("kind", "path"), [("congestion", "tcp.congestion"), ("recovery", "tcp.recovery")])
def test_a_default_that_is_shown_is_the_default(kind: str, path: str) -> None:
    """Written out, it resolves to the same scenario as if it had been left out."""
    for entry in CATALOGUE[kind]():
        place = f"flows.ftp.{path}.{entry['name']}"
        marks: dict[str, Any] = {"flows.ftp.tcp.ecn": True}  # Some live by them, or by counts of them.
        if kind == "congestion":
            marks |= {"flows.ftp.tcp.accecn": True, "flows.ftp.tcp.recovery": {"sack": {"detection": "rack"}}}
        bare = weir.Scenario.loads(SMALL, {**marks, place: {}}).to_toml()
        for parameter in entry["parameters"]:
            default = parameter["default"]
            if default is None:
                continue
            named = re.fullmatch(r"[a-z+ ]+", default) and default not in {"true", "false"}
            if named and default not in parameter["choices"]:
                continue  # A choice with parameters of its own.
            value = default if parameter["choices"] else tomllib.loads(f"v = {toml_of(default)}")["v"]
            written = {**marks, f"{place}.{parameter['name']}": value}
            assert weir.Scenario.loads(SMALL, written).to_toml() == bare


def toml_of(default: str) -> str:
    """A number or a switch stands for itself; a quantity is text."""
    return default if re.fullmatch(r"[-\d.e]+|true|false", default) else f'"{default}"'
