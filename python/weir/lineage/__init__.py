"""The disciplines for people: ideas, equations, sources, and who departs from them where.

What a law says of itself (summary, parameters, defaults) comes from the core. What cannot be
generated stands in NAME.toml, one file per discipline, and nowhere else.
"""

from weir.lineage.reading import Deviation, Discipline, Kernel, Parameter, Variable, find, registered

__all__ = ["Deviation", "Discipline", "Kernel", "Parameter", "Variable", "find", "registered"]
