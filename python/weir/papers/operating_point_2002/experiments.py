"""What is run: RED over its parameters and loads, and laws that move its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.papers.operating_point_2002.targets import TARGETS, Target
from weir.papers.paper import Experiment

if TYPE_CHECKING:
    from weir.toml import Value

SCENARIO = "papers/operating-point-2002"
RED = "links.bottleneck.aqm.red"
USERS = "flows.ftp.count=5, 10, 20, 40, 80, 100"
MAX_P = f"{RED}.max_p=0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1"
FEW_MAX_P = f"{RED}.max_p=0.02, 0.1, 0.3, 0.5, 1"
HABITS = ("red", "red-reno", "red-tcp-2000", "red-in-step", "red-plain", "red-1993", "red-gentle")
"""RED as the paper has it, then with one thing changed at a time."""
COMPANY = ("drop-tail", "red", "codel", "pie", "fq-codel", "dualpi2")

MAX_TH = Experiment(
    "max-th",
    SCENARIO,
    "RED over max_th at six loads and two weights, max_p 0.1",
    variants=("red",),
    axes={
        "w_q": f"{RED}.w_q=0.002, 0.005",
        "N": USERS,
        "max_th": f"{RED}.max_th=6..50 packets by 4",
    },
    quick_axes={
        "N": "flows.ftp.count=10, 20, 80",
        "max_th": f"{RED}.max_th=6, 18, 30, 50 packets",
    },
    quick=3,
)

MAX_P_BY_MAX_TH = Experiment(
    "max-p",
    SCENARIO,
    "RED over max_p at five max_th, 80 users",
    variants=("red",),
    axes={"max_th": f"{RED}.max_th=10..50 packets by 10", "max_p": MAX_P},
    quick_axes={"max_th": f"{RED}.max_th=10, 30, 50 packets", "max_p": FEW_MAX_P},
    quick=4,
)

MAX_P_BY_LOAD = Experiment(
    "loads",
    SCENARIO,
    "RED over max_p at six loads, max_th 30",
    variants=("red",),
    axes={"N": USERS, "max_p": MAX_P},
    quick_axes={"N": "flows.ftp.count=10, 20, 80", "max_p": FEW_MAX_P},
    quick=3,
)


def _habits(
    name: str, about: str, axes: dict[str, str], quick: dict[str, str], users: int | None = None
) -> Experiment:
    return Experiment(
        name,
        SCENARIO,
        about,
        variants=HABITS,
        axes=axes,
        quick_axes=quick,
        set={"flows.ftp.count": users} if users else {},
        replications=5,
        quick=3,
    )


HABITS_HEAVY = _habits(
    "habits",
    "one habit of sender or queue changed at a time, over max_p at three max_th, 80 users",
    {"max_th": f"{RED}.max_th=10, 30, 50 packets", "max_p": MAX_P},
    {"max_th": f"{RED}.max_th=30 packets", "max_p": f"{RED}.max_p=0.02, 0.1, 0.3, 1"},
)
HABITS_LIGHT = _habits(
    "habits-light",
    "the same with 20 users, max_th 30",
    {"max_p": MAX_P},
    {"max_p": f"{RED}.max_p=0.02, 0.1, 1"},
    users=20,
)
HABITS_MAX_TH = _habits(
    "habits-max-th",
    "the same over max_th at two loads, max_p 0.1",
    {"N": "flows.ftp.count=10, 80", "max_th": f"{RED}.max_th=6, 10, 18, 26, 38, 50 packets"},
    {"N": "flows.ftp.count=10", "max_th": f"{RED}.max_th=6, 18, 50 packets"},
)

NS2_NETWORK = {"flows.ftp.rtt": "50 ms", "flows.ftp.send_jitter": "0 s"}
"""What the runs of ns-2 have other than ours."""
AS_NS2_MAX_TH = Experiment(
    "as-ns2-max-th",
    SCENARIO,
    "RED over max_th with a round trip of 50 ms, as ns-2.35 ran it",
    variants=("red",),
    axes={"N": "flows.ftp.count=10, 20, 40, 80", "max_th": f"{RED}.max_th=10, 15, 20, 30, 40, 50 packets"},
    quick_axes={"N": "flows.ftp.count=10, 80", "max_th": f"{RED}.max_th=10, 30, 50 packets"},
    set=NS2_NETWORK,
    replications=5,
    quick=3,
)
AS_NS2_MAX_P = Experiment(
    "as-ns2-max-p",
    SCENARIO,
    "RED and gentle RED over max_p with a round trip of 50 ms, max_th 30, as ns-2.35 ran them",
    variants=("red", "red-gentle"),
    axes={"N": "flows.ftp.count=10, 20, 40, 80", "max_p": MAX_P},
    quick_axes={"N": "flows.ftp.count=10, 80", "max_p": f"{RED}.max_p=0.02, 0.2, 1"},
    set=NS2_NETWORK,
    replications=5,
    quick=3,
)

# --- Operating points -------------------------------------------------------------------------------------

GRID = Experiment(
    "grid",
    SCENARIO,
    "RED with fixed parameters: the points of delay and loss that can be had",
    variants=("red-plain",),
    axes={
        "N": "flows.ftp.count=10, 20, 40, 80",
        "max_th": f"{RED}.max_th=10..50 packets by 8",
        "max_p": f"{RED}.max_p=0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5",
    },
    quick_axes={
        "max_th": f"{RED}.max_th=10, 26, 50 packets",
        "max_p": f"{RED}.max_p=0.1, 0.3, 0.5",
    },
    replications=5,
    quick=3,
)


def _aiming(users: int) -> Experiment:
    return Experiment(
        f"op-red-{users}",
        SCENARIO,
        f"OP-RED on the way to {len(TARGETS[users])} targets of delay and loss, {users} users",
        variants=("op-red",),
        axes=_asking("op-red", TARGETS[users]),
        quick_axes=_asking("op-red", _few(users)),
        set={"flows.ftp.count": users},
        replications=5,
        quick=3,
    )


def _floyd(users: int) -> Experiment:
    return Experiment(
        f"adaptive-red-{users}",
        SCENARIO,
        f"Adaptive RED with the delays of these targets, {users} users",
        variants=("adaptive-red",),
        axes=_asking("adaptive-red", TARGETS[users]),
        quick_axes=_asking("adaptive-red", _few(users)),
        set={"flows.ftp.count": users},
        replications=5,
        quick=3,
    )


def _few(users: int) -> Sequence[Target]:
    """One target for each load with --quick: those in the middle, that can be had and that cannot in turn."""
    return TARGETS[users][1:2] if users in {10, 40} else TARGETS[users][4:5]


def _asking(law: str, targets: Sequence[Target]) -> dict[str, str]:
    path = f"links.bottleneck.aqm.{law}"
    axis = f"{path}.target_delay=" + ", ".join(f"{target.delay:g} ms" for target in targets)
    if law == "op-red":
        axis += f"; {path}.target_loss=" + ", ".join(f"{target.loss / 100.0:g}" for target in targets)
    return {"target": axis}


AIMING = tuple(make(users) for make in (_aiming, _floyd) for users in TARGETS)
SELF_CONFIGURING = Experiment(
    "feng-red",
    SCENARIO,
    "self-configuring RED, which knows no target, at four loads",
    variants=("feng-red",),
    axes={"N": "flows.ftp.count=10, 20, 40, 80"},
    replications=5,
    quick=3,
)
CHANGING_TARGETS = Experiment(
    "targets",
    SCENARIO,
    "OP-RED while its targets change every 200 s, 20 users",
    variants=("op-red-targets",),
    stage_s=200.0,
    replications=5,
    quick=3,
)
CHANGING_LOADS = Experiment(
    "changing-loads",
    SCENARIO,
    "20, 80, 20 and 40 users, 200 s each, at one target",
    variants=("op-red-loads", "adaptive-red-loads", "feng-red-loads"),
    stage_s=200.0,
    replications=5,
    quick=3,
)

# --- Settings that the paper does not state ---------------------------------------------------------------

_NETWORKS = {
    # The random wait stays two packet times.
    "rate": "links.bottleneck.rate=2, 5, 10, 20 Mbit/s; flows.ftp.send_jitter=8, 3.2, 1.6, 0.8 ms",
    "rtt": "flows.ftp.rtt=20, 50, 100, 200 ms",
}
_FEW_NETWORKS = {
    "rate": "links.bottleneck.rate=5, 10 Mbit/s; flows.ftp.send_jitter=3.2, 1.6 ms",
    "rtt": "flows.ftp.rtt=100 ms",
}
NETWORKS_MAX_P = Experiment(
    "networks-max-p",
    SCENARIO,
    "RED over max_p on 16 networks, 80 users, max_th 30",
    variants=("red",),
    axes={**_NETWORKS, "max_p": FEW_MAX_P},
    quick_axes={**_FEW_NETWORKS, "max_p": f"{RED}.max_p=0.02, 0.1, 0.3, 1"},
    replications=6,
    quick=3,
)
NETWORKS_MAX_TH = Experiment(
    "networks-max-th",
    SCENARIO,
    "RED over max_th on 16 networks, 10 and 80 users, max_p 0.1",
    variants=("red",),
    axes={**_NETWORKS, "N": "flows.ftp.count=10, 80", "max_th": f"{RED}.max_th=6, 10, 18, 30, 50 packets"},
    quick_axes={**_FEW_NETWORKS, "max_th": f"{RED}.max_th=6, 18, 50 packets"},
    replications=5,
    quick=3,
)

# --- Today ------------------------------------------------------------------------------------------------


def _company(name: str, about: str, changed: dict[str, Value]) -> Experiment:
    return Experiment(
        name,
        SCENARIO,
        about,
        variants=COMPANY,
        axes={"N": "flows.ftp.count=5, 10, 20, 40, 80"},
        quick_axes={"N": "flows.ftp.count=10, 80"},
        set=changed,
        replications=5,
        quick=3,
    )


TODAY = _company("today", "RED beside DropTail, CoDel, PIE, FQ-CoDel and DualPI2 at five loads", {})
TODAY_CUBIC = _company("today-cubic", "the same under CUBIC", {"flows.ftp.tcp.congestion.cubic": {}})

EXPERIMENTS = (
    MAX_TH, MAX_P_BY_MAX_TH, MAX_P_BY_LOAD,
    HABITS_HEAVY, HABITS_LIGHT, HABITS_MAX_TH, AS_NS2_MAX_TH, AS_NS2_MAX_P,
    GRID, *AIMING, SELF_CONFIGURING, CHANGING_TARGETS, CHANGING_LOADS,
    NETWORKS_MAX_P, NETWORKS_MAX_TH, TODAY, TODAY_CUBIC,
)  # fmt: skip
