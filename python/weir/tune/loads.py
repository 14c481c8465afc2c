"""What can be had at half the load and at twice the load: curves beside the trade-off that was searched."""

from __future__ import annotations

import tomllib

from weir.scenario.scenario import Scenario
from weir.tune.answer import Answer
from weir.tune.lab import Lab
from weir.tune.space import Setting

REPLICATIONS = 2

MOST = 9
"""Settings per curve: enough to draw one."""


def other_loads(
    scenario: Scenario, answer: Answer, lab: Lab
) -> tuple[tuple[str, list[dict[str, float]]], ...]:
    """A label and the means of the front's settings for each load; nothing where there is no single group
    of a constant number of flows, or nothing was searched.

    These runs are evidence, not search: no answer depends on them.
    """
    front = _front(answer)
    if len(scenario.groups) != 1 or len(front) < 2:
        return ()
    group = scenario.groups[0]
    flows = tomllib.loads(scenario.to_toml())["flows"][group]
    count = int(flows.get("count", 0))
    if count < 2 or "population" in flows or "traffic" in flows:
        return ()
    path = f"flows.{group}.count"
    found: list[tuple[str, list[dict[str, float]]]] = []
    for users in (count // 2, 2 * count):
        settings: list[Setting] = [(*setting, (path, users)) for setting in front]
        lab.run(settings, REPLICATIONS)
        means = [
            {name: float(lab.values(setting, name).mean()) for name in lab.measures} for setting in settings
        ]
        found.append((f"{users} flows", means))
    return tuple(found)


def _front(answer: Answer) -> list[Setting]:
    """Settings tried of which none is better in every target, evenly thinned."""
    signed = [
        (
            tuple(one.setting.items()),
            [one.means[t.measure] if t.sense == "<" else -one.means[t.measure] for t in answer.targets],
        )
        for one in answer.tried
    ]
    kept = [
        (setting, means)
        for setting, means in signed
        if not any(
            all(o <= m for o, m in zip(other, means, strict=True)) and other != means for _, other in signed
        )
    ]
    kept.sort(key=lambda row: row[1])
    step = max(1, -(-len(kept) // MOST))
    return [setting for setting, _ in kept[::step]]
