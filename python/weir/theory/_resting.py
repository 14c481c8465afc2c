"""A scenario's network at an instant, where its flows of TCP rest by duality.

Round trips hold the queues: the target of AQMs that have one, the queue at which RED's line gives the price,
a full buffer under DropTail. That depends on the prices in turn, and is iterated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from weir import _core
from weir.scenario import Scenario, core_of, flows_at
from weir.theory._aqms import AdaptiveRed, Aqm, Integrator, Red
from weir.theory._balance import SCALE, Balance, Path, Sender, balance
from weir.theory._bisection import bisected
from weir.theory._flags import Flag
from weir.theory._model import queue_of
from weir.theory._special import Avq, Hred, Step
from weir.theory._utility import TheoryError, require

_ROUNDS = 40
_DATAGRAMS = "cbr"
_APART = ("fq-codel", "fq-pie", "fq", "cake")
"""Schedulers that give each flow a queue of its own."""


@dataclass(frozen=True)
class Resting:
    """Result of the analysis: rates, prices and queues at an instant."""

    name: str
    at: float
    """Instant, seconds."""
    balance: Balance
    queues: tuple[float, ...]
    """Queues of the links, packets."""
    flags: tuple[Flag, ...]
    packet_bytes: int

    @property
    def rates(self) -> pl.DataFrame:
        """Rates of the groups, one row each. Columns are group, kind, flows, rtt_s (queues included), rate
        (packets per second of a flow), bps, window (packets), signals. `signals` is the fraction of packets
        with one; for Vegas the queueing delay in seconds, for REM's hosts a price."""
        found = self.balance
        # The marks that a path meets: prices of links add as -ln(1 - m).
        prices = dict(zip(found.links, found.prices.tolist(), strict=True))
        seen = [sum(prices[link] for link in path.links) for path in found.paths]
        signals = [
            q if path.kind in SCALE else -math.expm1(-q) for q, path in zip(seen, found.paths, strict=True)
        ]
        return pl.DataFrame(
            {
                "group": [path.name for path in found.paths],
                "kind": [path.kind for path in found.paths],
                "flows": [path.flows for path in found.paths],
                "rtt_s": [path.rtt for path in found.paths],
                "rate": found.rates,
                "bps": found.rates * 8.0 * self.packet_bytes,
                "window": [
                    rate * path.rtt for rate, path in zip(found.rates.tolist(), found.paths, strict=True)
                ],
                "signals": signals,
            }
        )

    @property
    def prices(self) -> pl.DataFrame:
        """Prices of the links, one row each. Columns are link, capacity and load (packets per second), price
        (−ln(1 − m), for Vegas seconds), signals (the fraction m), queue (packets)."""
        found = self.balance
        return pl.DataFrame(
            {
                "link": list(found.links),
                "capacity": found.capacities,
                "load": found.load,
                "price": found.prices,
                "signals": [-math.expm1(-price) for price in found.prices.tolist()],
                "queue": self.queues,
            }
        )

    def document(self) -> dict[str, Any]:
        """Document that `--json` prints.

        Example:
            >>> from weir.theory import resting
            >>> said = resting(scenario.variant("rem-mark")).document()
            >>> said["at_s"], said["one_optimum"], [flag["code"] for flag in said["flags"]]
            (4.0, True, [])
        """
        return {
            "scenario": self.name,
            "at_s": self.at,
            "residual": self.balance.residual,
            "one_optimum": not self.balance.mixed,
            "rates": self.rates.to_dicts(),
            "prices": self.prices.to_dicts(),
            "flags": [{"code": flag.code, "text": flag.text} for flag in self.flags],
        }


def resting(scenario: Scenario, at: float | None = None) -> Resting:
    """Resting point of the flows with data without end, at an instant in seconds, the end if None. Raises
    TheoryError.

    Example:
        >>> from weir.theory import resting
        >>> rest = resting(scenario.variant("rem-mark"))
        >>> rest.rates["rate"].round(1).to_list(), rest.prices["queue"].round(1).to_list()
        ([125.0], [20.0])
    """
    network = core_of(scenario).network
    end = network.duration_s
    instant = end if at is None else at
    require(instant <= end, f"{scenario.name} ends at {end:g} s, before {instant:g} s", "an earlier instant")
    present = [path for path in network.paths if flows_at(path.load, instant) > 0]
    bulk = [path for path in present if path.traffic == "bulk"]
    require(
        bool(bulk),
        f"no flow with data without end is there at {instant:g} s",
        "name another instant: --at SECONDS",
    )
    size = bulk[0].packet_bytes
    for path in bulk:
        require(
            path.packet_bytes == size,
            f"the model has packets of one size, and these are {path.packet_bytes} B",
            f"flows.{bulk[0].group} has {size} B: give all the same",
            f"flows.{path.group}.packet_size",
        )
    ports = [port for port in network.ports if any(port.name in path.data for path in bulk)]
    found_at = {port.name: queue_of(scenario, port.name, instant, size) for port in ports}
    capacities = {name: queue.capacity for name, queue in found_at.items()}
    flags = _taken(scenario, present, capacities, size, instant)
    aqms = {name: queue.aqm for name, queue in found_at.items()}
    buffers = {name: queue.buffer for name, queue in found_at.items()}
    for port in ports:
        name, queue = port.name, found_at[port.name]
        require(
            queue.discipline not in _APART,
            f"no model: {name} keeps flows apart ({queue.discipline}), and duality has one price for all",
            "their shares are equal where all have enough to send",
            f"{port.key}.queue.{queue.discipline}",
        )
        if queue.discipline == "drop-tail":
            text = f"{name}: DropTail's queue is taken as full, its losses as independent"
            flags.append(Flag("events", text))
        elif queue.aqm is None:
            flags.append(Flag("events", f"{name}: {queue.why}; its queue is taken as empty"))
            buffers[name] = 0.0
        if queue.discipline == "dualpi2":
            flags.append(Flag("two-signals", f"{name}: DualPI2 has two signals, and duality one price"))
        if isinstance(queue.aqm, Avq):
            capacities[name] *= queue.aqm.gamma
    paths = [_path(scenario, path, instant) for path in bulk]
    found, queues = _settled(paths, capacities, aqms, buffers)
    windows = [rate * path.rtt for rate, path in zip(found.rates.tolist(), found.paths, strict=True)]
    if min(windows) < 8.0:
        flags.append(Flag("small-windows", f"windows of {min(windows):.3g} packets: below 8 timeouts count"))
    if found.mixed:
        flags.append(
            Flag("not-modelled-traffic", "prices differ in kind: there is no one optimum, and no theorem")
        )
    return Resting(scenario.name, instant, found, queues, tuple(flags), size)


def _settled(
    paths: Sequence[Path],
    capacities: dict[str, float],
    aqms: Mapping[str, Aqm | None],
    buffers: Mapping[str, float],
) -> tuple[Balance, tuple[float, ...]]:
    queues = {link: _queue(aqm, 0.0, capacities[link], buffers[link]) for link, aqm in aqms.items()}
    found = None
    for _ in range(_ROUNDS):
        now = [
            path
            if path.kind == "vegas"
            else replace(path, rtt=path.rtt + sum(queues[k] / capacities[k] for k in path.links))
            for path in paths
        ]
        found = balance(now, capacities, exact=all(path.kind not in SCALE for path in paths))
        priced = dict(zip(found.links, found.prices.tolist(), strict=True))
        vegas = all(path.kind == "vegas" for path in paths)
        wanted = {
            link: priced[link] * capacities[link]
            if vegas
            else _queue(aqm, priced[link], capacities[link], buffers[link])
            for link, aqm in aqms.items()
        }
        moved = max(abs(wanted[link] - queues[link]) for link in queues)
        # RED's queue answers the price and the price the queue: half a step at a time.
        queues = {link: 0.5 * (wanted[link] + queues[link]) for link in queues}
        if moved < 1e-3:
            break
    assert found is not None
    return found, tuple(queues[link] for link in found.links)


def _queue(aqm: Aqm | None, price: float, capacity: float, buffer: float) -> float:  # noqa: PLR0911 - one for each AQM
    """Queue of a link at a price, packets."""
    signal = -math.expm1(-price)
    match aqm:
        case Integrator() | Hred():
            return aqm.aim(capacity) if price > 0.0 else 0.0
        case Step():
            return aqm.threshold if price > 0.0 else 0.0
        case AdaptiveRed():
            return aqm.middle if price > 0.0 else 0.0
        case Red():
            if price <= 0.0:
                return 0.0
            return bisected(lambda queue: aqm.signal(queue) < signal, aqm.min_th, min(aqm.top, buffer), 60)
        case Avq():
            return 0.0
        case None:
            return buffer if math.isfinite(buffer) and price > 0.0 else 0.0


def _path(scenario: Scenario, path: _core.Path, instant: float) -> Path:
    tcp: Mapping[str, Any] = scenario.core.value(f"flows.{path.group}.tcp")
    ((control, own),) = tcp["congestion"].items()
    low, high = path.base_rtt_range_s
    rtt, count = 0.5 * (low + high), float(flows_at(path.load, instant))
    late = bool(tcp.get("delayed_ack")) and _core.quantity(tcp["delayed_ack"])[0] > 0.0
    weight = 0.5 if late and tcp.get("abc", "off") == "off" else 1.0
    most = math.inf
    if tcp.get("receive_window"):
        value, unit = _core.quantity(tcp["receive_window"])
        most = (value / path.packet_bytes if unit == "B" else value) / rtt
    kinds: dict[str, Sender] = {
        "reno": "square-root",
        "tahoe": "square-root",
        "cubic": "cubic",
        "vegas": "vegas",
        "prague": "scalable",
        "dctcp": "scalable",
    }
    if control == "rem-host":
        stated = own["utility"]
        if stated not in {"log", "log-one-plus"}:
            raise TheoryError(
                "a utility of that form is solved by the optimum of OFC",
                "weir theory ofc",
                f"flows.{path.group}.tcp",
            )
        return Path(
            path.group,
            tuple(path.data),
            rtt,
            "rem-log" if stated == "log" else "rem-log1p",
            count,
            float(own["weight"]),
            most,
        )
    if control not in kinds:
        raise TheoryError(
            f"no model: {control} has no price here",
            f"there are: {', '.join(kinds)}, rem-host",
            f"flows.{path.group}.tcp.congestion.{control}",
        )
    kind = kinds[control]
    if kind == "vegas":
        weight = 0.5 * (float(own["alpha"]) + float(own["beta"]))
    if kind == "cubic":
        weight = 1.0
    friendly = kind == "cubic" and bool(own["reno_friendly"])
    return Path(path.group, tuple(path.data), rtt, kind, count, weight, most, friendly)


def _taken(
    scenario: Scenario, present: Sequence[_core.Path], capacities: dict[str, float], size: int, instant: float
) -> list[Flag]:
    """Subtracts traffic that does not answer signals from the capacities."""
    flags: list[Flag] = []
    for path in present:
        if path.traffic == "bulk":
            continue
        if path.traffic != _DATAGRAMS:
            flags.append(Flag("not-modelled-traffic", f"{path.group}: {path.traffic} traffic is left out"))
            continue
        rate = _core.quantity(scenario.core.value(f"flows.{path.group}.traffic.cbr.rate"))[0]
        for link in path.data:
            if link in capacities:
                capacities[link] -= flows_at(path.load, instant) * rate / (8.0 * size)
                require(capacities[link] > 0.0, f"datagrams alone fill {link}", "lower their rate")
    return flags
