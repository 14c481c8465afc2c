"""Tables of the packets that passed a queue of the kernel, as a simulation has them of its own.

Times of a packet are known outside of the queue alone: it came, and it was out. Between them lies its
transmission, at the rate of the link; the rest is its sojourn. A packet waits until its transmission begins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir.run import WHOLE_RUN, frames

_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
_UNIT, _PRECISION = 6, 7
"""Bins of a delay, as in the tables of simulations: units of 2^6 ns, and 2^7 bins of an octave."""


@dataclass(frozen=True)
class PassedPackets:
    """Packets of the data, from `from_s` to `to_s`, that a queue of the kernel had."""

    columns: _core.Columns
    link: str
    direction: str
    rate_bps: float
    rtt_s: float
    from_s: float
    to_s: float

    def tables(self, key: int, seed: int) -> dict[str, pl.DataFrame]:
        """Tables of a run with this key. Why a packet was dropped, and when, is not known: drops have no
        reason, and count as those of the time when the packet came."""
        empty = frames(_core.tables([]), [])
        filled = {
            "runs": [{"run": key, "seed": seed, "packets": len(self._packets), "events": 0}],
            "links": [self._link(key)],
            "groups": [self._group(key)],
            "flows": self._flow_rows(key),
            "delays": [self._delays(key)],
        }
        return {name: _like(frame, filled.get(name, [])) for name, frame in empty.items()}

    @cached_property
    def _packets(self) -> pl.DataFrame:
        """The packets, with their times in ns."""
        read = {name: np.frombuffer(data, kind) for name, (kind, data, _) in self.columns.items()}
        sent_ns = (8e9 / self.rate_bps * pl.col("bytes")).round().cast(pl.Int64)
        out = pl.when(pl.col("left_ns") >= 0).then("left_ns")
        begins = pl.max_horizontal("arrived_ns", out - sent_ns)
        return pl.DataFrame(read).with_columns(out.alias("left_ns"), begins.alias("begins_ns"))

    @cached_property
    def _out(self) -> pl.DataFrame:
        """Packets that left within the time that is measured."""
        return self._packets.filter(self._within("begins_ns") & pl.col("left_ns").is_not_null())

    def _within(self, column: str) -> pl.Expr:
        return (pl.col(column) >= round(1e9 * self.from_s)) & (pl.col(column) < round(1e9 * self.to_s))

    @property
    def _span_s(self) -> float:
        return self.to_s - self.from_s

    @cached_property
    def _sojourns_ns(self) -> NDArray[np.int64]:
        return np.sort((self._out["begins_ns"] - self._out["arrived_ns"]).to_numpy())

    @cached_property
    def _counts(self) -> dict[str, Any]:
        came = self._packets.filter(self._within("arrived_ns"))
        drops, marks = int(came["dropped"].sum()), int(self._out["marked"].sum())
        return {
            "arrivals": len(came),
            "departures": len(self._out),
            "drops": drops,
            "marks": marks,
            "bytes": int(self._out["bytes"].sum()),
            "loss": _share(drops, drops + len(self._out)),
            "mark_fraction": _share(marks, max(len(came), marks)),
        }

    def _where(self, key: int) -> dict[str, Any]:
        return {"run": key, "period": WHOLE_RUN, "from_s": self.from_s, "to_s": self.to_s, "group": "all"}

    def _link(self, key: int) -> dict[str, Any]:
        waits = self._sojourns_ns
        upto, count = self._bins
        below = np.cumsum(count)
        ranks = {
            name: int(np.searchsorted(below, math.ceil(share * waits.size)))
            for name, share in _QUANTILES.items()
        }
        mean, deviation, most = self._queue()
        return {
            **self._where(key),
            **self._counts,
            "link": self.link,
            "direction": self.direction,
            "class": "all",
            "bottleneck": True,
            "rate_bps": self.rate_bps,
            "lost": 0,
            "acks_filtered": 0,
            "utilisation": 8.0 * self._counts["bytes"] / (self.rate_bps * self._span_s),
            "queue_mean": mean,
            "queue_sd": deviation,
            "queue_max": most,
            "delay_mean_ms": float(waits.mean()) / 1e6 if waits.size else math.nan,
            **{
                f"delay_{name}_ms": float(upto[rank]) if waits.size else math.nan
                for name, rank in ranks.items()
            },
        }

    def _queue(self) -> tuple[float, float, float]:
        """Mean, standard deviation and maximum over time of the packets that wait."""
        known = self._packets.filter(pl.col("left_ns").is_not_null())
        times = np.concatenate([known["arrived_ns"].to_numpy(), known["begins_ns"].to_numpy()])
        steps = np.repeat([1, -1], len(known))
        # Where both fall together, a packet comes before it goes.
        order = np.lexsort((-steps, times))
        low, high = 1e9 * self.from_s, 1e9 * self.to_s
        edges = np.clip(np.concatenate([[low], times[order], [high]]), low, high)
        waiting = np.concatenate([[0], np.cumsum(steps[order])])
        spans = np.diff(edges)
        if not spans.sum():
            return 0.0, 0.0, 0.0
        mean = float(np.average(waiting, weights=spans))
        variance = float(np.average((waiting - mean) ** 2, weights=spans))
        return mean, variance**0.5, float(waiting[spans > 0].max())

    @cached_property
    def _bins(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Upper ends of bins in ms, and how many sojourns lie in each."""
        units = self._sojourns_ns >> _UNIT
        octave = np.maximum(0, np.floor(np.log2(np.maximum(units, 1))).astype(np.int64) - _PRECISION)
        upto_ns = ((((units >> octave) + 1) << octave) << _UNIT) - 1
        ends, counts = np.unique(upto_ns, return_counts=True)
        return ends / 1e6, counts.astype(np.int64)

    def _delays(self, key: int) -> dict[str, Any]:
        upto, count = self._bins
        where = {name: value for name, value in self._where(key).items() if not name.endswith("_s")}
        return {
            **where, "link": self.link, "direction": self.direction, "class": "all",
            "upto_ms": upto.tolist(), "count": count.tolist(),
        }  # fmt: skip

    def _flows(self) -> pl.DataFrame:
        """Bytes and packets of each flow that left."""
        sums = (pl.col("bytes").sum(), pl.len().alias("packets"))
        return self._out.group_by("flow", maintain_order=True).agg(*sums).sort("flow")

    def _flow_rows(self, key: int) -> list[dict[str, Any]]:
        return [
            {
                "run": key,
                "flow": f"{self.direction}.{row['flow']}",
                "group": self.direction,
                "rtt_ms": 1e3 * self.rtt_s,
                "start_s": 0.0,
                "stop_s": math.nan,
                "period": WHOLE_RUN,
                "goodput_bps": 8.0 * row["bytes"] / self._span_s,
                "delivered": row["packets"],
            }
            for row in self._flows().iter_rows(named=True)
        ]

    def _group(self, key: int) -> dict[str, Any]:
        counts, goodput_bps = self._counts, 8.0 * self._counts["bytes"] / self._span_s
        flows = self._flows()
        return {
            **self._where(key),
            **{name: counts[name] for name in ("drops", "loss", "mark_fraction")},
            "users": len(flows),
            "goodput": goodput_bps / self.rate_bps,
            "goodput_bps": goodput_bps,
            "sent": counts["arrivals"],
            "retransmitted": 0,
            "delivered": counts["departures"],
            "lost": 0,
            "jain": _jain(flows["bytes"].to_numpy().astype(float)),
            "timeouts": 0,
            "fast_retransmits": 0,
            "ecn_cuts": 0,
            "arrived": counts["departures"],
            "mark_fraction_product": counts["mark_fraction"],
            "path_delay_ms": self._link(key)["delay_mean_ms"],
        }


def _jain(sent: NDArray[np.float64]) -> float:
    """Jain's index of fairness (Jain, Chiu, Hawe 1984)."""
    return float(sent.sum() ** 2 / (sent.size * (sent**2).sum())) if sent.size else math.nan


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _like(empty: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows in the columns of a table; what they lack is 0 of counts, not a number of measures."""
    schema = {name: pl.String() if isinstance(kind, pl.Enum) else kind for name, kind in empty.schema.items()}
    whole = [
        {name: row.get(name, math.nan if kind == pl.Float64 else 0) for name, kind in schema.items()}
        for row in rows
    ]
    return pl.DataFrame(whole, schema=schema)
