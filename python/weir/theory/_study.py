"""Study of the algorithm: one run beside the optimum, as the command prints and draws it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from weir.stats import Cell, Grid, render_grid, wording
from weir.theory import _algorithm as algorithm
from weir.theory._algorithm import Timing, Trajectory
from weir.theory._network import Network, Vector
from weir.theory._optimum import Optimum, conditions, optimum


@dataclass(frozen=True)
class Study:
    """A trajectory and the optimum that it should reach."""

    trajectory: Trajectory
    optimum: Optimum

    @classmethod
    def run(
        cls,
        network: Network,
        step: float | None = None,
        *,
        timing: Timing | None = None,
        seed: int = 1,
        most: int = algorithm.MOST,
    ) -> Study:
        """Runs the algorithm on a network: the asynchronous one if `timing` is given.

        `step` is gamma. If None, half of what the optimum bears: that is far above what is safe from
        anywhere, and nearly always enough; where it is not, the safe step is taken.

        Raises TheoryError for a step that is none, and where no optimum is found.

        Example:
            >>> from weir.theory import EXAMPLES, Study
            >>> study = Study.run(EXAMPLES["dumbbell"]())
            >>> study.rates["rate"].round().to_list()
            [1082.0, 2165.0, 900.0, 600.0, 878.0]
        """
        found = optimum(network)

        def moved(gamma: float | None) -> Trajectory:
            if timing is None:
                return algorithm.synchronous(network, gamma, most=most)
            return algorithm.asynchronous(network, gamma, timing=timing, seed=seed, most=most)

        quick = algorithm.local_bound(network, found.rates, found.prices) / 2.0
        if timing is not None:
            quick /= 1 + timing.loop
        chosen = step if step is not None else quick if math.isfinite(quick) else None
        trajectory = moved(chosen)
        if step is None and not trajectory.converged:
            trajectory = moved(None)
        return cls(trajectory, found)

    @property
    def network(self) -> Network:
        return self.trajectory.network

    @property
    def rates(self) -> pl.DataFrame:
        """Rates of the sources, one row each. Columns are source, flows, path, utility, least, greatest,
        rate, optimum (each packets per second and flow), difference (of the rate from the optimum,
        percent)."""
        network, reached = self.network, self.trajectory.rates[-1]
        return pl.DataFrame(
            {
                "source": [source.name for source in network.sources],
                "flows": [source.count for source in network.sources],
                "path": [" ".join(source.path) for source in network.sources],
                "utility": [str(source.utility) for source in network.sources],
                "least": network.least,
                "greatest": network.greatest,
                "rate": reached,
                "optimum": self.optimum.rates,
                "difference": _percent(reached, self.optimum.rates),
            }
        )

    @property
    def prices(self) -> pl.DataFrame:
        """Prices of the links, one row each. Columns are link, rate, target (share), load (packets per
        second), price, optimum, difference. The difference is that of the price from the optimum in percent,
        and null where the optimum is zero."""
        network, reached = self.network, self.trajectory.prices[-1]
        return pl.DataFrame(
            {
                "link": [link.name for link in network.links],
                "rate": [link.rate for link in network.links],
                "target": [link.target for link in network.links],
                "load": network.load(self.trajectory.rates[-1]),
                "price": reached,
                "optimum": self.optimum.prices,
                "difference": _percent(reached, self.optimum.prices),
            }
        )

    @property
    def bounds(self) -> dict[str, float]:
        """Bounds on the step, by name, from what theorem 1 allows, what is safe for this network, and what
        its optimum bears."""
        network = self.network
        return {
            "theorem_1": algorithm.theorem_bound(network),
            "sharp": algorithm.sharp_bound(network),
            "at_the_optimum": algorithm.local_bound(network, self.optimum.rates, self.optimum.prices),
        }

    def document(self) -> dict[str, Any]:
        """Document that `--json` prints.

        Example:
            >>> from weir.theory import EXAMPLES, Study
            >>> said = Study.run(EXAMPLES["dumbbell"]()).document()
            >>> said["network"], said["converged"], said["unique_prices"]
            ('dumbbell', True, True)
        """
        trajectory, found = self.trajectory, self.optimum
        missed = conditions(self.network, trajectory.rates[-1], trajectory.prices[-1])
        return {
            "network": self.network.name,
            "converged": trajectory.converged,
            "steps": trajectory.steps,
            "step": trajectory.step,
            "bounds": {name: _finite(bound) for name, bound in self.bounds.items()},
            "residual": trajectory.residual,
            "conditions": asdict(missed),
            "utility": {
                "reached": _finite(self.network.utility(trajectory.rates[-1])),
                "optimum": _finite(found.utility),
            },
            "unique_prices": found.unique_prices,
            "rates": self.rates.to_dicts(),
            "prices": self.prices.to_dicts(),
        }


def _percent(reached: Vector, wanted: Vector) -> list[float | None]:
    return [100.0 * (x / y - 1.0) if y > 0.0 else None for x, y in zip(reached, wanted, strict=True)]


def _finite(value: float) -> float | None:
    # JSON has no infinity.
    return value if math.isfinite(value) else None


def text_of_study(study: Study, width: int) -> str:
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
    rates = study.rates.with_columns(pl.col("flows").cast(pl.String)).drop("path")
    share = [f"{load / rate:.2%}" for load, rate in study.prices.select("load", "rate").iter_rows()]
    columns = ("link", pl.col("rate").alias("packets/s"), "load", pl.Series("utilisation", share), "price")
    prices = study.prices.select(*columns, "optimum", "difference")
    blocks = [
        "\n".join(head),
        _grid("Rates, packets/s of each flow", rates, width),
        _grid("Prices of the links", prices, width),
    ]
    if not study.optimum.unique_prices:
        blocks.append(
            "Other prices would do as well: some links carry the same flows, or only flows at a bound."
        )
    return "\n\n".join(blocks)


def _grid(title: str, frame: pl.DataFrame, width: int) -> str:
    """Numbers with six digits; the last column in percent."""
    rows: list[tuple[str, list[Cell]]] = []
    for label, *values, percent in frame.iter_rows():
        texts = [value if isinstance(value, str) else f"{value:.6g}" for value in values]
        texts.append("–" if percent is None else f"{wording.number(percent, 3)}%")
        rows.append((str(label), [Cell(text) for text in texts]))
    return render_grid(Grid(title, frame.columns[1:], rows), width)
