"""The scorecard as a page: its figures are drawn, and axe-core finds nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from evaluations import evaluated

from browsing import Visit, chromium, findings
from weir.report._scorecard import COMPARISON, SCORECARD, EvaluationPages
from weir.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
browser = chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pages")
    with Store.open(place / "store", create=True) as store:
        found = evaluated(store, ["red"], ["medium", "vary-rate-slow", "rtt-fair", "burst-size"])
        EvaluationPages(found).write(place)
    return place


@pytest.mark.parametrize(("page", "figures"), [(SCORECARD, 6), (COMPARISON, 1)])
def test_figures_are_drawn_and_axe_finds_nothing(
    page: str, figures: int, browser: Browser, folder: Path
) -> None:
    visit = Visit(browser, folder / page, 1200, "light")
    assert findings(visit.page) == {}
    assert len(visit.charts()) == figures
    assert visit.complaints == []
    visit.page.close()
