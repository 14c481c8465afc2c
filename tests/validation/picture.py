"""The picture of level 3: mean queue against the number of users."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import altair as alt
import vl_convert

from validation.loop import Cell, Row
from weir.plot import _style as style

NAME = "validation-queue.svg"

_PANELS = {
    "drop": "Signals are drops",
    "ecn": "Marks; RED drops from p_b = 0.1 on",
    "ecn nomarkp": "Marks; RED at any p_b",
}
_DISCIPLINES = ["DropTail", "RED(20:80)", "RED(10:30)", "REM"]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Writes the SVG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    svg = vl_convert.vegalite_to_svg(_specification(rows))
    path.write_text(svg + "\n", encoding="utf-8")


def _specification(rows: Sequence[Row]) -> dict[str, Any]:
    data = alt.NamedData("rows")
    legend = alt.Legend(symbolStrokeWidth=0, columns=len(_DISCIPLINES))
    users = alt.X(
        "users:Q",
        title="Number of users",
        axis=alt.Axis(values=[40, 80, 120, 160], grid=False),
        scale=alt.Scale(domain=[14, 166], nice=False),
    )

    def height(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title="Mean queue (packets)", scale=alt.Scale(domain=[0, 90]))

    looks = style.look(_DISCIPLINES, legend)
    base = alt.Chart(data).encode(x=users, color=looks["color"])
    layers = [
        base.mark_area(fillOpacity=0.3).encode(y=height("weir_low"), y2="weir_high:Q"),
        base.mark_line(strokeWidth=1.4).encode(y=height("weir")),
        base.mark_rule(strokeWidth=1.4).encode(y=height("ns2_low"), y2="ns2_high:Q"),
        base.mark_point(filled=True, size=46, opacity=1).encode(y=height("ns2"), shape=looks["shape"]),
    ]
    column = alt.Column("panel:N", sort=list(_PANELS.values()), title=None)
    panel = alt.layer(*layers).properties(width=190, height=220)
    facet = cast("alt.FacetChart", panel.facet(column=column, spacing=14))  # pyright: ignore[reportUnknownMemberType]
    title = {
        "text": "Line with band: Weir. Symbol with bar: ns-2.",
        "anchor": "start",
        "fontSize": 12,
        "fontWeight": "normal",
    }
    datasets = {
        "rows": [_point(row, cell) for row in rows if not row.jittered for cell in row.cells["queue"]]
    }
    return {**facet.to_dict(), "title": title, "config": style.CONFIG, "datasets": datasets}


def _point(row: Row, cell: Cell) -> dict[str, str | float]:
    discipline, _, signal = row.label.partition(" ")
    ours, theirs = cell.weir, cell.ns2
    return {
        "label": discipline,
        "panel": _PANELS[signal or "drop"],
        "users": cell.users,
        **_ends("weir", ours.mean, ours.half_width or 0.0),
        **_ends("ns2", theirs.mean, theirs.half_width or 0.0),
    }


def _ends(name: str, mean: float, half_width: float) -> dict[str, float]:
    # Four digits are more than a picture shows.
    return {
        name: round(mean, 4),
        f"{name}_low": round(max(0.0, mean - half_width), 4),
        f"{name}_high": round(mean + half_width, 4),
    }
