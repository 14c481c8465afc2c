"""Runs ns-2 where it is installed: recomputes red-sweeps.csv and loads.csv.

    python sweeps.py                 both
    python sweeps.py red-sweeps      one of them

Validation does not need this script: it reads the files committed here. SOURCE.md says what they mean.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from run import HERE, Arguments, SimulatorError, measures, reports, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MEASURED = ["goodput", "utilisation", "loss", "qmean", "qsd", "jain", "ntimeout"]
SEEDS = (1, 2, 3)

Row = dict[str, str | int | float]


@dataclass(frozen=True)
class Run:
    """A run of dumbbell.tcl and its windows."""

    about: Row
    """Columns that identify the rows of the run."""
    arguments: Arguments
    windows: Sequence[tuple[int, int]]
    rate: float
    packet: int


def rows(run: Run) -> Iterator[Row]:
    """A row per window."""
    times = sorted({time for window in run.windows for time in window} - {0})
    report = {"report": ",".join(map(str, times)), "seconds": times[-1]}
    output = simulate("dumbbell.tcl", run.arguments | report)
    start = {int(line[1]): float(line[2]) for line in output.lines if line[0] == "start"}
    found = reports(output)
    jitter = float(run.arguments["jitter"])
    for t0, t1 in run.windows:
        started = [flow for flow, time in start.items() if time <= t0 + jitter]
        values = measures(found[t1].since(found[t0]), t1 - t0, started, run.rate, run.packet)
        yield run.about | {"users": len(started), "t0": t0, "t1": t1} | {n: values[n] for n in MEASURED}
    sys.stderr.write(f"{run.about}: {output.user_seconds:.1f} s\n")


# --- RED over its parameters ------------------------------------------------------------------------------

USERS = (10, 20, 40, 80)
HIGH = (10, 15, 20, 30, 40, 50)
TOP = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def settings() -> list[tuple[int, int, float, float]]:
    """Users, max_th, max_p, w_q: each once."""
    by_threshold = [(n, high, 0.1, weight) for weight in (0.002, 0.005) for n in USERS for high in HIGH]
    by_slope = [
        (n, high, top, 0.002)
        for n, high in ((80, 20), (80, 30), (80, 40), (10, 30), (20, 30), (40, 30))
        for top in TOP
    ]
    return list(dict.fromkeys(by_threshold + by_slope))


OVERHEAD = 0.0016
"""Two packet times."""
FULL = (
    (80, 50, 0.1, 0.002, 0),
    (80, 50, 0.1, 0.005, 0),
    (80, 50, 0.1, 0.002, 1),
    (80, 40, 0.02, 0.002, 1),
    (80, 40, 0.05, 0.002, 1),
)
"""Settings whose losses are mostly of the full buffer; once more with the random wait."""


def red_sweeps() -> Iterator[Run]:
    """10 Mb/s, 50 ms, 50 packets; 20 to 100 s."""
    common: Arguments = {
        "discipline": "RED", "rate": 10, "rtt": 50, "buffer": 50, "size": 1000, "min_th": 5, "jitter": 1,
    }  # fmt: skip
    chosen = [(*setting, gentle, 0.0) for gentle in (0, 1) for setting in settings()]
    chosen = [c for c in chosen if not (c[4] and c[3] != 0.002)] + [(*full, OVERHEAD) for full in FULL]
    for users, high, top, weight, gentle, overhead in chosen:
        option = {"max_th": high, "max_p": top, "w_q": weight, "gentle": gentle, "overhead": overhead}
        for seed in SEEDS:
            about: Row = {**option, "seed": seed}
            arguments = common | option | {"flows": users, "group": users, "every": 1000, "seed": seed}
            yield Run(about, arguments, [(20, 100)], 10e6, 1000)


# --- RED, PI and AVQ over loads ---------------------------------------------------------------------------

RED: Arguments = {"discipline": "RED", "min_th": 250, "max_th": 500, "max_p": 0.02}
PI: Arguments = {"discipline": "PI", "q_ref": 374}
# The gains of the HRED paper are per byte.
SLOW: Arguments = {"a": 1.1379e-8 * 500, "b": 1.1349e-8 * 500, "w": 160}
DISCIPLINES: dict[str, tuple[Arguments, tuple[int, ...]]] = {
    "DropTail": ({"discipline": "DropTail"}, (100, 300, 600)),
    "RED": (RED, (100, 300, 600, 1000)),
    "PI": (PI | SLOW, (100, 300, 600, 1000)),
    "PI, gains of ns-2": (PI, (100,)),
    "AVQ": ({"discipline": "Vq"}, (100, 300, 600, 1000)),
    "AVQ, gamma 1": ({"discipline": "Vq", "desired": 1.0}, (100,)),
    "AVQ, minimum RTO 1 s": ({"discipline": "Vq", "min_rto": 1.0}, (1000,)),
}
STAGED = ("RED", "PI", "AVQ")


def loads() -> Iterator[Run]:
    """32 Mb/s, 160 to 240 ms, 1000 packets of 500 bytes; steady, then staged."""
    common: Arguments = {
        "rate": 32, "rtt": 200, "spread": 40, "buffer": 1000, "size": 500, "bytes": 1,
    }  # fmt: skip
    for seed in SEEDS:
        for label, (option, counts) in DISCIPLINES.items():
            for users in counts:
                group: Arguments = {"flows": users, "group": users, "every": 1000, "jitter": 10, "seed": seed}
                windows = [(50, 150) if users == 1000 else (100, 300)]
                about: Row = {"scenario": "steady", "label": label, "seed": seed}
                yield Run(about, common | option | group, windows, 32e6, 500)
        for label in STAGED:
            stages: Arguments = {"starts": "0:100,150:100,200:200,250:400", "jitter": 1, "seed": seed}
            windows = [(50, 150), (150, 200), (200, 250), (250, 300)]
            about = {"scenario": "staged", "label": label, "seed": seed}
            yield Run(about, common | DISCIPLINES[label][0] | stages, windows, 32e6, 500)


# --- Command line -----------------------------------------------------------------------------------------

SWEEPS = {"red-sweeps": red_sweeps, "loads": loads}


def write(name: str) -> None:
    """Writes a table."""
    found = [row for run in SWEEPS[name]() for row in rows(run)]
    with (HERE / f"{name}.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(found[0]), lineterminator="\n")
        table.writeheader()
        for row in found:
            table.writerow({n: f"{v:.9g}" if isinstance(v, float) else v for n, v in row.items()})


def main() -> int:
    """Reads the command line and runs ns-2."""
    parser = argparse.ArgumentParser(description="Recompute red-sweeps.csv and loads.csv with ns-2.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(SWEEPS))
    options = parser.parse_args()
    try:
        for name in options.tables or SWEEPS:
            write(name)
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
