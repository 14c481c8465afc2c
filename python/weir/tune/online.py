"""OP-RED, which steers RED to a mean delay and a loss while it runs, beside the setting found offline.

Both get the same targets and the same traffic, in which the load changes: as many flows as the scenario
has, twice as many, half as many, each for a third of the run. The offline setting was found for the first
of these loads; the online law has to find its way in each. Compared are the phases without their first third.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from weir.errors import WeirError
from weir.scenario.scenario import Scenario, Variant
from weir.stats.analysis import ALL
from weir.stats.intervals import Interval, mean_interval
from weir.sweep.execute import unrecorded
from weir.tune.space import Setting, bottleneck_of, placed
from weir.tune.targets import Target

PHASE_S = 120.0
"""Of one load: OP-RED takes tens of seconds to move from one end of its range to the other."""

SETTLED = 1.0 / 3.0
"""Of a phase, left out."""

PERIOD_S = 20.0

REPLICATIONS = 5


@dataclass(frozen=True)
class Phase:
    """One law under one load."""

    law: str
    users: int
    from_s: float
    delay: Interval
    """Mean queueing delay, ms."""
    loss: Interval
    """Per cent."""
    shortfall: float
    """The worst of the targets in the mean."""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "law": self.law,
            "users": self.users,
            "from_s": self.from_s,
            "delay_ms": self.delay.mean,
            "delay_half_width": self.delay.half_width,
            "loss_percent": self.loss.mean,
            "loss_half_width": self.loss.half_width,
            "worst_shortfall": self.shortfall,
        }


def check(targets: Sequence[Target], scenario: Scenario) -> None:
    """Raises WeirError where OP-RED cannot be given these targets."""
    wanted = {target.measure: target.sense for target in targets}
    if wanted != {"delay_mean": "<", "loss": "<"}:
        raise WeirError(
            "OP-RED is told a mean delay and a loss",
            'compare it on --target "mean delay < ..." --target "loss < ..."',
        )
    if len(scenario.groups) != 1:
        raise WeirError("the comparison changes the load of the only group of flows, and there are several")


def against_op_red(
    scenario: Scenario, setting: Setting, targets: Sequence[Target], threads: int = 0
) -> tuple[Phase, ...]:
    """Both laws under a load that changes."""
    group = scenario.groups[0]
    bound = {target.measure: target.bound for target in targets}
    link = bottleneck_of(scenario)
    users = _users(scenario, group)
    half = max(1, users // 2)
    third = f"{PHASE_S:g} s"
    rising = f'{{ step = {users}, every = "{third}", until = {2 * users} }}'
    falling = f'{{ step = {2 * users - half}, every = "{third}", until = {half} }}'
    base = scenario.core.replace(
        [
            ("duration", f'"{3 * PHASE_S:g} s"'),
            ("measure", f'{{ warm_up = "0 s", period = "{PERIOD_S:g} s" }}'),
            (f"flows.{group}.count", str(users)),
            (f"flows.{group}.population", f"[{rising}, {falling}]"),
        ]
    )
    law = f"links.{link}.queue"
    online = base.replace(
        [
            (
                f"{law}.op-red",
                f'{{ target_delay = "{bound["delay_mean"]:g} ms", target_loss = {bound["loss"] / 100.0:g} }}',
            )
        ]
    )
    variants = [
        Variant("offline", "found offline", placed(base, setting)),
        Variant("op-red", "OP-RED", online),
    ]
    with unrecorded(base, variants, REPLICATIONS, threads) as sweep:
        links = sweep.links
    found: list[Phase] = []
    for variant in variants:
        for index, count in enumerate((users, 2 * users, half)):
            start = index * PHASE_S
            rows = _phase(links, variant.name, start + SETTLED * PHASE_S, start + PHASE_S)
            delay, loss = rows["delay"].to_numpy(), 100.0 * rows["loss"].to_numpy()
            means = {"delay_mean": float(delay.mean()), "loss": float(loss.mean())}
            worst = max(float(t.shortfall(np.array([means[t.measure]]))[0]) for t in targets)
            found.append(Phase(variant.label, count, start, mean_interval(delay), mean_interval(loss), worst))
    return tuple(found)


def _users(scenario: Scenario, group: str) -> int:
    import tomllib

    count = tomllib.loads(scenario.to_toml())["flows"][group].get("count", 1)
    return int(count)


def _phase(links: pl.DataFrame, variant: str, from_s: float, to_s: float) -> pl.DataFrame:
    """One row per replication: the delay of the packets that left, and the share of those that came and
    were lost."""
    rows = links.filter(
        pl.col("variant") == variant,
        pl.col("direction") == "forward",
        pl.col("class") == ALL,
        pl.col("group") == ALL,
        pl.col("period") >= 0,
        pl.col("from_s") >= from_s - 1e-6,
        pl.col("to_s") <= to_s + 1e-6,
    )
    return rows.group_by("replication", maintain_order=True).agg(
        delay=(pl.col("delay_mean_ms") * pl.col("departures")).sum() / pl.col("departures").sum(),
        loss=pl.col("drops").sum() / pl.col("arrivals").sum(),
    )
