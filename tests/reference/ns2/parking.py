"""Runs ns-2 where it is installed: recomputes parking-lot.csv, three bottlenecks in a row.

    python parking.py

Validation does not need this script: it reads the file committed here. SOURCE.md says what it means.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from run import HERE, MARK, MARK_ALWAYS, RED_10_30, REM, Arguments, Output, SimulatorError, simulate

SEEDS = range(1, 11)
MANY_SEEDS = range(1, 31)
"""Seeds where the shares of the flows vary most from run to run."""
WAIT = "DropTail, random wait"
RATE = 10e6
PACKET = 1000
FROM, TO = 20, 120
HOPS = (1, 2, 3)
LONG = 0

LABELS: dict[str, Arguments] = {
    "DropTail": {},
    WAIT: {"overhead": 0.0008},
    "RED(10:30) drop": RED_10_30,
    "RED(10:30) ecn": RED_10_30 | MARK,
    "RED(10:30) ecn nomarkp": RED_10_30 | MARK_ALWAYS,
    "REM drop": REM,
    "REM ecn": REM | MARK,
}

Counts = Mapping[str, float]


def rows() -> Iterator[dict[str, str | int | float]]:
    """A row per run and hop."""
    for label, arguments in LABELS.items():
        for seed in MANY_SEEDS if label == WAIT else SEEDS:
            output = simulate("parkinglot.tcl", arguments | {"seed": seed, "from": FROM, "to": TO})
            hops, groups = _counted(output)
            long = groups[LONG]
            for hop in HOPS:
                about: dict[str, str | int | float] = {"label": label, "seed": seed, "hop": hop}
                yield (
                    about
                    | _of_hop(hops[hop])
                    | {
                        "cross_markfrac": groups[hop]["marks"] / groups[hop]["packets"],
                        "cross_goodput": _share(groups[hop]),
                        "long_markfrac": long["marks"] / long["packets"],
                        "long_goodput": _share(long),
                        "ntimeout": sum(groups[group]["timeouts"] for group in (LONG, hop)),
                    }
                )
            sys.stderr.write(f"{label}, seed {seed}: {output.user_seconds:.1f} s\n")


def _counted(output: Output) -> tuple[Mapping[int, Counts], Mapping[int, Counts]]:
    """Counts in the window, by hop and by group of flows."""
    hops: defaultdict[int, dict[str, float]] = defaultdict(dict)
    groups: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for kind, time, number, *words in output.lines:
        sign = 1.0 if float(time) == TO else -1.0
        into = hops[int(number)] if kind == "hop" else groups[int(words.pop(0))]
        _add(into, words, sign)
    return hops, groups


def _add(into: dict[str, float], words: Sequence[str], sign: float) -> None:
    for name, value in zip(words[::2], words[1::2], strict=True):
        into[name] = into.get(name, 0.0) + sign * float(value)


def _of_hop(count: Counts) -> dict[str, float]:
    mean = count["sum"] / count["looks"]
    return {
        "utilisation": count["departures"] * PACKET * 8 / (RATE * (TO - FROM)),
        "loss": count["drops"] / count["arrivals"],
        "qmean": count["integral"] / (TO - FROM),
        "qsd": max(count["squares"] / count["looks"] - mean * mean, 0.0) ** 0.5,
    }


def _share(count: Counts) -> float:
    return count["bytes"] * 8 / (RATE * (TO - FROM))


def main() -> int:
    """Writes parking-lot.csv."""
    try:
        found = list(rows())
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    with (HERE / "parking-lot.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(found[0]), lineterminator="\n")
        table.writeheader()
        for row in found:
            table.writerow({n: f"{v:.9g}" if isinstance(v, float) else v for n, v in row.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
