"""Runs ns-2 where it is installed: recomputes wireline.csv, or takes ns-2's time.

- `python run.py --case wireline --seeds 5` writes wireline.csv
- `python run.py --time` prints the cost of the timing cases, as JSON
- `python run.py --time gigabit-100` prints that of some of them

Validation does not need this script: it reads the files committed here. SOURCE.md says what they mean.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).resolve().parent

Arguments = dict[str, str | int | float]

# The experiment of section 4.2 of the REM paper: 20 senders more every 50 s, until 160.
RATE = 64e6
PACKET = 1000
PERIOD = 50
PERIODS = 8
WARM_UP = 10
JITTER = 1.0
RED_20_80: Arguments = {"discipline": "RED", "min_th": 20, "max_th": 80}
RED_10_30: Arguments = {"discipline": "RED", "min_th": 10, "max_th": 30}
REM: Arguments = {"discipline": "REM"}
MARK: Arguments = {"ecn": 1}
MARK_ALWAYS: Arguments = {"ecn": 1, "mark_p": 0}
DISCIPLINES: dict[str, Arguments] = {
    "DropTail": {"discipline": "DropTail"},
    "RED(20:80) drop": RED_20_80,
    "RED(20:80) ecn": RED_20_80 | MARK,
    "RED(20:80) ecn nomarkp": RED_20_80 | MARK_ALWAYS,
    "RED(10:30) drop": RED_10_30,
    "RED(10:30) ecn": RED_10_30 | MARK,
    "RED(10:30) ecn nomarkp": RED_10_30 | MARK_ALWAYS,
    "REM drop": REM,
    "REM ecn": REM | MARK,
}
SCENARIOS: dict[str, tuple[Arguments, Sequence[str]]] = {
    "wireline": ({}, list(DISCIPLINES)),
    "wireline-overhead": ({"overhead": 0.00025}, ["DropTail", "RED(10:30) drop", "REM ecn"]),
}
COLUMNS = [
    "scenario",
    "label",
    "seed",
    "t0",
    "t1",
    "users",
    "goodput",
    "loss",
    "markfrac",
    "qmean",
    "qsd",
    "jain",
    "ntimeout",
    "utilisation",
    "ndata",
    "nrexmit",
    "ncuts",
    "necn",
]

# What `make bench` is compared with: no monitor on the queue, no sampling, one report at the end.
QUIET: Arguments = {"monitor": 0, "sample": 0}
BARE: Arguments = {"topology": "bare"}
GIGABIT: Arguments = QUIET | BARE | {"rate": 1000, "size": 1500, "rtt": 20, "buffer": 1667}
TIMED: dict[str, Arguments] = {
    "wireline-access": QUIET,
    "wireline-delay": QUIET | BARE,
    "wireline-delay-rem": QUIET | BARE | REM | MARK,
    "gigabit-100": GIGABIT | {"flows": 100, "group": 100, "seconds": 20, "report": 20},
    "gigabit-1000": GIGABIT | {"flows": 1000, "group": 1000, "seconds": 10, "report": 10},
    "gigabit-10000": GIGABIT | {"flows": 10000, "group": 10000, "seconds": 10, "report": 10},
}


# --- One run ----------------------------------------------------------------------------------------------


class SimulatorError(Exception):
    """ns-2 is not installed, or did not finish."""


@dataclass
class Output:
    """Output of a script, as lines of words without the closing `end`, and the cost of the run."""

    lines: list[list[str]]
    user_seconds: float


def simulate(script: str, arguments: Arguments, *, all_digits: bool = False) -> Output:
    """Runs a script of this folder; with `all_digits`, traced variables are printed with 17 digits."""
    program = shutil.which("ns")
    if program is None:
        raise SimulatorError("ns-2 is not installed: there is no program `ns` (Debian: apt install ns2)")
    words = [program, script, *(f"{name}={value}" for name, value in arguments.items())]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as complaints:
        environment = dict(os.environ)
        if all_digits:
            environment["LD_PRELOAD"] = str(_digits(Path(folder)))
        process = subprocess.Popen(
            words, cwd=HERE, env=environment, stdout=subprocess.PIPE, stderr=complaints, text=True
        )
        assert process.stdout is not None
        with process.stdout:
            lines = [line.split() for line in process.stdout]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or not lines or lines.pop() != ["end"]:
            complaints.seek(0)
            raise SimulatorError(f"`{' '.join(words)}` did not finish:\n{complaints.read()}")
    return Output(lines, usage.ru_utime)


def _digits(folder: Path) -> Path:
    """Compiles digits.c."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SimulatorError("recording a trace needs a C compiler: there is no program `cc`")
    library = folder / "digits.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE / "digits.c"], check=True)
    return library


# --- The wireline experiment ------------------------------------------------------------------------------


@dataclass
class Report:
    """Everything counted from the start of a run to one instant."""

    values: dict[str, float]
    delivered: list[int]

    def since(self, earlier: Report) -> Report:
        """Counts between two reports."""
        return Report(
            {name: value - earlier.values[name] for name, value in self.values.items()},
            [now - then for now, then in zip(self.delivered, earlier.delivered, strict=True)],
        )


def reports(output: Output) -> dict[float, Report]:
    """The reports of a run by their time; that of time 0 is all zeros."""
    values: dict[float, dict[str, float]] = {}
    delivered: dict[float, list[int]] = {}
    for kind, *words in output.lines:
        if kind == "count":
            values[float(words[0])] = {n: float(v) for n, v in zip(words[1::2], words[2::2], strict=True)}
        elif kind == "bytes":
            delivered[float(words[0])] = [int(word) for word in words[1:]]
    last = max(values)
    found = {time: Report(values[time], delivered[time]) for time in values}
    return {0.0: Report(dict.fromkeys(values[last], 0.0), [0] * len(delivered[last]))} | found


def windows() -> list[tuple[int, int]]:
    """Every period whole, then every period without its warm-up."""
    periods = range(0, PERIOD * PERIODS, PERIOD)
    return [(t, t + PERIOD) for t in periods] + [(t + WARM_UP, t + PERIOD) for t in periods]


def measures(
    window: Report, seconds: float, started: Sequence[int], rate: float = RATE, packet: int = PACKET
) -> dict[str, float]:
    """The columns that are measured; SOURCE.md defines them."""
    count = window.values
    shares = [window.delivered[flow] for flow in started]
    mean = count["sum"] / count["looks"]
    return {
        "users": len(started),
        "goodput": sum(window.delivered) * 8 / (rate * seconds),
        "loss": count["drops"] / count["arrivals"],
        "markfrac": count["marks"] / count["arrivals"],
        "qmean": count["integral"] / seconds,
        "qsd": max(count["squares"] / count["looks"] - mean * mean, 0.0) ** 0.5,
        "jain": sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares)),
        "utilisation": count["departures"] * packet * 8 / (rate * seconds),
    } | {name: count[name] for name in ("ntimeout", "ndata", "nrexmit", "ncuts", "necn")}


def wireline(seeds: int) -> Iterator[dict[str, str | float]]:
    """The rows of wireline.csv, run by run."""
    times = sorted({t for window in windows() for t in window} - {0})
    for scenario, (common, labels) in SCENARIOS.items():
        for seed in range(1, seeds + 1):
            for label in labels:
                arguments = {"seed": seed, "report": ",".join(map(str, times))}
                output = simulate("dumbbell.tcl", DISCIPLINES[label] | common | arguments)
                start = {int(line[1]): float(line[2]) for line in output.lines if line[0] == "start"}
                found = reports(output)
                for t0, t1 in windows():
                    started = [flow for flow, time in start.items() if time <= t0 + JITTER]
                    row = measures(found[t1].since(found[t0]), t1 - t0, started)
                    yield {"scenario": scenario, "label": label, "seed": seed, "t0": t0, "t1": t1} | row
                sys.stderr.write(f"{scenario}, {label}, seed {seed}: {output.user_seconds:.1f} s\n")


def write_wireline(path: Path, seeds: int) -> None:
    """Writes wireline.csv."""
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in wireline(seeds):
            table.writerow({n: f"{v:.9g}" if isinstance(v, float) else v for n, v in row.items()})


# --- Cost -------------------------------------------------------------------------------------------------


def time_case(name: str) -> tuple[float, int]:
    """User CPU seconds of one run of a timing case, set-up included, and its bottleneck packets.

    A bottleneck packet is one whose ACK has come back: without a monitor ns-2 does not count departures, and
    ACKs are never lost.
    """
    output = simulate("dumbbell.tcl", TIMED[name])
    (last,) = [report for time, report in reports(output).items() if time > 0]
    return output.user_seconds, int(last.values["acks"])


def time_setup(name: str) -> float:
    """User CPU seconds of a timing case before its first packet: nodes, links and agents."""
    return simulate("dumbbell.tcl", TIMED[name] | {"seconds": 0}).user_seconds


def write_times(names: Sequence[str]) -> None:
    """Prints the cost of timing cases as a JSON array."""
    rows: list[dict[str, str | float]] = []
    for name in names or list(TIMED):
        seconds, packets = time_case(name)
        row = {"user_s": seconds, "setup_user_s": time_setup(name), "packets": packets}
        rows.append({"case": name, "ns_per_packet": round(seconds / packets * 1e9, 1)} | row)
    json.dump(rows, sys.stdout, indent=2)
    sys.stdout.write("\n")


# --- Command line -----------------------------------------------------------------------------------------


def main() -> int:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Recompute the reference data with ns-2, or time ns-2.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--case", choices=["wireline"], help="recompute the reference data")
    what.add_argument("--time", nargs="*", choices=list(TIMED), metavar="CASE", help=", ".join(TIMED))
    parser.add_argument("--seeds", type=int, default=5, help="seeds 1 to SEEDS of the wireline case")
    options = parser.parse_args()
    try:
        if options.time is None:
            write_wireline(HERE / "wireline.csv", options.seeds)
        else:
            write_times(options.time)
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
