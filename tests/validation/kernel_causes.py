"""Switches that show why some values differ from Linux's; misses.toml has the causes in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from validation.kernel_queues import PACKET
from validation.tried import Change

if TYPE_CHECKING:
    from validation.kernel import Combination


def _no_change(_: Combination) -> list[Change]:
    return []


def _no_row(_: Mapping[str, str]) -> bool:
    return False


@dataclass(frozen=True)
class Switch:
    """Something that Linux does. With it built in here, or left out there, the value agrees."""

    changes: Callable[[Combination], list[Change]] = _no_change
    """Changes that build the cause in."""
    leaves_out: Callable[[Mapping[str, str]], bool] = _no_row
    """Condition of the repeats that show the cause: these are left out."""


def _constant_max_p(one: Combination) -> list[Change]:
    """RED whose max_p stays where adaptive RED's begins."""
    adaptive = one.queue.aqm
    return [
        ("links.bottleneck.queue", adaptive.replace("adaptive-red", "red").replace(", gentle = false", ""))
    ]


def _step_a_quarter_lower(one: Combination) -> list[Change]:
    """RED's two thresholds a quarter of a packet lower."""
    lower = re.sub(
        r'(m(?:in|ax)_th = )"([0-9.]+) B"',
        lambda found: f'{found[1]}"{float(found[2]) - PACKET / 4:.8g} B"',
        one.queue.aqm,
    )
    return [("links.bottleneck.queue", lower)]


SWITCHES = {
    "red-adapt": Switch(changes=_constant_max_p),
    "pie-sum": Switch(leaves_out=lambda row: float(row["qd_p99_ms"]) > 25.0),
    "step-cycle": Switch(changes=_step_a_quarter_lower),
}
"""Switches by the name of the cause in misses.toml."""
