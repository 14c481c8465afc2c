"""Flags: conditions that make a prediction of the fluid doubtful, stated before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass

SPOILT: dict[str, frozenset[str]] = {
    "few-signals": frozenset({"period"}),
    "small-windows": frozenset({"queue", "signal", "deviation", "period"}),
    "narrow-windows": frozenset({"signal", "deviation"}),
    "wide-windows": frozenset({"signal"}),
    "knee": frozenset({"queue"}),
    "table-edge": frozenset({"stable", "period", "deviation"}),
    "unstable": frozenset({"queue", "signal", "deviation"}),
    "far-from-margin": frozenset({"period"}),
    "thin-margin": frozenset({"queue", "deviation"}),
    "near-margin": frozenset({"stable"}),
    "wide-swing": frozenset({"queue", "deviation"}),
    "overflow": frozenset({"queue", "deviation"}),
    "receive-window": frozenset({"queue", "signal", "stable", "period", "deviation"}),
    "flat-answer": frozenset({"stable", "period", "deviation"}),
    "slow-updates": frozenset(),
    "dead-zone": frozenset({"queue", "stable"}),
    "several-queues": frozenset({"queue", "signal", "stable", "period", "deviation"}),
    "not-modelled-traffic": frozenset({"queue", "signal", "stable", "period", "deviation"}),
    "short-flows": frozenset({"queue", "signal", "deviation"}),
    "in-step": frozenset({"deviation", "period"}),
    "drawn-round-trips": frozenset(),
    "no-slope": frozenset({"queue", "signal"}),
    "empty-queue": frozenset({"queue", "deviation"}),
    "events": frozenset({"queue", "deviation"}),
    "two-signals": frozenset({"signal"}),
    "noise-unknown": frozenset({"deviation"}),
}
"""Predictions that each flag makes doubtful."""


@dataclass(frozen=True)
class Flag:
    """Reason why some predictions may fail here."""

    code: str
    text: str

    @property
    def spoils(self) -> frozenset[str]:
        """Names of the predictions that the flag makes doubtful."""
        return SPOILT[self.code]

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"
