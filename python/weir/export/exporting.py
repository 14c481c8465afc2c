"""One call: a link of a scenario in the form that is asked for, with all that has to be known of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from weir import _core
from weir.export import reds, sqm, tc, wred
from weir.export.closest import Closest, closest, instead, setting
from weir.export.errors import ExportError
from weir.export.kernel import qdisc_of
from weir.export.port import Port, rate_of
from weir.export.qdisc import Qdisc
from weir.scenario.scenario import Scenario, suggestion

if TYPE_CHECKING:
    from weir.export.measured import Measured
    from weir.sweep.runner import OnProgress

Form = Literal["tc", "sqm", "wred", "scenario"]

FORMS: tuple[Form, ...] = get_args(Form)

_DEVICE = re.compile(r"[^\s/'\"$`\\;&|<>()*?\[\]{}~#!]{1,15}")
"""A name of an interface that a shell takes as it is; Linux allows 15 characters."""


@dataclass(frozen=True)
class Exported:
    """A text with what has to be known of it."""

    text: str
    form: Form
    kernel: str | None
    """The first Linux that can do it; None where it is nothing for Linux."""
    iproute2: str | None
    """The first iproute2 that can write it, if not all can."""
    warnings: tuple[str, ...]
    """Where it does something else than the simulation did. They are in the text as well."""
    closest: Closest | None = None
    """What stands in for the discipline, if no kernel has it."""
    measured: Measured | None = None
    """How far that is from it."""


@dataclass
class _Request:
    port: Port
    device: str
    command: str | None
    head: list[str] = field(default_factory=list[str])


def export(
    scenario: Scenario | _core.Scenario,
    link: str | None = None,
    form: Form = "tc",
    device: str = "eth0",
    *,
    replications: int = 0,
    threads: int = 0,
    progress: OnProgress | None = None,
    command: str | None = None,
) -> Exported:
    """The setting of a link as text.

    Args:
        scenario: with the setting; of one with variants, choose one before.
        link: whose discipline; the link with the lowest rate if None.
        form: a `tc` script, a section for OpenWrt's sqm, `random-detect`, or the scenario with every default.
        device: the network interface.
        replications: of the comparison with what stands in for a discipline that no kernel has; 0: none.
        threads, progress: of these runs, as for `Scenario.compare`.
        command: noted as the way to come by the text.

    Raises ScenarioError, ExportError.
    """
    if form not in FORMS:
        raise ExportError(f"there is no form {form!r}", suggestion(str(form), FORMS))
    if not _DEVICE.fullmatch(device) or device.startswith("-") or device in {".", ".."}:
        raise ExportError(f"{device!r} is no name of an interface", "`ip link` lists them; such as eth0")
    core = scenario.core if isinstance(scenario, Scenario) else scenario
    if form == "scenario":
        return _scenario(core, link, command)
    request = _Request(Port.of(core, link), device, command)
    if form == "wred":
        return _wred(request)
    qdisc = qdisc_of(request.port)
    if form == "sqm":
        return _sqm(request, qdisc)
    if qdisc is not None:
        return _tc(request, qdisc, [])
    return _instead(request, lambda port, other: _measure(port, other, replications, threads, progress))


def _scenario(core: _core.Scenario, link: str | None, command: str | None) -> Exported:
    if link is not None:
        Port.of(core, link)
    text = core.to_toml()
    links = tomllib.loads(text)["links"].items()
    warnings = tuple(
        f"{name} follows a trace: {table['trace']} has to lie beside this file" for name, table in links
        if "trace" in table
    )  # fmt: skip
    head = [core.title, *([f"From: {command}"] if command else []), *_list("Beside it", warnings)]
    return Exported("\n".join([*tc.comment(head), "", text]), "scenario", None, None, warnings)


def _tc(request: _Request, qdisc: Qdisc, said: list[str]) -> Exported:
    port = request.port
    kernel, iproute2 = tc.needs(qdisc)
    modules = qdisc.kind if qdisc.shapes else f"tbf and {qdisc.kind}"
    warnings = (*port.notes, *qdisc.warnings)
    instead = f" in place of {port.law}" if said else ""
    needs = f"Linux {kernel}{f' and iproute2 {iproute2}' if iproute2 else ''} or newer"
    head = [
        *_title(request, f"{qdisc.kind}{instead} for the link {port.link} of {port.scenario.name}"),
        *said,
        f"Needs:   {needs}, with {modules}; root",
        f"Undo:    {tc.undo(request.device)}",
        *_list("Rounding and units", [*qdisc.notes, *_common()]),
        *_list("Other than in the simulation", warnings),
    ]
    return Exported(tc.script(qdisc, request.device, head), "tc", kernel, iproute2, warnings)


def _instead(request: _Request, measure: Callable[[Port, Port], Measured | None]) -> Exported:
    port = request.port
    found = closest(port)
    other = instead(port, found)
    qdisc = qdisc_of(other)
    assert qdisc is not None, f"{found.law} is what no kernel has either"
    measured = measure(port, other)
    law = port.law if port.law != "fq" else setting("fq", {"aqm": dict(port.parameters["aqm"])})
    stand_in = setting(found.law, found.parameters)
    said = ["", f"No kernel has {law}. What comes closest is {qdisc.kind}, here {stand_in}: {found.reason}."]
    if measured is not None:
        said += ["", *(measured.lines[:1]), *(f"  {line}" for line in measured.lines[1:])]
    else:
        said += ["How far apart the two are has not been measured."]
    text = _tc(request, qdisc, [*said, ""])
    return Exported(text.text, "tc", text.kernel, text.iproute2, text.warnings, found, measured)


def _measure(
    port: Port, other: Port, replications: int, threads: int, progress: OnProgress | None
) -> Measured | None:
    if replications < 1:
        return None
    # Late: most exports run nothing.
    from weir.export.measured import measure

    return measure(port, other, replications, threads, progress)


def _sqm(request: _Request, qdisc: Qdisc | None) -> Exported:
    port = request.port
    if qdisc is None:
        raise ExportError(
            f"no kernel has {port.law}, so sqm-scripts has not",
            "--as tc names what comes closest, and measures the difference",
            f"links.{port.link}.queue",
        )
    resolved = tomllib.loads(port.scenario.to_toml())["links"][port.link]
    back = resolved.get("reverse")
    download = rate_of(back) if back is not None else None
    direction = (
        "Upload is the link, download its other direction, with the same discipline."
        if download
        else "Upload is the link; download 0 leaves the other direction as it is."
    )
    packages = "sqm-scripts and kmod-sched-cake" if qdisc.shapes else "sqm-scripts"
    # A first pass fills the warnings, which are in the head.
    sqm.snippet(qdisc, request.device, [], download)
    warnings = tuple(dict.fromkeys((*port.notes, *qdisc.warnings)))
    head = [
        *_title(
            request,
            f"{qdisc.kind} for the link {port.link} of {port.scenario.name}: a section of /etc/config/sqm",
        ),
        f"Needs:   OpenWrt with {packages}; Linux {qdisc.kernel} or newer",
        "Then:    /etc/init.d/sqm restart; undo: set enabled to 0, and restart",
        direction,
        "The link layer is left out: set linklayer and overhead for your line.",
        *_list("Rounding and units", qdisc.notes),
        *_list("Other than in the simulation", warnings),
    ]
    text = sqm.snippet(qdisc, request.device, head, download)
    return Exported(text, "sqm", qdisc.kernel, qdisc.iproute2, warnings)


def _wred(request: _Request) -> Exported:
    port = request.port
    if port.law not in wred.LAWS:
        raise wred.refuse(port)
    if port.law == "adaptive-red":
        levels = reds.computed(port)
    else:
        levels = (port.level("min_th"), port.level("max_th"), float(port.parameters["w_q"]))
    lines, found = wred.snippet(port, levels)
    warnings = (*port.notes, *found)
    head = [
        *_title(request, f"RED for the link {port.link} of {port.scenario.name}, as random-detect"),
        f"Use:     interface ..., service-policy output {wred.policy(port)}; undo: no service-policy output",
        "Other lines of routers say the same in their own words; not tested on a router.",
        *_list("Other than in the simulation", warnings),
    ]
    text = "\n".join([*(f"! {line[2:]}".rstrip() for line in tc.comment(head)), *lines, ""])
    return Exported(text, "wred", None, None, warnings)


def _title(request: _Request, title: str) -> list[str]:
    port = request.port
    told = [title, ""]
    if request.command is not None:
        told.append(f"From:    {request.command}")
    return [
        *told,
        f"Link:    {tc.told(port)}",
        f"Setting: aqm.{setting(port.law, port.parameters)}",
    ]


def _list(title: str, entries: list[str] | tuple[str, ...]) -> list[str]:
    return ["", f"{title}:", *(f"  - {entry}" for entry in entries)] if entries else []


def _common() -> list[str]:
    return ["bytes are those of frames, the link's header included: 14 B more than IP on Ethernet"]
