"""Theory about the variants of a result: the fluid model drawn over the packets, and the control loops."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from weir._errors import WeirError
from weir.plot import Panel, fluid_over_time
from weir.scenario import Scenario
from weir.stats import component_of
from weir.sweep import Sweep
from weir.theory import Analysis, FluidRun, TheoryError, analyse, fluid_of, system_of, text_of_loops

_WIDTH = 105
"""Width of the table of loops, in letters."""


@dataclass(frozen=True)
class Theory:
    """Theory about one result."""

    panel: Panel | None
    """Figure of the fluid; None if no variant has a model."""
    loops: str
    """Table with a row for each variant that has a model, at the end of the run. It also says why others have
    none."""


def theory_of(sweep: Sweep) -> Theory:
    """Applies theory to a run or a comparison. Raises WeirError for a sweep."""
    if sweep.axes:
        raise WeirError(
            "theory is drawn beside one setting, and this sweep has axes",
            f"of one point: weir theory fluid {sweep.scenario} --set KEY=VALUE; of a region: weir theory map",
        )
    runs: list[FluidRun] = []
    rows: list[tuple[str, Analysis | TheoryError]] = []
    for variant, label in zip(sweep.variants, sweep.labels, strict=True):
        try:
            # A class in Python has no model, and its file may be gone.
            scenario = Scenario.loads(sweep.resolved[variant], python=False)
            reading = system_of(scenario)
            rows.append((label, analyse(reading.system, reading.flags)))
            runs.append(fluid_of(scenario).named(label))
        except TheoryError as error:
            rows.append((label, error))
        except WeirError as error:
            rows.append((label, TheoryError(f"no model: {error.message}", "")))
    title = "At the end of the run: the loop of queue and senders"
    panel = Panel.of(fluid_over_time(runs, _packets(sweep, runs))) if runs else None
    return Theory(panel, text_of_loops(title, rows, _WIDTH))


def _packets(sweep: Sweep, runs: list[FluidRun]) -> pl.DataFrame:
    """Series of the queue that is modelled and of the flows."""
    component = pl.col("component").cast(pl.String)
    chosen = (component == component_of(runs[0].port)) | component.str.starts_with("flows.")
    found = sweep.series_of(variants=[run.name for run in runs], every=True)
    return found if found.is_empty() else found.filter(chosen)
