"""Changes made by hand in the page, saved as TOML: the program runs them with equal rows."""

from __future__ import annotations

import csv
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import test_wasm_rows as rows

from browsing import chromium
from waiting import patient
from weir import studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["chromium"]

pytestmark = [
    pytest.mark.studio,
    pytest.mark.browser,
    pytest.mark.skipif(not studio.PAGE.exists(), reason="the page is not built: make studio"),
]
EVERY_S = 0.02
"""Seconds between the rows of the page."""


def type_in(page: Page, label: str, value: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def wait_until(page: Page, time_s: float) -> None:
    """Until the page shows this simulated time."""
    while float((page.locator("footer .time b").text_content() or "0").split()[0]) < time_s:
        page.wait_for_timeout(50)


def saved(page: Page, kind: str) -> str:
    page.get_by_text("Save", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.fixture
def address() -> Iterator[str]:
    """Address of the page, as `weir studio` serves it."""
    with studio.server(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_a_session_by_hand_is_replayed_by_the_program(chromium: Browser, address: str) -> None:
    page = patient(chromium.new_page())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    wait_until(page, 2)
    type_in(page, "Rate, typed", "10 Mbit/s")
    type_in(page, "target, typed", "20 ms")
    wait_until(page, 5)
    type_in(page, "cubic, typed", "35")
    type_in(page, "RTT, typed", "80 ms")
    page.get_by_label("Queue discipline of A").select_option("pie")
    page.get_by_role("button", name="To the end").click()
    page.wait_for_function("() => window.weirSettled()")
    assert page.get_by_role("alert").count() == 0
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [address]
    text, data = saved(page, "TOML"), list(csv.DictReader(saved(page, "CSV").splitlines()))
    page.close()
    # Common to both, and written again where a variant has changes of its own.
    assert text.count('rtt = "80 ms"') >= 2
    for variant in ("a", "b"):
        case = rows.Case("by hand", text, variant)
        assert list(rows.digests([case])) == [rows.native(case.scenario())[0]]
        request = json.dumps({"text": text, "variant": variant, "every": EVERY_S})
        script = Path(__file__).with_name("samples.mjs")
        done = subprocess.run(["node", script], input=request, capture_output=True, text=True, check=True)
        alone = list(csv.DictReader(done.stdout.splitlines()))
        label = {"a": "A: DropTail", "b": "B: CoDel"}[variant]
        seen = [{name: row[name] for name in alone[0]} for row in data if row["variant"] == label]
        assert seen == alone
        assert len(alone) == 3000
