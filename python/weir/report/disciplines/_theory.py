"""Fluid model of a discipline on the standard step of load: a row for each load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir.report.disciplines._figure import loads, shown
from weir.theory import Analysis, TheoryError, analyse, system_of

if TYPE_CHECKING:
    from weir.disciplines import Discipline
    from weir.scenario import Scenario

HEADINGS = ("flows", "queue (packets)", "p", "gain margin", "period (s)", "verdict", "flags")


@dataclass(frozen=True)
class Theory:
    """Results of the fluid model for one discipline: a table, or the reason why there is none."""

    rows: tuple[tuple[str, ...], ...] = ()
    """Cells below the headings, one row for each load."""
    none: str | None = None
    """Reason why there are no rows."""
    headings: tuple[str, ...] = HEADINGS


def theory_of(scenario: Scenario, discipline: Discipline) -> Theory:
    """Analyses the loop at each load of the scenario, in the middle of the first time span with that load."""
    one, steps = shown(scenario, discipline), loads(scenario)
    middles: dict[int, float] = {}
    for (since, flows), until in zip(steps, [at for at, _ in steps[1:]] + [scenario.duration], strict=True):
        middles.setdefault(flows, 0.5 * (since + until))
    try:
        found = [(flows, system_of(one, at)) for flows, at in middles.items()]
        return Theory(tuple(_row(flows, analyse(r.system, r.flags)) for flows, r in found))
    except TheoryError as error:
        return Theory(none=error.message.removeprefix("no model: "))


def _row(flows: int, one: Analysis) -> tuple[str, ...]:
    doubtful = {row.name for row in one.predictions if not row.valid}

    def cell(value: float | None, name: str = "") -> str:
        return "–" if value is None else f"{value:.3g}{'?' if name in doubtful else ''}"

    verdict = "no linear loop" if one.roots is None else "stable" if one.roots.stable else "unstable"
    return (
        str(flows),
        cell(one.point.queue, "queue"),
        cell(one.point.signal, "signal"),
        cell(one.margins and one.margins.gain_margin),
        cell(one.period, "period"),
        verdict + ("?" if "stable" in doubtful else ""),
        ", ".join(dict.fromkeys(flag.code for flag in one.flags)) or "–",
    )
