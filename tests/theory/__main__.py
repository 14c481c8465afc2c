"""Writes the page on theory beside packets: `make theory`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

import polars as pl
from agreement import EARLIER, REPLICATIONS, SEED, TAKEN_OUT, Case, Row, compare, own, shipped
from speed import TIMES, Timed, speeds

from weir.plot import Curve, save
from weir.plot._agreement import agreement, margin_and_swing

NUMBER = {
    "queue": "mean queue (packets)",
    "signal": "signals per packet",
    "deviation": "sd of the queue (packets)",
    "period": "period (s)",
    "cycle": "period of the fluid's cycle (s)",
}
ORDER = ("outside", "undecided", "agrees", "theory not valid here")


ABOUT = (
    "`make theory` writes this page. Cases are in `tests/theory/agreement.py`, tolerances and flags in "
    f"`weir.theory`; packets are runs from seed {SEED} on, {REPLICATIONS} of each case. A row *agrees* "
    "where the 95% interval of packets lies within the tolerance of the prediction. It is *outside* where "
    "the interval lies beyond, and *undecided* in between. *Theory not valid here*: a flag says so before "
    "anything is simulated "
    "([the models](explanation/fluid.md#flags))."
)


def revised(agreed: int, valid: int, out: int) -> str:
    """Paragraph on revisions after earlier runs. `out`: rows that a flag has taken out since."""
    before = " and ".join(f"{one.agreed:.0%} of {one.valid}" for one in EARLIER)
    return (
        f"**{agreed / valid:.0%} is not a pre-registered figure.** Flags and cases were revised after "
        f"{len(EARLIER)} earlier runs with other seeds, in which {before} valid rows agreed. Since then "
        f"replications went from {EARLIER[-1].replications} to {REPLICATIONS}, and {out} rows of l4s-pair "
        f"that failed, rates over DualPI2, no longer count (`{TAKEN_OUT}`): with them {agreed} of "
        f"{valid + out} agree ({agreed / (valid + out):.0%}). Other flags are new: an unstable loop spoils "
        "p, and a gain margin below 1.5 spoils the mean queue. An oscillation that dies out before it is "
        "one has no period. p is told of Reno's family alone. The seeds of this page were drawn after the "
        "last revision."
    )


def told_of(timed: Sequence[Timed]) -> list[str]:
    """The section on speed."""
    lines = [
        "",
        "## Speed",
        "",
        *wrap(
            "CPU of a minute of 100 flows with round trips of 20 ms (`bench/gigabit-100`), reading the "
            f"scenario included: the least of {TIMES} times, on one thread. Packets: one run.",
            120,
        ),
        "",
        "| case | fluid (ms) | steps | packets | packets (ms) | packets / fluid |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in timed:
        cells = [one.name, f"{1e3 * one.fluid_s:.1f}", f"{one.steps:,}", "–", "–", "–"]
        if one.packets is not None and one.packets_s is not None:
            ratio = one.packets_s / one.fluid_s
            cells[3:] = [f"{one.packets:,}", f"{1e3 * one.packets_s:.0f}", f"{ratio:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def page(rows: Sequence[Row], without: Sequence[tuple[str, str]], timed: Sequence[Timed]) -> str:
    """The page."""
    counts = Counter(row.verdict for row in rows)
    valid = [row for row in rows if not row.flags]
    share = counts["agrees"] / len(valid) if valid else 0.0
    out = sum(row.flags == (TAKEN_OUT,) for row in rows)
    told = (
        f"Of {len(rows)} rows {len(valid)} are flagged valid: {counts['agrees']} agree ({share:.0%}), "
        f"{counts['outside']} {'is' if counts['outside'] == 1 else 'are'} outside, "
        f"{counts['undecided']} undecided."
    )
    lines = [
        "# Theory beside packets",
        "",
        *wrap(ABOUT, 120),
        "",
        told,
        "",
        *wrap(revised(counts["agrees"], len(valid), out), 120),
        "",
        "![Predicted and measured mean queues](images/theory-queue.svg)",
        "",
        "![Predicted and measured periods](images/theory-period.svg)",
        "",
        "![The queue's coefficient of variation over the gain margin](images/theory-margin.svg)",
        "",
        "| case | quantity | theory | packets | within | verdict | flags |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for verdict in ORDER:
        lines += [_line(row) for row in rows if row.verdict == verdict]
    lines += ["", "## Without a model", "", "| scenario | reason |", "| --- | --- |"]
    lines += [f"| {name} | {why} |" for name, why in without]
    lines += told_of(timed)
    return "\n".join(lines) + "\n"


def draw(rows: Sequence[Row], images: Path) -> None:
    """Mean queues and periods against their predictions, and swings over the gain margin."""
    for quantity, title, unit, tolerance in (
        ("queue", "Mean queue: theory beside packets", "packets", 0.1),
        ("period", "Period of the queue: theory beside packets", "s", 0.1),
    ):
        shown = pl.DataFrame(
            {
                "label": row.case,
                "predicted": row.predicted,
                "measured": row.measured,
                "low": row.low,
                "high": row.high,
                "verdict": row.verdict,
            }
            for row in rows
            if row.quantity == quantity
        )
        figure = agreement(shown, title, unit, tolerance, name=f"theory-{quantity}")
        save(figure, images / f"theory-{quantity}.svg")
    curves: list[Curve] = []
    means = {row.case: row for row in rows if row.quantity == "queue"}
    for family in ("PI", "RED", "REM", "PI2"):
        found = [
            row for row in rows if row.case.startswith(f"{family},") or row.case.startswith(f"{family} ")
        ]
        swings = sorted(
            (row for row in found if row.quantity == "deviation" and row.margin),
            key=lambda row: row.margin or 0.0,
        )
        x = [row.margin or 0.0 for row in swings]
        curves.append(
            Curve(family, x, [row.measured / means[row.case].measured for row in swings], kind="dot")
        )
        predicted = [row.predicted / means[row.case].predicted for row in swings]
        curves.append(Curve(family, x, predicted, kind="theory"))
    title = "How much the queue moves, over the gain margin"
    save(margin_and_swing(curves, title, name="theory-margin"), images / "theory-margin.svg")


def _line(row: Row) -> str:
    quantity = NUMBER.get(row.quantity, f"{row.quantity} (packets/s)")
    measured = f"{row.measured:.3g} ± {(row.high - row.low) / 2:.2g}"
    flags = ", ".join(row.flags) or "–"
    cells = (row.case, quantity, f"{row.predicted:.3g}", measured, f"{row.tolerance:.0%}", row.verdict, flags)
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Ends with 1 where less than 80% of the rows flagged valid agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="the page; without, it is printed")
    chosen = parser.parse_args()
    found = list(shipped())
    cases = [*own(), *(Case(name, one, REPLICATIONS) for name, one in found if not isinstance(one, str))]
    with TemporaryDirectory() as store:
        rows = compare(cases, Path(store))
    text = page(rows, [(name, one) for name, one in found if isinstance(one, str)], speeds())
    if chosen.write is None:
        sys.stdout.write(text)
    else:
        chosen.write.write_text(text, encoding="utf-8")
        draw(rows, chosen.write.parent / "images")
    valid = [row for row in rows if not row.flags]
    return 0 if sum(row.verdict == "agrees" for row in valid) >= 0.8 * len(valid) else 1


if __name__ == "__main__":
    sys.exit(main())
