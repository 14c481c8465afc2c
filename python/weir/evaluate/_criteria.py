"""The sixteen criteria: tests of measures at cells, with thresholds that a file can replace."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from weir import _core
from weir._errors import WeirError
from weir.evaluate._cells import Cell, matches, with_tuples

_FILE = Path(__file__).with_name("criteria.toml")

Sense = Literal["<", ">"]
Rule = Literal["any", "all"]


@dataclass(frozen=True)
class Test:
    """Test of a measure at some cells, with its bounds.

    Example:
        >>> from weir.evaluate import chosen, published
        >>> test, cell = published().all[0].tests[0], chosen("all", ["tcp"])[0]
        >>> test.name, test.is_about(cell), test.at_level("newreno")
        ('safe-goodput', True, True)
    """

    name: str
    measure: str
    sense: Sense
    passing: float | None = None
    """Bound beyond which the test holds, in the unit of the measure, or a ratio."""
    failing: float | None = None
    """Bound beyond which the test does not hold."""
    relative: str = ""
    """Divisor of the measure, which is `target`, `drop-tail`, or another level of the cell."""
    suite: str = ""
    sections: tuple[str, ...] = ()
    """Chapters of `suite` whose cells the test is about, all of them."""
    cells: tuple[str, ...] = ()
    """Further cells that the test is about, by name."""
    levels: tuple[str, ...] = ("*",)
    only: str = ""
    """Disciplines to which the test is limited; `l4s` means those that claim it."""
    either_way: bool = False
    """True if a ratio and its inverse count as equal."""

    def is_about(self, cell: Cell) -> bool:
        """Returns true if the test applies to a cell."""
        return cell.name in self.cells or (cell.suite == self.suite and cell.family in self.sections)

    def at_level(self, level: str) -> bool:
        """Returns true if the test applies to a level of such a cell."""
        return level != self.relative and matches(level, self.levels)


@dataclass(frozen=True)
class Criterion:
    """Criterion by which a discipline is judged."""

    number: int
    name: str
    title: str
    weight: str
    tests: tuple[Test, ...]
    passes: Rule = "all"
    """Rule for the place to hold, by the tests there that hold (all, or any)."""
    fails: Rule = "any"
    """Rule for the place to fail, by the tests there that fail (all, or any)."""
    needs: str = ""
    """Reason why the criterion cannot be judged; empty if it can."""


@dataclass(frozen=True)
class Criteria:
    """Criteria of an evaluation, with the target delay of disciplines that have none."""

    all: tuple[Criterion, ...]
    default_target_ms: float


class ThresholdError(WeirError, ValueError):
    """Error about a file of thresholds that cannot be used."""


@cache
def published() -> Criteria:
    """Criteria with Weir's own thresholds.

    Example:
        >>> from weir.evaluate import published
        >>> criteria = published()
        >>> criteria.default_target_ms, criteria.all[0].title
        (20.0, 'Never worse than DropTail')
    """
    document = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    found = tuple(_criterion(table) for table in document["criteria"])
    return Criteria(found, _milliseconds(document["default_target"]))


def with_thresholds(path: str | os.PathLike[str]) -> Criteria:
    """Criteria with the thresholds of a file: `[thresholds]` with `NAME = { pass = 1.5, fail = 3.0 }`, and
    `default_target = "20 ms"`. Raises ThresholdError.

    Example:
        >>> from pathlib import Path
        >>> from weir.evaluate import with_thresholds
        >>> written = Path("mine.toml").write_text('default_target = "30 ms"')
        >>> with_thresholds("mine.toml").default_target_ms
        30.0
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ThresholdError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThresholdError(f"{path}: {error}", _HINT) from None
    for key in document.keys() - {"default_target", "thresholds"}:
        raise ThresholdError(f"{path}: there is no key {key!r}", _HINT)
    own = published()
    target = own.default_target_ms
    if "default_target" in document:
        try:
            target = _milliseconds(document["default_target"])
        except ValueError:
            raise ThresholdError(
                f"{path}: default_target: {document['default_target']!r} is no time",
                'write for example "20 ms"',
            ) from None
    tables: Any = document.get("thresholds", {})
    if not isinstance(tables, Mapping):
        raise ThresholdError(f"{path}: thresholds is not a table", _HINT)
    changed = {test.name: test for one in own.all for test in one.tests}
    for name, table in cast("Mapping[str, Any]", tables).items():
        changed[name] = _changed(path, changed, name, table)
    return Criteria(
        tuple(replace(one, tests=tuple(changed[test.name] for test in one.tests)) for one in own.all), target
    )


_HINT = "write for example [thresholds] and below it short-queue = { pass = 1.5, fail = 3.0 }"


def _changed(path: str | os.PathLike[str], known: Mapping[str, Test], name: str, table: object) -> Test:
    where = f"{path}: thresholds.{name}"
    if name not in known:
        near = get_close_matches(name, known, n=1)
        raise ThresholdError(
            f"{where}: there is no such test",
            f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}",
        )
    if not isinstance(table, Mapping):
        raise ThresholdError(f"{where} is not a table", _HINT)
    test = known[name]
    pairs = cast("Mapping[str, object]", table)
    for key, value in pairs.items():
        if key not in {"pass", "fail"}:
            raise ThresholdError(f"{where}: there is no key {key!r}", "there are: pass, fail")
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0.0:
            raise ThresholdError(f"{where}.{key}: {value!r} is no number above zero", _HINT)
        own = test.passing if key == "pass" else test.failing
        if own is None:
            raise ThresholdError(f"{where}.{key}: this test has no such bound", "leave it out")
    found = replace(
        test,
        passing=_given(pairs, "pass", test.passing),
        failing=_given(pairs, "fail", test.failing),
    )
    if found.passing is not None and found.failing is not None:
        apart = found.failing - found.passing if found.sense == "<" else found.passing - found.failing
        if apart < 0.0:
            raise ThresholdError(
                f"{where}: a value could pass and fail at once", f"a value passes if {found.sense} pass"
            )
    return found


def _given(table: Mapping[str, object], key: str, own: float | None) -> float | None:
    value = table.get(key)
    return float(value) if isinstance(value, int | float) else own


def _criterion(table: dict[str, Any]) -> Criterion:
    tests = tuple(_test(one) for one in table.pop("tests"))
    return Criterion(tests=tests, **table)


def _test(table: dict[str, Any]) -> Test:
    values = with_tuples(table)
    bounds = {"passing": values.pop("pass", None), "failing": values.pop("fail", None)}
    return Test(**values, **bounds)


def _milliseconds(text: object) -> float:
    value, kind = _core.quantity(str(text))
    if kind != "s" or value <= 0.0:
        raise ValueError(text)
    return 1e3 * value
