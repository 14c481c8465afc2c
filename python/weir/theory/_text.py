"""A study as text for the terminal."""

from __future__ import annotations

import polars as pl

from weir.stats import wording
from weir.stats._grid import Cell, Grid, render
from weir.theory._study import Study


def text_of(study: Study, width: int) -> str:
    """Rates, prices and what the steps are worth, in so many columns where that is possible."""
    trajectory, bounds = study.trajectory, study.bounds
    reached = "the optimum is reached" if trajectory.converged else "the optimum is not reached"
    safe = (
        f"gamma below {bounds['theorem_1']:.3g} converges by theorem 1, below {bounds['sharp']:.3g} in this "
        f"network; above {bounds['at_the_optimum']:.3g} its optimum repels"
    )
    head = [
        f"{study.network.name}: optimisation flow control",
        f"{reached} after {trajectory.steps:,} steps of gamma {trajectory.step:.3g}",
        safe,
    ]
    blocks = ["\n".join(head), _rates(study, width), _prices(study, width)]
    if not study.optimum.unique_prices:
        blocks.append(
            "Other prices would do as well: some links carry the same flows, or only flows at a bound."
        )
    return "\n\n".join(blocks)


def _rates(study: Study, width: int) -> str:
    rates = study.rates.with_columns(pl.col("flows").cast(pl.String))
    return _grid("Rates, packets/s of each flow", rates.drop("path"), width)


def _prices(study: Study, width: int) -> str:
    share = [f"{load / rate:.2%}" for load, rate in study.prices.select("load", "rate").iter_rows()]
    columns = ("link", pl.col("rate").alias("packets/s"), "load", pl.Series("utilisation", share), "price")
    prices = study.prices.select(*columns, "optimum", "difference")
    return _grid("Prices of the links", prices, width)


def _grid(title: str, frame: pl.DataFrame, width: int) -> str:
    """Numbers with six digits; the last column in percent."""
    rows: list[tuple[str, list[Cell]]] = []
    for label, *values, percent in frame.iter_rows():
        texts = [value if isinstance(value, str) else f"{value:.6g}" for value in values]
        texts.append("–" if percent is None else f"{wording.number(percent, 3)}%")
        rows.append((str(label), [Cell(text) for text in texts]))
    return render(Grid(title, frame.columns[1:], rows), width)
