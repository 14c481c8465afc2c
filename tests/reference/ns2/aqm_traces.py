"""Records the compact traces of PI, AVQ and the kinds of RED with ns-2 (and a C compiler, see digits.c).

    python aqm_traces.py                 all of them
    python aqm_traces.py pi-probability  one of them

A trace is a CSV file in the folder above and, beside it, a JSON file with the parameters. It holds what
reached the queue and what the AQM made of it. When the link took a packet follows from sizes and rate.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from run import Arguments, SimulatorError, simulate
from traces import COMMON, MIN_TH, Queue, Row, nanoseconds, save, shortest

if TYPE_CHECKING:
    from collections.abc import Callable


def record(arguments: Arguments) -> list[Row]:
    """Runs queue.tcl and returns an `offer` per arrival, an `update` per update of the AQM."""
    output = simulate("queue.tcl", arguments, all_digits=True)
    queue = Queue([])
    held: deque[Row] = deque()
    last: Row = {}
    max_p = ""
    for kind, *words in output.lines:
        if kind == "red" and last:
            last["average"], last["probability"] = shortest(words[0]), shortest(words[1])
            if words[3] != max_p:
                last["max_p"] = shortest(words[3])
                max_p = words[3]
        elif kind == "update":
            now = nanoseconds(words[0]) - 1
            queue.idle(now)
            assert not queue.rows or queue.rows[-1]["time_ns"] != now, "an event at the instant of an update"
            queue.rows.append({"time_ns": now, "event": "update", "probability": shortest(words[1])})
        elif kind == "arrive":
            last = queue.arrive(nanoseconds(words[0]), int(words[1]))
            held.append(last)
        elif kind == "drop":
            last["accepted"] = 0
            queue.waiting -= 1
            held.pop()
        elif kind == "leave":
            queue.leave(nanoseconds(words[0]), int(words[1]))
            if words[2] == "1":
                held[0]["marked"] = 1
            held.popleft()
    return [row for row in queue.rows if row["event"] != "take"]


def thinned(rows: list[Row], columns: list[str]) -> list[Row]:
    """Without what is as usual: packets of 1000 bytes, accepted, not marked."""
    usual = {"bytes": 1000, "accepted": 1}
    return [
        {name: row[name] for name in columns if name in row and row[name] != usual.get(name)} for row in rows
    ]


Parameters = Mapping[str, object]
ABOUT: Parameters = {**COMMON, "usual": "1000 bytes, accepted, not marked"}


def pi_probability() -> tuple[list[str], list[Row], Parameters]:
    """PI's probability after every update."""
    gains: Arguments = {"a": 0.004, "b": 0.0037, "target": 2, "period": 0.01}
    rows = record({"discipline": "PI", "limit": 40, "seconds": 8} | gains)
    about = {"aqm": "PI", "buffer_packets": 40, "a": 0.004, "b": 0.0037, "target_packets": 2}
    columns = ["time_ns", "event", "bytes", "accepted", "marked", "probability"]
    return columns, rows, about | {"period_ns": 10_000_000}


def avq(ecn: int) -> tuple[list[str], list[Row], Parameters]:
    """AVQ: which packets it signals. It draws nothing."""
    rows = record({"discipline": "Vq", "limit": 40, "seconds": 8, "ecn": ecn})
    about = {"aqm": "AVQ", "signal": "mark" if ecn else "drop", "buffer_bytes": 40_000}
    columns = ["time_ns", "bytes", "accepted", *(["marked"] if ecn else [])]
    return columns, rows, about | {"gamma": 0.98, "alpha": 0.15, "start": 0.8}


def max_p(kind: int, steps: Mapping[str, float]) -> tuple[list[str], list[Row], Parameters]:
    """RED whose max_p moves: max_p whenever it has changed, and p_b at every tenth arrival above min_th."""
    rows = record({"discipline": "RED", "adaptive": kind, "limit": 40, "seconds": 10, **steps})
    above = [float(row.get("average", 0)) >= MIN_TH and int(row["queue"]) > 1 for row in rows]
    # The first packet after a crossing is spared, and its probability not calculated.
    judged = [row for row, was, now in zip(rows[1:], above, above[1:], strict=False) if was and now]
    kept = {id(row) for row in judged[9::10]}
    for row in rows:
        if id(row) not in kept:
            row["probability"] = ""
    about = {"buffer_packets": 40, "min_th": 5, "max_th": 15, "max_p": 0.1, "w_q": 0.002, "gentle": True}
    columns = ["time_ns", "bytes", "accepted", "max_p", "probability"]
    return columns, rows, {"aqm": ["Adaptive RED", "self-configuring RED"][kind - 1], **about, **steps}


def red_marks(wait: int) -> tuple[list[str], list[Row], Parameters]:
    """RED under steady load: which packets it marks. It draws for them."""
    thresholds: Arguments = {"min_th": 5, "max_th": 60, "max_p": 0.2, "w_q": 0.002}
    rows = record({"discipline": "RED", "limit": 500, "seconds": 6, "steady": 20, "wait": wait} | thresholds)
    assert all(row["accepted"] for row in rows)
    about = {"aqm": "RED", "buffer_packets": 500, "gentle": True, "wait": bool(wait)}
    return ["time_ns", "bytes", "marked"], rows, about | dict(thresholds)


TRACES: dict[str, Callable[[], tuple[list[str], list[Row], Parameters]]] = {
    "pi-probability": pi_probability,
    "avq-marks": lambda: avq(1),
    "avq-drops": lambda: avq(0),
    "adaptive-red": lambda: max_p(
        1, {"interval": 0.1, "alpha": 0.01, "beta": 0.9, "bottom": 0.01, "top": 0.5}
    ),
    "feng-red": lambda: max_p(2, {"alpha": 3, "beta": 2}),
    "red-marks-wait": lambda: red_marks(1),
    "red-marks-uniform": lambda: red_marks(0),
}


def main() -> int:
    """Reads the command line and records."""
    parser = argparse.ArgumentParser(description="Record the compact traces with ns-2.")
    parser.add_argument("traces", nargs="*", metavar="TRACE", help=", ".join(TRACES))
    options = parser.parse_args()
    try:
        for name in options.traces or TRACES:
            columns, rows, about = TRACES[name]()
            save(name, columns, thinned(rows, columns), {**ABOUT, **about})
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
