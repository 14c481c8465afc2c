"""Pages as axe-core judges them: for readers who do not see, or not every colour, or have no mouse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weir
from browsing import Scheme, Visit, chromium, findings
from fake_sweep import SWEEPS
from tuning.fake_answer import evidence
from weir.plot import panels_of, render
from weir.report._result import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
browser = chromium

PAGES = ("compared", "single", "two axes", "region")
FORMS = ((1200, "light"), (375, "dark"), (1200, "dark"), (375, "light"))


@pytest.fixture(scope="module")
def pages(
    compared: weir.Sweep, single: weir.Sweep, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """One of every kind."""
    directory = tmp_path_factory.mktemp("pages")
    script = render({}, directory)
    sweeps = {
        "compared": compared,
        "single": single,
        **{name: SWEEPS[name] for name in ("two axes", "morris")},
    }
    texts = {name: html(sweep, panels_of(sweep), script) for name, sweep in sweeps.items()}
    answer = evidence("not achievable", 2, 1, over=("rate=5..20 Mbit/s",))
    texts["region"] = answer.html(answer.panels, script)
    for name, text in texts.items():
        (directory / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: directory / f"{name}.html" for name in texts}


# Each page in one form, in turn; `make soak` has every page in every form.
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        pytest.param(
            *(name, width, scheme),
            id=f"{'phone' if width < 1000 else 'desktop'}-{scheme}-{name}",
            marks=[] if form == page % 2 else pytest.mark.soak,
        )
        for page, name in enumerate(PAGES)
        for form, (width, scheme) in enumerate(FORMS)
    ],
)
def test_axe_finds_nothing(
    name: str, width: int, scheme: Scheme, browser: Browser, pages: dict[str, Path]
) -> None:
    visit = Visit(browser, pages[name], width, scheme)
    # One of each kind: a long page takes axe long.
    for folded in (".contents", ".numbers", "main section > details"):
        visit.page.evaluate("name => { (document.querySelector(name) ?? {}).open = true; }", folded)
    assert findings(visit.page) == {}
    for chart in visit.page.query_selector_all(".chart"):
        assert chart.get_attribute("aria-label")
        described = chart.get_attribute("aria-describedby")
        assert visit.page.locator(f"#{described}").inner_text()
        assert visit.page.locator(f"#{chart.get_attribute('aria-details')} summary").inner_text()
    visit.page.close()
