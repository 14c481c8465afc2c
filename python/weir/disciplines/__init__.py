"""Reference of disciplines and congestion controls: `weir show`, `weir list` and pages of the documentation.

Names, summaries, parameters, defaults and their sources come from the core. The file NAME.toml adds
the rest: idea, equations, sources, inner variables, deviations and the `tc` line.
"""

from typing import TYPE_CHECKING

from weir._lazy import first_use
from weir.disciplines._reference import (
    CONTROL_FOLDER,
    DEVIATION_COLUMNS,
    DISCIPLINE_FOLDER,
    Control,
    Discipline,
    Variable,
    control_of,
    controls,
    find,
    placed,
    registered,
)
from weir.scenario import Parameter

if TYPE_CHECKING:
    from weir.disciplines._catalogue import CATALOGUE
    from weir.disciplines._text import example_of, text_of_choice, text_of_entry, text_of_measure

__all__ = [
    "Control",
    "Discipline",
    "Parameter",
    "Variable",
    "controls",
    "find",
    "placed",
    "registered",
]

__getattr__ = first_use(__name__)
