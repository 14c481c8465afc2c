"""The command: compares, says what it found, writes the page; exit code 1 if anything differs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from validation import (
    aqm,
    bbr,
    kernel,
    l4s,
    loop,
    operating,
    options,
    parking,
    picture,
    sender,
    shares,
    sweeps,
    tcps,
    traces,
)
from validation.page import Aqms, Outcome, page, summary
from weir import _core

SEEDS = range(1, 9)
QUICK_SEEDS = range(1, 3)
QUICK_DRAWS = range(1, 11)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--write", type=Path, metavar="PAGE", help="write this page and its picture")
    target.add_argument("--quick", action="store_true", help="few seeds, and no effects of options")
    options_given = parser.parse_args(arguments)
    path: Path | None = options_given.write
    outcome = validate(QUICK_SEEDS if options_given.quick else SEEDS, effects=path is not None)
    sys.stdout.write("\n".join(summary(outcome)) + "\n")
    if path is not None:
        path.write_text(page(outcome), encoding="utf-8")
        images = path.parent / "images"
        picture.draw(outcome.rows, images / picture.NAME)
        shares.write(shares.shares(_report), images / shares.NAME)
        sys.stdout.write(f"Wrote {path}\n")
    return 0 if outcome.holds else 1


def validate(seeds: Sequence[int], *, effects: bool) -> Outcome:
    """All levels; `effects` asks for the effects of the options and for every sweep and load too."""
    aqms = Aqms(aqm.red(), aqm.rem(), aqm.red({}))
    lineage = traces.lineage(traces.SEEDS if effects else QUICK_DRAWS)
    senders = sender.follow()
    jobs = loop.jobs()
    habits = options.HABITS if effects else ()
    scenarios = [*(job.scenario for job in jobs), *map(options.without, habits)]
    simulated = loop.simulate(scenarios, seeds, _report)
    with_habits = {
        (job.variant, job.jittered): (job, values) for job, values in zip(jobs, simulated, strict=False)
    }
    found: list[options.Effect] = []
    for habit, default in zip(habits, simulated[len(jobs) :], strict=True):
        job, values = with_habits[habit.variant, habit.jittered]
        found.append(options.effect(habit, job.label, values["settled"], default["settled"]))
    rows = loop.compare(jobs, simulated[: len(jobs)])
    further = sweeps.sweeps(seeds, quick=not effects, progress=_report)
    driven = operating.operating(quick=not effects, progress=_report)
    linux = kernel.kernel(quick=not effects, progress=_report)
    scalable = l4s.senders(quick=len(seeds) < len(SEEDS), progress=_report)
    measured = bbr.senders(_report, quick=len(seeds) < len(SEEDS))
    others = tcps.variants(seeds, _report)
    lots = parking.parking(seeds, _report)
    parts = (further, driven, linux, scalable, measured, others, lots)
    return Outcome(seeds, aqms, lineage, senders, rows, found, *parts)


def _report(batch: _core.Batch) -> None:
    if sys.stderr.isatty():
        end = "\n" if batch.progress >= 1.0 else ""
        sys.stderr.write(f"\rclosed loop: {batch.finished} runs{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
