"""The report of a sweep in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from browsing import Visit, chromium
from fake_sweep import BUFFER, CONTINUOUS, GAIN, LABELS, RATE, RTT, FakeSweep, finely, sampled
from weir.plot import panels_of, render
from weir.report import write
from weir.report._result import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
browser = chromium

LIMIT_BYTES = 2_000_000
"""Bytes that a report must stay below."""

OPENED_S = 15.0
"""CPU time of a page that opens in a second or two on a machine with nothing else to do."""

VARIANTS = ("DropTail", "RED", "REM", "PI", "CoDel")
GRID = FakeSweep([RATE, RTT, BUFFER], LABELS, users=(20, 40, 60))
REPORTS = {
    "grid": GRID,
    "morris": FakeSweep(CONTINUOUS, ("REM",), 1, design="morris", points=200),
    "large grid": FakeSweep([finely(RATE, 50), finely(RTT, 10), finely(BUFFER, 4)], VARIANTS, 10),
    "large hypercube": FakeSweep([*CONTINUOUS, sampled(GAIN)], ("REM",), 1, design="lhs", points=100_000),
}

LARGE = [name for name in REPORTS if name.startswith("large")]
"""Reports that take long to write and to draw: in `make soak` only."""


class Pages:
    """The pages, each written when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __getitem__(self, name: str) -> Path:
        page = self.directory / name / "report.html"
        if not page.exists():
            page.parent.mkdir()
            sweep = REPORTS[name]
            page.write_text(html(sweep, panels_of(sweep), render({}, self.directory)), encoding="utf-8")
        return page


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("sweeps"))


@pytest.fixture(scope="module")
def desktop(browser: Browser, reports: Pages) -> Iterator[Visit]:
    """A visit to the grid for tests that only look."""
    visit = Visit(browser, reports["grid"], 1200)
    yield visit
    visit.page.close()


def spent(browser: Browser) -> dict[int, float]:
    """CPU time in s of each process of the browser."""
    session: Any = browser.new_browser_cdp_session()
    processes: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {process["id"]: process["cpuTime"] for process in processes}


def opacities(visit: Visit, chart: str) -> set[str]:
    """Opacities of the lines, symbols and areas of a chart, its legend left out."""
    return set(
        visit.page.evaluate(
            """name => [...document.querySelectorAll(
                   `#${name} .mark-group .mark-line path, #${name} .mark-group .mark-symbol path`)]
                 .filter(mark => !mark.closest(".role-legend"))
                 .map(mark => mark.getAttribute("opacity"))""",
            chart,
        )
    )


def click_legend(visit: Visit, chart: str) -> None:
    label = visit.page.query_selector(f"#{chart} .role-legend-label text")
    assert label is not None
    label.scroll_into_view_if_needed()
    box = label.bounding_box()
    assert box is not None
    visit.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize(
    ("name", "width"),
    [
        pytest.param(
            name,
            width,
            id=f"{name}-{width}",
            marks=pytest.mark.soak if name.startswith("large") or width != (1200, 375)[page % 2] else [],
        )
        for page, name in enumerate(REPORTS)
        for width in (1200, 375)
    ],
)
def test_every_chart_is_drawn_offline_and_without_complaint(
    name: str, width: int, browser: Browser, reports: Pages
) -> None:
    before = spent(browser)
    visit = Visit(browser, reports[name], width)
    assert sum(cpu_s - before.get(process, 0.0) for process, cpu_s in spent(browser).items()) < OPENED_S
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    drawn = {chart.get_attribute("id") for chart in visit.page.query_selector_all(".chart")}
    # A map has cells instead of lines and symbols.
    assert visit.charts() | {"panel-heat"} == drawn
    assert visit.page.query_selector_all("#panel-heat .mark-rect path")
    # Wide tables scroll by themselves; neither the page nor a chart does.
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    for chart in visit.page.query_selector_all(".chart"):
        assert chart.evaluate("chart => chart.scrollWidth - chart.clientWidth") <= 1
    visit.page.close()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in LARGE else name for name in REPORTS]
)
def test_a_report_stays_small_however_large_the_sweep(name: str, reports: Pages) -> None:
    assert reports[name].stat().st_size < LIMIT_BYTES


def test_a_hundred_thousand_rows_are_a_hundred_thousand_rows() -> None:
    for name in LARGE:
        assert len(REPORTS[name].observations()) == 100_000


@pytest.mark.parametrize(
    ("name", "charts"),
    [
        ("grid", ["panel-lines", "panel-tradeoff", "panel-delays"]),
        pytest.param("large grid", ["panel-lines"], marks=pytest.mark.soak),
    ],
)
def test_a_name_in_a_legend_brings_its_family_out(
    name: str, charts: list[str], browser: Browser, reports: Pages
) -> None:
    visit = Visit(browser, reports[name], 1200)
    for chart in charts:
        assert opacities(visit, chart) == {"1"}
        click_legend(visit, chart)
        visit.page.wait_for_function(
            "name => document.querySelector(`#${name} .mark-line path[opacity='0.12']`)", arg=chart
        )
        assert opacities(visit, chart) == {"1", "0.12"}
        # The same click again takes the choice back.
        click_legend(visit, chart)
        visit.page.wait_for_function(
            "name => !document.querySelector(`#${name} .mark-line path[opacity='0.12']`)", arg=chart
        )
    assert visit.complaints == []
    visit.page.close()


@pytest.mark.parametrize(
    ("name", "chart", "presses"),
    [
        ("grid", "panel-lines", 3),
        pytest.param("large grid", "panel-lines", 3, marks=pytest.mark.soak),
        pytest.param("large hypercube", "panel-trend", 2, marks=pytest.mark.soak),
    ],
)
def test_the_measure_can_be_changed_with_the_keyboard_alone(
    name: str, chart: str, presses: int, browser: Browser, reports: Pages
) -> None:
    visit = Visit(browser, reports[name], 1200)
    figure = visit.page.locator("figure", has=visit.page.locator(f"#{chart}"))
    choice = figure.locator("select")
    before = (figure.locator("h3").inner_text(), visit.page.inner_html(f"#{chart} svg.marks"))
    choice.focus()
    for _ in range(presses):
        visit.page.keyboard.press("ArrowDown")
    visit.page.wait_for_function(
        "name => (document.getElementById(name).dataset.drawn || '').startsWith('goodput')", arg=chart
    )
    after = (figure.locator("h3").inner_text(), visit.page.inner_html(f"#{chart} svg.marks"))
    assert before[0].startswith("Mean queue")
    assert after[0].startswith("Goodput")
    assert after[1] != before[1]
    assert "Distinct data received" in figure.locator("figcaption").inner_text()
    assert visit.page.locator(f"#{chart} svg.marks").count() == 1
    assert visit.complaints == []
    visit.page.close()


def test_charts_follow_the_width_of_the_window(browser: Browser, reports: Pages) -> None:
    visit = Visit(browser, reports["grid"], 1200)
    visit.page.set_viewport_size({"width": 375, "height": 800})
    visit.page.wait_for_function(
        "[...document.querySelectorAll('svg.marks')].every(chart => chart.clientWidth <= 375)"
    )
    assert visit.complaints == []
    visit.page.close()


def test_the_report_says_what_varied_and_how_to_run_it_again(desktop: Visit) -> None:
    text = desktop.page.inner_text("body")
    for expected in (
        GRID.title,
        "links.bottleneck.rate",
        "1, 3, 10, 30, 100",
        "DropTail, RED, REM",
        "mean ± 95% interval of 5 replications",
        "These are the first 40 of 180 rows.",
        "weir results 7 --export fake.csv",
        "Data packets dropped by queues, over",
        "weir sweep fake.toml",
        "0.1.0 (results version 1)",
    ):
        assert expected in text
    assert len(desktop.page.query_selector_all(".tall tbody tr")) == 40


def test_the_table_says_what_the_estimates_say(desktop: Visit) -> None:
    first = GRID.estimates(["mean_queue"]).filter(pl.col("period") == -1).row(0, named=True)
    cells = [cell.inner_text() for cell in desktop.page.query_selector_all(".tall tbody tr:first-child td")]
    assert cells[:4] == ["1", "10", "50", "DropTail"]
    assert cells[4] == f"{first['mean']:.1f}±{first['half_width']:.1f}"


def test_a_sweep_without_finished_runs_has_a_report(tmp_path: Path) -> None:
    write(FakeSweep([RATE], without=pl.lit(True)), tmp_path)  # noqa: FBT003 - a column
    assert "No run is finished." in (tmp_path / "report.html").read_text(encoding="utf-8")
