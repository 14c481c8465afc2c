"""A result as a whole in words and numbers: its state, the heads of pages, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.stats.measures import MEASURES
from weir.sweep.stopping import MAXIMUM, OPEN

if TYPE_CHECKING:
    from weir.store import Cost
    from weir.sweep.recorded import RecordedSweep
    from weir.sweep.view import Sweep


def state(sweep: RecordedSweep) -> str:
    """How far it is: `18 runs`, `12 of 18 runs; 2 of 6 configurations are not finished`."""
    runs, wanted = sweep.finished["run"].n_unique(), sweep.wanted["run"].n_unique()
    states = sweep.stops["state"].to_list()
    all_, unfinished, unmet = len(states), states.count(OPEN), states.count(MAXIMUM)
    of = f"of {all_:,} configurations"
    parts = [counted(runs, "run") if runs == wanted or sweep.until else f"{runs:,} of {wanted:,} runs"]
    if unfinished:
        parts.append(f"{unfinished:,} {of} are not finished")
    if unmet:
        parts.append(f"{unmet:,} {of} reached {sweep.replications:,} replications before the rule")
    elif sweep.until and not unfinished:
        parts.append("all precise enough")
    if sweep.results_version != _core.results_version:
        parts.append(f"results version {sweep.results_version}, not {_core.results_version}")
    return "; ".join(parts)


def facts(sweep: RecordedSweep) -> Mapping[str, str]:
    """The head of a page."""
    cost = sweep.cost
    runs = state(sweep).replace(" runs", "", 1).replace(" run", "", 1)
    found = {
        "Scenario": sweep.scenario,
        "Points": f"{len(sweep.layout.rows):,}",
        "Variants": f"{len(sweep.labels):,}",
        "Replications": f"{'at most ' if sweep.until else ''}{sweep.replications:,}",
        "Runs": runs,
        "Packets simulated": f"{cost.packets:,}",
        "CPU time": f"{cost.cpu_s:.1f} s{speed(cost)}",
    }
    if sweep.until:
        found["Until"] = " and ".join(str(rule) for rule in sweep.until)
    return found


def speed(cost: Cost) -> str:
    """`, 190 ns per packet`; nothing where no packet left."""
    return f", {1e9 * cost.cpu_s / cost.packets:.0f} ns per packet" if cost.packets else ""


def origin(sweep: RecordedSweep) -> Mapping[str, str]:
    """What it takes to run it again."""
    last = sweep.seed + sweep.replications - 1
    return {
        "Result": f"{sweep.number} {sweep.name} ({sweep.id})",
        "Weir": f"{sweep.record.weir}, results version {sweep.results_version}",
        "Seeds": f"{sweep.seed} to {last}" if last > sweep.seed else str(sweep.seed),
        "Defined": moment(sweep.created),
    }


def document(sweep: Sweep, measures: Sequence[str]) -> dict[str, Any]:
    """Everything that `--json` prints."""
    return {
        "number": sweep.number,
        "name": sweep.name,
        "kind": sweep.kind,
        "id": sweep.id,
        "scenario": sweep.scenario,
        "title": sweep.title,
        "command": sweep.command,
        "design": sweep.design,
        "axes": [axis.to_json() for axis in sweep.axes],
        "variants": sweep.record.definition["variants"],
        "baseline": sweep.baseline,
        "margins": dict(sweep.margins),
        "replications": sweep.replications,
        "seeds": list(range(sweep.seed, sweep.seed + sweep.replications)),
        "until": [str(rule) for rule in sweep.until],
        "weir": sweep.record.weir,
        "results_version": sweep.results_version,
        "state": state(sweep),
        "configurations": sweep.stops.to_dicts(),
        "runs": sweep.finished["run"].n_unique(),
        "wanted": sweep.wanted["run"].n_unique(),
        "cost": {
            "runs": sweep.cost.runs,
            "cpu_s": sweep.cost.cpu_s,
            "packets": sweep.cost.packets,
            "events": sweep.cost.events,
        },
        "measures": {
            name: {"title": m.title, "unit": m.unit, "definition": m.definition}
            for name, m in MEASURES.items()
            if name in sweep.measures
        },
        "estimates": sweep.estimates(measures).fill_nan(None).to_dicts(),
        "differences": sweep.differences(measures=measures).fill_nan(None).to_dicts(),
    }


def counted(number: int, what: str) -> str:
    """`1 run`, `1,000 runs`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """Bytes for people: `340 kB`."""
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000.0, larger
    return f"{value:.3g} {unit}"


def moment(at: datetime | None) -> str:
    """To the minute, UTC."""
    return "" if at is None else at.isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
