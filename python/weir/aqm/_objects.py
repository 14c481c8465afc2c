"""Attributes that the core reads from the objects of a class, and the form of their exceptions."""

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
"""Longest control period in seconds, as for the AQMs of the core."""


def period_of(aqm: Controller | Aqm | type[Controller | Aqm]) -> float | None:
    """Control period of an AQM in seconds, if it is valid. Raises TypeError or ValueError."""
    period: object = aqm.period
    if period is None:
        return None
    seconds = _seconds(period, "period", "0.01 for 10 ms")
    if not SHORTEST_PERIOD <= seconds <= LONGEST_PERIOD:
        raise ValueError(
            f"a period of {seconds} s: "
            f"write {SHORTEST_PERIOD} to {LONGEST_PERIOD:.0f} seconds between updates"
        )
    return seconds


def variables_of(aqm: Controller | Aqm | type[Controller | Aqm]) -> list[str]:
    """Names of the AQM's variables, if they are names. Raises TypeError."""
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


def time_limit_of(aqm: Controller | Aqm | type[Controller | Aqm]) -> float | None:
    """Time limit of one call in seconds, if it is valid. Raises TypeError or ValueError."""
    limit: object = aqm.time_limit
    if limit is None:
        return None
    seconds = _seconds(limit, "time_limit", "60.0 for a minute")
    if not seconds > 0.0:
        raise ValueError(f"a time_limit of {seconds} s: write more than 0 seconds, or None for no limit")
    return seconds


def _seconds(value: object, name: str, example: str) -> float:
    # numpy's numbers are not instances of float.
    if isinstance(value, (bool, str)) or not hasattr(type(value), "__float__"):
        raise TypeError(f"{name} is {value!r}, no number of seconds: write {example}")
    return float(value)  # type: ignore[arg-type]
