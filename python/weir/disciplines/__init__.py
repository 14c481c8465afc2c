"""Reference of the disciplines: `weir show`, `weir list` and docs/disciplines.

Names, summaries, parameters, defaults and their sources come from the core. The file NAME.toml adds
the rest: idea, equations, sources, inner variables, deviations and the `tc` line.
"""

from weir.disciplines._reference import Deviation, Discipline, Kernel, Variable, find, placed, registered
from weir.scenario._declared import Parameter

__all__ = ["Deviation", "Discipline", "Kernel", "Parameter", "Variable", "find", "placed", "registered"]
