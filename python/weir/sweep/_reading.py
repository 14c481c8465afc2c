"""Values of an axis as people write them.

In the words of the command line:

    5, 10, 20 Mbit/s         levels; a unit that stands only at the last holds for all
    500 kbit/s, 2 Mbit/s     levels, each with its unit
    drop-tail, red           levels that are texts
    ["a, b", "c"]            levels as a TOML array
    10..50 ms by 10          levels in equal steps, with both ends where the last step meets one
    1..100 Mbit/s in 5       so many levels, evenly spaced
    1..100 Mbit/s in 5 log   so many levels, each larger than the one before by the same factor
    1..100 Mbit/s            a range, for sampling only; `log`: every factor is equally likely

A range of whole numbers stays whole where it has no unit or counts packets or bytes. `0..1` is
a share, not the choice between two numbers: it is not whole.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, NoReturn, cast

from weir._errors import WeirError
from weir.sweep._values import NUMBER, QUANTITY, UNIT, Levels, Range, Value, Values, text_of, tidy, written

MOST_LEVELS = 1_000_000

_COUNTING = {"", "packets", "packet", "B"}

_RANGE = re.compile(
    rf"(?P<low>{NUMBER})\s*(?P<low_unit>{UNIT})?\s*\.\.\s*(?P<high>{NUMBER})\s*(?P<high_unit>{UNIT})?"
    rf"(?:\s+by\s+(?P<step>{NUMBER})\s*(?P<step_unit>{UNIT})?|\s+in\s+(?P<count>[^\s,]+))?"
    r"(?P<log>\s+log)?"
)
_BEGINS_AS_RANGE = re.compile(rf"{NUMBER}\s*(?:{UNIT})?\s*\.\.")

Refuse = Callable[..., NoReturn]


class AxisError(WeirError, ValueError):
    """An axis that makes no sense. `path` is the value it was to vary, where that is known."""


def read(text: str, path: str) -> Values:
    """Values in the words of the command line. Raises AxisError, which names `path`."""
    text = text.strip()
    if not text:
        raise AxisError("there are no values", "write for example 5, 10, 20 Mbit/s", path)
    if text.startswith("[") or '"' in text or "'" in text:
        return of_list(_toml_array(text if text.startswith("[") else f"[{text}]", path), path)
    if match := _RANGE.fullmatch(text):
        return _of_range(match, text, path)
    words = [word.strip() for word in text.split(",")]
    if any(_BEGINS_AS_RANGE.match(word) for word in words):
        message = f'"{text}" is not a range' if len(words) == 1 else "a range stands alone, without commas"
        raise AxisError(message, "write for example 5..20 Mbit/s in 4, or by 5, or in 4 log", path)
    if "" in words:
        raise AxisError("there is an empty value between commas", None, path)
    return of_list([_typed(word) for word in words], path)


def of_list(items: Iterable[object], path: str) -> Levels:
    """Levels from values as Python or TOML has them. Raises AxisError."""
    values = _with_units([_scalar(item, path) for item in items], path)
    if not values:
        raise AxisError("there are no values", 'write for example ["5 Mbit/s", "10 Mbit/s"]', path)
    if all(type(value) in {int, float} for value in values) and float in map(type, values):
        values = [float(value) for value in values]
    return Levels(tuple(values))


def _with_units(items: list[Value], path: str) -> list[Value]:
    """Every quantity with its unit: one that stands only at the last holds for all."""
    matches = [QUANTITY.fullmatch(text_of(item)) for item in items]
    units = [match["unit"] if match else None for match in matches]
    bare = [match is not None and not match["unit"] for match in matches]
    inherited = ""
    if any(bare) and any(units):
        inherited = units[-1] or ""
        if not inherited or any(units[:-1]):
            raise AxisError(
                "some values have a unit and others do not",
                "write a unit at every value, or one at the last for all",
                path,
            )
    return [
        written(Decimal(match["number"]), match["unit"] or inherited, whole=False)
        if match and (match["unit"] or inherited)
        else item
        for item, match in zip(items, matches, strict=True)
    ]


def _of_range(match: re.Match[str], text: str, path: str) -> Values:
    def refuse(message: str, hint: str | None = None) -> NoReturn:
        raise AxisError(f"{text}: {message}", hint, path)

    unit = _one_unit(match, refuse)
    low, high = _bounds(match, refuse)
    whole = unit in _COUNTING and _is_whole(match["low"]) and _is_whole(match["high"])
    if match["step"]:
        whole = whole and _is_whole(match["step"])
        numbers = _stepped(low, high, Decimal(match["step"]), refuse)
        if match["log"]:
            refuse("steps are of equal size", "write `in N log` for equal factors")
        return Levels(tuple(written(number, unit, whole=whole) for number in numbers))
    whole = whole and (low, high, unit) != (0, 1, "")
    found = Range(float(low), float(high), unit, whole, bool(match["log"]))
    if match["count"] is None:
        return found
    if not re.fullmatch(r"\d{1,9}", match["count"]) or int(match["count"]) < 2:
        refuse("the number of values is a whole number from 2 on", "write for example `in 5`")
    if int(match["count"]) > MOST_LEVELS:
        refuse(f"more than {MOST_LEVELS:,} values")
    # Rounded to whole numbers, neighbours may have become the same.
    return Levels(tuple(dict.fromkeys(_spaced(found, int(match["count"])))), spaced_log=found.log)


def _one_unit(match: re.Match[str], refuse: Refuse) -> str:
    named = {match[name] for name in ("low_unit", "high_unit", "step_unit") if match[name]}
    units = {"packets" if unit == "packet" else unit for unit in named}
    if len(units) > 1:
        refuse("a range has one unit", f"{' or '.join(sorted(units))}?")
    return units.pop() if units else ""


def _bounds(match: re.Match[str], refuse: Refuse) -> tuple[Decimal, Decimal]:
    low, high = Decimal(match["low"]), Decimal(match["high"])
    if not math.isfinite(float(low) - float(high)):
        refuse("the bounds are too large")
    if low == high:
        refuse("the range is empty", "write a single value instead")
    if low > high:
        refuse("the bounds are the wrong way round", "write the smaller one first")
    if match["log"] and low <= 0:
        refuse("a logarithmic range begins above zero")
    return low, high


def _stepped(low: Decimal, high: Decimal, step: Decimal, refuse: Refuse) -> list[Decimal]:
    if step == 0:
        refuse("a step of zero leads nowhere")
    if step < 0:
        refuse("the step points away from the upper end", "write a positive step")
    if step > high - low:
        refuse("the step is larger than the range")
    steps = (high - low) / step
    count = int(steps + Decimal("1e-9"))
    if count >= MOST_LEVELS:
        refuse(f"more than {MOST_LEVELS:,} values")
    numbers = [low + step * index for index in range(count + 1)]
    if abs(steps - count) < Decimal("1e-9"):
        numbers[-1] = high
    return numbers


def _spaced(found: Range, count: int) -> list[Value]:
    """So many values with equal distances or factors; both ends are exact."""
    numbers: list[float] = []
    for index in range(count):
        share = index / (count - 1)
        if found.log:
            number = found.low * (found.high / found.low) ** share
            span = number * math.log(found.high / found.low)
        else:
            number, span = found.low + share * (found.high - found.low), found.high - found.low
        numbers.append(math.floor(number + 0.5) if found.whole else tidy(number, span))
    numbers[0], numbers[-1] = found.low, found.high
    return [written(Decimal(repr(number)), found.unit, whole=found.whole) for number in numbers]


def _is_whole(number: str) -> bool:
    value = Decimal(number)
    # What does not fit into 64 bits is not a count of anything.
    return "." not in number and value.adjusted() < 18 and value == value.to_integral_value()


def _typed(word: str) -> Value:
    """A word of the command line: a number, true or false, or a text."""
    if word in {"true", "false"}:
        return word == "true"
    if re.fullmatch(NUMBER, word):
        return int(Decimal(word)) if _is_whole(word) else float(word)
    return word


def _toml_array(text: str, path: str) -> Sequence[object]:
    try:
        return cast("list[object]", tomllib.loads(f"values = {text}")["values"])
    except tomllib.TOMLDecodeError as error:
        raise AxisError(
            f"{text} cannot be read as a TOML array: {error}",
            "put every text in quotes, or none",
            path,
        ) from None


def _scalar(item: object, path: str) -> Value:
    # numpy's numbers are made Python's, whose repr is what a scenario file takes.
    plain: object = cast("Any", item).item() if hasattr(item, "item") else item
    if isinstance(plain, float) and not math.isfinite(plain):
        raise AxisError(f"{plain} is not a value", None, path)
    if isinstance(plain, bool | int | float | str):
        return plain
    raise AxisError(
        f"{plain!r} is not a single value",
        "a level is a text, a number, true or false; what changes several values is a variant",
        path,
    )
