"""What there is to say of a sweep as a whole: heads of tables and reports, and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.measures import MEASURES
from weir.sweeps.stopping import MAXIMUM, OPEN

if TYPE_CHECKING:
    from weir.sweeps.view import Sweep


def state(sweep: Sweep) -> str:
    """How far it is: `18 runs`, `12 of 18 runs; 2 of 6 cells are not finished`."""
    runs, wanted = sweep.runs["run"].n_unique(), sweep.wanted["run"].n_unique()
    states = sweep.stops["state"].to_list()
    cells, unfinished, unmet = len(states), states.count(OPEN), states.count(MAXIMUM)
    parts = [f"{runs:,} runs" if runs == wanted or sweep.until else f"{runs:,} of {wanted:,} runs"]
    if unfinished:
        parts.append(f"{unfinished:,} of {cells:,} cells are not finished")
    if unmet:
        parts.append(
            f"{unmet:,} of {cells:,} cells reached {sweep.replications:,} replications before the rule"
        )
    elif sweep.until and not unfinished:
        parts.append("all precise enough")
    if sweep.results_version != _core.results_version:
        parts.append(f"results version {sweep.results_version}, not {_core.results_version}")
    return "; ".join(parts)


def facts(sweep: Sweep) -> Mapping[str, str]:
    """What heads a report."""
    cost = sweep.cost
    found = {
        "Scenario": str(sweep.record.definition["scenario"]),
        "Points": f"{len(sweep.layout.rows):,}",
        "Variants": f"{len(sweep.labels):,}",
        "Replications": f"{'at most ' if sweep.until else ''}{sweep.replications:,}",
        "Runs": state(sweep).replace(" runs", "", 1),
        "Packets simulated": f"{cost.packets:,}",
        "CPU time": f"{cost.cpu_s:.1f} s",
    }
    if sweep.until:
        found["Until"] = " and ".join(str(rule) for rule in sweep.until)
    return found


def origin(sweep: Sweep) -> Mapping[str, str]:
    """What it takes to run it again."""
    first = int(sweep.record.definition["seed"])
    last = first + sweep.replications - 1
    return {
        "Sweep": f"{sweep.name} ({sweep.id})",
        "Weir": f"{_core.__version__}, results version {sweep.results_version}",
        "Seeds": f"{first} to {last}" if last > first else str(first),
        "Defined": moment(sweep.record.created),
    }


def document(sweep: Sweep, measures: Sequence[str]) -> dict[str, Any]:
    """Everything that `--json` prints."""
    estimates = sweep.estimates(measures).fill_nan(None)
    return {
        "sweep": sweep.name,
        "id": sweep.id,
        "title": sweep.title,
        "design": sweep.design,
        "axes": [axis.to_json() for axis in sweep.layout.axes],
        "variants": sweep.record.definition["arms"],
        "replications": sweep.replications,
        "until": sweep.record.definition["until"],
        "results_version": sweep.results_version,
        "state": state(sweep),
        "cells": sweep.stops.to_dicts(),
        "runs": sweep.runs["run"].n_unique(),
        "wanted": sweep.wanted["run"].n_unique(),
        "measures": {
            name: {"title": m.title, "unit": m.unit} for name, m in MEASURES.items() if name in sweep.measures
        },
        "estimates": estimates.to_dicts(),
    }


def moment(at: datetime | None) -> str:
    """To the minute."""
    return "" if at is None else at.isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
