"""A real browser, and a visit to a page with everything that it complained about or asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from browsers import NAMES, program

from waiting import patient

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = program()
    if found is None:
        pytest.skip(f"there is no browser: none of {', '.join(NAMES)}")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield launched
        launched.close()


def findings(page: Page) -> dict[str, list[str]]:
    """Findings of axe at every severity, with the first elements of each."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found: list[dict[str, Any]] = axe.Axe().run(page).response["violations"]
    return {one["id"]: [node["html"][:120] for node in one["nodes"]][:3] for one in found}


Scheme = Literal["light", "dark"]

_DRAWN = """
[...document.querySelectorAll(".chart")].filter((chart) => {
  const image = chart.querySelector("svg.marks");
  const box = image && image.getBoundingClientRect();
  const marks = ".mark-line path, .mark-symbol path, .mark-area path, .mark-rect path";
  return box && box.width > 100 && box.height > 50
    && [...image.querySelectorAll(marks)].some((mark) => mark.getAttribute("d"));
}).map((chart) => chart.id)
"""


class Visit:
    """A page with everything that it complained about or asked for."""

    def __init__(self, browser: Browser, report: Path, width: int, scheme: Scheme = "light") -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page: Page = patient(page)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.url = report.resolve().as_uri()
        self.page.goto(self.url)
        drawn = "[...document.querySelectorAll('.chart')].every(chart => chart.dataset.drawn)"
        self.page.wait_for_function(drawn)

    def _console(self, message: ConsoleMessage) -> None:
        self.complaints.append(f"{message.type}: {message.text}")

    def charts(self) -> set[str]:
        """Names of the charts that have an image with some marks in it."""
        return set(self.page.evaluate(_DRAWN))
