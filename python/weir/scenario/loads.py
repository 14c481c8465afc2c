"""How many flows a scenario has, and when that or a link's rate changes.

Reads resolved scenarios, every default written out: as TOML they lie beside results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from weir import _core

Table = Mapping[str, Any]

Direction = Literal["forward", "reverse"]


@dataclass(frozen=True)
class Change:
    """An instant from which the load of a link is another."""

    at: float
    """Seconds."""
    before: int
    """Flows over the link until then, jitter aside."""
    after: int
    """Flows from then on."""
    rate: float | None = None
    """The link's new rate in bit/s, if it changes."""


def seconds(text: str) -> float:
    """A duration such as "50 ms"."""
    return _core.quantity(text)[0]


def steps(group: Table) -> list[tuple[float, int]]:
    """(instant, by how many flows their number changes) of a group, in order, jitter aside."""
    start = seconds(group.get("start", "0 s"))
    stop = seconds(group["stop"]) if group.get("stop") else None
    here, now = int(group.get("count", 1)), start
    found = [(start, here)]
    for change in group.get("population", ()):
        if "at" in change:
            now = seconds(change["at"])
            if stop is not None and now >= stop:
                break
            found.append((now, int(change["count"]) - here))
            here = int(change["count"])
            continue
        while (missing := int(change["until"]) - here) != 0:
            now += seconds(change["every"])
            if stop is not None and now >= stop:
                break
            by = max(-int(change["step"]), min(missing, int(change["step"])))
            here += by
            found.append((now, by))
    if stop is not None:
        found.append((stop, -here))
    return found


def present(group: Table, at: float) -> int:
    """Flows of a group at an instant in seconds."""
    return sum(by for instant, by in steps(group) if instant <= at)


def way(scenario: Table, group: Table) -> list[tuple[str, Direction]]:
    """The links that data of a group passes, in order, and each in its direction."""
    links: Table = scenario["links"]
    passed: list[tuple[str, Direction]] = []
    without_nodes: Direction = "reverse" if group.get("upload") else "forward"
    here = group.get("from")
    for name in group.get("path") or list(links)[:1]:
        begin, end = links[name].get("from"), links[name].get("to")
        if here is None or begin is None:
            passed.append((name, without_nodes))
            continue
        passed.append((name, "reverse" if end == here else "forward"))
        here = begin if end == here else end
    return passed


def flows_over(scenario: Table, link: str, at: float) -> int:
    """Flows whose data pass a link forward at an instant in seconds."""
    return sum(present(group, at) for group in _groups_over(scenario, link))


def changes(scenario: Table, link: str) -> list[Change]:
    """When the load of a link changes after the start: flows come or go, or the link gets another rate.

    What lies at or after the end of the run does not count.
    """
    end = seconds(scenario["duration"])
    by: dict[float, int] = {}
    for group in _groups_over(scenario, link):
        for instant, flows in steps(group):
            by[instant] = by.get(instant, 0) + flows
    rates = dict(rate_changes(scenario["links"][link], end))
    found: list[Change] = []
    flows = 0
    for instant in sorted({*by, *rates}):
        before, flows = flows, flows + by.get(instant, 0)
        if 0.0 < instant < end and (before != flows or instant in rates):
            found.append(Change(instant, before, flows, rates.get(instant)))
    return found


def rate_changes(link: Table, end: float) -> list[tuple[float, float]]:
    """(instant, bit/s from then on) of a link before the end of the run, in seconds."""
    schedule: list[Table] = link.get("rate_schedule") or []
    stated = [(seconds(change["at"]), _core.quantity(str(change["rate"]))[0]) for change in schedule]
    if link.get("rate_period") is None:
        return [change for change in stated if change[0] < end]
    every = seconds(link["rate_period"])
    anew = (0.0, _core.quantity(str(link["rate"]))[0])
    rounds = range(math.ceil(end / every))
    found = [(index * every + at, rate) for index in rounds for at, rate in (anew, *stated)]
    return [(at, rate) for at, rate in found if 0.0 < at < end]


def _groups_over(scenario: Table, link: str) -> list[Table]:
    return [group for group in scenario["flows"].values() if (link, "forward") in way(scenario, group)]
