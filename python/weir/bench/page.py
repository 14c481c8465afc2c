"""docs/performance.md: the measurements with the machine they were made on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

import jinja2

from weir import _core
from weir.bench.disciplines import RING, DisciplineCost
from weir.bench.measure import Measurement, Scaling
from weir.bench.sweeps import CASE, SweepCost

_TEMPLATE = Path(__file__).with_name("page.md.jinja")


def page(
    measurements: Sequence[Measurement],
    scaling: Scaling,
    sweeps: Sequence[SweepCost],
    disciplines: Sequence[DisciplineCost],
) -> str:
    """The page as Markdown."""
    environment = jinja2.Environment(  # noqa: S701 - Markdown, of our own numbers
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        measurements=measurements,
        scaling=scaling,
        sweeps=sweeps,
        sweep_case=CASE,
        disciplines=disciplines,
        ring=next((cost.ns for cost in disciplines if cost.discipline == RING), 0.0),
        peers=any(measurement.ratio is not None for measurement in measurements),
        cpu=_cpu(),
        cores=os.cpu_count(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        weir=_core.__version__,
    )


def _cpu() -> str:
    try:
        information = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except FileNotFoundError:
        return platform.processor() or platform.machine()
    for line in information.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
