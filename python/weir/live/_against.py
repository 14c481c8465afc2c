"""The flow groups of a scenario as senders of the kernel: beside the same scenario simulated, or through a
queue of the kernel."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core
from weir._errors import WeirError
from weir.export import export
from weir.live import _senders
from weir.live._namespaces import FAR, Namespaces, tun_is_there
from weir.live._router import search_path
from weir.live._tun import DEVICE
from weir.scenario import declared
from weir.sweep import chosen_workers, plan_at_one_point, run_plan

if TYPE_CHECKING:
    from weir.live._spec import LiveSpec
    from weir.scenario import Scenario
    from weir.store import Store

_FIRST_PORT = 5001
_HEADERS_BYTES = 40
"""Bytes of the IPv4 and TCP headers without options: the kernel takes options from the segment."""

_MTU = 1500

_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


@dataclass(frozen=True)
class Senders:
    """Senders of the kernel that replace the simulated senders."""

    groups: tuple[dict[str, Any], ...]
    duration_s: float
    settings: dict[str, str]
    """TCP settings at both ends: key under /proc/sys/net to value."""

    @classmethod
    def of(cls, scenario: _core.Scenario, ways: _core.LiveWays) -> Senders:
        """Senders for the flow groups of a scenario. Raises WeirError for flows that the kernel, or one pair
        of ends, cannot have."""
        paths = scenario.network.paths
        passed = next(path for path in paths if path.group == ways.group)
        groups: list[dict[str, Any]] = []
        settings: dict[str, dict[str, str]] = {}
        for place, path in enumerate(paths):
            _check(path, passed, ways.rtt_s)
            tcp: dict[str, Any] = scenario.value(f"flows.{path.group}.tcp")
            jitter_s, _ = _core.quantity(scenario.value(f"flows.{path.group}.start_jitter"))
            groups.append(
                {
                    "port": _FIRST_PORT + place,
                    "congestion": kernel_name(path.group, next(iter(tcp["congestion"]))),
                    "mss": path.packet_bytes - _HEADERS_BYTES,
                    "changes": [(one.at_s, one.before, one.after) for one in path.load],
                    "jitter_s": jitter_s,
                }
            )
            settings[path.group] = {
                "ipv4/tcp_ecn": str(int(tcp["ecn"])),
                "ipv4/tcp_sack": str(int("sack" in tcp["recovery"])),
                "ipv4/tcp_timestamps": str(int(tcp["timestamps"])),
            }
            if settings[path.group] != settings[paths[0].group]:
                raise WeirError(
                    f"the groups {paths[0].group} and {path.group} differ in ECN, SACK or timestamps, which "
                    "the kernel has for all connections of an end",
                    "give both the same: tcp.ecn, tcp.recovery, tcp.timestamps",
                )
        return cls(tuple(groups), scenario.duration, settings[paths[0].group])

    def spec(self, base: LiveSpec, seed: int, router: str | None = None) -> LiveSpec:
        """The live run of these senders; `seed` draws when flows start. With the script of a `router` their
        queue is one of the kernel."""
        program = [sys.executable, "-I", "-S", str(Path(_senders.__file__))]
        plan = {"seed": seed, "duration_s": self.duration_s, "groups": self.groups}
        ports = [str(group["port"]) for group in self.groups]
        return replace(
            base,
            command=[*program, "send", FAR[0], json.dumps(plan)],
            far=[*program, "receive", *ports],
            settings=self.settings,
            controls=sorted({group["congestion"] for group in self.groups}),
            router=router,
        )


def kernel_queue(scenario: _core.Scenario, ways: _core.LiveWays) -> str:
    """Script of `tc` that gives the device of its argument the queue of the data's link.

    Raises ScenarioError for a link that the kernel cannot stand for, WeirError for a discipline that no
    kernel has, or this one has not.
    """
    link, direction, _ = ways.kernel_link(scenario)
    if not tun_is_there():
        raise WeirError("--against tc needs TUN devices", f"sudo chmod 666 {DEVICE}")
    if shutil.which("tc", path=search_path()) is None:
        raise WeirError("the command 'tc' is not installed", "apt install iproute2")
    exported = export(scenario, link if direction == "forward" else f"{link}.{direction}")
    if exported.closest is not None:
        raise WeirError(
            f"no kernel has this discipline; what comes closest is {exported.closest.discipline}",
            "--against simulation compares it with the simulator",
        )
    # Whether this kernel has it is seen before the first run.
    Namespaces(1, mtu=_MTU, congestion=None, ports=[], tun=True, router=exported.text).close()
    return exported.text


def simulate(scenario: Scenario, store: Store, seed: int, replications: int) -> _core.Scenario:
    """Simulates the scenario into the store, unless its runs are there; returns what was simulated."""
    seeded = scenario.with_seed(seed)
    plan = plan_at_one_point("run", seeded.core, [seeded.itself()], replications)
    with chosen_workers() as workers:
        run_plan(plan, store, workers)
    return seeded.core


def _check(path: _core.Path, passed: _core.Path, rtt_s: float) -> None:
    if path.traffic != "bulk":
        raise WeirError(
            f"the group {path.group} sends {path.traffic}, and Weir's own senders send data without end",
            "start what sends it yourself: weir live SCENARIO -- COMMAND",
        )
    if path.data != passed.data or path.acks != passed.acks:
        raise WeirError(
            f"the groups {passed.group} and {path.group} have different paths; a live run has one",
            "leave one of them out",
        )
    if path.base_rtt_s is None or abs(path.base_rtt_s - rtt_s) > 1e-6:
        raise WeirError(
            f"the group {path.group} has another round trip than {1e3 * rtt_s:.3g} ms, and all packets of a "
            "live run have one",
            f"give it the same: --set flows.{path.group}.rtt={1e3 * rtt_s:.6g}ms",
        )


def kernel_name(group: str, congestion: str) -> str:
    """Name in this kernel of the congestion control of a group. Raises WeirError if the kernel has none."""
    there = _AVAILABLE.read_text().split()
    name = _core.congestion_facts(congestion).kernel_name
    if name is None or name not in there:
        controls = [one.name for one in declared.choices_of("congestion")]
        known = sorted(one for one in controls if _core.congestion_facts(one).kernel_name in there)
        raise WeirError(
            f"this kernel has no {congestion}, which the group {group} uses",
            f"it has {', '.join(known)}: --set flows.{group}.tcp.congestion.{known[0]}={{}}",
        )
    return name
