"""`weir theory fluid` and `map`: the nonlinear model over time, and stability over two variables."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

from weir.cli import _command as command
from weir.cli._options import Loading, Source, StorePath, flag, option, with_groups
from weir.cli._theory import (
    CUT,
    At,
    Beside,
    Cut,
    LinkName,
    Output,
    Variant,
    modelled,
    packets_of,
    theory,
    variants_of,
    without_model,
)

if TYPE_CHECKING:
    import polars as pl

    from weir.scenario import Scenario
    from weir.theory import FluidRun


@theory.command("fluid")
@with_groups
def fluid(
    scenario: Source,
    *,
    variant: Variant = None,
    link: LinkName = None,
    loading: Loading,
    cut: Cut = CUT,
    until: Annotated[float | None, option("SECONDS", "Default: the end of the run.", min=0.001)] = None,
    interval: Annotated[
        float | None, option("SECONDS", "Between two samples. Default: the scenario's, else 0.05.", min=1e-6)
    ] = None,
    settled: Annotated[
        bool, flag("--settled", "Begin where the first load rests, not with an empty queue.")
    ] = False,
    series: Annotated[
        Path | None, option("FILE", "Write the series as a run has them: .parquet or .csv.", "--series")
    ] = None,
    beside: Beside = None,
    store: StorePath = None,
    output: Output,
) -> None:
    """The nonlinear fluid of a queue and its senders, over the scenario's own loads, rates and changes.

    Columns of the series are those of a run: component, variable, time, value.
    """
    from weir.theory import fluid_of

    output.check()
    command.check_file(series, "--series")
    output.needs_drawing(beside=beside)
    if series is not None and series.suffix not in {".parquet", ".csv"}:
        command.refuse(f"{series} is no .parquet and no .csv", "name such a file: --series fluid.parquet")

    def run_of(label: str, one: Scenario) -> FluidRun:
        run = fluid_of(one, until=until, link=link, cut=cut, interval=interval, settled=settled)
        return run.named(label)

    runs, refused = modelled(variants_of(loading.load(scenario), variant), run_of)
    if series is not None:
        _write_series(series, runs)
    if output.out is not None:
        from weir.plot import fluid_over_time

        packets = None if beside is None else _packets(beside, store, runs)
        command.write_file(output.out, fluid_over_time(runs, packets))
    if output.json:
        command.print_json([*map(_document, runs), *without_model(refused)])
    else:
        _print(runs, refused)
    if series is not None and not output.quiet:
        command.note(str(series))
    output.say_file()


def _print(runs: list[FluidRun], refused: list[tuple[str, Any]]) -> None:
    from weir.stats import Cell, Grid, render_grid

    columns = ("until (s)", "mean queue (packets)", "least", "most", "sd", "period (s)", "p", "steps")
    rows = [
        (
            run.name,
            [
                Cell("–" if v is None else v if isinstance(v, str) else f"{v:.4g}")
                for v in _numbers(run).values()
            ],
        )
        for run in runs
    ]
    title = "The fluid; numbers are of the second half of the time"
    blocks = [render_grid(Grid(title, columns, rows), get_terminal_size().columns)]
    said = [f"{run.name}: {flag}" for run in runs for flag in run.flags]
    said += [f"{label}: {error.message}" for label, error in refused]
    command.print_text("\n\n".join([*blocks, "\n".join(said)] if said else blocks))


def _numbers(run: FluidRun) -> dict[str, float | str | None]:
    import numpy as np

    course = run.course
    end = float(course.times[-1])
    half = 0.5 * (end + float(course.times[0]))
    kept = np.arange(half, end, (end - half) / 4000.0)
    queue, signal = course.at(course.queue, kept), course.at(course.signal, kept)
    swings = float(np.ptp(queue)) > 0.02 * float(queue.mean() + 1.0)
    return {
        "until_s": end,
        "mean_queue": float(queue.mean()),
        "least_queue": float(queue.min()),
        "most_queue": float(queue.max()),
        "queue_sd": float(queue.std()),
        "period_s": course.period(half) if swings else None,
        "signal": float(signal.mean()),
        "steps": str(course.steps),
    }


def _document(run: FluidRun) -> dict[str, Any]:
    numbers = {**_numbers(run), "steps": run.course.steps}
    flags = [{"code": flag.code, "text": flag.text} for flag in run.flags]
    return {"variant": run.name, "port": run.port, **numbers, "flags": flags}


def _write_series(path: Path, runs: list[FluidRun]) -> None:
    import polars as pl

    from weir.sweep import query

    query.export(pl.concat([run.series for run in runs]), path)


def _packets(result: str, store: Path | None, runs: list[FluidRun]) -> pl.DataFrame:
    """The series of a result, with the labels of the fluid's runs."""
    import polars as pl

    from weir.stats import component_of

    found = packets_of(result, store)
    component = pl.col("component").cast(pl.String)
    chosen = found.filter((component == component_of(runs[0].port)) | component.str.starts_with("flows."))
    variant = pl.col("variant").cast(pl.String)
    labelled = chosen.filter(variant.is_in([run.name for run in runs])).with_columns(variant.alias("label"))
    # A run has one variant, the scenario itself.
    return labelled if not labelled.is_empty() else chosen


@theory.command("map")
@with_groups
def map_(
    scenario: Source,
    *,
    x: Annotated[
        str, option("NAME=LOW..HIGH", "Across: N, C, R (propagation), or a parameter of the AQM.")
    ] = "N=2..200",
    y: Annotated[str, option("NAME=LOW..HIGH", "Upwards.")] = "R=0.01..1",
    size: Annotated[int, option("N", "Cells a side.", min=4, max=200)] = 40,
    variant: Variant = None,
    at: At = None,
    link: LinkName = None,
    loading: Loading,
    cut: Cut = CUT,
    points: Annotated[
        Path | None,
        option("FILE", "Simulated points on top: .csv with the columns x, y and cv (sd over mean)."),
    ] = None,
    workers: Annotated[int, option("N", "Processes.", min=1)] = 2,
    output: Output,
) -> None:
    """Where the loop is stable, over two of flows, capacity, round trip and parameters, logarithmic."""
    from weir.theory import RegionAxis, region, system_of

    output.check()
    loaded = loading.load(scenario)
    chosen = loaded if variant is None else loaded.variant(variant)
    if variant is None and loaded.variants:
        command.refuse(f"{loaded.name} has variants, and a map is of one", f"--variant {loaded.variants[-1]}")
    axes = RegionAxis.of(x, size), RegionAxis.of(y, size)
    measured = None if points is None else _points(points)
    reading = system_of(chosen, at, link=link, cut=cut)
    found = region(reading.system, *axes, workers=workers)
    if output.out is not None:
        from weir.plot import region_map

        command.write_file(output.out, region_map(found, measured))
    if output.json:
        import polars as pl

        # JSON has no infinity: a gain margin where the phase never reaches -180 degrees.
        finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
        cells = found.cells.with_columns(finite).to_dicts()
        command.print_json({"x": axes[0].name, "y": axes[1].name, "cells": cells})
    else:
        none = found.cells["sigma"].null_count()
        command.print_text(
            f"{loaded.name}, {reading.system.aqm.name}: {found.stable:.1%} of "
            f"{len(found.cells) - none:,} cells are stable; "
            f"{none:,} of {len(found.cells):,} have no operating point or no model"
        )
        for text in found.cells["note"].drop_nulls().unique().sort().head(5):
            command.print_text(f"  {text}")
    output.say_file()


def _points(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        found = pl.read_csv(path)
    except OSError as error:
        command.refuse(f"{path} cannot be read: {error.strerror or error}")
    except pl.exceptions.PolarsError as error:
        command.refuse(f"{path} is no table: {error}", "a .csv with the columns x, y and cv")
    missing = [name for name in ("x", "y", "cv") if name not in found.columns]
    if missing:
        command.refuse(f"{path} has no column {missing[0]!r}", "the columns are x, y and cv (sd over mean)")
    return found.select(pl.col("x", "y", "cv").cast(pl.Float64))
