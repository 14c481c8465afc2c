"""Measures CPU time per packet: `PYTHONPATH=tools python -m bench [--case NAME] [--write FILE]`.

ns-2 runs the same cases and valgrind counts instructions where they are installed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import replace
from pathlib import Path

from bench import costs, counting, measure


def main() -> None:
    """Measures, and prints a line per case or writes the page."""
    parser = ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--case", action="append", choices=measure.CASES, help="only this case; repeatable")
    parser.add_argument("--repeat", type=_count, default=5, help="runs per case; the fastest counts")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="write a page with the machine and all costs"
    )
    given = parser.parse_args()

    measurements = list(
        measure.measure(given.case or measure.CASES, given.repeat, with_peer=measure.has_ns2(), say=say)
    )
    if counting.has_valgrind():
        counted = counting.instructions([m.case for m in measurements], say=say)
        measurements = [replace(m, instructions_per_packet=counted[m.case]) for m in measurements]
    if given.write is None:
        sys.stdout.write(measure.table(measurements))
        return
    growth, scaling = costs.growth(given.repeat, say=say), costs.scaling(say=say)
    sweeps = costs.sweep_costs(repeat=given.repeat, say=say)
    disciplines = costs.discipline_costs(say=say)
    page = costs.page(measurements, growth, scaling, sweeps, disciplines)
    given.write.write_text(page, encoding="utf-8")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no number of runs: give 1 or more")
    return int(text)


def say(text: str) -> None:
    """Prints what is measured now."""
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
