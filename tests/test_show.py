"""What is said of the disciplines: complete, true to the core, and the same everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import SMALL, Command
from weir import catalogue, endpoints
from weir.catalogue import CATALOGUE
from weir.lineage import Discipline, Parameter, find, registered
from weir.lineage.figure import figures, loads, shown
from weir.lineage.page import SCENARIO, pages
from weir.lineage.reading import COLUMNS, FOLDER, described, read
from weir.lineage.text import text_of
from weir.toml import to_toml

PAGES = Path(__file__).parents[1] / "docs" / "disciplines"
NAMES = [str(law["name"]) for law in catalogue.laws()]
WIDEST = 78
"""Equations are not broken: with their indent they fit a terminal of 80 columns."""


@pytest.fixture(scope="session")
def disciplines() -> dict[str, Discipline]:
    """All that the core has, by name."""
    return {discipline.name: discipline for discipline in registered()}


@pytest.mark.parametrize("name", NAMES)
def test_every_discipline_is_described_in_all_parts(name: str) -> None:
    assert name in described(), f"{name} has no file in {FOLDER}"
    discipline = find(name)
    assert len(discipline.idea.split()) > 30
    assert discipline.summary
    assert discipline.sources
    assert all(discipline.equations[index] for index in (0, -1))
    assert discipline.deviations
    assert "weir" in discipline.columns
    for parameter in discipline.parameters:
        assert parameter.meaning
        assert parameter.default


@pytest.mark.parametrize("name", described())
def test_every_file_can_be_used(name: str) -> None:
    parts = read(name)
    assert set(parts["figure"]) <= set(parts["variables"])
    assert max(map(len, parts["equations"])) <= WIDEST
    for variable in parts["variables"].values():
        # `said` makes a sentence of both.
        assert variable.meaning.endswith(".") == (variable.unit is None)
    tc = parts["tc"]
    if tc.none is None:
        assert None not in {tc.name, tc.since}
        assert tc.line.startswith(f"tc qdisc add dev eth0 root {tc.name} ")
    else:
        assert (tc.name, tc.line, tc.since) == (None, None, None)
    for entry in parts["deviations"]:
        # A row says something of somebody else, or that Weir fills a gap.
        assert any(entry[column] for column in COLUMNS)
        assert entry["topic"]


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_variables_that_a_law_shows_are_described(name: str) -> None:
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
        of_law = series.filter(series["variant"].cast(str) == name)
        recorded = set(of_law["variable"].cast(str))
        assert {"queue", *discipline.variables} <= recorded


def test_the_committed_pages_are_what_would_be_written() -> None:
    assert {path.name for path in PAGES.glob("*.md")} == set(pages()), "make pages"
    for name, text in pages().items():
        assert (PAGES / name).read_text(encoding="utf-8") == text, "make pages"


def test_every_page_has_its_figure_and_links_lead_somewhere() -> None:
    for name, text in pages().items():
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            # A law that is described but not in the core yet has no page.
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


def test_the_figure_shows_queue_and_law_with_the_steps_marked(disciplines: dict[str, Discipline]) -> None:
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
    links = shown(scenario, disciplines["step"]).run().tables["links"]
    assert links["marks"].sum() > 100
    assert links["drops_forced"].sum() < links["marks"].sum() / 10


def declared(default: str, summary: str) -> Parameter:
    parameter: dict[str, Any] = {"name": "x", "default": default, "summary": summary, "choices": {}}
    return Parameter.of(parameter)


@pytest.mark.parametrize(
    ("default", "summary", "meaning", "origin"),
    [
        ("0.1", "It is so. Default 0.1 (Floyd, 1997; 0.02 before).", "It is so.", "Floyd, 1997; 0.02 before"),
        ("15 packets", "Much. Default 15 packets, 3 `min` (A, 1997).", "Much.", "3 `min` (A, 1997)"),
        ("2 ms", "T. Default 2 ms (`x`; none). In bytes, else.", "T. In bytes, else.", "`x`; none"),
        ("false", "Go on. Default off, as in 1993.", "Go on.", "as in 1993"),
        ("none", "Above this. Default: no such thing.", "Above this.", "no such thing"),
        ("0.002", "Weight. Default 0.002.", "Weight.", ""),
        ("0.002", "A step. Default 0.002; the paper also has 0.1.", "A step.", "the paper also has 0.1"),
        ("true", "Nothing is said of it.", "Nothing is said of it.", ""),
    ],
)
def test_a_default_is_told_from_where_it_comes_from(
    default: str, summary: str, meaning: str, origin: str
) -> None:
    parameter = declared(default, summary)
    assert (parameter.default, parameter.meaning, parameter.origin) == (default, meaning, origin)


@pytest.mark.parametrize(
    ("default", "summary", "shown"),
    [
        ("0.00016666666666666666", "Down. Default 1/6000 (the kernel).", "1/6000"),
        ("0.00001822", "Gain. Default 1.822e-5 (the paper).", "1.822e-5"),
        ("800 us", "From. Default 0.8 ms; Linux: 1 ms.", "0.8 ms"),
        ("2.0", "Twice. Default 2.", "2"),
        ("true", "Go on. Default on.", "true"),
        # Another number is no default.
        ("none", "High. Default 15 packets (RED); of loss none.", "none"),
        ("uniform", "Gaps. Default: the paper's.", "uniform"),
    ],
)
def test_a_default_is_shown_as_its_author_writes_it(default: str, summary: str, shown: str) -> None:
    assert declared(default, summary).default == shown


def test_words_to_choose_from_come_with_their_meaning() -> None:
    (spacing,) = (parameter for parameter in find("red").parameters if parameter.name == "spacing")
    assert spacing.default in spacing.choices
    assert {"independent", "uniform", "wait"} == set(spacing.choices)
    (idle,) = (parameter for parameter in find("red").parameters if parameter.name == "min_th")
    assert idle.choices == {}


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
        text = text_of(discipline, width)
        unbroken = max(map(len, discipline.equations)) + 2
        assert max(map(len, text.splitlines())) <= max(width, 48, unbroken)
        assert "](" not in text


def test_the_list_is_short_and_says_where_there_is_more(weir_command: Command) -> None:
    done = weir_command("list", "laws")
    assert "weir show NAME" in done.stderr
    for name in NAMES:
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)
    assert "max_th  " not in done.stdout
    laws = json.loads(weir_command("list", "laws", "--json").stdout)["laws"]
    assert {"min_th", "max_th"} <= {p["name"] for p in laws[NAMES.index("red")]["parameters"]}


@pytest.mark.parametrize(("kind", "path"), [("congestion", "tcp.congestion"), ("recovery", "tcp.recovery")])
def test_every_part_of_a_connection_is_shown(kind: str, path: str) -> None:
    for entry in CATALOGUE[kind]():
        shown = endpoints.find(entry["name"])[path]
        text = endpoints.text_of(path, shown, 80)
        assert max(len(line) for line in text.splitlines()) <= 80
        assert all(parameter["summary"].split()[0] in text for parameter in shown["parameters"])


@pytest.mark.parametrize(("kind", "path"), [("congestion", "tcp.congestion"), ("recovery", "tcp.recovery")])
def test_a_default_that_is_shown_is_the_default(kind: str, path: str) -> None:
    """Written out, it resolves to the same scenario as if it had been left out."""
    for entry in CATALOGUE[kind]():
        place = f"flows.ftp.{path}.{entry['name']}"
        marks = {"flows.ftp.tcp.ecn": True}  # Some live by them.
        bare = weir.Scenario.loads(SMALL, {**marks, place: {}}).to_toml()
        for parameter in entry["parameters"]:
            default = parameter["default"]
            named = re.fullmatch(r"[a-z+ ]+", default) and default not in {"true", "false"}
            if named and default not in parameter["choices"]:
                continue  # An optional value, or a choice with parameters of its own.
            value = default if parameter["choices"] else tomllib.loads(f"v = {toml_of(default)}")["v"]
            written = {**marks, f"{place}.{parameter['name']}": value}
            assert weir.Scenario.loads(SMALL, written).to_toml() == bare


def toml_of(default: str) -> str:
    """A number or a switch stands for itself; a quantity is text."""
    return default if re.fullmatch(r"[-\d.e]+|true|false", default) else f'"{default}"'
