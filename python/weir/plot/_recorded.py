"""Recorded time series of queues and flows: those that a figure draws, and their names."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from weir._core import ScenarioError
from weir.disciplines import Variable, controls, find, placed
from weir.scenario import suggestion
from weir.stats import HOW_TO_ASK, NO_SERIES, analysis
from weir.sweep import ChartError, Sweep

LAST = 20
"""Rank of a variable that no file describes."""

QUEUE = "queue (packets)"

UNIT_SYMBOLS = {"seconds": "s", "bytes": "B", "bytes per second": "B/s"}
"""Abbreviations of long units."""

SENDERS = {"cwnd": "packets", "ssthresh": "packets", "flight": "packets", "srtt": "s"}
"""Recorded variables of every watched flow, with their units. Its congestion control has more."""

_FLOWS = "flows."


def recorded(sweep: Sweep, point: int, labels: Sequence[str], asked: Sequence[str]) -> pl.DataFrame:
    """Samples to be drawn, of replication 0, in the order in which a figure has them.

    `asked`: variables, each of all that have it, or `cwnd of GROUP`, `cwnd of FLOW`, `queue at LINK`. None:
    of every queue on the way of the data what it is known by.

    Columns: label, component, variable, time_s, value (null where it is not defined), rank, heading (with the
    unit), flow (null of a queue). Ranks count from 0, the most telling. Raises ChartError.
    """
    samples = sweep.series_of(point, labels)
    if samples.is_empty():
        raise ChartError(NO_SERIES, HOW_TO_ASK)
    samples = samples.with_columns(pl.col("label", "component", "variable").cast(pl.String))
    of_flow = pl.col("component").str.starts_with(_FLOWS)
    forward = pl.col("component").str.contains(r"^links\..*\.forward$")
    there = samples.filter(
        of_flow | forward | (pl.col("component") == analysis.component_of(sweep.bottleneck))
    )
    there = there.with_columns(
        pl.when(of_flow).then(pl.col("component").str.strip_prefix(_FLOWS)).alias("flow"),
        pl.when(pl.col("value").is_finite()).then("value").alias("value"),
    )
    told = _told(sweep, point, labels, there["component"].unique(maintain_order=True).to_list())
    found = there.join(told, on=["label", "component", "variable"], how="left", maintain_order="left")
    plain = pl.when(pl.col("variable") == "queue").then(pl.lit(QUEUE)).otherwise("variable")
    # What no file tells of, as of an AQM in Python, is all drawn.
    unheard = pl.col("rank").max().over("label", "component").fill_null(0) == 0
    usual = pl.col("flow").is_null() & (pl.col("rank").is_not_null() | unheard)
    wanted = pl.any_horizontal([_wanted(sweep, there, words) for words in asked]) if asked else usual
    order = pl.col("label").replace_strict(list(labels), list(range(len(labels)))).alias("order")
    drawn = found.filter(wanted).with_columns(
        pl.col("rank").fill_null(LAST), pl.col("heading").fill_null(plain), order
    )
    if drawn.is_empty():
        raise ChartError("there is no series 'queue'; there are: none")
    if drawn["value"].null_count() == len(drawn):
        raise ChartError(f"{' and '.join(asked)} is not defined at any time")
    return drawn.sort("order", pl.col("flow").is_not_null(), "component", "rank", maintain_order=True)


def _wanted(sweep: Sweep, there: pl.DataFrame, words: str) -> pl.Expr:
    """Condition that a sample is one of those named by these words. Raises ChartError if none is."""
    text = words.strip()
    name, of, flow = text.partition(" of ")
    at, link = "", ""
    if not of:
        name, at, link = text.partition(" at ")
    known = there.filter(pl.col("variable") == name)
    if known.is_empty():
        every = there["variable"].unique(maintain_order=True).to_list()
        message = f"there is no series {name!r}; there are: {', '.join(every) or 'none'}"
        raise ChartError(message, _how_to_watch(sweep) if there["flow"].null_count() == len(there) else None)
    test = pl.col("variable") == name
    if of:
        test &= (pl.col("flow") == flow) | pl.col("flow").str.starts_with(f"{flow}.")
    elif at:
        test &= pl.col("component").is_in([f"links.{link}", f"links.{link}.forward"])
    if known.filter(test).is_empty():
        places = known["component"].unique(maintain_order=True).to_list()
        names = [one.removeprefix(_FLOWS).removeprefix("links.").removesuffix(".forward") for one in places]
        raise ChartError(f"no {name} of {flow or link} was recorded", suggestion(flow or link, names))
    return test


def _how_to_watch(sweep: Sweep) -> str:
    """Hint on watching flows: a scenario may record queues alone."""
    groups = list(_document(sweep.resolved_at(0, sweep.variants[0])).get("flows", {}))
    named = groups[0] if groups else "GROUP"
    return (
        f"{', '.join(SENDERS)} and what a congestion control has are of flows that are watched: "
        f'measure.series.flows = ["{named}"], or ["{named}.0"] for one of them'
    )


def _told(sweep: Sweep, point: int, labels: Sequence[str], components: Sequence[str]) -> pl.DataFrame:
    """Rank and heading, with the unit, of each label, component and variable."""
    schema = {"label": pl.String, "component": pl.String, "variable": pl.String, "rank": pl.Int64}
    rows: list[tuple[str, str, str, int, str]] = []
    watched = [name for name in components if name.startswith(_FLOWS)]
    for label in labels:
        try:
            resolved = sweep.resolved_at(point, sweep.variants[sweep.labels.index(label)])
            disciplines = placed(resolved)
        except ScenarioError:
            # A file that it names is no longer there.
            continue
        for component_, name in disciplines.items():
            discipline = find(name)
            rows.append((label, component_, "queue", 0, QUEUE))
            for rank, variable in enumerate(discipline.figure, 1):
                rows.append(
                    (label, component_, variable, rank, _heading(variable, discipline.variables[variable]))
                )
        senders = _senders(_document(resolved))
        for flow in watched:
            own = senders.get(flow.removeprefix(_FLOWS).rpartition(".")[0], {})
            headings = {name: f"{name} ({unit})" for name, unit in SENDERS.items()}
            headings |= {name: _heading(name, one) for name, one in own.items()}
            rows += [(label, flow, name, rank, text) for rank, (name, text) in enumerate(headings.items())]
    return pl.DataFrame(rows, schema={**schema, "heading": pl.String}, orient="row")


def _heading(name: str, variable: Variable) -> str:
    unit = variable.default_unit
    return f"{name} ({UNIT_SYMBOLS.get(unit, unit)})" if unit else name


def _senders(document: Mapping[str, Any]) -> dict[str, dict[str, Variable]]:
    """Variables of the congestion control of each flow group."""
    variables = {one.name: one.variables for one in controls()}
    found: dict[str, dict[str, Variable]] = {}
    for group, flows in document.get("flows", {}).items():
        for name in flows.get("tcp", {}).get("congestion", {}):
            found[group] = variables.get(name, {})
    return found


def _document(resolved: str) -> dict[str, Any]:
    return tomllib.loads(resolved)
