"""The values of an axis: a list of levels, or a range to draw from."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from weir import _core

Value = str | int | float | bool
"""What a scenario file takes: text, with a unit for a quantity; a number; true or false."""

NUMBER = r"[+-]?(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
UNIT = r"(?!(?:by|in|log)\b)[A-Za-zµμ%][A-Za-z0-9µμ/%]*"
QUANTITY = re.compile(rf"(?P<number>{NUMBER})\s*(?P<unit>{UNIT})?")


@dataclass(frozen=True)
class Levels:
    """The values in order."""

    values: tuple[Value, ...]
    spaced_log: bool = False
    """Whether they were asked for by factors."""

    def at(self, u: float) -> Value:
        """The level whose share of [0, 1] contains `u`: all have the same."""
        return self.values[self.index(u)]

    def index(self, u: float) -> int:
        # The margin is for fractions such as 2/3 that stand for the beginning of a share.
        return min(int(u * len(self.values) + 1e-9), len(self.values) - 1)

    def position(self, u: float) -> float:
        """Where the level at `u` stands among all: 0 the first, 1 the last."""
        return self.index(u) / max(1, len(self.values) - 1)

    @cached_property
    def _common(self) -> str | None:
        """The one unit of all values, else that of the largest; None unless they are of one kind."""
        quantities = [quantity for value in self.values if (quantity := _quantity(value)) is not None]
        units = {unit for _, unit in quantities}
        if len(quantities) < len(self.values) or len(units) == 1:
            return units.pop() if len(quantities) == len(self.values) else None
        sizes = [size for value in self.values if (size := _si(str(value))) is not None]
        if len(sizes) < len(self.values) or len({name for _, name in sizes}) > 1:
            return None
        return max(zip(sizes, quantities, strict=True), key=lambda pair: pair[0][0])[1][1]

    @property
    def unit(self) -> str:
        """Of `number`; empty for pure numbers and texts."""
        return self._common or ""

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers, or quantities of one kind."""
        return self._common is not None

    @cached_property
    def log(self) -> bool:
        """Whether they are to be drawn on a logarithmic scale: where they were asked for by
        factors, or where equal spacing would crowd the smaller ones."""
        if self.spaced_log or not self.numeric:
            return self.spaced_log
        numbers = sorted({self.number(value) for value in self.values})
        gaps = [high - low for low, high in pairwise(numbers)]
        return numbers[0] > 0.0 and numbers[-1] >= 10.0 * numbers[0] and max(gaps) > 5.0 * min(gaps)

    def number(self, value: Value) -> float:
        """The value in `unit`. Only where they are `numeric`."""
        number = in_unit(value, self.unit)
        assert number is not None
        return number


@dataclass(frozen=True)
class Range:
    """Every value between two ends, both included."""

    low: float
    high: float
    unit: str
    whole: bool
    log: bool

    @property
    def numeric(self) -> bool:
        return True

    def at(self, u: float) -> Value:
        """The value at the share `u`, in [0, 1], of the range.

        Whole numbers have equal shares each, or with `log` shares by their factors. Others are
        given to a millionth of the range: more digits would only be longer.
        """
        if self.whole and self.log:
            bottom, top = math.log(self.low - 0.5), math.log(self.high + 0.5)
            number = math.floor(math.exp(bottom + u * (top - bottom)) + 0.5)
        elif self.whole:
            number = self.low + math.floor(u * (self.high - self.low + 1.0) + 1e-9)
        elif self.log:
            factor = self.high / self.low
            number = self.low * factor**u
            number = tidy(number, number * math.log(factor))
        else:
            number = tidy(self.low + u * (self.high - self.low), self.high - self.low)
        return written(Decimal(repr(min(max(number, self.low), self.high))), self.unit, whole=self.whole)

    def position(self, u: float) -> float:
        """Where the value at `u` stands between the ends, 0 to 1; with `log`, by factors."""
        if not self.whole:
            return u
        number = self.number(self.at(u))
        if self.log:
            return math.log(number / self.low) / math.log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)

    def number(self, value: Value) -> float:
        """The value in `unit`."""
        number = in_unit(value, self.unit)
        assert number is not None
        return number


Values = Levels | Range


def text_of(value: Value) -> str:
    """The value as it is written."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_unit(value: object, unit: str) -> float | None:
    """A number, or a quantity, in a unit; None for what is none, or of another kind."""
    quantity = _quantity(value) if isinstance(value, str | int | float) else None
    if quantity is None or quantity[1] == unit:
        return None if quantity is None else quantity[0]
    size, one = _si(str(value)), _si(f"1 {unit}")
    if size is None or one is None or size[1] != one[1]:
        return None
    return float(f"{size[0] / one[0]:.12g}")


def tidy(number: float, span: float) -> float:
    """Rounded to about a millionth of `span`."""
    return round(number, 6 - math.floor(math.log10(span)))


def written(number: Decimal, unit: str, *, whole: bool) -> Value:
    """A number as a scenario file takes it: with its unit as text, else whole or not."""
    if unit:
        # Never with an exponent, which would be taken for the unit.
        text = f"{number:f}"
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"
    return int(number) if whole else float(number)


def _quantity(value: Value) -> tuple[float, str] | None:
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
    """The quantity in base units and the name of these; None where the core knows no such unit."""
    try:
        return _core.quantity(text)
    except ValueError:
        return None
