"""`make live`: measures the relay with real packets, and writes the page of the documentation."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import jinja2
from live_agreement import FLOWS, MEASURES, OFTEN, STALL_SHARE, Agreement, compare
from live_figures import figures

from promises import Figure
from validation.loop import Measure
from weir.stats._intervals import Interval


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", type=Path, help="the page")
    parser.add_argument("--quick", action="store_true", help="shorter runs, two repeats")
    parser.add_argument("--together", type=int, default=6, help="runs at a time, for the comparison")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    found = figures(quick=options.quick)
    repeats, seconds, warm_up = (2, 10.0, 5.0) if options.quick else (5, 45.0, 15.0)
    agreements = compare(repeats, seconds, warm_up, options.together)
    text = page(
        found,
        agreements,
        load=(before, os.getloadavg()[0]),
        repeats=repeats,
        seconds=seconds,
        warm_up=warm_up,
    )
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def page(found: Sequence[Figure], agreements: Sequence[Agreement], repeats: int, **facts: object) -> str:
    """The page in Markdown; `facts` are those of the template."""
    environment = jinja2.Environment(  # noqa: S701 - it is no HTML
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.md.jinja").render(
        facts,
        repeats=repeats,
        kernel=platform.release(),
        cores=os.cpu_count(),
        figures=found,
        agreements=agreements,
        with_linux=[one for one in agreements if one.linux],
        spoiled=sum(one.spoiled for one in agreements) // len(MEASURES),
        runs=sum(one.runs for one in agreements) // len(MEASURES),
        often=OFTEN * repeats,
        flows=FLOWS,
        stall_share=STALL_SHARE,
        interval=_interval,
    )


def _interval(interval: Interval | None, measure: Measure) -> str:
    if interval is None:
        return "–"
    spread = "" if interval.half_width is None else f" ± {interval.half_width:.{measure.decimals}f}"
    return f"{interval.mean:.{measure.decimals}f}{spread}"


if __name__ == "__main__":
    main()
