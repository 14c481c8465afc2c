"""The report in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weir
from browsing import Visit, chromium
from weir.plot import figures_of
from weir.report import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
browser = chromium

CHARTS = {
    "compared": {"panel-lines", "panel-tradeoff", "panel-ellipses", "panel-delays", "panel-over-time"},
    "single": {"panel-delays"},
}


@pytest.fixture(scope="module")
def reports(
    compared: weir.Sweep, single: weir.Sweep, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The page of a comparison with periods, and of one run without."""
    results = {"compared": compared, "single": single}
    directory = tmp_path_factory.mktemp("reports")
    for name, result in results.items():
        (directory / name).mkdir()
        write(result, directory / name)
    return {name: directory / name for name in results}


@pytest.mark.parametrize("width", [1200, 375], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_offline_and_without_complaint(
    name: str, width: int, browser: Browser, reports: dict[str, Path]
) -> None:
    visit = Visit(browser, reports[name] / "report.html", width)
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    assert visit.charts() == CHARTS[name]
    # Wide tables scroll by themselves; the page does not.
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.page.close()


def test_charts_follow_the_width_of_the_window(browser: Browser, reports: dict[str, Path]) -> None:
    visit = Visit(browser, reports["compared"] / "report.html", 1200)

    def width() -> float:
        image = visit.page.query_selector("#panel-lines svg.marks")
        box = image and image.bounding_box()
        return box["width"] if box else 0.0

    wide = width()
    visit.page.set_viewport_size({"width": 375, "height": 800})
    visit.page.wait_for_function("document.querySelector('#panel-lines svg.marks').clientWidth < 375")
    assert width() < wide
    assert visit.complaints == []
    visit.page.close()


def test_the_report_says_what_the_tables_say(
    browser: Browser, reports: dict[str, Path], compared: weir.Sweep
) -> None:
    visit = Visit(browser, reports["compared"] / "report.html", 1200)
    text = visit.page.inner_text("body")
    for expected in (
        compared.title,
        "Mean ± 95% interval of 4 replications.",
        "Mean queue (packets) by number of users",
        "Against DropTail",
        "Time average of the number of packets waiting",
        f"results version {compared.results_version}",
        "7 to 10",
    ):
        assert expected in text
    visit.page.close()


def test_the_same_figures_lie_beside_the_report(reports: dict[str, Path], compared: weir.Sweep) -> None:
    figures = reports["compared"] / "figures"
    drawn = {figure.name for figure in figures_of(compared)}
    assert {"mean-queue-by-users", "delay-tail", "queue-over-time"} <= drawn
    for suffix in (".svg", ".pdf", ".png", ".vl.json"):
        assert {path.name.removesuffix(suffix) for path in figures.glob(f"*{suffix}")} == drawn
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in figures.glob("*.png"))
    assert all(path.read_bytes().startswith(b"%PDF") for path in figures.glob("*.pdf"))
    assert len(list(figures.iterdir())) == 4 * len(drawn)
