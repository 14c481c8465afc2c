"""Numbers and differences in words, the same in terminal, report and notebook."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from weir.run import WHOLE_RUN
from weir.stats._analysis import PeriodAxis
from weir.stats._measures import MEASURES


def number(value: float | None, decimals: int) -> str:
    """Value with so many decimals; a dash if it is not defined."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:.{decimals}f}"
    # No "-0.0": a sign needs a digit.
    return text.lstrip("-") if float(text) == 0.0 else text


def plus_minus(half_width: float | None, decimals: int) -> str:
    """Half-width in words, `±0.3`; empty if there is no interval. Never `±0` for a value that is not zero."""
    if half_width is None:
        return ""
    text = f"{half_width:.{decimals}f}"
    if half_width > 0.0 and float(text) == 0.0:
        return f"±<{10.0**-decimals:.{decimals}f}"
    return f"±{text}"


def estimate(mean: float | None, half_width: float | None, decimals: int) -> str:
    """Mean with its half-width: `20.4±0.3`."""
    return number(mean, decimals) + plus_minus(half_width, decimals)


def sentence_case(text: str) -> str:
    """Text with a capital as its first letter."""
    return text[:1].upper() + text[1:]


INTERVALS = "mean ± 95% interval"
ALL_EQUAL = "all replications equal: nothing is random, so no intervals"
"""Basis of the numbers in a table whose configurations differ in the number of replications."""


def replications(n: int, *, equal: bool = False) -> str:
    """Basis of the numbers in a table. `equal`: all replications are equal, in every value."""
    if n == 1:
        return "one replication, so no intervals"
    if equal:
        return f"{n} replications, all equal: nothing is random, so no intervals"
    return f"{INTERVALS} of {n} replications"


def difference(row: dict[str, Any], *remarks: str) -> str:
    """One row of `differences` in words: `mean queue lower by 12.3±0.4 packets (remarks)`."""
    said = relation(row, *remarks)
    colon = ":" if said.startswith(("equal", "no difference shown", "not compared")) else ""
    return f"{MEASURES[row['measure']].words}{colon} {said}"


def relation(row: dict[str, Any], *remarks: str) -> str:
    """One row of `differences` in words, without the measure: `lower by 12.3±0.4 packets (remarks)`."""
    measure = MEASURES[row["measure"]]
    if row["verdict"] == "other link":
        return "not compared, as it is a share of another link"
    if row["n"] == 0:
        return "not defined"
    unit = f" {measure.difference_unit}" if measure.difference_unit else ""
    spread = plus_minus(row["half_width"], measure.decimals)
    least = 10.0**-measure.decimals
    hidden = 0.0 < abs(row["difference"]) < least / 2.0
    shown = f"<{least:.{measure.decimals}f}" if hidden else number(abs(row["difference"]), measure.decimals)
    size = f"{shown}{spread}{unit}"
    if row["verdict"] in {"higher", "lower"}:
        return f"{row['verdict']} by {size}{_bracketed(*remarks)}"
    if row["verdict"] != "equal" and row["difference"] == 0.0 and not row["half_width"]:
        return f"the same in {'every' if row['n'] > 1 else 'the only'} pair"
    if row["verdict"] == "one replication":
        direction = "higher" if row["difference"] > 0.0 else "lower"
        return f"{direction} by {size} in the only pair"
    verdict = row["verdict"]
    if verdict == "equal":
        verdict += f" within {row['margin']:g}{unit}"
    signed = f"{number(row['difference'], measure.decimals)}{spread}{unit}"
    return f"{verdict}{_bracketed(signed, *remarks)}"


def comparison(differences: pl.DataFrame, axis: PeriodAxis | None) -> dict[str, list[str]]:
    """Clauses about each variant by its label, one per measure that is defined, over the whole run."""
    clauses: dict[str, list[str]] = {}
    for rows in differences.partition_by("variant", maintain_order=True):
        said: list[str] = []
        for name in rows["measure"].unique(maintain_order=True):
            of_measure = rows.filter(pl.col("measure") == name)
            whole = of_measure.filter(pl.col("period") == WHOLE_RUN)
            row = whole.row(0, named=True) if len(whole) else {"n": 0, "verdict": ""}
            if row["n"] or row["verdict"] == "other link":
                parts = of_measure.filter(pl.col("period") != WHOLE_RUN)
                said.append(difference(row, _tally(row, parts, axis), _correlation(row)))
        clauses[str(rows["label"][0])] = said
    return clauses


R = "r: correlation of the pairs, -1 to 1; the nearer to 1, the more the common seeds narrow the interval"
"""Explanation of the mark r in a comparison."""


def legend(differences: pl.DataFrame) -> str:
    """Explanations of the marks in the comparison of these differences; empty if it has none."""
    whole = differences.filter(pl.col("period") == WHOLE_RUN, pl.col("n") > 0)
    return "" if whole["correlation"].drop_nulls().is_empty() else R


def _tally(row: dict[str, Any], parts: pl.DataFrame, axis: PeriodAxis | None) -> str:
    """Number of periods in which the difference has the sign that the whole run shows, in words."""
    if axis is None or row["verdict"] not in {"higher", "lower"}:
        return ""
    agreeing = len(parts.filter(pl.col("verdict") == row["verdict"]))
    noun = "numbers of users" if axis.column == "users" else "periods"
    if agreeing == len(parts):
        return f"at all {agreeing} {noun}"
    return f"at {agreeing} of {len(parts)} {noun}"


def _correlation(row: dict[str, Any]) -> str:
    return "" if row["correlation"] is None else f"r {row['correlation']:.2f}"


def _bracketed(*remarks: str) -> str:
    said = "; ".join(remark for remark in remarks if remark)
    return f" ({said})" if said else ""
