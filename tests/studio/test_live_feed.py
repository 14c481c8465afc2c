"""The page shows what a live run measures, beside a simulation of the same scenario."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from browsing import chromium
from waiting import patient
from weir import _core, studio
from weir.live._feed import Feed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium"]

pytestmark = [
    pytest.mark.studio,
    pytest.mark.browser,
    pytest.mark.skipif(not studio.PAGE.exists(), reason="the page is not built: make studio"),
]

TEXT = """
schema = 1
name = "live"
duration = "10 s"
links.line = { rate = "12 Mbit/s", delay = "5 ms", buffer = "100 packets" }
flows.down = { rtt = "40 ms" }
"""

LATENESS: _core.LiveLateness = {
    **dict.fromkeys(("wake_p50_us", "wake_p99_us", "wake_p999_us", "wake_max_us"), 1.0),
    **dict.fromkeys(("stalls", "packets", "late", "refused", "undelivered"), 0),
    "cpu_s": 0.0,
}  # pyright: ignore[reportAssignmentType]


def state(second: int) -> _core.LiveState:
    """A thousand packets a second, each of which has waited 7 ms; 42 wait."""
    sent = 1000 * second
    link: _core.LiveLink = {
        "link": "line",
        "direction": "forward",
        "rate_bps": 12e6,
        "waiting": 42,
        "arrivals": sent + 42,
        "departures": sent,
        "drops": 0,
        "marks": 0,
        "lost": 0,
        "bytes": 1500 * sent,
        "waited_ns": 7_000_000 * sent,
        "delay_p50_ms": 7.0,
        "delay_p99_ms": 7.0,
    }
    return {"links": [link], "flows": [], "lateness": LATENESS}


@pytest.fixture
def feed() -> Iterator[Feed]:
    scenario = _core.Scenario.loads(TEXT)
    feed = Feed(scenario, "down", [("line", "forward")], 30.0)
    yield feed
    feed.close()


def test_a_live_run_is_seen_beside_its_simulation(chromium: Browser, feed: Feed) -> None:
    from playwright.sync_api import expect  # Not installed, the browser's fixture has skipped by now.

    for second in range(10):
        feed.add(float(second), [state(second), {"links": [], "flows": [], "lateness": LATENESS}])
    with studio.server(0, feed.port) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = patient(chromium.new_page())
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"http://127.0.0.1:{server.server_port}/{feed.fragment}")
        time = page.locator("footer .time b")
        expect(time).to_have_text(re.compile(r"^9\."))
        feed.add(10.0, [state(10), {"links": [], "flows": [], "lateness": LATENESS}])
        expect(time).to_have_text(re.compile(r"^10"))
        queue = page.get_by_role("row", name="Queue now (pkt)").get_by_role("cell")
        expect(queue.first).to_have_text("42.0")
        mean = page.get_by_role("row", name="Mean delay (ms)").get_by_role("cell")
        expect(mean.first).to_have_text("7.00")
        expect(mean.last).not_to_have_text(re.compile(r"7\.00|–"))  # It is simulated here, by itself.
        assert page.get_by_role("alert").count() == 0
        assert complaints == []
        page.close()
        server.shutdown()
