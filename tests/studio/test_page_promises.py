"""Promises of the page on speed, size, memory and accessibility."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import page_figures
import pytest

from browsing import chromium, findings
from waiting import patient
from weir import studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium"]

pytestmark = [
    pytest.mark.studio,
    pytest.mark.browser,
    pytest.mark.skipif(not studio.PAGE.exists(), reason="the page is not built: make studio"),
]


def test_all_files_are_small() -> None:
    assert page_figures.size().holds


@pytest.mark.soak
def test_speed_and_size(chromium: Browser) -> None:
    found = page_figures.without_memory(chromium)
    assert [figure.row() for figure in found if not figure.holds] == []


@pytest.mark.soak
def test_ten_thousand_flows_leave_frames_short(chromium: Browser) -> None:
    page = patient(chromium.new_page())
    page.goto(studio.PAGE.as_uri())
    page.get_by_label("cubic, typed").fill("10000")
    page.get_by_label("cubic, typed").press("Enter")
    page.wait_for_timeout(2000)
    page.evaluate("window.weirFrames.length = 0")
    page.wait_for_function("() => window.weirFrames.length > 60")
    assert median(page.evaluate("window.weirFrames")) < 40.0
    page.close()


@pytest.mark.soak
def test_memory_is_steady_but_for_garbage(chromium: Browser) -> None:
    *_, held = page_figures.memory(chromium)
    assert held.holds, held.row()


@pytest.mark.soak
@pytest.mark.parametrize("width", [1920, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium: Browser, scheme: str, width: int) -> None:
    page = patient(chromium.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme))  # pyright: ignore[reportArgumentType]
    page.goto(f"{studio.PAGE.as_uri()}#lesson/prague")
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("button", name="Compare over 10 seeds").click()
    page.get_by_text("over 10 seeds, 95% intervals").wait_for()
    page.get_by_label("rate, typed", exact=False).first.fill("30 Mbit/s")
    page.get_by_label("rate, typed", exact=False).first.press("Enter")
    for summary in page.get_by_text("More parameters").all():
        summary.click()
    page.get_by_text("Save", exact=True).click()
    assert findings(page) == {}
    page.get_by_role("slider", name="Buffer", exact=True).focus()
    assert findings(page) == {}
    for dialog in ("Share", "Keys"):
        page.get_by_role("button", name=dialog).click()
        page.get_by_role("dialog", name=dialog).wait_for()
        assert findings(page) == {}
        page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Text").click()
    text = page.get_by_label("The scenario as text")
    text.fill("broken =")
    page.get_by_role("alert").wait_for()
    assert findings(page) == {}
    page.close()
