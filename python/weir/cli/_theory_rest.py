"""`weir theory equilibrium`: where networks rest, beside packets."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from weir.cli import _command as command
from weir.cli._options import Loading, Source, StorePath, with_groups
from weir.cli._theory import At, Beside, Output, Variant, modelled, theory, variants_of, without_model

if TYPE_CHECKING:
    import polars as pl

    from weir.theory import Resting


@theory.command("equilibrium")
@with_groups
def equilibrium(
    scenario: Source,
    *,
    variant: Variant = None,
    at: At = None,
    loading: Loading,
    beside: Beside = None,
    store: StorePath = None,
    output: Output,
) -> None:
    """Rates of flows and prices of links by duality, over any number of links, beside measured means.

    With --beside, rates and signals of each group and their 95% intervals come from that result.
    """
    from weir.theory import resting

    output.check()
    chosen = variants_of(loading.load(scenario), variant)
    found, refused = modelled(chosen, lambda label, one: (label, one.label, resting(one, at)))
    measured = None if beside is None else _measured(beside, store)
    alone = len(chosen) == 1
    rows = [(label, one, _of(measured, shown, label, alone=alone)) for label, shown, one in found]
    if output.out is not None:
        label, one, seen = rows[0]
        if len(rows) > 1:
            command.refuse("a drawing is of one variant", f"--variant {label}")
        from weir.plot import balance_bars

        bars = balance_bars(_bars(one, seen), f"Rates and prices: {label}", name=f"equilibrium-{label}")
        command.write_file(output.out, bars)
    if output.json:
        documents = [
            {"variant": label, **one.document(), "measured": _rows(seen)} for label, one, seen in rows
        ]
        command.print_json([*documents, *without_model(refused)])
    else:
        blocks = [_text(*row) for row in rows]
        command.print_text("\n\n".join([*blocks, *(f"{label}: {error.message}" for label, error in refused)]))
    output.say_file()


def _measured(result: str, store: Path | None) -> pl.DataFrame:
    """Goodput per label and group of flows, in percent of the narrowest link, with its interval, over the
    whole run. A group named `@` and the link's name has the percentage of the packets at the bottleneck
    that is marked or dropped."""
    import polars as pl

    from weir.sweep import Sweep

    with command.opened(store, quiet=True) as opened:
        sweep = Sweep(opened, opened.find_sweep(result))
        frame = (
            sweep.estimates(["goodput"], by="group")
            if len(sweep.flow_groups) > 1
            else sweep.estimates(["goodput"]).with_columns(pl.lit(sweep.flow_groups[0]).alias("group"))
        )
        marks = sweep.estimates(["mark_fraction", "loss"]).with_columns(
            pl.lit(f"@{sweep.bottleneck}").alias("group")
        )
        return pl.concat(
            [
                one.filter(pl.col("period") == -1, pl.col("mean").is_not_nan()).select(
                    pl.col("label").cast(pl.String),
                    pl.col("group").cast(pl.String),
                    "measure",
                    "mean",
                    "low",
                    "high",
                )
                for one in (frame, marks)
            ]
        )


def _of(measured: pl.DataFrame | None, shown: str, name: str, *, alone: bool) -> pl.DataFrame | None:
    import polars as pl

    if measured is None:
        return None
    mine = measured.filter(pl.col("label").is_in([shown, name]))
    if mine.is_empty() and not alone:
        return None
    return measured if mine.is_empty() else mine


def _rows(measured: pl.DataFrame | None) -> list[dict[str, Any]]:
    return [] if measured is None else measured.to_dicts()


def _text(label: str, one: Resting, measured: pl.DataFrame | None) -> str:
    from weir.stats import Cell, Grid, render_grid

    width = get_terminal_size().columns
    seen = _by_group(one, measured)
    more = ("measured", "difference (%)") if measured is not None else ()
    of_groups: list[tuple[str, list[Cell]]] = []
    for row in one.rates.to_dicts():
        numbers = f"{row['window']:.3g}", f"{row['rate']:.4g}", f"{row['signals']:.3g}"
        texts = str(row["kind"]), f"{row['flows']:g}", f"{row['rtt_s'] * 1e3:.3g}", *numbers
        beside = _beside(row, seen.get(str(row["group"]))) if more else []
        of_groups.append((str(row["group"]), [*map(Cell, texts), *beside]))
    of_links: list[tuple[str, list[Cell]]] = []
    for row in one.prices.to_dicts():
        cells = [Cell(f"{row[name]:.4g}") for name in ("capacity", "load", "price", "signals", "queue")]
        beside = [_estimate(seen.get(f"@{row['link']}"))] if more else []
        of_links.append((str(row["link"]), [*cells, *beside]))
    heads = ("kind", "flows", "R (ms)", "W", "packets/s", "signals", *more)
    rates = Grid(f"{label} at {one.at:g} s: rates of a flow", heads, of_groups)
    signals = ("measured signals",) if more else ()
    heads = ("packets/s", "load", "price", "signals", "queue (packets)", *signals)
    prices = Grid("Links", heads, of_links)
    said = [f"the conditions of Karush, Kuhn and Tucker hold to {one.balance.residual:.1g} of a capacity"]
    said += [str(flag) for flag in one.flags]
    return "\n\n".join([render_grid(rates, width), render_grid(prices, width), "\n".join(said)])


Interval = tuple[float, float, float]
"""Mean, low and high."""


def _by_group(one: Resting, measured: pl.DataFrame | None) -> dict[str, Interval]:
    """Packets per second of a flow of each group, and the share of packets with a signal of the link
    `@NAME`."""
    capacities = dict(zip(one.balance.links, one.balance.capacities.tolist(), strict=True))
    paths = {path.name: path for path in one.balance.paths}
    found: dict[str, Interval] = {}
    for row in _rows(measured):
        low, high = (row["mean"] if row[end] is None else row[end] for end in ("low", "high"))
        name, scale = str(row["group"]), 0.01
        if row["measure"] == "goodput":
            if name not in paths:
                continue
            scale *= min(capacities[link] for link in paths[name].links) / paths[name].flows
        elif name in found and row["mean"] == 0.0:
            continue
        found[name] = (row["mean"] * scale, low * scale, high * scale)
    return found


def _estimate(seen: Interval | None) -> Any:  # noqa: ANN401 - a cell
    from weir.stats import Cell

    return Cell("–") if seen is None else Cell(f"{seen[0]:.4g}", f"±{(seen[2] - seen[1]) / 2:.2g}")


def _beside(row: dict[str, Any], seen: Interval | None) -> list[Any]:
    from weir.stats import Cell

    if seen is None:
        return [Cell("–")] * 2
    return [_estimate(seen), Cell(f"{100.0 * (seen[0] / row['rate'] - 1.0):+.1f}")]


def _bars(one: Resting, measured: pl.DataFrame | None) -> pl.DataFrame:
    import polars as pl

    rows: list[tuple[object, ...]] = [
        *(("rate", *row, "theory", None, None) for row in one.rates.select("group", "rate").iter_rows()),
        *(("price", *row, "theory", None, None) for row in one.prices.select("link", "signals").iter_rows()),
    ]
    for name, (mean, low, high) in _by_group(one, measured).items():
        kind = "price" if name.startswith("@") else "rate"
        rows.append((kind, name.removeprefix("@"), mean, "packets", low, high))
    schema = {"kind": pl.String, "part": pl.String, "value": pl.Float64, "source": pl.String}
    frame = pl.DataFrame(rows, schema={**schema, "low": pl.Float64, "high": pl.Float64}, orient="row")
    return frame.select("kind", "part", "source", "value", "low", "high")
