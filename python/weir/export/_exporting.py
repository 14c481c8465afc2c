"""Export of a link of a scenario in one call, with notes on everything to know about it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from weir import _core
from weir.export._closest import Closest, closest
from weir.export._kernel import qdisc_of
from weir.export._port import ExportError, Port, setting
from weir.export._routers import drop_profile, is_cisco, is_juniper, random_detect
from weir.export._script import tc
from weir.export._sqm import SHARE, sqm
from weir.export._text import Exported, Form, Measured, comment, listed
from weir.scenario import Scenario, Variant, printable_toml, suggestion

if TYPE_CHECKING:
    from weir.sweep import OnProgress

FORMS: tuple[Form, ...] = get_args(Form)

_DEVICE = re.compile(r"(?!-|\.\.?$)[^\s\x00-\x1f\x7f-\x9f/'\"$`\\;&|<>()*?\[\]{}~#!]{1,15}")


def _is_linux(name: str) -> bool:
    """Returns true if Linux may have an interface of this name, and a shell takes the name without quotes."""
    return _DEVICE.fullmatch(name) is not None and name.isprintable() and len(name.encode()) <= 15


SHOWN = ("mean_queue", "goodput", "loss", "mark_fraction", "delay_mean", "delay_p99")
"""Measures that are compared: the headline measures, marks, and those that an operator promises."""


def export(
    scenario: Scenario | _core.Scenario,
    link: str | None = None,
    form: Form = "tc",
    device: str | None = None,
    *,
    share: float | None = None,
    replications: int = 0,
    threads: int = 0,
    progress: OnProgress | None = None,
    command: str | None = None,
) -> Exported:
    """The setting of a link as text.

    Args:
        scenario: with the setting; of one with variants, choose one before.
        link: whose discipline, `LINK` or `LINK.reverse`; the bottleneck if None.
        form: a `tc` script, a section for OpenWrt's sqm, `random-detect`, a drop profile of Junos, or the
            scenario with every default.
        device: the network interface; eth0, of a router none, if None.
        share: of the link's rate that is shaped to; if None 0.9 for sqm, which is behind a modem, else 1.
        replications: of the comparison with what stands in for a discipline that no kernel has; 0: none.
        threads, progress: of these runs, as for `Scenario.compare`.
        command: noted as the way to come by the text.

    Raises ScenarioError, ExportError.
    """
    if form not in FORMS:
        raise ExportError(f"there is no form {form!r}", suggestion(str(form), FORMS))
    _check(form, device, share)
    core = scenario.core if isinstance(scenario, Scenario) else scenario
    if form == "scenario":
        return _scenario(core, link, command)
    port = Port.of(core, link, share or (SHARE if form == "sqm" else 1.0))
    if form == "wred":
        return random_detect(port, device, command)
    if form == "junos":
        return drop_profile(port, device, command)
    device = device or "eth0"
    if form == "sqm":
        return sqm(port, device, command)
    qdisc = qdisc_of(port)
    if qdisc is not None:
        return tc(port, qdisc, device, command)
    found, other = closest(port)
    qdisc = qdisc_of(other)
    assert qdisc is not None, f"{found.discipline} is what no kernel has either"
    measured = _measure(port, other, replications, threads, progress) if replications > 0 else None
    said = _stand_in(port, qdisc.kind, found, measured)
    return replace(tc(port, qdisc, device, command, said), closest=found, measured=measured)


def _check(form: Form, device: str | None, share: float | None) -> None:
    known = {
        "wred": (is_cisco, "such as GigabitEthernet0/1"),
        "junos": (is_juniper, "such as ge-0/0/1, without a unit"),
    }
    may_be, hint = known.get(form, (_is_linux, "`ip link` lists them; such as eth0"))
    if device is not None and not may_be(device):
        of = " of a router" if form in known else ""
        raise ExportError(f"{device!r} is no name of an interface{of}", hint)
    if share is not None and not 0.0 < share <= 1.0:
        raise ExportError(
            f"{100.0 * share:g}% is no share of a rate", "more than 0%, at most 100%: --share 95%"
        )


def _scenario(core: _core.Scenario, link: str | None, command: str | None) -> Exported:
    if link is not None:
        Port.of(core, link)
    traces = {
        port.name: core.value(f"links.{port.name}")["trace"]
        for port in core.network.ports
        if port.follows_trace
    }
    warnings = [
        f"{name} follows a trace: {file} has to lie beside this file" for name, file in traces.items()
    ]
    head = [core.title, *([f"From: {command}"] if command else []), *listed("Beside it", warnings)]
    text = "\n".join([*comment(head), "", printable_toml(core.to_toml())])
    return Exported(text, "scenario", tuple(warnings))


def _stand_in(port: Port, kind: str, found: Closest, measured: Measured | None) -> list[str]:
    """Comment on a discipline that no kernel has: its closest match, the reason, and the measured
    difference."""
    of = setting("fq", {"aqm": port.settings["aqm"]}) if port.discipline == "fq" else port.discipline
    here = setting(found.discipline, found.parameters)
    said = ["", f"No kernel has {of}. What comes closest is {kind}, here {here}: {found.reason}."]
    if measured is None:
        return [*said, "How far apart the two are has not been measured.", ""]
    return [*said, "", measured.lines[0], *(f"  {line}" for line in measured.lines[1:]), ""]


def _measure(
    port: Port, other: Port, replications: int, threads: int, progress: OnProgress | None
) -> Measured:
    """Runs the scenario under the discipline of `port` and under that of `other`."""
    # Late: most exports run nothing.
    import polars as pl

    from weir.run import WHOLE_RUN
    from weir.stats import MEASURES, Cell, Grid, render_grid, wording
    from weir.sweep import unrecorded

    names = [port.discipline, other.discipline]
    variants = [Variant(one.discipline, one.discipline, one.scenario) for one in (port, other)]
    with unrecorded(port.scenario, variants, replications, threads, progress) as sweep:
        whole = pl.col("period") == WHOLE_RUN
        estimates = sweep.estimates(SHOWN).filter(whole)
        differences = sweep.differences(measures=SHOWN).filter(whole)
        bottleneck = sweep.bottleneck
    means = {(row["variant"], row["measure"]): row["mean"] for row in estimates.iter_rows(named=True)}
    rows: list[tuple[str, list[Cell]]] = []
    for row in differences.iter_rows(named=True):
        of = MEASURES[row["measure"]]
        texts = [wording.number(means[name, of.name], of.decimals) for name in names]
        texts.append(wording.estimate(row["difference"], row["half_width"], of.decimals))
        rows.append((of.heading, [Cell(text) for text in texts]))
    runs = f"{replications} replication{'s' * (replications != 1)} with common seeds"
    pairs = "differences in pairs" + " with their 95% intervals" * (replications > 1)
    lines = [
        f"Measured on this scenario, {runs}; {pairs}:",
        *render_grid(Grid("", [*names, "difference"], rows), 100).strip("\n").split("\n"),
    ]
    if bottleneck != port.name:
        lines.append(f"Queue, marks and delay are those of the narrowest link, {bottleneck}.")
    return Measured(replications, differences, tuple(lines))
