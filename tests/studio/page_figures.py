"""Speed, size and memory of the page of the studio, measured in Chromium: `make studio-speed`."""

from __future__ import annotations

import gzip
import json
import os
import re
import time
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

import numpy as np

from promises import Figure
from waiting import HANG_S, patient
from weir import _core, studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TWENTY = """\
schema = 1
name = "twenty"
duration = "{duration}"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "10 ms"
buffer = "100 packets"

[flows.cubic]
count = 20
rtt = "40 ms"
start_jitter = "1 s"
tcp.congestion.cubic = {{}}

[variants.a]
label = "DropTail"
links.bottleneck.queue.drop-tail = {{}}

[variants.b]
label = "CoDel"
links.bottleneck.queue.codel = {{}}

[variants.c]
label = "PIE"
links.bottleneck.queue.pie = {{}}
"""
"""20 flows on 20 Mbit/s, with three queues."""

LONG_S = 8_000_000
"""Duration in seconds that is as good as endless: the longest run is 104 days."""
SEEDS = 10
"""Number of seeds of a comparison in the page."""
LOOK_EVERY_S = 20.0
"""Seconds between two measurements of the memory, each of which takes ten seconds."""
VIEW = {"width": 1440, "height": 900}


@contextmanager
def opened(
    chromium: Browser, duration_s: float, shown: list[str | None], speed: float | None
) -> Generator[Page]:
    """The page with the scenario of 20 flows; as fast as it goes without `speed`."""
    state = json.dumps(
        {"text": TWENTY.format(duration=f"{duration_s:.0f} s"), "shown": shown, "speed": speed}
    )
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = raw.compress(state.encode()) + raw.flush()
    page = patient(chromium.new_page(viewport=VIEW))  # pyright: ignore[reportArgumentType] - a typed dictionary
    try:
        page.goto(f"{studio.PAGE.as_uri()}#s={urlsafe_b64encode(packed).rstrip(b'=').decode()}")
        page.locator("footer .time b").wait_for()
        refused = page.locator("[role=alert]").all_text_contents()
        assert refused == [], "the page shows another scenario"
        yield page
    finally:
        page.close()


def simulated(page: Page) -> float:
    """Simulated time on the page in s."""
    return float((page.locator("footer .time b").text_content() or "0").split()[0])


def speed(chromium: Browser, wall_s: float = 5.0) -> Figure:
    """How much faster than real time one variant runs, as fast as it goes, while it is drawn."""
    with opened(chromium, LONG_S, ["a"], None) as page:
        # The module starts with the page: that is another figure.
        for _ in range(600):
            if simulated(page) > 0.0:
                break
            page.wait_for_timeout(100)
        before, start = simulated(page), time.perf_counter()
        page.wait_for_timeout(1000 * wall_s)
        ratio = (simulated(page) - before) / (time.perf_counter() - start)
    return Figure(
        "20 flows on 20 Mbit/s in one worker, drawn: times real time", ratio, 500.0, "", at_least=True
    )


def renderers(chromium: Browser) -> list[Path]:
    """The processes that run pages, as folders."""
    session: Any = chromium.new_browser_cdp_session()
    processes: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return [Path(f"/proc/{process['id']}") for process in processes if process["type"] == "renderer"]


def worker_times(chromium: Browser) -> dict[str, float]:
    """CPU time in s of each thread that is a worker of a page."""
    found: dict[str, float] = {}
    for task in (task for process in renderers(chromium) for task in (process / "task").iterdir()):
        # A worker may end meanwhile.
        with suppress(FileNotFoundError, ProcessLookupError):
            name, _, numbers = (task / "stat").read_text(encoding="utf-8").partition(") ")
            if "(Dedicated" in name:
                user, system = numbers.split()[11:13]
                found[task.name] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return found


def per_packet(chromium: Browser, duration_s: float = 300.0) -> tuple[float, float]:
    """Nanoseconds of CPU time per packet: in a worker of the page, and natively, of the same whole runs."""
    with opened(chromium, duration_s, ["a", "b"], 1.0) as page:
        page.get_by_role("button", name="Pause").click()
        page.wait_for_timeout(500)
        before = worker_times(chromium)
        after = dict(before)
        page.get_by_role("button", name=f"Compare over {SEEDS} seeds").click()
        done = page.get_by_text(f"over {SEEDS} seeds, 95% intervals")
        while not (done.is_visible() and page.get_by_role("button", name="Compare over").is_visible()):
            after |= worker_times(chromium)
            page.wait_for_timeout(20)
        taken = sum(spent - before.get(task, 0.0) for task, spent in after.items())
    text = TWENTY.format(duration=f"{duration_s:.0f} s")
    runs: list[tuple[_core.Scenario, int]] = []
    for variant in ("a", "b"):
        scenario = _core.Scenario.loads(text, variant=variant)
        runs += [(scenario, scenario.seed + number) for number in range(SEEDS)]
    start = time.process_time()
    batch = _core.Batch(runs, 1)
    while not batch.wait(1.0):
        pass
    native = time.process_time() - start
    packets = sum(run.packets for run in batch.results())
    return 1e9 * taken / packets, 1e9 * native / packets


_FIRST = """
const look = () => {
  const time = document.querySelector("footer .time b");
  if (time && parseFloat(time.textContent) > 0) window.weirFirst = performance.now();
  else requestAnimationFrame(look);
};
look();
"""


def first(chromium: Browser) -> list[Figure]:
    """When something is painted, and when packets move, in s: the median of five visits."""
    found: list[tuple[float, float]] = []
    for _ in range(5):
        page = patient(chromium.new_page(viewport=VIEW))  # pyright: ignore[reportArgumentType] - a typed dictionary
        page.add_init_script(_FIRST)
        page.goto(studio.PAGE.as_uri())
        page.wait_for_function("() => window.weirFirst > 0")
        paint: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        found.append((paint / 1e3, page.evaluate("window.weirFirst") / 1e3))
        page.close()
    paint_s, packets_s = np.median(found, axis=0)
    return [
        Figure("First paint", float(paint_s), 1.0, " s"),
        Figure("First packets", float(packets_s), 2.0, " s"),
    ]


def size() -> Figure:
    """Size of the page, which is one file, in MB."""
    return Figure(
        "All files, compressed (gzip)", len(gzip.compress(studio.PAGE.read_bytes(), 9)) / 1e6, 1.5, " MB"
    )


def frames(chromium: Browser, wall_s: float = 60.0) -> Figure:
    """The share of frames within 20 ms, with three variants at the speed of life, in %."""
    with opened(chromium, LONG_S, ["a", "b", "c"], 1.0) as page:
        page.wait_for_timeout(2000)
        page.evaluate("window.weirFrames.length = 0")
        page.wait_for_timeout(1000 * wall_s)
        lengths = np.array(page.evaluate("window.weirFrames"))
    within = float(100.0 * np.mean(lengths <= 20.0))
    return Figure(
        f"Frames within 20 ms over {wall_s:g} s, three variants at 1×", within, 95.0, "%", at_least=True
    )


def works(process: Path) -> bool:
    """Returns true if a process has workers, so that it is that of the page; the others are in reserve."""
    return any("(Dedicated" in (task / "stat").read_text(encoding="utf-8") for task in process.glob("task/*"))


def resident(page: Page, chromium: Browser) -> float:
    """Memory of the page and its workers in MB, without the program itself: the least in ten seconds, with
    little that is yet to be collected."""
    found: list[float] = []
    processes = [process for process in renderers(chromium) if works(process)]
    for _ in range(10):
        page.wait_for_timeout(1000)
        texts = [(process / "status").read_text(encoding="utf-8") for process in processes]
        sizes = [re.search(r"RssAnon:\s+(\d+) kB", text) for text in texts]
        found.append(sum(int(size[1]) for size in sizes if size) / 1e3)
    return min(found)


def collect(page: Page) -> None:
    """Collects the garbage of the page and of its workers."""
    session: Any = page.context.new_cdp_session(page)
    workers: list[str] = []
    answers: list[dict[str, Any]] = []

    def attached(event: dict[str, Any]) -> None:
        workers.append(event["sessionId"])

    def answered(event: dict[str, Any]) -> None:
        answers.append(json.loads(event["message"]))

    session.on("Target.attachedToTarget", attached)
    session.on("Target.receivedMessageFromTarget", answered)
    at_once = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
    session.send("Target.setAutoAttach", at_once)
    page.wait_for_timeout(500)
    assert len(workers) == len(page.workers) > 0
    order = json.dumps({"id": 1, "method": "HeapProfiler.collectGarbage"})
    for worker in workers:
        session.send("Target.sendMessageToTarget", {"sessionId": worker, "message": order})
    session.send("HeapProfiler.collectGarbage")
    deadline = time.monotonic() + HANG_S
    while sum("result" in answer for answer in answers) < len(workers):
        assert time.monotonic() < deadline, answers
        page.wait_for_timeout(50)
    session.detach()


def memory(chromium: Browser, wall_s: float = 600.0) -> list[Figure]:
    """By how much the memory of the page grows in so long at full speed, after the first minute, in %: as it
    is, by its trend, and of what is left once garbage is collected. Nothing asks for a collection before the
    last look at what is: the first look at what is left ends another visit, of the first minute only."""
    warm_ms = min(60_000, 200 * wall_s)
    with opened(chromium, LONG_S, ["a", "b", "c"], None) as page:
        page.wait_for_timeout(warm_ms)
        collect(page)
        held = resident(page, chromium)
    with opened(chromium, LONG_S, ["a", "b", "c"], None) as page:
        page.wait_for_timeout(warm_ms)
        looks: list[tuple[float, float]] = []
        every_s = min(LOOK_EVERY_S, wall_s / 10)
        start = time.monotonic()
        while not looks or looks[-1][0] < wall_s:
            if looks:
                page.wait_for_timeout(1000 * min(every_s, max(0.0, wall_s - looks[-1][0])))
            at_s = time.monotonic() - start
            looks.append((at_s, resident(page, chromium)))
        collect(page)
        held_last = resident(page, chromium)
        assert simulated(page) < LONG_S
    first, last = looks[0][1], looks[-1][1]
    times_s, sizes = zip(*(look for look in looks if look[0] >= wall_s / 2), strict=True)
    trend = linear_regression(times_s, sizes).slope * wall_s
    growth = f"Growth of memory over {wall_s / 60:g} minutes at full speed"
    return [
        Figure(f"{growth}, {first:.0f} to {last:.0f} MB", 100.0 * (last - first) / first, 10.0, "%"),
        Figure(
            f"The same by the trend of the second half, {60 * trend / wall_s:.2g} MB a minute",
            100.0 * trend / first, 10.0, "%",
        ),
        Figure(
            f"{growth}, garbage collected before both looks, {held:.0f} to {held_last:.0f} MB",
            100.0 * (held_last - held) / held, 10.0, "%",
        ),
    ]  # fmt: skip


def all_figures(chromium: Browser, *, quick: bool = False) -> list[Figure]:
    """Figures that the page promises: speed, size and memory."""
    return [*without_memory(chromium, quick=quick), *memory(chromium, 30.0 if quick else 600.0)]


def without_memory(chromium: Browser, *, quick: bool = False) -> list[Figure]:
    """Figures that the page promises: speed and size."""
    browser_ns, native_ns = per_packet(chromium)
    return [
        speed(chromium),
        Figure(
            f"A packet in a worker: {browser_ns:.0f} ns, natively {native_ns:.0f} ns; times as long",
            browser_ns / native_ns, 2.0, "",
        ),
        *first(chromium),
        size(),
        frames(chromium, 10.0 if quick else 60.0),
    ]  # fmt: skip


def page(found: list[Figure], loads: tuple[float, float]) -> str:
    """The page of the documentation."""
    rows = "\n".join(figure.row() for figure in found)
    return f"""# Speed of the studio

Written by `make studio-speed`, which measures the built page in headless Chromium without a graphics card,
on {os.cpu_count()} cores. Tests marked `soak` hold it to the last column where it is met. Other programs
shared the machine: its load was {loads[0]:.1f} at the start and {loads[1]:.1f} at the end.

| | measured | promised |
| --- | --- | --- |
{rows}

Times per packet are CPU time, of {SEEDS} whole runs of 300 s with DropTail and {SEEDS} with CoDel. First
paint and first packets are medians of five visits. Memory is what the page and its workers hold, without the
program that they share with other pages. The first look at it is when the page has run for a minute. Further
looks follow every half a minute, the last one ten minutes after the first. A look is the least of ten
readings, one each second. Nothing asks for a collection of garbage on this visit until its last look is over.
The trend is a straight line through the looks of the last five minutes. For the last row garbage is collected
then, and on another visit after the first minute.
"""
