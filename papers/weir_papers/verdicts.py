"""A map of verdicts: where a claim holds, a panel per claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import polars as pl

from weir.plot import ROWS, Figure

if TYPE_CHECKING:
    from weir_papers.maps import ClaimMap, Place

_COLOURS = {"holds": "#7fb3d5", "undecided": "#ececec", "does not hold": "#E69F00"}
"""Blue and orange of Okabe and Ito, light enough for a number to be read on them."""
_SIGNS = {"holds": "✓", "undecided": "?", "does not hold": "✗"}
"""What is seen in grey print."""


def verdict_map(mapped: ClaimMap, places: Sequence[Place]) -> Figure:
    """One cell per setting, coloured and signed by the verdict; a frame around the setting used."""
    rows = pl.DataFrame([_row(mapped, place) for place in places])
    claims = {claim.id: f"{claim.id}: {claim.text}" for claim in mapped.claims}
    columns = min(2, len(claims))
    panels = [_panel(mapped, rows, name, title) for name, title in claims.items()]
    chart: Any = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns, spacing=20)
    said = "Each cell is a setting, judged as the main claims are: ✓ holds, ✗ does not hold, ? undecided."
    if mapped.used:
        said += " The frame is the setting of the other figures."
    return Figure(mapped.name, mapped.title, f"{mapped.caption} {said}", chart, rows)


def _row(mapped: ClaimMap, place: Place) -> dict[str, str | float | bool]:
    judged = place.judgement
    check = judged.decisive
    across, *up = place.setting
    return {
        "claim": judged.claim.id,
        "across": f"{across:g}",
        "up": f"{up[0]:g}" if up else "",
        "verdict": judged.verdict,
        "sign": _SIGNS[judged.verdict],
        "decisive": f"{check.title}, {check.place}: {check.value:.4g}; expected {check.expected_text}",
        "used": bool(mapped.used) and tuple(place.setting) == tuple(mapped.used),
    }


def _panel(mapped: ClaimMap, rows: pl.DataFrame, claim: str, title: str) -> alt.LayerChart:
    base = alt.Chart(ROWS).transform_filter(f"datum.claim === '{claim}'")
    x = alt.X("across:O", title=mapped.titles[0], sort=_order(rows["across"]), axis=alt.Axis(labelAngle=0))
    base = base.encode(x=x)
    if len(mapped.axes) > 1:
        order = list(reversed(_order(rows["up"])))
        base = base.encode(y=alt.Y("up:O", title=mapped.titles[1], sort=order))
    scale = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color("verdict:N", scale=scale, legend=alt.Legend(symbolType="square")),
        tooltip=[alt.Tooltip("verdict:N"), alt.Tooltip("decisive:N", title="decided by")],
    )
    signs = base.mark_text(fontSize=12).encode(text="sign:N")
    frame = base.transform_filter("datum.used").mark_rect(filled=False, stroke="black", strokeWidth=1.6)
    heading = alt.TitleParams(_wrapped(title), anchor="start", fontSize=11, fontWeight="normal", offset=6)
    height = 26 * rows["up"].n_unique()
    return cast(
        "alt.LayerChart", alt.layer(cells, signs, frame).properties(width=240, height=height, title=heading)
    )


def _order(values: pl.Series) -> list[str]:
    return sorted(values.unique().to_list(), key=lambda text: float(text) if text else 0.0)


def _wrapped(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, 46)
