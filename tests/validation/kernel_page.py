"""The section of the page on a real kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from validation.combinations import ALONE
from validation.kernel import EFFECT_LINKS, EFFECT_SEEDS, Compared, Kernel
from validation.kernel_queues import LINKS
from validation.loop import Cell, Measure
from validation.tried import TRIALS


@dataclass(frozen=True)
class Discipline:
    """A line of the table: one queue discipline."""

    name: str
    compared: list[Compared]

    @property
    def held(self) -> int:
        return sum(cell.holds for one in self.compared for cell in one.cells)

    @property
    def values(self) -> int:
        return sum(len(one.cells) for one in self.compared)

    def cells(self, measure: Measure) -> list[Cell]:
        return [cell for one in self.compared for cell in one.cells if cell.measure == measure]


def context(found: Kernel) -> dict[str, object]:
    """Variables of the template."""
    plain = [one for one in found.bound if not one.combination.tag]
    names = list(dict.fromkeys(one.combination.qdisc for one in plain))
    disciplines = [
        Discipline(name, [one for one in plain if one.combination.qdisc == name]) for name in names
    ]
    tagged = [one for one in found.bound if one.combination.tag]
    return {
        "kernel": found,
        "kernel_disciplines": disciplines,
        "kernel_tagged": tagged,
        "kernel_measures": ALONE,
        "kernel_shown": [one for one in found.compared if not one.bound],
        "kernel_links": {
            name: LINKS[name] for name in sorted({one.combination.link for one in found.compared})
        },
        "kernel_uses": _uses,
        "kernel_effect_seeds": len(EFFECT_SEEDS),
        "kernel_effect_links": EFFECT_LINKS,
        "trials": TRIALS,
    }


def _uses(cells: Sequence[Cell]) -> str:
    """Number of cells that hold, and the median and the largest use of their tolerance."""
    used = sorted(cell.used for cell in cells)
    held = sum(cell.holds for cell in cells)
    return f"{held} of {len(cells)}: {100 * float(np.median(used)):.0f}%, {100 * used[-1]:.0f}%"
