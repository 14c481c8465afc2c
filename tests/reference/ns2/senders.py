"""Runs ns-2 where it is installed: recomputes senders.csv, the wireline experiment with other TCPs.

    python senders.py

SOURCE.md says what the columns mean.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator

from run import (
    DISCIPLINES,
    HERE,
    JITTER,
    SimulatorError,
    measures,
    reports,
    simulate,
    windows,
)

SEEDS = (1, 2, 3)
LABELS = {
    "Reno": (
        "DropTail", "RED(20:80) drop", "RED(20:80) ecn", "RED(10:30) drop", "RED(10:30) ecn", "REM drop",
    ),
    "Sack1": ("RED(20:80) drop", "RED(20:80) ecn", "RED(10:30) drop", "REM drop"),
    "Vegas": ("DropTail", "RED(20:80) drop"),
}  # fmt: skip
COLUMNS = [
    "tcp", "label", "seed", "t0", "t1", "users", "goodput", "loss", "markfrac", "qmean", "qsd", "jain",
    "ntimeout", "utilisation", "ndata", "nrexmit", "ncuts", "necn",
]  # fmt: skip


def rows() -> Iterator[dict[str, str | float]]:
    """Run by run."""
    times = sorted({t for window in windows() for t in window} - {0})
    for tcp, labels in LABELS.items():
        for seed in SEEDS:
            for label in labels:
                arguments = {"tcp": tcp, "seed": seed, "report": ",".join(map(str, times))}
                output = simulate("dumbbell.tcl", DISCIPLINES[label] | arguments)
                start = {int(line[1]): float(line[2]) for line in output.lines if line[0] == "start"}
                found = reports(output)
                for t0, t1 in windows():
                    started = [flow for flow, time in start.items() if time <= t0 + JITTER]
                    row = measures(found[t1].since(found[t0]), t1 - t0, started)
                    yield {"tcp": tcp, "label": label, "seed": seed, "t0": t0, "t1": t1} | row
                sys.stderr.write(f"{tcp}, {label}, seed {seed}: {output.user_seconds:.1f} s\n")


def main() -> int:
    """Writes senders.csv."""
    try:
        with (HERE / "senders.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            for row in rows():
                table.writerow({n: f"{v:.9g}" if isinstance(v, float) else v for n, v in row.items()})
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
