"""Topology of a scenario as a picture.

Links in a row are arrows with their queues; each flow group is a lane below, from its senders to its
receivers. Everything is read from the resolved scenario.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from weir.check import units
from weir.disciplines import controls
from weir.sweep import ChartError

if TYPE_CHECKING:
    from weir._core import Path as Route
    from weir._core import Port
    from weir.scenario import Scenario

WIDTH = 760
"""Width of a picture, px; the text of 13 px is 8 pt in a print of 165 mm."""

FIRST, LAST = 120, 640
"""Positions of the first and the last router, px."""

ROUTER, TOP, BACK, LANES, LANE = 9, 72, 58, 60, 40
"""Radius of a router; heights: the forward links, from there to the reverse links, from the lowest link to
the first lane, and from lane to lane."""

_LETTERS = 108
"""Letters in a line of variants."""

INK, GREY, BLUE, ORANGE = "#000000", "#666666", "#0072B2", "#D55E00"
"""Colours of Okabe and Ito (2008). Words or a dash repeat the meaning of each colour."""

_DASHES = {"bulk": "", "cbr": "3 3", "on-off": "3 3", "replay": "3 3"}
"""Kind of traffic to its dashes: data without end, and datagrams. All other kinds are transfers."""

_TRANSFERS = "10 4"


@dataclass(frozen=True)
class Row:
    """Links one after the other: their names, and the ports of both directions."""

    links: Sequence[str]
    ports: dict[str, Port]

    def x(self, router: int) -> float:
        """Position of a router; there is one more router than links."""
        return FIRST + (LAST - FIRST) * router / len(self.links)

    def span(self, data: Sequence[str]) -> tuple[int, int]:
        """The routers at which the data of a group enter and leave. Raises ChartError if it is no row."""
        places = [self.links.index(self.ports[name].link) for name in data]
        back = self.ports[data[0]].direction == "reverse"
        expected = range(places[0], places[0] + len(places) * (-1 if back else 1), -1 if back else 1)
        if places != list(expected):
            raise ChartError(f"{', '.join(data)} are not in a row", "a picture has links in a row alone")
        return (places[0] + 1, places[-1]) if back else (places[0], places[-1] + 1)


def topology(scenario: Scenario, *, variants: bool = True) -> str:
    """Picture of the links in a row, their queues, and the flow groups, as SVG.

    `variants`: names them below. Raises ChartError where the links of a group are not in a row.

    Example:
        >>> svg = weir.plot.topology(weir.Scenario.load("rem-wireline"))
        >>> svg.startswith("<svg"), "bottleneck" in svg
        (True, True)
    """
    network = scenario.network
    row = Row(scenario.core.links, {port.name: port for port in network.ports})
    back = any(port.direction == "reverse" for port in network.ports)
    lowest = TOP + (BACK if back else 0)
    named = variants and scenario.variants
    below = wrap(f"Variants: {_variants(scenario)}", _LETTERS) if named else []
    end = lowest + LANES + LANE * len(network.paths)
    height = end + 12 + 16 * max(1, len(below))
    parts = [
        *_routers(row, lowest, end - 16),
        *(part for port in network.ports for part in _link(row, port, network.bottleneck.name)),
        *(
            part
            for lane, path in enumerate(network.paths)
            for part in _lane(scenario, row, path, lowest + LANES + LANE * lane)
        ),
        *(_text(WIDTH / 2, end + 16 * (1 + n), line, GREY) for n, line in enumerate(below)),
    ]
    title = f"Topology of {scenario.name}: {scenario.title}"
    words = "; ".join(
        [*(_said(port) for port in network.ports), *(_group(scenario, p) for p in network.paths)]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-labelledby="title description" font-size="13" '
        "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
        f'<title id="title">{escape(title)}</title>\n<desc id="description">{escape(words)}</desc>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _routers(row: Row, lowest: float, end: float) -> Iterator[str]:
    """Each router with a line down through the lanes."""
    for router in range(len(row.links) + 1):
        x = row.x(router)
        yield f'<path d="M{x:g},{TOP} V{end:g}" stroke="#bbbbbb" stroke-dasharray="2 4"/>'
        yield (
            f'<rect x="{x - ROUTER:g}" y="{TOP - ROUTER}" width="{2 * ROUTER}" '
            f'height="{lowest - TOP + 2 * ROUTER:g}" rx="4" fill="#dddddd" stroke="{INK}"/>'
        )


def _link(row: Row, port: Port, bottleneck: str) -> Iterator[str]:
    """An arrow, the queue at its begin, and what the file says of both."""
    place, back = row.links.index(port.link), port.direction == "reverse"
    left, right = row.x(place) + ROUTER, row.x(place + 1) - ROUTER
    y = TOP + (BACK if back else 0)
    yield _arrow(right - 4 if back else left + 4, left if back else right, y, INK, 2.5, "")
    colour = ORANGE if port.name == bottleneck else GREY
    for packet in range(4):
        x = (right - 12 - 9 * packet) if back else (left + 5 + 9 * packet)
        yield f'<rect x="{x:g}" y="{y - 9}" width="7" height="18" fill="{colour}"/>'
    said_so = port.name == bottleneck != "bottleneck"
    name = f"{port.name}, bottleneck" if said_so else port.name
    middle = (left + right) / 2
    # A link of a long row is too short for a line with everything.
    said = [part for part in _said(port).split(", ")[1:] if part]
    lines = [", ".join(said)] if right - left > 300 else [", ".join(said[:2]), ", ".join(said[2:])]
    for line, text in enumerate([name, *lines]):
        above = y - 14 - 16 * (len(lines) - line)
        yield _text(middle, above, text, INK, "bold" if line == 0 else "normal")


def _said(port: Port) -> str:
    """Name, rate, delay and buffer."""
    buffer = (
        units.packets(port.limit_packets)
        if port.limit_packets is not None
        else units.scaled(port.limit_bytes or 0, ("B", "kB", "MB"))
    )
    bits = [one for _, one in port.rate_changes] + [port.rate_bps]
    speed = (
        units.rate(port.rate_bps) if len(bits) == 1 else f"{units.rate(min(bits))} to {units.rate(max(bits))}"
    )
    return f"{port.name}, {speed}, {_micro(units.time(port.delay_s))}, {buffer}"


def _lane(scenario: Scenario, row: Row, path: Route, y: float) -> Iterator[str]:
    """A flow group: senders as a dot, receivers as the head of an arrow."""
    first, last = row.span(path.data)
    way = 1 if last > first else -1
    begin, end = row.x(first) - 26 * way, row.x(last) + 26 * way
    dash = _DASHES.get(path.traffic, _TRANSFERS)
    datagrams = dash == _DASHES["cbr"]
    colour = INK if datagrams else BLUE
    yield _arrow(begin, end, y, colour, 2.5, dash)
    yield f'<circle cx="{begin:g}" cy="{y:g}" r="6" fill="{colour}"/>'
    yield _text((begin + end) / 2, y - 9, _group(scenario, path), colour, halo=True)


def _group(scenario: Scenario, path: Route) -> str:
    """`download: 4 flows, CUBIC, RTT 40 ms`."""
    group = f"flows.{path.group}"
    known = {one.name: one.title for one in controls()}
    words = [_traffic(scenario, path)]
    if path.traffic not in ("cbr", "on-off", "replay"):
        (control,) = _chosen(scenario, f"{group}.tcp.congestion")
        words.append(known[control])
    low, high = path.base_rtt_range_s
    words.append(
        f"RTT {_micro(units.time(low))}" + ("" if low == high else f" to {_micro(units.time(high))}")
    )
    return f"{path.group}: {', '.join(words)}"


def _traffic(scenario: Scenario, path: Route) -> str:
    group = f"flows.{path.group}"
    traffic: Any = scenario.core.value(f"{group}.traffic")
    if path.traffic == "bulk":
        flows = max(change.after for change in path.load)
        return f"{flows} flow{'' if flows == 1 else 's'}"
    if path.traffic == "cbr":
        return f"datagrams, {traffic['cbr']['rate']}"
    if path.traffic == "poisson" and "load" in traffic["poisson"]:
        return f"transfers, {traffic['poisson']['load']:.0%} of the link"
    return path.traffic


def _chosen(scenario: Scenario, path: str) -> list[str]:
    """The one name at a choice, written as a text or as a table."""
    found: Any = scenario.core.value(path)
    return [found] if isinstance(found, str) else list(found)


def _variants(scenario: Scenario) -> str:
    return "; ".join(scenario.variant(name).label for name in scenario.variants)


def _micro(text: str) -> str:
    return text.replace(" us", " µs")


def _arrow(begin: float, end: float, y: float, colour: str, width: float, dash: str) -> str:
    way = 1 if end > begin else -1
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="M{begin:g},{y:g} H{end - 9 * way:g}" stroke="{colour}" stroke-width="{width:g}"{dashes} '
        f'fill="none"/><path d="M{end:g},{y:g} l{-12 * way},-6 v12 z" fill="{colour}"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    colour: str,
    weight: Literal["normal", "bold"] = "normal",
    *,
    halo: bool = False,
) -> str:
    around = ' stroke="#ffffff" stroke-width="4" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" fill="{colour}" font-weight="{weight}"{around}>'
        f"{escape(text)}</text>"
    )
