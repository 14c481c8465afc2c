"""Records the packet-by-packet traces of the folder above with ns-2 (and a C compiler, see digits.c).

    python traces.py            all of them
    python traces.py red        red-average.csv and .json; likewise rem, newreno, reno

A trace is a CSV file and, beside it, a JSON file with the parameters it was recorded with.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from run import HERE, Arguments, SimulatorError, simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FOLDER = HERE.parent

Row = dict[str, str | int]


def nanoseconds(text: str) -> int:
    """A time that ns-2 printed in seconds, to the nearest nanosecond."""
    return round(float(text) * 1e9)


def shortest(text: str) -> str:
    """The shortest text of the number that ns-2 printed with 17 digits."""
    value = float(text)
    return str(int(value)) if value.is_integer() else repr(value)


def save(name: str, columns: Sequence[str], rows: list[Row], parameters: Mapping[str, object]) -> None:
    """Writes a trace and its parameters."""
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    about = {"simulator": "ns-2.35"} | dict(parameters)
    (FOLDER / f"{name}.json").write_text(json.dumps(about, indent=2) + "\n")


# --- A queue ----------------------------------------------------------------------------------------------

QUEUE_RATE = 10_000_000
PACKET = 1000
MIN_TH = 5
PERIOD = 2_000_000


def transmission(size: int) -> int:
    """Nanoseconds that a packet occupies the link of queue.tcl."""
    return size * 8 * 1_000_000_000 // QUEUE_RATE


@dataclass
class Queue:
    """Turns the records of queue.tcl into rows.

    ns-2 reports packets that arrive, that are refused and that leave. The transmitter's vain looks into an
    empty queue, at the end of a transmission with nothing waiting, are added here. None is added when a
    packet arrives at that very instant: the transmitter then takes it.
    """

    rows: list[Row]
    waiting: int = 0
    busy_until: int | None = None

    def idle(self, now: int) -> None:
        """Adds the vain look if the transmitter has become free before `now`."""
        if self.busy_until is not None and self.busy_until < now:
            self.rows.append({"time_ns": self.busy_until, "event": "take", "bytes": 0})
            self.busy_until = None

    def arrive(self, now: int, size: int) -> Row:
        """A packet is offered."""
        self.idle(now)
        row: Row = {"time_ns": now, "event": "offer", "bytes": size, "accepted": 1, "queue": self.waiting}
        self.rows.append(row)
        self.waiting += 1
        return row

    def leave(self, now: int, size: int) -> None:
        """A packet is taken; the transmitter must be free."""
        if self.busy_until is None:
            assert self.rows[-1]["time_ns"] == now, "a free link takes what arrives"
        else:
            assert abs(self.busy_until - now) <= 1, "a busy link takes when it becomes free"
        self.waiting -= 1
        self.rows.append({"time_ns": now, "event": "take", "bytes": size})
        self.busy_until = now + transmission(size)


def record_queue(discipline: Literal["RED", "REM"], arguments: Arguments) -> list[Row]:
    """Runs queue.tcl and returns its rows."""
    output = simulate("queue.tcl", {"discipline": discipline} | arguments, all_digits=True)
    queue = Queue([])
    last: Row = {}
    fresh = was_eligible = False
    for kind, *words in output.lines:
        if kind == "red" and last:
            average, probability, length, _ = words
            assert int(length) == last["queue"]
            last["average"] = shortest(average)
            eligible = float(average) >= MIN_TH and int(length) > 1
            if eligible and was_eligible:
                last["probability"] = shortest(probability)
            was_eligible = eligible
        elif kind == "update":
            now = nanoseconds(words[0]) - 1
            queue.idle(now)
            assert not queue.rows or queue.rows[-1]["time_ns"] != now, "an event at the instant of an update"
            queue.rows.append({"time_ns": now, "event": "update", "queue": queue.waiting})
            queue.rows[-1]["probability"] = shortest(words[1])
        elif kind == "arrive":
            last = queue.arrive(nanoseconds(words[0]), int(words[1]))
            fresh = True
        elif kind == "drop":
            assert fresh, "only the packet that has just arrived can be refused"
            last["accepted"] = 0
            queue.waiting -= 1
            fresh = False
        elif kind == "leave":
            queue.leave(nanoseconds(words[0]), int(words[1]))
    return queue.rows


COMMON = {
    "rate_bits_per_second": QUEUE_RATE,
    "mean_packet_bytes": PACKET,
    "signal": "mark",
    "idle_since_ns": 0,
}


def red() -> None:
    """Writes red-average: RED's average after every arrival."""
    limit, high, top, weight = 40, 15, 0.1, 0.002
    rows = record_queue(
        "RED", {"limit": limit, "min_th": MIN_TH, "max_th": high, "max_p": top, "w_q": weight, "seconds": 10}
    )
    columns = ["time_ns", "event", "bytes", "accepted", "queue", "average", "probability"]
    parameters = {"buffer_packets": limit, "min_th": MIN_TH, "max_th": high, "max_p": top, "w_q": weight}
    save("red-average", columns, rows, {"aqm": "RED"} | COMMON | parameters | {"gentle": True, "wait": True})


def rem() -> None:
    """Writes rem-price: REM's price and marking probability after every update.

    ns-2 shows the probability only. The price beside it is equation (2) of the paper, computed here.
    """
    limit, gamma, alpha, target, phi = 500, 0.01, 0.1, 20, 1.001
    rows = record_queue(
        "REM", {"limit": limit, "gamma": gamma, "target": target, "phi": phi, "period": 0.002, "seconds": 5}
    )
    capacity = QUEUE_RATE / (8.0 * PACKET) * PERIOD / 1e9
    price = 0.0
    arrivals = 0
    for row in rows:
        arrivals += row["event"] == "offer"
        if row["event"] == "update":
            price = max(price + gamma * (arrivals + alpha * (int(row["queue"]) - target) - capacity), 0.0)
            row["price"] = shortest(repr(price))
            arrivals = 0
    columns = ["time_ns", "event", "bytes", "accepted", "queue", "price", "probability"]
    parameters = {"gamma": gamma, "alpha": alpha, "target_packets": target, "phi": phi, "period_ns": PERIOD}
    save("rem-price", columns, rows, {"aqm": "REM"} | COMMON | {"buffer_packets": limit} | parameters)


# --- A sender ---------------------------------------------------------------------------------------------


@dataclass
class Script:
    """One scenario of sender.tcl: what it shows, and its options."""

    about: str
    arguments: Arguments


def lose(*packets: int, **others: str | float) -> Arguments:
    """Options of sender.tcl: the packets that are lost, by their place on the wire, and others."""
    return {"lost": ",".join(map(str, packets))} | others


AVOIDANCE: Arguments = {"initial": 10, "threshold": 8}
SCRIPTS = {
    "single-loss": Script("One loss in congestion avoidance.", AVOIDANCE | lose(25)),
    "two-losses": Script("Two losses in one window: a partial ACK.", AVOIDANCE | lose(25, 28)),
    "deflation": Script(
        "A loss, then the end of the window: a partial ACK for more than the window was inflated by.",
        AVOIDANCE | {"seconds": 1.4} | lose(25, *range(34, 39)),
    ),
    "vector": Script(
        "Ten segments sent at once, the first and the third lost; no limited transmit.",
        {"initial": 10, "limited": 0, "seconds": 0.5} | lose(1, 3),
    ),
    "vector-limited": Script(
        "The same with limited transmit.",
        {"initial": 10, "seconds": 0.5} | lose(1, 3),
    ),
    "slow-start": Script(
        "Three losses in slow start: two partial ACKs.",
        {"initial": 2, "threshold": 64, "seconds": 1.2} | lose(20, 24, 25),
    ),
    "limited-transmit": Script(
        "A window of three segments, the first lost: two duplicate ACKs and, by limited transmit, more.",
        {"initial": 3, "threshold": 2, "seconds": 1} | lose(1),
    ),
    "no-limited-transmit": Script(
        "The same without limited transmit: a timeout.",
        {"initial": 3, "threshold": 2, "limited": 0, "seconds": 2} | lose(1),
    ),
    "retransmission-lost": Script(
        "A segment is lost, and so is its fast retransmission: a timeout in recovery.",
        AVOIDANCE | {"seconds": 2.2} | lose(25, 39),
    ),
    "backoff": Script(
        "A segment and its first three retransmissions lost: timeouts after 1, 2, 4 and 8 s.",
        {"initial": 2, "threshold": 2, "limited": 0, "seconds": 16.2} | lose(5, 8, 9, 10),
    ),
    "burst": Script(
        "Twelve of twenty segments lost: partial ACKs one round trip apart, then a timeout and go-back-N.",
        {"initial": 20, "threshold": 10, "seconds": 3} | lose(*range(23, 35)),
    ),
    "window": Script(
        "A whole window lost: no duplicate ACK, a timeout, go-back-N.",
        AVOIDANCE | {"seconds": 1.8} | lose(*range(1, 11)),
    ),
    "mark": Script("A mark in congestion avoidance.", AVOIDANCE | {"ecn": 1, "marked": "25"}),
    "mark-then-loss": Script(
        "A mark, and a loss in the same window: retransmitted without a second cut.",
        AVOIDANCE | {"ecn": 1, "marked": "25"} | lose(27),
    ),
    "mark-then-timeout": Script(
        "A mark, then a window lost: a timeout that leaves ssthresh where the mark had put it.",
        AVOIDANCE | {"ecn": 1, "marked": "25", "seconds": 2} | lose(*range(35, 41)),
    ),
    "small-windows": Script(
        "One segment in sixteen is lost: windows of a few segments, recoveries and timeouts in turn.",
        AVOIDANCE | {"seconds": 15} | lose(*(place for place in range(20, 400) if place * place % 509 < 32)),
    ),
    "estimator": Script(
        "A bottleneck of 4 Mb/s, so that the round trip grows with the window; ns-2's own minimum RTO.",
        {"initial": 2, "threshold": 60, "rate": 4, "min_rto": 0.2, "seconds": 1.6} | lose(150),
    ),
}
RENO = ("single-loss", "two-losses", "deflation", "vector-limited", "slow-start", "burst", "small-windows")
"""Scripts for Reno; the others show no more of it than of NewReno."""
STATE = ["cwnd", "ssthresh", "dupacks", "rtt", "srtt", "rttvar", "backoff"]


def record_sender(agent: str, script: Script) -> tuple[list[Row], list[list[int]], list[list[int]]]:
    """Runs sender.tcl: rows, and which transmissions of which segments were lost and marked."""
    output = simulate("sender.tcl", {"agent": agent} | script.arguments, all_digits=True)
    chosen = {
        name: {int(place) for place in str(script.arguments.get(name, "")).split(",") if place}
        for name in ("lost", "marked")
    }
    found: dict[str, list[list[int]]] = {"lost": [], "marked": []}
    copies: Counter[int] = Counter()
    rows: list[Row] = []
    cause: Row = {}
    for kind, *words in output.lines:
        if kind == "state":
            names, values = words[::2], words[1::2]
            cause |= dict(zip(names, map(shortest, values), strict=True))
            continue
        time, number, flags = nanoseconds(words[0]), int(words[1]), words[2]
        if kind == "ack":
            cause = {
                "time_ns": time,
                "event": "ack",
                "number": number,
                "flags": "ece" if "C" in flags else "",
            }
            rows.append(cause)
            continue
        if not cause or cause["time_ns"] != time:
            cause = {"time_ns": time, "event": "timeout" if rows else "start"}
            rows.append(cause)
        place = copies.total()
        copies[number] += 1
        signs = ["cwr"] if "A" in flags and script.arguments.get("ecn") else []
        for name, sign in (("lost", "lost"), ("marked", "ce")):
            if place in chosen[name]:
                signs.append(sign)
                found[name].append([number, copies[number]])
        rows.append(
            {
                "time_ns": time,
                "event": "send",
                "number": number,
                "copy": copies[number],
                "flags": " ".join(signs),
            }
        )
    return rows, found["lost"], found["marked"]


def sender(agent: Literal["Newreno", "Reno"]) -> None:
    """Writes newreno-* or reno-*: a sender against a script of losses and marks."""
    columns = ["time_ns", "event", "number", "copy", "flags", *STATE]
    for name in RENO if agent == "Reno" else SCRIPTS:
        script = SCRIPTS[name]
        rows, lost, marked = record_sender(agent, script)
        option: Arguments = {
            "initial": 10, "threshold": 10000, "seconds": 1, "ecn": 0, "limited": 1,
            "rate": 800, "min_rto": 1,
        } | script.arguments  # fmt: skip
        assert len(lost) == len([p for p in str(option.get("lost", "")).split(",") if p]), name
        parameters: dict[str, object] = {
            "about": script.about,
            "lost": lost,
            "marked": marked,
            "ecn": bool(option["ecn"]),
            "limited_transmit": bool(option["limited"]),
            "initial_window": option["initial"],
            "initial_ssthresh": option["threshold"],
            "receiver_window": 10000,
            "segment_bytes": 1000,
            "syn_bytes": 40,
            "ack_bytes": 40,
            "rate_bits_per_second": int(option["rate"]) * 1_000_000,
            "one_way_delay_ns": 50_000_000,
            "clock_tick_ns": 10_000_000,
            "minimum_rto_ns": int(float(option["min_rto"]) * 1e9),
            "initial_rto_ns": 3_000_000_000,
            "end_ns": int(float(option["seconds"]) * 1e9),
        }
        save(f"{agent.lower()}-{name}", columns, rows, parameters)


TRACES: dict[str, Callable[[], None]] = {
    "red": red,
    "rem": rem,
    "newreno": lambda: sender("Newreno"),
    "reno": lambda: sender("Reno"),
}


def main() -> int:
    """Reads the command line and records."""
    parser = argparse.ArgumentParser(description="Record the packet-by-packet traces with ns-2.")
    parser.add_argument("traces", nargs="*", metavar="TRACE", help=", ".join(TRACES))
    options = parser.parse_args()
    try:
        for name in options.traces or TRACES:
            TRACES[name]()
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
