"""Rules on levels of a queue: thresholds, targets and buffers against the path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, floor, sqrt
from typing import NamedTuple

from weir import _core
from weir.check._modem import guaranteed_bps, is_guaranteed, loop_s, modem_of
from weir.check._note import Remark, note, warning
from weir.check._packets import Packets
from weir.check._resolved import Aqm, Resolved, buffer_limit, duration_of
from weir.check._units import level as level_text
from weir.check._units import packets, rate, size, time

_HALVING = 0.25

_LIKE_RENO = ("reno", "tahoe", "wireless")

_ENOUGH = {
    **dict.fromkeys(_LIKE_RENO, _HALVING),
    **dict.fromkeys(("cubic", "scalable"), 0.05),
    "dctcp": 1.0 / 7.0,
}
"""Part of the bandwidth-delay product below which a threshold leaves the link idle, by congestion control.

Of DCTCP from K > C RTT / 7 (Alizadeh et al., 2010, section 3.4). Others as measured with Weir on 50 Mbit/s
and 60 ms: below it step and DropTail use about 90% or less with 1 to 40 flows, and so does Adaptive RED with
few. Vegas and REM hosts keep their queue short themselves."""

_RED = {**_ENOUGH, **dict.fromkeys(_LIKE_RENO, 0.5), "cubic": 0.25}
_SPARING = {**_ENOUGH, **dict.fromkeys(_LIKE_RENO, 0.05)}
_ENOUGH_OF = {"red": _RED, "hred": _RED, "feng-red": _SPARING, "choke": _SPARING}
"""Values of `_ENOUGH` for AQMs that differ, measured in the same way, also on 10 and 100 Mbit/s.

RED and HRED signal while the average is far below `max_th`. Self-configuring RED and CHOKe signal a few flows
only as often as these need."""

_TARGET = 0.4
"""Fraction of `_ENOUGH` for the target of REM and PI, divided by the square root of the number of flows;
measured in the same way."""

_FAR = 0.1
"""Fraction of the bandwidth-delay product below which a threshold is a warning."""

_LEAST_WINDOW = 4.0
"""Packets. Where the path gives each flow less, timeouts and minimum windows keep the link busy."""

ROOM = 0.75
"""Part of the buffer up to which a remedy sets a level: the average does not follow bursts."""

PACKETS_FOR_DELAY = 10.0
"""Packets of a buffer that makes a target delay of one and a half packets reachable."""

_INTERVALS = ("codel", "cobalt", "fq-codel")
"""AQMs whose target is below their interval (RFC 8289, section 4.3)."""

_FEW = 4
"""Packets of a buffer below which the bursts of a single window are dropped."""


class Level(NamedTuple):
    """A parameter of an AQM as a level of the queue."""

    path: str
    written: str
    packets: float

    @property
    def name(self) -> str:
        """`max_th`."""
        return self.path.rpartition(".")[2]


def threshold_below_bdp(scene: Resolved) -> Iterator[Remark]:
    """A threshold far below the bandwidth-delay product: the link may idle while windows grow again.

    A window that is halved fills the path only if as much as the path holds waited before (Villamizar and
    Song, 1994). Floyd's 5 and 15 packets of 1997 are for 1.5 Mbit/s; RFC 7567, section 4.3, wants no AQM to
    need tuning in common cases.
    """
    for port in scene.bottlenecks:
        aqm, product = scene.aqm(port), scene.mean_bdp(port)
        level, enough = strongest(scene, port, aqm), enough_of(scene, port, aqm)
        if level is not None and level.packets < enough:
            said = in_words(scene, port, level.written)
            yield Remark(
                "warning" if level.packets < _FAR * product else "note",
                level.path,
                f"{level.name} of {said} {_of_product(level.packets, product)}",
                _raised(port, level, enough),
            )


def target_below_packet(scene: Resolved) -> Iterator[Remark]:
    """A target delay is shorter than the transmission of one packet.

    A target belongs above the transmission time of a packet of full size (RFC 8290, section 5.2.2): below
    about 4 Mbit/s, CoDel's 5 ms are too short.
    """
    for port in scene.data_ports:
        aqm = scene.aqm(port)
        delay = level_of(scene, port, aqm, aqm.parameter("delay"))
        largest, sent = _largest(scene, port), sent_s(scene, port)
        if delay is not None and not scene.follows_trace(port) and _core.quantity(delay.written)[0] < sent:
            yield warning(
                delay.path,
                f"one packet of {largest} B takes {time(sent)} to send, longer than {delay.written}",
                _longer(port, aqm, delay, 1.5 * sent),
            )


def target_below_loop(scene: Resolved) -> Iterator[Remark]:
    """A target delay is shorter than the wait of a cable modem for a grant: the AQM takes it for a queue.

    A packet that waits for its grant waits in the queue (`docsis`). An AQM that aims below this wait
    signals although no other packet is before it. Grants without requests spare it the wait, but for
    half an interval.
    """
    for port in scene.data_ports:
        modem, aqm = modem_of(scene, port), scene.aqm(port)
        delay = level_of(scene, port, aqm, aqm.parameter("delay"))
        if modem is None or delay is None:
            continue
        spared, granted = is_guaranteed(scene, port), guaranteed_bps(modem)
        wait = duration_of(modem, "map_interval") / 2.0 if spared else loop_s(modem)
        if _core.quantity(delay.written)[0] < wait:
            beyond = f", beyond {rate(granted)}" if granted and not spared else ""
            yield warning(
                delay.path,
                f"a packet waits about {time(wait)} for its grant{beyond}, longer than {delay.written}",
                _longer(port, aqm, delay, 2.0 * wait),
            )


def buffer_below_bdp(scene: Resolved) -> Iterator[Remark]:
    """A DropTail buffer far below the bandwidth-delay product, or any buffer of a few packets.

    A link with few flows needs about the product (Villamizar and Song, 1994). With n flows that are not in
    step it needs about the product over the root of n (Appenzeller, Keslassy and McKeown, 2004).
    """
    for port in scene.bottlenecks:
        limit, product = buffer_limit(port), scene.mean_bdp(port)
        where, paths = f"{port.key}.buffer", scene.bulk_through(port)
        if limit < _FEW:
            message = f"only {packets(limit)} may wait: every burst overflows the buffer"
            yield warning(where, message, _some_buffer(port, product))
        elif (
            scene.aqm(port).name == "drop-tail"
            and paths
            and _fills(scene, port, paths, product)
            and limit < _enough(scene, paths, _ENOUGH) * product
        ):
            message = f"a buffer of {packets(limit)} {_of_product(limit, product)}"
            yield note(where, message, f'{where} = "1 BDP"')


def queue_never_fills(scene: Resolved) -> Iterator[Remark]:
    """The receive windows are so small that the queue never reaches its limit or first threshold.

    Not more than the sum of the windows is outstanding (RFC 9293, section 3.8), and part of it is on its way.
    """
    for port in scene.bottlenecks:
        paths = scene.bulk_through(port)
        windows = _windows(scene, port, paths)
        if not paths or windows is None:
            continue
        shortest = min(path.base_rtt_range_s[0] for path in paths)
        waiting = max(0.0, windows - scene.rates(port)[0] * shortest / 8.0 / port.mean_packet_bytes)
        aqm = scene.aqm(port)
        first = weakest(scene, port, aqm)
        if aqm.name == "drop-tail":
            first = Level("", "", buffer_limit(port))
        if first is not None and waiting < first.packets:
            more = in_words(scene, port, first.written) if first.path else "its buffer"
            yield note(
                f"flows.{paths[0].group}.tcp.receive_window",
                f"all receive windows hold {packets(windows)}, so at most {packets(waiting)} wait at "
                f"{port.name}, less than {more}",
                "a larger receive_window, or none",
            )


def buffer_never_fills(scene: Resolved) -> Iterator[Remark]:
    """A DropTail buffer takes longer to send than the run lasts: its limit is out of reach."""
    known, duration = Packets(scene), scene.network.duration_s
    for port in scene.bottlenecks:
        if scene.aqm(port).name != "drop-tail" or buffer_limit(port) * sent_s(scene, port) <= duration:
            continue
        full = known.full_bits(port) / scene.rates(port)[0]
        if full > duration:
            yield note(
                f"{port.key}.buffer",
                f"a full buffer takes {time(full)} to send, longer than the run: nothing is dropped, and the "
                "queue grows as long as the run lasts",
                f"{_some_buffer(port, scene.mean_bdp(port))}, or a longer duration",
            )


def design_exceeded(scene: Resolved) -> Iterator[Remark]:
    """A controller was designed for more flows or shorter round trips: its loop may be unstable.

    PI is stable for at least the flows and at most the round trip of its design (Hollot et al., 2001, section
    IV). The gains of HRED follow from the largest round trip (Joo and Bahk, 2003).
    """
    for port in scene.bottlenecks:
        aqm = scene.aqm(port)
        table = aqm.parameters.get("design", aqm.parameters if aqm.name == "hred" else {})
        paths = scene.bulk_through(port)
        flows = scene.load(port).fewest if paths else 0
        longest = max(path.base_rtt_range_s[1] for path in scene.through(port))
        where = f"{aqm.path}.design" if "design" in aqm.parameters else aqm.path
        if "rtt" in table and _core.quantity(table["rtt"])[0] < longest:
            message = (
                f"{aqm.name} is designed for round trips up to {table['rtt']}; the longest is {time(longest)}"
            )
            yield warning(f"{where}.rtt", message, f'{where}.rtt = "{time(longest)}"')
        if 0 < flows < table.get("flows", 0):
            message = f"{aqm.name} is designed for {table['flows']} flows or more; there are {flows}"
            yield warning(f"{where}.flows", message, f"{where}.flows = {flows}")


def level_of(scene: Resolved, port: _core.Port, aqm: Aqm, parameter: str | None) -> Level | None:
    """A parameter as a level; None where it is not set."""
    written = None if parameter is None else aqm.parameters.get(parameter)
    level = scene.in_packets(written, port)
    if level is None:
        return None
    return Level(f"{aqm.path}.{parameter}", str(written), level)


def in_words(scene: Resolved, port: _core.Port, written: str) -> str:
    """A level for people, `3125 kB (500 ms)`: a time has become the length that the link sends in it."""
    value, unit = _core.quantity(written)
    if unit == "packets" and value != int(value):
        # A third of another threshold may have any digits.
        return level_text(value)
    if unit != "B":
        return written
    low, high = scene.rates(port)
    steady = low == high and not scene.follows_trace(port)
    return f"{size(value)} ({time(value * 8.0 / low)})" if steady else size(value)


def weakest(scene: Resolved, port: _core.Port, aqm: Aqm) -> Level | None:
    """The level at which signals begin, or the target; None for an AQM with neither."""
    return level_of(scene, port, aqm, aqm.parameter("first") or aqm.parameter("queue"))


def strongest(scene: Resolved, port: _core.Port, aqm: Aqm) -> Level | None:
    """The level at which signals are strongest, or the target; None for an AQM with neither."""
    return level_of(scene, port, aqm, aqm.parameter("last") or aqm.parameter("queue"))


def fixed_levels(scene: Resolved, port: _core.Port, aqm: Aqm) -> list[Level]:
    """The thresholds and targets of the AQM that are packets or bytes."""
    parameters = dict.fromkeys((aqm.parameter("first"), aqm.parameter("last"), aqm.parameter("queue")))
    levels = [level_of(scene, port, aqm, parameter) for parameter in parameters]
    return [level for level in levels if level is not None]


def enough_of(scene: Resolved, port: _core.Port, aqm: Aqm) -> float:
    """The packets below which the strongest threshold, or the target, of this AQM leaves the link idle; 0 if
    none is."""
    paths, product = scene.bulk_through(port), scene.mean_bdp(port)
    is_limit = port.name in {one.name for one in scene.bottlenecks}
    if not is_limit or not paths or aqm.per_flow or not _fills(scene, port, paths, product):
        return 0.0
    enough = _enough(scene, paths, _ENOUGH_OF.get(aqm.name, _ENOUGH)) * product
    return enough * _TARGET / sqrt(scene.load(port).fewest) if aqm.parameter("queue") else enough


def _raised(port: _core.Port, level: Level, enough: float) -> str:
    """A level that is enough and that the buffer holds: else with a larger buffer."""
    room, wanted = floor(ROOM * buffer_limit(port)), ceil(2.0 * enough)
    if wanted <= room:
        return f'{level.path} = "{in_unit_of(port, level, wanted)}" or more; weir tune finds one for a target'
    if room >= enough:
        return f'{level.path} = "{in_unit_of(port, level, room)}"; weir tune finds one for a target'
    buffer = larger_buffer(f"{port.key}.buffer", wanted / ROOM)
    return f'{level.path} = "{in_unit_of(port, level, wanted)}" and {buffer}'


def in_unit_of(port: _core.Port, level: Level, number: float) -> str:
    """A number of packets in the unit of the level, as its other threshold has the same unit."""
    return f"{number * port.mean_packet_bytes:.0f} B" if level.written.endswith("B") else level_text(number)


def _longer(port: _core.Port, aqm: Aqm, delay: Level, target_s: float) -> str:
    """A target with what it needs: an interval that is longer, and a buffer that reaches it."""
    hint = f'{delay.path} = "{time(target_s)}"'
    interval = aqm.parameters.get("interval") if delay.path.endswith(".target") else None
    if aqm.name in _INTERVALS and interval is not None and _core.quantity(interval)[0] <= 2.0 * target_s:
        hint += f' and {delay.path.removesuffix("target")}interval = "{time(20.0 * target_s)}"'
    if buffer_limit(port) < PACKETS_FOR_DELAY and not aqm.per_flow:
        hint += f" and {larger_buffer(f'{port.key}.buffer', PACKETS_FOR_DELAY)}"
    return hint


def larger_buffer(path: str, most: float) -> str:
    """The remedy that a buffer of so many packets is."""
    return f'{path} = "{level_text(ceil(most))}"'


def _some_buffer(port: _core.Port, product: float) -> str:
    """The product, where that is more than a few packets."""
    return f'{port.key}.buffer = "1 BDP"' if product >= _FEW else larger_buffer(f"{port.key}.buffer", 10)


def _largest(scene: Resolved, port: _core.Port) -> int:
    """The largest packet there, in bytes."""
    return max(path.packet_bytes for path in scene.through(port))


def sent_s(scene: Resolved, port: _core.Port) -> float:
    """The seconds that it takes to send, at the lowest rate."""
    return _largest(scene, port) * 8.0 / scene.rates(port)[0]


def _fills(scene: Resolved, port: _core.Port, paths: list[_core.Path], product: float) -> bool:
    """Returns true if the flows could keep the link busy, but halve windows that the path needs."""
    flows = scene.load(port).fewest
    windows = _windows(scene, port, paths)
    return flows > 0 and product / flows >= _LEAST_WINDOW and (windows is None or windows > product)


def _enough(scene: Resolved, paths: list[_core.Path], shares: Mapping[str, float]) -> float:
    """The least of the shares among the groups: the others fill what one leaves."""
    # A scalable control without ECN is Reno.
    return min(
        shares["reno"]
        if scene.is_scalable(path) and not scene.ecn_capable(path)
        else shares.get(scene.congestion(path) or "", 0.0)
        for path in paths
    )


def _of_product(level: float, product: float) -> str:
    share = 100.0 * level / product
    return f"is {share:.2g}% of the bandwidth-delay product of {packets(product)}: the link may idle"


def _windows(scene: Resolved, port: _core.Port, paths: list[_core.Path]) -> float | None:
    """Sum of the receive windows at the largest number of flows, in packets of mean size; None without a
    bound."""
    total = 0.0
    for path in paths:
        window = scene.in_packets(scene.group(path)["tcp"].get("receive_window"), port)
        if window is None:
            return None
        total += scene.load(path).most * window * path.packet_bytes / port.mean_packet_bytes
    return total
