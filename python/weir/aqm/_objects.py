"""What the core asks of the objects of a class, and how it tells their exceptions."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import cast

from weir.aqm import Aqm, Controller

def tell(error: BaseException, frames: TracebackType | None, place: str) -> BaseException:
    """Adds to an exception of an AQM where it was raised, and keeps the traceback within the AQM.

    Returns the exception that ends the run. It replaces one that would end the program.
    """
    ends = error
    if not isinstance(error, (Exception, KeyboardInterrupt)):
        ends = RuntimeError(f"an AQM raised {type(error).__name__}: {error}")
        ends.__cause__ = error
        ends.add_note(place)
    error.add_note(place)
    text = "".join(traceback.format_exception(type(error), error, frames))
    ends.weir_traceback = text  # type: ignore[attr-defined]
    return ends


SHORTEST_PERIOD = 1e-5
LONGEST_PERIOD = 1e6
"""Seconds; as for the AQMs of the core."""


def period_of(aqm: Controller | Aqm | type[Controller | Aqm]) -> float | None:
    """Its period, if it is one. Raises TypeError or ValueError."""
    period: object = aqm.period
    if period is None:
        return None
    # numpy's numbers are not instances of float.
    if isinstance(period, (bool, str)) or not hasattr(type(period), "__float__"):
        raise TypeError(f"period is {period!r}, no number of seconds: write 0.01 for 10 ms")
    seconds = float(period)  # type: ignore[arg-type]
    if not SHORTEST_PERIOD <= seconds <= LONGEST_PERIOD:
        raise ValueError(
            f"a period of {seconds} s: "
            f"write {SHORTEST_PERIOD} to {LONGEST_PERIOD:.0f} seconds between updates"
        )
    return seconds


def variables_of(aqm: Controller | Aqm | type[Controller | Aqm]) -> list[str]:
    """Names of its variables, if they are names. Raises TypeError."""
    value = cast("object", aqm.variables)
    if isinstance(value, str) or not isinstance(value, Sequence):
        example = value if isinstance(value, str) else "name"
        raise TypeError(f'variables is {value!r}, no tuple of names: write ("{example}",)')
    names: list[str] = []
    for name in cast("Sequence[object]", value):
        if not isinstance(name, str):
            raise TypeError(f'{name!r} in variables is no name of an attribute: write "name"')
        names.append(name)
    return names
