"""Figures that are measured, with what was promised of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure with what was promised of it."""

    title: str
    value: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """True if the promise is kept."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def row(self) -> str:
        """Row of the table."""
        bound = f"{'at least' if self.at_least else 'at most'} {self.bound:g}{self.unit}"
        missed = "" if self.holds else ", missed"
        return f"| {self.title} | {self.value:.3g}{self.unit}{missed} | {bound} |"
