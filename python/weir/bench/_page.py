"""docs/performance.md: the measurements with the machine they were made on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from weir import _core
from weir.bench._costs import SWEEP_CASE, DisciplineCost, Scaling, SweepCost
from weir.bench._measure import Measurement
from weir.plot._page import environment


def page(
    measurements: Sequence[Measurement],
    scaling: Scaling,
    sweeps: Sequence[SweepCost],
    disciplines: Sequence[DisciplineCost],
) -> str:
    """The page as Markdown."""
    template = environment(Path(__file__).parent, markdown=True).get_template("page.md.jinja")
    return template.render(
        measurements=measurements,
        scaling=scaling,
        sweeps=sweeps,
        sweep_case=SWEEP_CASE,
        disciplines=disciplines,
        ring=next((cost.ns for cost in disciplines if cost.discipline == "ring"), 0.0),
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
