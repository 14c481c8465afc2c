"""Axes: what varies between the points of a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from weir.scenario import AssignmentError, assignments, checked_path, pieces
from weir.sweep._dimension import Dimension, together
from weir.sweep._values import AxisError, Levels, Range, Scalar, Values, of_list, read, scalar_text

__all__ = ["Axis", "AxisError", "AxisPart", "Scalar", "axis_of", "check_distinct", "parsed_axis", "titles"]

_EXAMPLE = 'write for example "links.bottleneck.rate=5, 10, 20 Mbit/s"'

Row = tuple[Scalar, ...]
"""Values of an axis at one level: one per path."""


@dataclass(frozen=True)
class AxisPart:
    """Path of the scenario with the values it takes."""

    path: str
    values: Values


@dataclass(frozen=True)
class Axis:
    """Paths that move together: their levels one after the other, or a range to draw from.

    The first path stands for the axis in tables and figures.
    """

    parts: tuple[AxisPart, ...]

    def __post_init__(self) -> None:
        paths = ", ".join(self.paths)
        if len(set(self.paths)) < len(self.paths):
            raise AxisError("the same path stands there twice", None, paths)
        lengths = [len(v.values) if isinstance(v, Levels) else None for v in (p.values for p in self.parts)]
        if len(set(lengths)) > 1:
            counts = ", ".join("a range" if length is None else str(length) for length in lengths)
            raise AxisError(
                f"what moves together needs as many values for every path, not {counts}",
                "what varies by itself is an axis of its own",
                paths,
            )
        # The first path names the points, so no two of its values may be the same.
        seen: set[float | str] = set()
        for row in self.levels or ():
            if self.drawn(row[0]) in seen:
                hint = None if len(self.parts) == 1 else "put a path first whose values all differ"
                raise AxisError(f"the value {scalar_text(row[0])} stands there twice", hint, self.column)
            seen.add(self.drawn(row[0]))

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(part.path for part in self.parts)

    @property
    def column(self) -> str:
        """Path that stands for the axis."""
        return self.parts[0].path

    @property
    def title(self) -> str:
        """Title in a few words, such as `bottleneck rate`, `red max_th`, or `bottleneck rate with buffer` for
        paths that move together. Two axes may have equal titles, see `titles`."""
        first, *others = (_words(path) for path in self.paths)
        # What both have in common is said once.
        rest = [other[1:] if len(other) > 1 and other[0] == first[0] else other for other in others]
        return together(" ".join(first), [" ".join(words) for words in rest])

    @property
    def levels(self) -> tuple[Row, ...] | None:
        """Settings in order; None for a range."""
        lists = [part.values.values for part in self.parts if isinstance(part.values, Levels)]
        return tuple(zip(*lists, strict=True)) if lists else None

    @property
    def range(self) -> Range | None:
        """Range from which the first path is drawn; None for levels."""
        values = self.parts[0].values
        return values if isinstance(values, Range) else None

    @property
    def numeric(self) -> bool:
        return self.parts[0].values.numeric

    @property
    def unit(self) -> str:
        """Unit of the numbers that `drawn` returns; empty for pure numbers and texts."""
        return self.parts[0].values.unit

    @property
    def log(self) -> bool:
        """True if figures draw the axis on a logarithmic scale."""
        return self.parts[0].values.log

    def at(self, u: float) -> Row:
        """Setting at `u`, uniform on [0, 1]: levels have equal shares."""
        return tuple(part.values.at(u) for part in self.parts)

    def drawn(self, value: Scalar) -> float | str:
        """Value of the first path as it stands in frames and figures: a number in `unit`, or a text."""
        return self.parts[0].values.drawn(value)

    def dimension(self, title: str | None = None) -> Dimension:
        """Description of the axis for figures."""
        return Dimension(
            column=self.column,
            title=title or self.title,
            unit=self.unit,
            numeric=self.numeric,
            log=self.log,
            values=tuple(self.drawn(row[0]) for row in self.levels or ()),
        )

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "paths": list(self.paths),
            "values": [
                {"levels": list(values.values), "log": values.spaced_log}
                if isinstance(values, Levels)
                else asdict(values)
                for values in (part.values for part in self.parts)
            ],
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Axis:
        """Reads an axis from the document that `to_json` wrote."""
        return Axis(
            tuple(
                AxisPart(
                    path,
                    Levels(tuple(values["levels"]), values["log"]) if "levels" in values else Range(**values),
                )
                for path, values in zip(document["paths"], document["values"], strict=True)
            )
        )


def parsed_axis(text: str) -> Axis:
    """Reads an axis as a person types it: `PATH=VALUES`, several with semicolons to move together.

    For example `links.bottleneck.rate=5, 10 Mbit/s; links.bottleneck.buffer=20, 40 packets`;
    `weir.sweep._values` has the words for values. Raises AxisError.
    """
    if not text.strip():
        raise AxisError("there is no axis in an empty text", _EXAMPLE)
    try:
        found = assignments(text)
    except AssignmentError as error:
        raise AxisError(error.message, _EXAMPLE) from None
    return Axis(tuple(_part(_checked(path), values) for path, values in found))


def axis_of(key: str, value: object) -> Axis:
    """Reads an axis as Python and scenario files have it.

    `key` is a path, or several with semicolons that move together. `value` is a list of levels,
    for several paths a list of rows with a value for each. It may also be a text in the words of the
    command line, with semicolons between the values of several paths. Raises AxisError.
    """
    paths = [_checked(path) for path in pieces(key)]
    if not paths:
        raise AxisError("an axis without a path", _EXAMPLE)
    if isinstance(value, str):
        texts = pieces(value)
        if len(texts) != len(paths):
            raise AxisError(
                f"{len(paths)} paths need {len(paths)} lists of values, not {len(texts)}",
                "put semicolons between the lists",
                key,
            )
        return Axis(tuple(map(_part, paths, texts)))
    levels = _listed(value)
    if levels is None:
        raise AxisError(f"{value!r} is no list of values", 'write ["5 Mbit/s", "10 Mbit/s"]', key)
    if len(paths) == 1:
        return Axis((_part(paths[0], levels),))
    rows = [_listed(row) for row in levels]
    full = [row for row in rows if row is not None and len(row) == len(paths)]
    if not rows or len(full) < len(rows):
        raise AxisError(
            f"every level of {len(paths)} paths is a list of {len(paths)} values",
            'write [["5 Mbit/s", "20 packets"], ["10 Mbit/s", "40 packets"]]',
            key,
        )
    return Axis(tuple(map(_part, paths, zip(*full, strict=True))))


def check_distinct(axes: Iterable[Axis]) -> None:
    """Raises AxisError where two axes set the same value, or one sets what contains the other."""
    seen: list[str] = []
    for path in (path for axis in axes for path in axis.paths):
        for other in seen:
            if path == other:
                raise AxisError("two axes vary it", "to move paths together, write one axis", path)
            if f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}."):
                whole, part = sorted((path, other), key=len)
                raise AxisError(f"it has a part, {part}, that another axis varies", None, whole)
        seen.append(path)


def titles(axes: Sequence[Axis]) -> list[str]:
    """Titles of the axes, made longer where two would be equal."""
    short = [axis.title for axis in axes]
    return [
        title if short.count(title) == 1 else together(axis.column, axis.paths[1:])
        for axis, title in zip(axes, short, strict=True)
    ]


def _words(path: str) -> list[str]:
    words = path.split(".")
    if words[0] in {"links", "flows"} and len(words) > 2:
        del words[0]
        if "queue" in words[1:-1]:
            # The name of the AQM says enough; the link hardly ever matters.
            words = [word for word in words[1:] if word != "queue"]
    return words


def _part(path: str, values: str | Iterable[object]) -> AxisPart:
    try:
        return AxisPart(path, read(values) if isinstance(values, str) else of_list(values))
    except AxisError as error:
        error.path = path
        raise


def _checked(path: str) -> str:
    try:
        path = checked_path(path)
    except AssignmentError as error:
        raise AxisError(error.message, _EXAMPLE) from None
    if path == "seed":
        raise AxisError("replications have seeds of their own", "write --replications N", path)
    return path


def _listed(value: object) -> list[object] | None:
    """Entries of a list, tuple, range or array; None for anything else."""
    if hasattr(value, "tolist"):
        value = cast("Any", value).tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(cast("Sequence[object]", value))
    return None
