"""The further parts of level 3 in the order in which the page has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from validation.loop import Cell
from validation.sweeps import LOAD_MEASURES, RED_MEASURES, Point, Sweeps


@dataclass(frozen=True)
class Series:
    """RED's settings along one axis."""

    name: str
    settings: int
    cells: list[list[Cell]]
    """Measure by measure."""


@dataclass(frozen=True)
class Grid:
    """Settings by row and column, in ns-2 and Weir."""

    corner: str
    columns: list[str]
    rows: list[tuple[str, list[Point]]]


def series(points: Sequence[Point]) -> list[Series]:
    """Every setting that must agree, along max_th and along max_p."""

    def along(name: str, test: Callable[[Point], bool]) -> Series:
        chosen = [point for point in points if point.bound and test(point)]
        columns = [[point.cells[at] for point in chosen] for at in range(len(RED_MEASURES))]
        return Series(name, len(chosen), columns)

    found: list[Series] = []
    for gentle, called in (("0", ""), ("1", ", gentle")):
        for weight in ("0.002", "0.005"):
            name = f"max_th from 10 to 50 packets, w_q {weight}{called}"
            found.append(along(name, lambda p, g=gentle, w=weight: _is(p, "0.1", w, g)))
        name = f"max_p from 0.02 to 1, w_q 0.002{called}"
        found.append(along(name, lambda p, g=gentle: _is(p, None, "0.002", g)))
    found.append(along("a full buffer, random wait", lambda p: p.where["overhead"] != "0"))
    return [row for row in found if row.settings]


def _is(point: Point, max_p: str | None, weight: str, gentle: str) -> bool:
    """Returns true if a point has this setting, any max_p if none is given, and no random wait."""
    where = point.where
    on_slope = where["max_th"] in {"20", "30", "40"} and (point.users == 80 or where["max_th"] == "30")
    fits = on_slope if max_p is None else where["max_p"] == max_p
    return fits and where["w_q"] == weight and where["gentle"] == gentle and where["overhead"] == "0"


def grids(points: Sequence[Point]) -> list[Grid]:
    """The sweeps of the paper: not gentle, w_q 0.002."""
    chosen = {
        (point.users, point.where["max_th"], point.where["max_p"]): point
        for point in points
        if point.where["w_q"] == "0.002" and point.where["gentle"] == "0" and point.where["overhead"] == "0"
    }
    high = sorted({key[1] for key in chosen}, key=float)
    users = sorted({key[0] for key in chosen})
    top = sorted({key[2] for key in chosen}, key=float)
    slopes = sorted({(n, threshold) for n, threshold, slope in chosen if slope != "0.1"})
    return [
        Grid(
            "users",
            [f"max_th {value}" for value in high],
            [(str(n), [chosen[n, value, "0.1"] for value in high]) for n in users],
        ),
        Grid(
            "users, max_th",
            [f"max_p {value}" for value in top],
            [(f"{n}, {value}", [chosen[n, value, slope] for slope in top]) for n, value in slopes],
        ),
    ]


@dataclass(frozen=True)
class Locked:
    """A setting ruled by phase effects, and the same with the random wait."""

    setting: str
    plain: Point
    waited: Point


def locked(points: Sequence[Point]) -> list[Locked]:
    """The settings that need not agree."""
    found: list[Locked] = []
    for plain in (point for point in points if not point.bound):
        same = {**plain.where, "overhead": ""}
        for waited in points:
            other = {**waited.where, "overhead": ""}
            if waited.where["overhead"] != "0" and other == same and waited.users == plain.users:
                where = plain.where
                gentle = ", gentle" if where["gentle"] == "1" else ""
                text = f"max_th {where['max_th']}, max_p {where['max_p']}, w_q {where['w_q']}{gentle}"
                found.append(Locked(text, plain, waited))
    return found


def timeouts(points: Sequence[Point]) -> list[tuple[str, Cell]]:
    """The loss of the heaviest load, with ns-2's minimum RTO and with one above the round trip."""
    return [
        (point.label, cell)
        for point in points
        for cell in point.cells
        if point.users == 1000 and point.label.startswith("AVQ") and cell.measure.name == "loss"
    ]


def context(sweeps: Sweeps) -> dict[str, object]:
    """Variables of the template of these parts."""
    every = [(point, cell) for point in (*sweeps.red, *sweeps.loads) if point.bound for cell in point.cells]
    apart = [pair for pair in every if abs(pair[1].difference) > pair[1].half_width]
    return {
        "sweeps": sweeps,
        "series": series(sweeps.red),
        "grids": grids(sweeps.red) if sweeps.whole else [],
        "locked": locked(sweeps.red),
        "timeouts": timeouts(sweeps.loads),
        "load_measures": LOAD_MEASURES,
        "red_measures": RED_MEASURES,
        "sweep_bound": [cell for _, cell in every],
        "sweep_far": Counter(cell.measure.title.lower() for _, cell in every if cell.surely_used > 1.0),
        "sweep_apart": apart,
        "sweep_worst": max((cell for _, cell in every), key=lambda cell: cell.used),
    }
