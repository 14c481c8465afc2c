"""A study as text for the terminal."""

from __future__ import annotations

from weir.stats import wording
from weir.stats.grid import Cell, Grid, render
from weir.theory.study import Study


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
    heads = ["flows", "utility", "least", "greatest", "rate", "optimum", "difference"]
    rows = [
        (
            str(row["source"]),
            _cells(
                str(row["flows"]),
                str(row["utility"]),
                *(f"{row[name]:.6g}" for name in ("least", "greatest", "rate", "optimum")),
                _difference(row["difference"]),
            ),
        )
        for row in study.rates.iter_rows(named=True)
    ]
    return render(Grid("Rates, packets/s of each flow", heads, rows), width)


def _prices(study: Study, width: int) -> str:
    heads = ["packets/s", "load", "utilisation", "price", "optimum", "difference"]
    rows = [
        (
            str(row["link"]),
            _cells(
                f"{row['rate']:.6g}",
                f"{row['load']:.6g}",
                f"{row['load'] / row['rate']:.2%}",
                f"{row['price']:.6g}",
                f"{row['optimum']:.6g}",
                _difference(row["difference"]),
            ),
        )
        for row in study.prices.iter_rows(named=True)
    ]
    return render(Grid("Prices of the links", heads, rows), width)


def _difference(percent: float | None) -> str:
    return "–" if percent is None else f"{wording.number(percent, 3)}%"


def _cells(*texts: str) -> list[Cell]:
    return [Cell(text, "") for text in texts]
