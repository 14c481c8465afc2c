"""Rules on load and rates over time: overload, which port is the bottleneck, and rates that change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile

from weir import _core
from weir.check._levels import Level, fixed_levels
from weir.check._note import Remark, note, warning
from weir.check._resolved import Aqm, Resolved, duration_of, names
from weir.check._units import packets, rate, time
from weir.scenario import flows_at

_CLEARLY = 0.9
"""Rates per flow that are closer than this ratio count as equal."""

_GAINS = ("w_q", "a", "b")
"""Gains that belong to a rate, unless `design` gives them."""


def load_above_rate(scene: Resolved) -> Iterator[Remark]:
    """Poisson arrivals bring more than the link carries: transfers accumulate, and no mean settles.

    The offered load is the rate of arrivals times the mean size. At 1 and above there is no steady state
    (Kleinrock, Queueing Systems I, section 3.2): results depend on how long the run is.
    """
    for port in scene.bottlenecks:
        paths = [path for path in scene.through(port) if path.bottleneck.name == port.name]
        poisson = [path for path in paths if path.traffic == "poisson"]
        offered = carried = 0.0
        for at, until in pairwise([*scene.instants, scene.network.duration_s]):
            if at < until and any(flows_at(path.load, at) for path in poisson):
                bps = sum(flows_at(path.load, at) * (scene.offered_bps(path) or 0.0) for path in paths)
                offered += (until - at) * bps
                carried += (until - at) * scene.rate_at(port, at)
        if offered > carried:
            where = f"flows.{poisson[0].group}.traffic.poisson"
            key = "rate" if scene.group(poisson[0])["traffic"]["poisson"].get("load") is None else "load"
            yield warning(
                f"{where}.{key}",
                f"{names(paths)}: the offered load is {100.0 * offered / carried:.3g}% of what {port.name} "
                "carries, and transfers accumulate as long as it lasts",
                f"a lower {key}, smaller transfers, or a faster {port.name}; in overload, results over time "
                "(measure.period)",
            )


def ambiguous_bottleneck(scene: Resolved) -> Iterator[Remark]:
    """More than one port could be the bottleneck: the headline measures are about one of them.

    Queue, marks and delay are measured at one port, which `measure.bottleneck` names.
    """
    found = scene.network.bottleneck
    if found.ambiguity is not None and not any(True for _ in moving_bottleneck(scene)):
        yield note(
            "measure.bottleneck",
            f"results are about {found.name}, but {found.ambiguity}",
            f'measure.bottleneck = "{found.name}"',
        )


def moving_bottleneck(scene: Resolved) -> Iterator[Remark]:
    """For some time at least, another port than the bottleneck has the least rate per flow.

    The bottleneck of a path is the port with the least rate at the start. Which port limits flows follows
    from their number too: the least rate per flow comes first in max-min fairness (Bertsekas and Gallager,
    Data Networks, section 6.5.2).
    """
    if scene.document["measure"].get("bottleneck") is not None:
        return
    for path in scene.paths:
        ports = scene.ports_of(path)
        if len(ports) < 2 or path.traffic != "bulk":
            continue
        named = scene.rates_per_flow[path.bottleneck.name]
        for index, at in enumerate(scene.instants):
            least = min(ports, key=lambda port: scene.rates_per_flow[port.name][index])
            share = scene.rates_per_flow[least.name][index]
            if share < _CLEARLY * named[index]:
                yield warning(
                    least.key,
                    f"from {time(at)} on, {least.name} gives a flow {rate(share)}, less than "
                    f"{path.bottleneck.name}, the bottleneck of {path.group}",
                    f'measure.bottleneck = "{least.name}", or measure.period to see each phase',
                )
                break


def fixed_while_rate_varies(scene: Resolved) -> Iterator[Remark]:
    """The rate changes, and a threshold, gain or buffer that was chosen for one rate does not.

    A queue of so many packets is another delay at another rate. CoDel and PIE control the delay for this
    reason (RFC 8289, section 3.1; RFC 8033, section 3). An average over packets (RED) and a loop gain (PI)
    change as well.
    """
    for port in scene.data_ports:
        traced = scene.follows_trace(port)
        if len({*scene.rates(port)}) == 1 and not traced:
            continue
        held = [
            (level, *rates)
            for level, since, until in _held(scene, port)
            if len({*(rates := scene.rates_between(port, since, until))}) > 1 or traced
        ]
        levels = [one for one in held if not _is_gain(one)]
        if not levels:
            continue
        fixed = ", ".join(dict.fromkeys(level.name for level, _, _ in sorted(held, key=_is_gain)))
        last, low, high = levels[-1]
        at = [
            f"{time(last.packets * 8.0 * port.mean_packet_bytes / bps)} at {rate(bps)}" for bps in (high, low)
        ]
        yield note(
            last.path,
            f"fixed while {port.name} follows a trace: {fixed}"
            if traced
            else f"fixed while the rate of {port.name} changes: {fixed}; "
            f"{packets(last.packets)} wait {' and '.join(at)}",
            f"an AQM with a target delay, for example {port.key}.queue.codel = {{}}",
        )


def _held(scene: Resolved, port: _core.Port) -> list[tuple[Level, float, float]]:
    """Thresholds, gains and buffers chosen for a rate, each with the seconds from when to when it holds."""
    found: list[tuple[Level, float, float]] = []
    for phase in scene.phases(port):
        parameters = phase.aqm.parameters
        levels = fixed_levels(scene, port, phase.aqm)
        if _core.quantity(phase.buffer[1])[1] in {"BDP", "s"}:
            levels.append(Level(*phase.buffer))
        if "design" not in parameters:
            gains = (key for key in _GAINS if key in parameters)
            levels += [Level(f"{phase.aqm.path}.{key}", str(parameters[key]), 0.0) for key in gains]
        for level in levels:
            same = (one for one in found if one[2] == phase.at_s and _is_same(one[0], level))
            if (before := next(same, None)) is None:
                found.append((level, phase.at_s, phase.until_s))
            else:
                found[found.index(before)] = (before[0], before[1], phase.until_s)
    return found


def _is_same(one: Level, other: Level) -> bool:
    return (one.name, one.written, one.packets) == (other.name, other.written, other.packets)


def _is_gain(held: tuple[Level, int, int]) -> bool:
    return held[0].name in _GAINS


def mean_rate_of_trace(scene: Resolved) -> Iterator[Remark]:
    """An AQM computes with the rate of the link, and the link follows a trace.

    It is told one rate, `rate` or the mean of the trace, not what the trace delivers at the time.
    """
    for port in scene.data_ports:
        aqm = scene.aqm(port)
        if scene.follows_trace(port) and _needs_rate(aqm):
            yield warning(
                aqm.path,
                f"{aqm.name} computes with {rate(port.rate_bps)}, not with what the trace delivers then",
                f"an AQM that needs no rate, for example {port.key}.queue.codel = {{}}",
            )


def change_after_end(scene: Resolved) -> Iterator[Remark]:
    """A change in mid-run comes when the run is over: nothing changes.

    A change of a rate is told at the schedule of the link, one of a number of flows at the population of the
    group: there it is written out.
    """
    end = scene.network.duration_s
    places = [("changes", scene.changes)]
    for port in scene.ports:
        places += [(f"{port.key}.rate_schedule", scene.link(port).get("rate_schedule", []))]
    for name, group in scene.document["flows"].items():
        places += [(f"flows.{name}.population", group.get("population", []))]
    for path, changes in places:
        instants = (duration_of(change, "at") for change in reversed(changes) if "at" in change)
        late = [*takewhile(lambda at: at >= end, instants)]
        if late:
            which = (
                f"changes from {time(late[-1])} on come"
                if late[1:]
                else f"the change at {time(late[0])} comes"
            )
            message = f"{which} when the run is over: it ends at {time(end)}"
            yield note(path, message, "a longer duration, or an earlier change")
            return


def list_after_end(scene: Resolved) -> Iterator[Remark]:
    """Transfers of a list start when the run, or their group, is over: they are left out."""
    for path in scene.paths:
        if path.listed is not None and path.listed[1] < path.listed[0]:
            all_of_them, started, _ = path.listed
            late = all_of_them - started
            yield Remark(
                "note" if started else "warning",
                f"flows.{path.group}.traffic.list.file",
                f"{late:,} of {all_of_them:,} transfers start when {path.group} is over",
                "a longer duration, or a later stop",
            )


def list_left_out(scene: Resolved) -> Iterator[Remark]:
    """No flow group takes some transfers of a list: they are left out."""
    for group, left, all_of_them in scene.network.unlisted:
        yield note(
            f"flows.{group}.traffic.list.file",
            f"no flow group takes {left:,} of the {all_of_them:,} transfers of this list",
            "a flow group for each group, source or destination that is meant",
        )


def _needs_rate(aqm: Aqm) -> bool:
    """Returns true if the decisions of the AQM depend on the rate that it is told."""
    of_aqm = {"rem": ("price", "rate-and-queue"), "modular": ("measure", "price")}
    if aqm.name in of_aqm:
        key, value = of_aqm[aqm.name]
        return aqm.parameters[key] == value
    return aqm.name in {"adaptive-red", "avq", "hred"} or "design" in aqm.parameters
