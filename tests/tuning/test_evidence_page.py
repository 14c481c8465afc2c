"""The page of evidence: what an operator reads on it is so, and it can be read anywhere."""

from __future__ import annotations

import html
import json
import re
import shlex
from dataclasses import replace
from functools import cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fake_answer import SCENARIO, evidence
from hypothesis import given
from hypothesis import strategies as st

from browsing import Visit, chromium, findings
from weir.plot import IMAGES, Panel, render
from weir.report._choice import ChoicePage
from weir.report._tuning import Evidence
from weir.scenario import Scenario
from weir.scenario import settings as assigned
from weir.tune._answer import TargetResult
from weir.tune._targets import Target
from weir.tune._text import beyond, measured, reasons, sentence, worst_corner
from weir.tune._tune import Choice

if TYPE_CHECKING:
    from playwright.sync_api import Browser

browser = chromium

REGION = ("rate=5..20 Mbit/s", "flows=10..40", "rtt=50..200 ms")
CASES: dict[str, Evidence] = {
    "achieved": evidence("achieved", 2, 2),
    "achieved by one parameter": evidence("achieved", 2, 1),
    "defaults": evidence("defaults already meet it", 2, 2),
    "defaults, one target": evidence("defaults already meet it", 1, 1),
    "not achievable": evidence("not achievable", 3, 1),
    "undecided": evidence("undecided", 1, 3),
    "drawn": evidence("undecided", 2, 4, drawn=True),
    "region": evidence("achieved", 2, 2, over=REGION),
    "region of one": evidence("not achievable", 2, 1, over=REGION[:1]),
}
ALIKE = {"achieved by one parameter", "defaults", "defaults, one target", "undecided", "region of one"}
"""Cases that are drawn in `make soak` only: each has a sibling with the same panels."""

MAPS = {"panel-shortfall", "panel-robustness"}


@cache
def panels(name: str) -> list[Panel]:
    """Panels of a case; made once, as a browser is slow enough."""
    return CASES[name].panels


class Pages:
    """The pages alone, each written when it is first asked for: figures as files take longer than everything
    else."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __getitem__(self, name: str) -> Path:
        page = self._directory / f"{name}.html"
        if not page.exists():
            script = render({}, self._directory)
            page.write_text(CASES[name].html(panels(name), script), encoding="utf-8")
        return page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("tuning"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole directory, of the case with the fewest figures."""
    directory = tmp_path_factory.mktemp("written")
    CASES["defaults, one target"].write(directory, IMAGES)
    return directory


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in ALIKE else name for name in CASES]
)
def test_the_page_is_whole_on_a_phone(name: str, browser: Browser, pages: Pages) -> None:
    visit = Visit(browser, pages[name], 400)
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    places = {chart.get_attribute("id") for chart in visit.page.query_selector_all(".chart")}
    assert places == {panel.name for panel in panels(name)}
    # Maps have cells instead of lines and symbols.
    assert visit.charts() | (MAPS & places) == places
    for cells in MAPS & places - visit.charts():
        assert visit.page.query_selector_all(f"#{cells} .mark-rect path")
    # Wide tables scroll by themselves; the page does not.
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
    # The verdict is read without scrolling.
    said = visit.page.locator(".said")
    assert said.inner_text() == sentence(CASES[name].tuned.answer)
    box = said.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    visit.page.close()


@pytest.mark.browser
def test_a_choice_among_disciplines_is_whole_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    tuned = {"red": CASES["achieved"].tuned, "rem": CASES["drawn"].tuned}
    choice = Choice(tuned, record=tuned["red"].record)
    ChoicePage(choice, {"red": {"tc script": "tc qdisc"}, "rem": {}}).write(tmp_path)
    visit = Visit(browser, tmp_path / "report.html", 400)
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    assert visit.charts() == {"panel-disciplines"}
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert visit.page.locator(".said").inner_text() == "red: every target is met."
    assert findings(visit.page) == {}
    visit.page.close()


@pytest.mark.browser
def test_on_a_screen_verdict_table_and_setting_need_no_scrolling(browser: Browser, pages: Pages) -> None:
    visit = Visit(browser, pages["achieved"], 1200)
    assert visit.complaints == []
    for place in (".judged", ".first pre"):
        box = visit.page.locator(place).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800
    visit.page.close()


@pytest.mark.parametrize("name", [name for name in CASES if "region" not in name])
def test_the_sentence_has_every_target_with_its_mean_and_interval(name: str) -> None:
    answer = CASES[name].tuned.answer
    said = sentence(CASES[name].tuned.answer)
    for outcome in answer.chosen.outcomes:
        words = {"delay_mean": "mean delay"}.get(outcome.target.measure, outcome.target.measure)
        found = re.search(rf"{words} ([\d.]+) ± ([\d.]+) ?(ms|%)", said)
        assert found is not None
        rounding = 0.5 * 10.0 ** -len(found[1].partition(".")[2])
        assert float(found[1]) == pytest.approx(np.mean(outcome.values), abs=rounding)
        assert float(found[2]) == pytest.approx(outcome.half_width, abs=rounding)
        assert (
            f"target {outcome.target.sense} {outcome.target.bound:g}{found[3].replace('ms', ' ms')}" in said
        )
    assert f"{answer.chosen.outcomes[0].values.size} fresh seeds" in said
    assert f"{answer.runs} runs" in said


def test_each_verdict_is_called_by_its_name() -> None:
    begins = {name: sentence(case.tuned.answer).partition(":")[0] for name, case in CASES.items()}
    assert begins["achieved"] == begins["region"] == "Achieved"
    assert begins["defaults"] == begins["defaults, one target"] == "Your defaults already meet it"
    assert begins["not achievable"] == "Not achievable within these bounds"
    assert begins["undecided"] == begins["drawn"] == "Undecided"


def test_confidence_is_claimed_for_all_but_the_undecided() -> None:
    for case in CASES.values():
        sure = "95% confidence" in sentence(case.tuned.answer)
        assert sure == (case.tuned.answer.verdict != "undecided")


def test_what_is_not_achievable_names_the_target_that_is_missed_most() -> None:
    case = CASES["not achievable"]
    ratios = {
        o.target.measure: (100.0 - o.mean) / (100.0 - o.target.bound)
        if o.target.sense == ">"
        else o.mean / o.target.bound
        for o in case.tuned.answer.chosen.outcomes
    }
    worst = max(ratios, key=ratios.__getitem__)
    said = " ".join(reasons(case.tuned.answer))
    assert f"here {worst.replace('delay_mean', 'mean delay')}, by {ratios[worst]:.3g}." in said
    assert f"less than a factor of {exp(case.tuned.answer.least):.3g}" in said


def test_what_is_undecided_says_what_it_would_take() -> None:
    assert any(
        said in " ".join(reasons(CASES["undecided"].tuned.answer))
        for said in ("seeds if its mean", "on its bound")
    )


def test_a_region_names_its_worst_condition(pages: Pages) -> None:
    case = CASES["region"]
    inside = [cell for cell in case.tuned.cells if cell.inside]
    worst = max(inside, key=lambda cell: max(o.shortfall for o in cell.outcomes))
    assert worst_corner(case.tuned.cells) is worst
    # The load is heaviest where the rate is least and flows and round trips are most.
    assert "The worst is rate 5 Mbit/s, flows 40, rtt 200 ms" in pages["region"].read_text(encoding="utf-8")
    figure = next(p.figures[0] for p in panels("region") if p.name == "panel-robustness")
    framed = figure.rows.filter(figure.rows["framed"])
    assert framed["setting"].to_list() == ["rate 5 Mbit/s, flows 40, rtt 200 ms"]
    assert figure.rows["verdict"].to_list() == [cell.state for cell in case.tuned.cells]


def test_a_region_says_at_which_of_its_ends_the_setting_stops_holding() -> None:
    cells = CASES["region of one"].tuned.cells
    low, *inner, high = cells
    assert [cell.inside for cell in cells] == [False, *[True] * len(inner), False]
    # Made to be met at one end and missed at the other, whatever they were.
    met, missed = (
        [replace(o, target=replace(o.target, bound=o.mean * room)) for o in cells[0].outcomes]
        for room in (2.0, 0.5)
    )
    shown = beyond([replace(low, outcomes=tuple(missed)), *inner, replace(high, outcomes=tuple(met))])
    assert shown == "A step beyond the region a target is missed at rate 3.97 Mbit/s."
    assert beyond([replace(cell, outcomes=tuple(met)) for cell in cells]) == (
        "A step beyond the region no target is missed."
    )
    assert beyond(inner) == ""


def test_the_command_on_the_page_gives_the_setting(pages: Pages, tmp_path: Path) -> None:
    text = pages["achieved"].read_text(encoding="utf-8")
    found = re.search(r"<pre>(weir run .*?)</pre>", text, re.DOTALL)
    assert found is not None
    arguments = shlex.split(found[1].replace("&#34;", '"').replace("\\\n", ""))
    file = tmp_path / arguments[2]
    file.write_text(SCENARIO, encoding="utf-8")
    tuned = Scenario.load(
        str(file), [one for a in arguments[3:] if a != "--set" for one in assigned(a)]
    ).to_toml()
    for path, value in CASES["achieved"].tuned.answer.chosen.setting.items():
        name = path.rpartition(".")[2]
        assert re.search(rf'{name} = "?{value}"?', tuned)


def test_what_the_scenario_was_loaded_with_is_part_of_the_command() -> None:
    tuned = CASES["achieved"].tuned
    slower = Scenario.loads(SCENARIO, {"links.bottleneck.rate": "5 Mbit/s"})
    case = Evidence(replace(tuned, task=replace(tuned.task, scenario=slower)))
    text = html.unescape(case.html([], ""))
    assert 'weir run fake.toml \\\n  --set links.bottleneck.rate="5 Mbit/s" \\\n' in text


def test_defaults_that_do_come_without_a_setting_to_use(pages: Pages) -> None:
    text = pages["defaults"].read_text(encoding="utf-8")
    assert "weir run" not in text
    assert "Nothing has to be changed." in text
    assert "no other setting was run" in text


def test_the_document_has_what_the_page_says(pages: Pages) -> None:
    case = CASES["region of one"]
    found = json.loads(json.dumps(case.to_json(), allow_nan=False))
    page = pages["region of one"].read_text(encoding="utf-8")
    assert found["sentence"] == sentence(case.tuned.answer)
    assert found["verdict"] == case.tuned.answer.verdict
    assert found["set"] == [f"{path}={value}" for path, value in case.tuned.answer.chosen.setting.items()]
    assert [one["mean"] for one in found["chosen"]["outcomes"]] == [
        pytest.approx(np.mean(outcome.values)) for outcome in case.tuned.answer.chosen.outcomes
    ]
    assert len(found["tried"]) == len(case.tuned.answer.tried)
    assert len(found["robustness"]) == len(case.tuned.cells)
    assert len(found["op_red"]) == len(case.tuned.phases)
    for said in (found["sentence"], found["command"], found["exports"]["tc script"].strip()):
        assert html.escape(said).replace("&quot;", "&#34;") in page


def test_an_interval_without_end_is_null_in_the_document() -> None:
    case = CASES["defaults, one target"]
    once = replace(case.tuned.answer.defaults.outcomes[0], values=np.array([5.0]))
    judged = replace(case.tuned.answer.defaults, outcomes=(once,))
    answer = replace(case.tuned.answer, chosen=judged, defaults=judged)
    found = replace(case, tuned=replace(case.tuned, answer=answer)).to_json()
    assert found["chosen"]["outcomes"][0]["interval"] == [None, None]
    json.dumps(found, allow_nan=False)


def test_the_directory_holds_page_document_and_scenario(written: Path) -> None:
    case = CASES["defaults, one target"]
    document = json.loads((written / "answer.json").read_text(encoding="utf-8"))
    assert document == json.loads(json.dumps(case.to_json()))
    assert document["sentence"].split(" (")[0] in (written / "report.html").read_text(encoding="utf-8")
    assert (written / "resolved.toml").read_text(encoding="utf-8") == case.resolved


def test_every_figure_lies_beside_the_page(written: Path) -> None:
    names = {f.name for panel in panels("defaults, one target") for f in panel.figures}
    for suffix in (".svg", ".pdf", ".png"):
        assert {file.stem for file in (written / "figures").glob(f"*{suffix}")} == names


@given(
    st.lists(st.floats(0.5, 2.0), min_size=2, max_size=12),
    st.floats(0.5, 2.0),
    st.sampled_from(["<", ">"]),
)
def test_rounded_numbers_do_not_contradict_the_verdict_on_a_target(
    values: list[float],
    bound: float,
    sense: Any,  # noqa: ANN401
) -> None:
    outcome = TargetResult(Target("delay_mean", sense, bound), np.array(values), 28)
    low, high = outcome.mean - outcome.half_width, outcome.mean + outcome.half_width
    if min(abs(low - bound), abs(high - bound)) < 0.02 * (high - low) + 1e-4:
        return  # So near that no number of digits that one would print tells.
    mean, *interval = (float(text.removesuffix(" ms")) for text in measured(outcome).split(" ± "))
    half = interval[0] if interval else 0.0
    assert bool(interval) == (min(values) < max(values))
    met = [end < bound if sense == "<" else end > bound for end in (mean - half, mean + half)]
    assert outcome.state == ("met" if all(met) else "open" if any(met) else "missed")
