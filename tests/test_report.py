"""The report in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weir
from browsing import Visit, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
browser = chromium

CHARTS_WITH_USERS = {
    "mean-queue-by-users",
    "goodput-by-users",
    "loss-by-users",
    "queue-over-time",
    "delay-distribution",
    "delay-tail",
}
CHARTS_OF_ONE = {"mean-queue", "goodput", "loss", "delay-distribution", "delay-tail"}


@pytest.fixture(scope="module")
def reports(
    compared: weir.Result, single: weir.Result, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The report of a comparison with periods, and of one run without."""
    places = {"compared": compared, "single": single}
    directory = tmp_path_factory.mktemp("reports")
    for name, result in places.items():
        result.save(directory / name)
    return {name: directory / name for name in places}


@pytest.mark.parametrize("width", [1200, 375], ids=["desktop", "phone"])
@pytest.mark.parametrize(("name", "charts"), [("compared", CHARTS_WITH_USERS), ("single", CHARTS_OF_ONE)])
def test_every_chart_is_drawn_offline_and_without_complaint(
    name: str, charts: set[str], width: int, browser: Browser, reports: dict[str, Path]
) -> None:
    visit = Visit(browser, reports[name] / "report.html", width)
    assert visit.complaints == []
    assert visit.requests == [visit.url]
    assert visit.charts() == charts
    # Wide tables scroll by themselves; the page does not.
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.page.close()


def test_charts_follow_the_width_of_the_window(browser: Browser, reports: dict[str, Path]) -> None:
    visit = Visit(browser, reports["compared"] / "report.html", 1200)

    def width() -> float:
        image = visit.page.query_selector("#mean-queue-by-users svg.marks")
        box = image and image.bounding_box()
        return box["width"] if box else 0.0

    wide = width()
    visit.page.set_viewport_size({"width": 375, "height": 800})
    visit.page.wait_for_function("document.querySelector('#mean-queue-by-users svg.marks').clientWidth < 375")
    assert width() < wide
    assert visit.complaints == []
    visit.page.close()


def test_the_report_says_what_the_tables_say(
    browser: Browser, reports: dict[str, Path], compared: weir.Result
) -> None:
    visit = Visit(browser, reports["compared"] / "report.html", 1200)
    text = visit.page.inner_text("body")
    for expected in (
        compared.record.title,
        "Mean ± 95% interval of 4 replications.",
        "Mean queue (packets) by number of users",
        "Against DropTail",
        "Time average of the number of packets waiting",
        f"results version {compared.record.results_version}",
        "seeds 7 to 10",
    ):
        assert expected in text
    visit.page.close()


def test_the_same_figures_lie_beside_the_report(reports: dict[str, Path]) -> None:
    figures = reports["compared"] / "figures"
    for suffix in (".svg", ".pdf", ".png", ".vl.json"):
        names = {path.name.removesuffix(suffix) for path in figures.glob(f"*{suffix}")}
        assert names == CHARTS_WITH_USERS
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in figures.glob("*.png"))
    assert all(path.read_bytes().startswith(b"%PDF") for path in figures.glob("*.pdf"))
    assert len(list(figures.iterdir())) == 4 * len(CHARTS_WITH_USERS)
