"""Reference of disciplines and congestion controls: `weir show`, `weir list` and pages of the documentation.

Names, summaries, parameters, defaults and their sources come from the core. The file NAME.toml adds
the rest: idea, equations, sources, inner variables, deviations and the `tc` line.
"""

from weir.disciplines._reference import (
    Control,
    Deviation,
    Discipline,
    Kernel,
    Variable,
    controls,
    find,
    placed,
    registered,
)
from weir.scenario._declared import Parameter

__all__ = [
    "Control",
    "Deviation",
    "Discipline",
    "Kernel",
    "Parameter",
    "Variable",
    "controls",
    "find",
    "placed",
    "registered",
]
