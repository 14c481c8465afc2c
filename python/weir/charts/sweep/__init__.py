"""Figures of sweeps, one file per kind.

`choice` makes them by name and `panels` chooses those of a report. `cut` says which dimension
goes where and has the means over what is left; `parts` is what the kinds share.
"""

from weir.charts.sweep.choice import KINDS, figure
from weir.charts.sweep.panels import figures_of, panels_of

__all__ = ["KINDS", "figure", "figures_of", "panels_of"]
