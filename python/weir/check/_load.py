"""The numbers of flows over a run, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core


@dataclass(frozen=True)
class Load:
    """Numbers and times of the flows of a group, or of those through a port."""

    most: int
    """The largest number of flows at a time."""
    fewest: int
    """The least number of flows at a time, while there are any."""
    begun: int
    """Flows that start in all, also after the end of the run. Each has a state."""
    active_s: float
    """Time during which there is at least one flow, s."""
    flow_seconds: float
    """Lifetimes of the flows within the run, summed, s."""

    @staticmethod
    def of(changes: Sequence[_core.LoadChange], duration_s: float) -> Load:
        """Computed in one pass: a population may have a million steps, most of them after the end."""
        most = fewest = begun = 0
        active_s = flow_seconds = since = 0.0
        now = 0
        for change in changes:
            after = change.after
            begun += max(0, after - change.before)
            if change.at_s >= duration_s:
                continue
            active_s += (change.at_s - since) * (now > 0)
            flow_seconds += (change.at_s - since) * now
            since, now = change.at_s, after
            most = max(most, now)
            fewest = min(fewest or now, now) if now else fewest
        active_s += (duration_s - since) * (now > 0)
        flow_seconds += (duration_s - since) * now
        return Load(most, fewest, begun, active_s, flow_seconds)
