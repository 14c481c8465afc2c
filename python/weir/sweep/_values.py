"""The values of an axis: a list of levels, or a range to draw from.

In the words of the command line:

- `5, 10, 20 Mbit/s`: levels; a unit that stands only at the last holds for all
- `500 kbit/s, 2 Mbit/s`: levels, each with its unit
- `drop-tail, red`: levels that are texts
- `["a, b", "c"]`: levels as a TOML array
- `10..50 ms by 10`: levels in equal steps, with both ends where the last step meets one
- `1..100 Mbit/s in 5`: so many levels, evenly spaced
- `1..100 Mbit/s in 5 log`: so many levels, each larger than the one before by the same factor
- `1..100 Mbit/s`: a range, for sampling only; with `log` every factor is equally likely

A range of whole numbers stays whole where it has no unit or counts packets or bytes. `0..1` is
a share, not the choice between two numbers: it is not whole.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

from weir import _core
from weir._errors import WeirError
from weir.scenario import BEGINS_AS_RANGE, NUMBER, QUANTITY, UNIT, is_whole, typed, written

Scalar = str | int | float | bool
"""Value of a key in a scenario file: text, with a unit for a quantity; a number; true or false."""

MOST_LEVELS = 1_000_000

_VARIANT = "a level is a text, a number, true or false; what changes several values is a variant"

_RANGE = re.compile(
    rf"(?P<low>{NUMBER})\s*(?P<low_unit>{UNIT})?\s*\.\.\s*(?P<high>{NUMBER})\s*(?P<high_unit>{UNIT})?"
    rf"(?:\s+by\s+(?P<step>{NUMBER})\s*(?P<step_unit>{UNIT})?|\s+in\s+(?P<count>[^\s,]+))?"
    r"(?P<log>\s+log)?"
)
_COUNTING = {"", "packets", "packet", "B"}


class AxisError(WeirError, ValueError):
    """Error about an invalid axis. `path` is the value it was to vary, where that is known."""


@dataclass(frozen=True)
class Levels:
    """List of the values of an axis, in order."""

    values: tuple[Scalar, ...]
    spaced_log: bool = False
    """True if the levels were specified by factors."""

    def at(self, u: float) -> Scalar:
        """Level whose share of [0, 1] contains `u`: all shares are equal."""
        return self.values[self._index(u)]

    def position(self, u: float) -> float:
        """Position of the level at `u` among all levels: 0 the first, 1 the last."""
        return self._index(u) / max(1, len(self.values) - 1)

    def _index(self, u: float) -> int:
        # The margin is for fractions such as 2/3 that stand for the beginning of a share.
        return min(int(u * len(self.values) + 1e-9), len(self.values) - 1)

    @cached_property
    def _common(self) -> str | None:
        """Unit of all values, else that of the largest; None unless they are of one kind."""
        quantities = [quantity for value in self.values if (quantity := _quantity(value)) is not None]
        if len(quantities) < len(self.values):
            return None
        if len({unit for _, unit in quantities}) == 1:
            return quantities[0][1]
        sizes = [size for value in self.values if (size := _si(str(value))) is not None]
        if len(sizes) < len(self.values) or len({name for _, name in sizes}) > 1:
            return None
        return max(zip(sizes, quantities, strict=True), key=lambda pair: pair[0][0])[1][1]

    @property
    def unit(self) -> str:
        """Unit of the numbers that `number` returns; empty for pure numbers and texts."""
        return self._common or ""

    @property
    def numeric(self) -> bool:
        """True if all values are numbers, or quantities of one kind."""
        return self._common is not None

    @cached_property
    def log(self) -> bool:
        """True if figures draw them on a logarithmic scale. That is so if they were specified by factors, or
        if equal spacing would crowd the smaller ones."""
        if self.spaced_log or not self.numeric:
            return self.spaced_log
        numbers = sorted({self.number(value) for value in self.values})
        gaps = [high - low for low, high in pairwise(numbers)]
        return numbers[0] > 0.0 and numbers[-1] >= 10.0 * numbers[0] and max(gaps) > 5.0 * min(gaps)

    def number(self, value: Scalar) -> float:
        """Value in `unit`. Only for `numeric` levels."""
        return cast("float", in_unit(value, self.unit))

    def drawn(self, value: Scalar) -> float | str:
        """Value as it stands in frames and figures: a number in `unit`, or else a text."""
        return self.number(value) if self.numeric else scalar_text(value)


@dataclass(frozen=True)
class Range:
    """Range of all values between two ends, both included."""

    low: float
    high: float
    unit: str
    whole: bool
    log: bool

    @property
    def numeric(self) -> bool:
        return True

    def at(self, u: float) -> Scalar:
        """The value at the share `u`, in [0, 1], of the range.

        Whole numbers have equal shares each, or with `log` shares by their factors. Others are
        given to a millionth of the range: more digits would only be longer.
        """
        if not self.whole:
            number = self._between(u)
        elif self.log:
            bottom, top = math.log(self.low - 0.5), math.log(self.high + 0.5)
            number = math.floor(math.exp(bottom + u * (top - bottom)) + 0.5)
        else:
            number = self.low + math.floor(u * (self.high - self.low + 1.0) + 1e-9)
        return self._written(min(max(number, self.low), self.high))

    def spaced(self, count: int) -> Levels:
        """Levels at equal distances or factors, `count` of them; both ends are exact."""
        numbers = [self._between(index / (count - 1)) for index in range(count)]
        if self.whole:
            numbers = [float(math.floor(number + 0.5)) for number in numbers]
        numbers[0], numbers[-1] = self.low, self.high
        # Rounded to whole numbers, neighbours may have become the same.
        return Levels(tuple(dict.fromkeys(map(self._written, numbers))), spaced_log=self.log)

    def position(self, u: float) -> float:
        """Position of the value at `u` between the ends, 0 to 1; with `log`, by factors."""
        if not self.whole:
            return u
        number = self.number(self.at(u))
        if self.log:
            return math.log(number / self.low) / math.log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)

    def number(self, value: Scalar) -> float:
        """Value in `unit`."""
        return cast("float", in_unit(value, self.unit))

    drawn = number

    def _between(self, share: float) -> float:
        """Value at a share of the range, rounded to about a millionth of it unless it is to become whole."""
        if self.log:
            number = self.low * (self.high / self.low) ** share
            span = number * math.log(self.high / self.low)
        else:
            span = self.high - self.low
            number = self.low + share * span
        return number if self.whole else round(number, 6 - math.floor(math.log10(span)))

    def _written(self, number: float) -> Scalar:
        return written(Decimal(repr(number)), self.unit, whole=self.whole)


Values = Levels | Range


def read(text: str) -> Values:
    """Reads values in the words of the command line. Raises AxisError."""
    text = text.strip()
    if not text:
        raise AxisError("there are no values", "write for example 5, 10, 20 Mbit/s")
    if text.startswith("{"):
        raise AxisError("a table is not a value of an axis", _VARIANT)
    if text.startswith("[") or '"' in text or "'" in text:
        array = text if text.startswith("[") else f"[{text}]"
        try:
            return of_list(tomllib.loads(f"values = {array}")["values"])
        except tomllib.TOMLDecodeError as error:
            raise AxisError(
                f"{array} cannot be read as a TOML array: {error}", "put every text in quotes, or none"
            ) from None
    if match := _RANGE.fullmatch(text):
        try:
            return _of_range(match)
        except AxisError as error:
            raise AxisError(f"{text}: {error.message}", error.hint) from None
    words = [word.strip() for word in text.split(",")]
    if any(BEGINS_AS_RANGE.match(word) for word in words):
        message = f'"{text}" is not a range' if len(words) == 1 else "a range stands alone, without commas"
        raise AxisError(message, "write for example 5..20 Mbit/s in 4, or by 5, or in 4 log")
    if "" in words:
        raise AxisError("there is an empty value between commas")
    return of_list([typed(word) for word in words])


def of_list(items: Iterable[object]) -> Levels:
    """Reads levels from values as Python or TOML has them. Raises AxisError."""
    values = _with_units([_scalar(item) for item in items])
    if not values:
        raise AxisError("there are no values", 'write for example ["5 Mbit/s", "10 Mbit/s"]')
    if all(type(value) in {int, float} for value in values) and float in map(type, values):
        values = [float(value) for value in values]
    return Levels(tuple(values))


def scalar_text(value: Scalar) -> str:
    """Text of a value as it is written."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_unit(value: object, unit: str) -> float | None:
    """Number, or quantity, in a unit; None for what is neither, or of another kind."""
    quantity = _quantity(value) if isinstance(value, str | int | float) else None
    if quantity is None or quantity[1] == unit:
        return None if quantity is None else quantity[0]
    size, one = _si(str(value)), _si(f"1 {unit}")
    if size is None or one is None or size[1] != one[1]:
        return None
    return float(f"{size[0] / one[0]:.12g}")


def _with_units(items: list[Scalar]) -> list[Scalar]:
    """Quantities with their units. A unit that stands only at the last holds for all."""
    matches = [QUANTITY.fullmatch(scalar_text(item)) for item in items]
    units = [match["unit"] if match else None for match in matches]
    bare = [match is not None and not match["unit"] for match in matches]
    inherited = ""
    if any(bare) and any(units):
        inherited = units[-1] or ""
        if not inherited or any(units[:-1]):
            raise AxisError(
                "some values have a unit and others do not",
                "write a unit at every value, or one at the last for all",
            )
    return [
        written(Decimal(match["number"]), match["unit"] or inherited, whole=False)
        if match and (match["unit"] or inherited)
        else item
        for item, match in zip(items, matches, strict=True)
    ]


def _of_range(match: re.Match[str]) -> Values:
    named = {match[name] for name in ("low_unit", "high_unit", "step_unit") if match[name]}
    units = sorted({"packets" if unit == "packet" else unit for unit in named})
    if len(units) > 1:
        raise AxisError("a range has one unit", f"{' or '.join(units)}?")
    unit = units[0] if units else ""
    low, high = _bounds(match)
    whole = unit in _COUNTING and is_whole(match["low"]) and is_whole(match["high"])
    if match["step"]:
        whole = whole and is_whole(match["step"])
        numbers = _stepped(low, high, Decimal(match["step"]))
        if match["log"]:
            raise AxisError("steps are of equal size", "write `in N log` for equal factors")
        return Levels(tuple(written(number, unit, whole=whole) for number in numbers))
    whole = whole and (low, high, unit) != (0, 1, "")
    found = Range(float(low), float(high), unit, whole, bool(match["log"]))
    if match["count"] is None:
        return found
    if not re.fullmatch(r"\d{1,9}", match["count"]) or int(match["count"]) < 2:
        raise AxisError("the number of values is a whole number from 2 on", "write for example `in 5`")
    if int(match["count"]) > MOST_LEVELS:
        raise AxisError(f"more than {MOST_LEVELS:,} values")
    return found.spaced(int(match["count"]))


def _bounds(match: re.Match[str]) -> tuple[Decimal, Decimal]:
    low, high = Decimal(match["low"]), Decimal(match["high"])
    if not math.isfinite(float(low) - float(high)):
        raise AxisError("the bounds are too large")
    if low == high:
        raise AxisError("the range is empty", "write a single value instead")
    if low > high:
        raise AxisError("the bounds are the wrong way round", "write the smaller one first")
    if match["log"] and low <= 0:
        raise AxisError("a logarithmic range begins above zero")
    return low, high


def _stepped(low: Decimal, high: Decimal, step: Decimal) -> list[Decimal]:
    if step == 0:
        raise AxisError("a step of zero leads nowhere")
    if step < 0:
        raise AxisError("the step points away from the upper end", "write a positive step")
    if step > high - low:
        raise AxisError("the step is larger than the range")
    steps = (high - low) / step
    count = int(steps + Decimal("1e-9"))
    if count >= MOST_LEVELS:
        raise AxisError(f"more than {MOST_LEVELS:,} values")
    numbers = [low + step * index for index in range(count + 1)]
    if abs(steps - count) < Decimal("1e-9"):
        numbers[-1] = high
    return numbers


def _scalar(item: object) -> Scalar:
    # numpy's numbers are made Python's, whose repr is what a scenario file takes.
    plain: object = cast("Any", item).item() if hasattr(item, "item") else item
    if isinstance(plain, float) and not math.isfinite(plain):
        raise AxisError(f"{plain} is not a value")
    if isinstance(plain, bool | int | float | str):
        return plain
    raise AxisError(
        f"{plain!r} is not a single value",
        _VARIANT,
    )


def _quantity(value: Scalar) -> tuple[float, str] | None:
    """Number and unit; None for texts, true and false."""
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return float(value), ""
    match = QUANTITY.fullmatch(value)
    if match is None or not match["unit"]:
        return None
    return float(match["number"]), "packets" if match["unit"] == "packet" else match["unit"]


def _si(text: str) -> tuple[float, str] | None:
    """Quantity in base units and the name of these; None if the core has no such unit."""
    try:
        return _core.quantity(text)
    except ValueError:
        return None
