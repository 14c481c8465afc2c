"""Statistics of the tables of runs: estimates with intervals, and paired differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from weir._errors import require
from weir.run import WHOLE_RUN
from weir.stats._intervals import deviation_of, paired_difference, student_t, with_intervals
from weir.stats._measures import MEASURES

Tables = Mapping[str, pl.DataFrame]

ALL = "all"
"""Name of the group, and of the class, that stands for every packet."""

_RUN = ["variant", "label", "replication"]
_SPAN = ["period", "from_s", "to_s", "users"]


@dataclass(frozen=True)
class PeriodAxis:
    """Quantity in which the periods of a scenario differ: the number of users, or time."""

    column: Literal["users", "from_s"]
    title: str


def bottleneck(tables: Tables) -> str:
    """Port that results are about: `LINK`, or `LINK.reverse`. If runs differ, it is the one of the first."""
    link, direction = tables["links"].filter("bottleneck").select("link", "direction").row(0)
    return str(link) if direction == "forward" else f"{link}.reverse"


def component_of(port: str) -> str:
    """Name of a port in the table of series: `links.LINK.forward`, `links.LINK.reverse`."""
    return f"links.{port}" if port.endswith(".reverse") else f"links.{port}.forward"


def has_several_links(tables: Tables) -> bool:
    """Returns true if the tables hold several links: a text then has to name the one it means."""
    return tables["links"]["link"].n_unique() > 1


def bottleneck_rows(
    tables: Tables, name: Literal["links", "delays"], group: str = ALL, class_: str = ALL
) -> pl.DataFrame:
    """The rows of a table about each run's bottleneck.

    Runs of one table may have different bottlenecks: a variant or an axis can set any rate.

    Raises InputError without the table or without `links`, and for a table without these columns.

    Example:
        >>> from weir.stats import bottleneck_rows
        >>> rows = bottleneck_rows({"links": result.links}, "links").filter(period=-1, replication=0)
        >>> rows.select("link", rows["queue_mean"].round(1)).rows()
        [('bottleneck', 41.6), ('bottleneck', 36.1), ('bottleneck', 41.2)]
    """
    for each in dict.fromkeys(("links", name)):
        _check_table(tables, each)
    port = [*run_keys(tables["links"]), "link", "direction"]
    limiting = tables["links"].filter("bottleneck").select(port).unique(maintain_order=True)
    rows = tables[name].filter(pl.col("class") == class_, pl.col("group") == group)
    return rows.join(limiting, on=port, how="semi", maintain_order="left")


def _check_table(tables: Tables, name: str) -> None:
    """Raises InputError unless there is this table, and can be asked for the rows of a bottleneck."""
    require(
        name in tables,
        f"the table {name!r} is missing",
        f"give those of a result, such as {{'links': result.links, 'delays': result.delays}}; "
        f"given: {', '.join(tables) or 'none'}",
    )
    wanted = ["link", "direction", "class", "group", *(["bottleneck"] if name == "links" else [])]
    missing = [column for column in wanted if column not in tables[name].columns]
    require(
        not missing,
        f"the table {name!r} lacks columns: {', '.join(missing)}",
        f"give the table of a result, with all its columns: result.{name}",
    )


def port_rows(tables: Tables, port: str, group: str = ALL) -> pl.DataFrame:
    """The rows of the table `links` about a port: `LINK` or `LINK.reverse`."""
    link = port.removesuffix(".reverse")
    direction = "forward" if link == port else "reverse"
    return tables["links"].filter(
        pl.col("class") == ALL,
        pl.col("group") == group,
        pl.col("link") == link,
        pl.col("direction") == direction,
    )


def run_keys(table: pl.DataFrame) -> list[str]:
    """Columns that identify the runs of a table: of a store, or of one comparison."""
    return ["run"] if "run" in table.columns else _RUN


def observations(
    tables: Tables,
    part: str = ALL,
    groups: Sequence[str] = (),
    measures: Sequence[str] = (),
    at: str = "",
) -> pl.DataFrame:
    """Values of each run and period, one row each: the span, the users and every measure.

    Columns: variant, label, replication (of a store: run), period, from_s, to_s, users, then one
    per measure, in the measure's unit. Each of `measures` that is of a flow group, class or port has one,
    too.

    The measures are those of all packets, of the flow group `part`, which is one of `groups`, or of a class
    of the bottleneck's queue. With `at` they are those of the queue of this port. A value is null where a
    part has no such value, or a run no such part.
    """
    keys = run_keys(tables["groups"])
    # The rows of an only group are those of all.
    part = ALL if [part] == list(groups) else part
    group, class_ = (part, ALL) if part in {ALL, *groups} else (ALL, part)
    observed = tables["groups"].filter(pl.col("group") == group)
    links = port_rows(tables, at, group) if at else bottleneck_rows(tables, "links", group, class_)
    if group != ALL:
        # A group that never passes the port is no part of what it carries: not one of nought.
        passes = links.filter((pl.col("period") == WHOLE_RUN) & (pl.col("arrivals") > 0)).select(keys)
        links = links.join(passes, on=keys, how="semi", maintain_order="left")
    columns = _columns("links")
    of_paths = class_ == ALL and not at
    if of_paths:
        observed = observed.select(*keys, *_SPAN, *_columns("groups"))
    else:
        # Packets have a class, and a port has packets, at the queue alone: the loss is that of the queue.
        observed = observed.select(*keys, *_SPAN)
        columns += _columns("groups", only="loss")
    others = [links.select(*keys, "period", *columns)]
    if of_paths and has_transfers(tables):
        of_all_sizes = (pl.col("group") == group) & pl.col("upto_bytes").is_nan()
        rows = tables["completions"].filter(of_all_sizes)
        others.append(rows.select(*keys, "period", *_columns("completions")))
    for values in others:
        observed = observed.join(values, on=[*keys, "period"], how="left", maintain_order="left")
    missing = [name for name in MEASURES if name not in observed.columns]
    observed = observed.with_columns(pl.lit(None, pl.Float64).alias(name) for name in missing)
    return with_parts(observed, measures, lambda one, port: observations(tables, one, groups, at=port))


def with_parts(
    observed: pl.DataFrame, measures: Sequence[str], of: Callable[[str, str], pl.DataFrame]
) -> pl.DataFrame:
    """Adds a column for each of these measures that is about a flow group, class or port, such as
    `goodput of cubic`. `of` gives the observations of a part, `all` for all packets, at a port, empty for the
    bottleneck."""
    names: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(measures):
        measure = MEASURES[name]
        if measure.part or measure.at:
            names.setdefault((measure.part or ALL, measure.at), []).append(name)
    keys = [name for name in ("run", "point", *_RUN, "period") if name in observed.columns]
    for (part, port), of_part in names.items():
        columns = (pl.col(MEASURES[name].whole).alias(name) for name in of_part)
        values = of(part, port).select(*keys, *columns)
        observed = observed.join(values, on=keys, how="left", maintain_order="left")
    return observed


def has_transfers(tables: Tables) -> bool:
    """Returns true if flows come and go in any of the runs. Results of earlier versions have no such
    table."""
    return "completions" in tables and not tables["completions"].is_empty()


def axis_of(observed: pl.DataFrame) -> PeriodAxis | None:
    """Axis against which periods are drawn; None if there are fewer than two.

    It is the number of users, if every period has its own and all runs agree on it; else time.
    """
    spans = observed.filter(pl.col("period") != WHOLE_RUN).select("period", "users").unique()
    periods = spans["period"].n_unique()
    if periods < 2:
        return None
    if len(spans) == periods == spans["users"].n_unique():
        return PeriodAxis("users", "Number of users")
    return PeriodAxis("from_s", "Start of the period (s)")


def estimates(
    observed: pl.DataFrame,
    measures: Sequence[str] = tuple(MEASURES),
    by: Sequence[str] = ("variant", "label"),
    quantile: Callable[[int], float] = student_t,
) -> pl.DataFrame:
    """Means over replications with their intervals: one row per `by`, period and measure.

    Columns: those of `by`, measure, unit, period (-1: the whole run), from_s, to_s, users, mean,
    half_width, low, high (null without an interval), n (replications in which the measure is
    defined). `quantile` of n - 1 degrees of freedom gives the intervals their level: 95%.
    """
    # NaN, "not defined", is left out.
    defined = [pl.col(name).fill_nan(None) for name in measures]
    grouped = (
        observed.group_by(*by, "period", maintain_order=True)
        .agg(
            *(pl.col(name).first() for name in _SPAN if name != "period"),
            *(
                pl.struct(mean=value.mean(), sd=deviation_of(value), n=value.count().cast(pl.Int64)).alias(
                    name
                )
                for name, value in zip(measures, defined, strict=True)
            ),
        )
        .with_row_index("_row")
    )
    long = pl.concat(
        grouped.select("_row", *by, *_SPAN, name, measure=pl.lit(name), unit=pl.lit(MEASURES[name].unit))
        .unnest(name)
        .with_columns(pl.col("mean").fill_null(math.nan))
        for name in measures
    )
    found = with_intervals(long.sort("_row", maintain_order=True), quantile)
    return found.select(*by, "measure", "unit", *_SPAN, "mean", "half_width", "low", "high", "n")


def differences(
    observed: pl.DataFrame,
    baseline: str,
    measures: Sequence[str] = tuple(MEASURES),
    margins: Mapping[str, float] | None = None,
    by: Sequence[str] = ("variant", "label"),
) -> pl.DataFrame:
    """Every other variant minus the baseline, paired by replication, with 95% intervals.

    `margins` says per measure which difference is still called equal. `by` has the columns of variants and
    points: variants are compared at the same point.

    Columns: those of `by`, baseline, measure, unit, period, from_s, to_s, users, difference,
    half_width, low, high, correlation (of the pairs), margin, n (pairs), verdict.
    """
    margins = margins or {}
    reference = observed.filter(pl.col("variant") == baseline)
    rows: list[dict[str, Any]] = []
    others = observed.filter(pl.col("variant") != baseline)
    point = ["point"] if "point" in by else []
    for part in others.partition_by(*point, "variant", "period", maintain_order=True):
        span = part.select(*by, *_SPAN).row(0, named=True)
        pairs = part.join(reference, on=["replication", "period", *point], suffix="_baseline")
        for name in measures:
            values = (pairs[each].fill_null(math.nan).to_numpy() for each in (name, f"{name}_baseline"))
            difference = paired_difference(*values)
            interval = difference.interval
            rows.append(
                {
                    **span,
                    "baseline": baseline,
                    "measure": name,
                    "unit": MEASURES[name].difference_unit,
                    "difference": interval.mean,
                    "half_width": interval.half_width,
                    "low": interval.low,
                    "high": interval.high,
                    "correlation": difference.correlation,
                    "margin": margins.get(name),
                    "n": interval.n,
                    "verdict": difference.verdict(margins.get(name)),
                }
            )
    # Stated, because a column of nothing but None has no type of its own.
    numbers = ("difference", "half_width", "low", "high", "correlation", "margin")
    schema = {
        **observed.select(by).schema,
        **dict.fromkeys(("baseline", "measure", "unit"), pl.String()),
        **observed.select(_SPAN).schema,
        **dict.fromkeys(numbers, pl.Float64()),
        "n": pl.Int64(),
        "verdict": pl.String(),
    }
    return pl.DataFrame(rows, schema=schema)


def _columns(table: str, only: str | None = None) -> list[pl.Expr]:
    return [
        (pl.col(measure.column).cast(pl.Float64) * measure.scale).alias(measure.name)
        for measure in MEASURES.values()
        if measure.table == table and only in {None, measure.name}
    ]
