"""Check that all configurations of a plan have one bottleneck: rows under one caption belong to the same
queue."""

from __future__ import annotations

from collections.abc import Iterable

from weir import _core
from weir._errors import WeirError
from weir.check import units

_MOST = 3
"""Labels that a message names for each link."""


def check_one_bottleneck(configurations: Iterable[tuple[str, _core.Scenario]]) -> None:
    """Raises WeirError where configurations, each with its label, have different bottlenecks and none is
    named: queue, marks and delay would be those of different links."""
    found: dict[str, dict[str, None]] = {}
    for label, scenario in configurations:
        found.setdefault(scenario.network.bottleneck.name, {})[label] = None
    if len(found) > 1:
        named = (f"{port} (of {_few(list(labels))})" for port, labels in found.items())
        first = next(iter(found))
        raise WeirError(
            f"queue, marks and delay are those of one link, and the bottlenecks differ: {', '.join(named)}",
            f"name the link for all: --set measure.bottleneck={first}, or measure.bottleneck in the file",
        )


def _few(labels: list[str]) -> str:
    return units.listed(
        [*labels[:_MOST], f"{len(labels) - _MOST} more"] if len(labels) > _MOST + 1 else labels
    )
