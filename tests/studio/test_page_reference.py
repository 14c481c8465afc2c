"""Titles in the page, and what it writes beside a congestion control, are those of the Python package."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from browsing import chromium
from waiting import patient
from weir import disciplines, studio
from weir.stats import MEASURES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium"]

pytestmark = [
    pytest.mark.studio,
    pytest.mark.browser,
    pytest.mark.skipif(not studio.PAGE.exists(), reason="the page is not built: make studio"),
]


def test_titles_and_needs_are_those_of_the_reference(chromium: Browser) -> None:
    from playwright.sync_api import expect  # Not installed, the browser's fixture has skipped by now.

    page = patient(chromium.new_page())
    page.goto(studio.PAGE.as_uri())
    # `expect` waits: the lists come with the module, which may load after the page.
    queues = page.get_by_label("Queue discipline of A").locator("option")
    expect(queues).to_have_text([one.title for one in disciplines.registered()])
    choice = page.get_by_label("Congestion control of cubic")
    known = disciplines.controls()
    expect(choice.locator("option")).to_have_text([one.title for one in known])
    for one in known:
        page.get_by_label("Scenario", exact=True).select_option("template/access")
        page.get_by_label("Scenario", exact=True).select_option("start")
        choice.select_option(one.name)
        page.get_by_role("button", name="Text", exact=True).click()
        typed = page.get_by_label("The scenario as text", exact=False)
        expect(typed).to_contain_text(re.compile(rf"\b{re.escape(one.name)}\b"))
        # The editor draws only the lines that are seen.
        text = typed.evaluate("editor => editor.cmTile.view.state.doc.toString()")
        page.get_by_role("button", name="Sliders", exact=True).click()
        tcp = tomllib.loads(text)["flows"]["cubic"]["tcp"]
        assert tcp == {"congestion": {one.name: {}}, **nested(one.needs)}, text
        assert page.get_by_role("alert").count() == 0, one.name
    page.close()


def test_measures_have_the_titles_of_tables(chromium: Browser) -> None:
    from playwright.sync_api import expect

    page = patient(chromium.new_page())
    page.goto(studio.PAGE.as_uri())
    for name in ("delay_mean", "delay_p99", "utilisation", "loss", "mark_fraction", "jain"):
        expect(page.get_by_role("row", name=MEASURES[name].heading)).to_have_count(1)
    page.close()


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """The table with these values at these paths."""
    found: dict[str, Any] = {}
    for path, value in values.items():
        *tables, key = path.split(".")
        inner = found
        for table in tables:
            inner = inner.setdefault(table, {})
        inner[key] = value
    return found
