"""Figures of an answer of tuning: what was tried, what came out, and where it holds."""

from weir.charts.tuning.data import Data, Load
from weir.charts.tuning.panels import panels_of

__all__ = ["Data", "Load", "panels_of"]
