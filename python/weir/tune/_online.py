"""The setting found at other loads: beside OP-RED, which steers RED to a mean delay and a loss while it runs,
and the trade-off at half and at twice the load.

OP-RED and the setting found offline get the same targets and the same traffic, in which the load changes: as
many flows as the scenario has, twice as many, half as many, each for a third of the run. The offline setting
was found for the first of these loads; OP-RED has to find its way in each. Compared are the phases without
their first third.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from weir._errors import WeirError
from weir.scenario import Scenario, Variant
from weir.stats import ALL, Interval, mean_interval
from weir.sweep import plan_at_one_point
from weir.tune._answer import Answer
from weir.tune._evaluator import Evaluator
from weir.tune._sampled import undominated
from weir.tune._space import Setting, placed
from weir.tune._targets import Target

PHASE_S = 120.0
"""Length of a phase with one load, in seconds. OP-RED takes tens of seconds to move from one end of its range
to the other."""

SETTLED_SHARE = 1.0 / 3.0
"""Fraction of a phase at its beginning that is left out."""

PERIOD_S = 20.0

REPLICATIONS = 5
"""Replications of the comparison with OP-RED."""

OTHER_LOADS = 2
"""Replications at another load."""

MOST = 9
"""Settings per curve, enough to draw one."""


@dataclass(frozen=True)
class Phase:
    """Result of OP-RED or of the offline setting under one load."""

    label: str
    users: int
    from_s: float
    delay: Interval
    """Mean queueing delay, ms."""
    loss: Interval
    """Loss, in percent."""
    shortfall: float
    """Shortfall of the worst target in the mean."""

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "label": self.label,
            "users": self.users,
            "from_s": self.from_s,
            "delay_ms": self.delay.mean,
            "delay_half_width": self.delay.half_width,
            "loss_percent": self.loss.mean,
            "loss_half_width": self.loss.half_width,
            "worst_shortfall": self.shortfall,
        }


@dataclass(frozen=True)
class Load:
    """Trade-off at another load: one point per setting."""

    label: str
    """Load in words, such as `40 flows`."""
    means: Sequence[dict[str, float]]
    """Means of the targets' measures, by name."""


def check(targets: Sequence[Target], scenario: Scenario) -> None:
    """Raises WeirError if OP-RED cannot be given these targets."""
    wanted = {target.measure: target.sense for target in targets}
    if wanted != {"delay_mean": "<", "loss": "<"}:
        raise WeirError(
            "OP-RED is told a mean delay and a loss",
            'compare it on --target "mean delay < ..." --target "loss < ..."',
        )
    if len(scenario.groups) != 1:
        raise WeirError("the comparison changes the load of the only group of flows, and there are several")


def against_op_red(evaluator: Evaluator, setting: Setting) -> tuple[Phase, ...]:
    """Runs the setting and OP-RED under a load that changes."""
    network, (group,) = evaluator.scenario.network, evaluator.scenario.groups
    bound = {target.measure: target.bound for target in evaluator.targets}
    users = network.path(group).load[0].after
    half = max(1, users // 2)
    third = f"{PHASE_S:g} s"
    rising = f'{{ step = {users}, every = "{third}", until = {2 * users} }}'
    falling = f'{{ step = {2 * users - half}, every = "{third}", until = {half} }}'
    base = evaluator.scenario.replace(
        [
            ("duration", f'"{3 * PHASE_S:g} s"'),
            ("measure", f'{{ warm_up = "0 s", period = "{PERIOD_S:g} s" }}'),
            (f"flows.{group}.count", str(users)),
            (f"flows.{group}.population", f"[{rising}, {falling}]"),
        ]
    )
    op_red = f'{{ target_delay = "{bound["delay_mean"]:g} ms", target_loss = {bound["loss"] / 100.0:g} }}'
    variants = [
        Variant("offline", "found offline", placed(base, setting)),
        Variant("op-red", "OP-RED", base.replace([(f"{network.bottleneck.key}.queue.op-red", op_red)])),
    ]
    links = evaluator.done(plan_at_one_point("compare", base, variants, REPLICATIONS)).links
    found: list[Phase] = []
    for variant in variants:
        for start, count in zip((0.0, PHASE_S, 2.0 * PHASE_S), (users, 2 * users, half), strict=True):
            rows = links.filter(
                pl.col("variant") == variant.name,
                pl.col("direction") == "forward",
                pl.col("class") == ALL,
                pl.col("group") == ALL,
                pl.col("period") >= 0,
                pl.col("from_s") >= start + SETTLED_SHARE * PHASE_S - 1e-6,
                pl.col("to_s") <= start + PHASE_S + 1e-6,
            )
            # Of the packets that left, and of those that came.
            both = rows.group_by("replication", maintain_order=True).agg(
                delay=(pl.col("delay_mean_ms") * pl.col("departures")).sum() / pl.col("departures").sum(),
                loss=100.0 * (pl.col("drops").sum() / pl.col("arrivals").sum()),
            )
            delay, loss = mean_interval(both["delay"].to_numpy()), mean_interval(both["loss"].to_numpy())
            means = {"delay_mean": delay.mean, "loss": loss.mean}
            worst = max(float(t.shortfall(np.array([means[t.measure]]))[0]) for t in evaluator.targets)
            found.append(Phase(variant.label, count, start, delay, loss, worst))
    return tuple(found)


def other_loads(evaluator: Evaluator, answer: Answer) -> tuple[Load, ...]:
    """Runs the settings that the search found best at half and at twice the load. Returns nothing unless the
    scenario has a single group of a constant number of flows, and settings were searched.

    These runs are evidence, not search: no answer depends on them.
    """
    paths = evaluator.scenario.network.paths
    front = _front(answer)
    counts = [change.after for change in paths[0].load if change.after]
    if len(paths) != 1 or paths[0].traffic != "bulk" or len(counts) != 1 or counts[0] < 2 or len(front) < 2:
        return ()
    found: list[Load] = []
    for users in (counts[0] // 2, 2 * counts[0]):
        settings: list[Setting] = [(*one, (f"flows.{paths[0].group}.count", users)) for one in front]
        evaluator.run(settings, OTHER_LOADS)
        means = [{n: float(evaluator.values(one, n).mean()) for n in evaluator.measures} for one in settings]
        found.append(Load(f"{users} flows", means))
    return tuple(found)


def _front(answer: Answer) -> list[Setting]:
    """Settings tried of which none is better in every target, evenly thinned."""
    if not answer.tried:
        return []
    signed = [
        [one.means[t.measure] if t.sense == "<" else -one.means[t.measure] for t in answer.targets]
        for one in answer.tried
    ]
    kept = [
        (means, tuple(one.setting.items()))
        for means, one, best in zip(signed, answer.tried, undominated(signed), strict=True)
        if best
    ]
    kept.sort(key=lambda row: row[0])
    return [setting for _, setting in kept[:: max(1, -(-len(kept) // MOST))]]
