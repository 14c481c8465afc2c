"""What is run: the sweep over flows, its variations, and where claims look for their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weir.papers.paper import Experiment
from weir.papers.quantities import Level

SCENARIO = "papers/nlred-comparison-2013"

PAPERS = ("drop-tail", "gred", "nlred", "rem")
"""The queues that the paper compares."""
ACTIVE = ("gred", "nlred", "rem")
OTHERS = ("drop-tail", "gred", "rem")
"""Those that NLRED is said to beat."""
PLAIN = "-plain"
"""What the name of a variant without the habits of ns-2 ends with."""
READINGS = ("nlred-1", "nlred-gentle", "red")
"""Other readings of NLRED, and what it is made from."""
NEWER = ("codel", "pie", "fq-codel", "dualpi2")
CUBIC = ("cubic-drop-tail", "cubic-nlred")
MAX_P = {"gred": ("gred", "gred-3", "gred-5"), "nlred": ("nlred", "nlred-3", "nlred-5")}
"""Each at max_p 0.1, 0.3 and 0.5."""

FLOWS = "flows.ftp.count=20..120 by 20"
FEW = "flows.ftp.count=20, 60, 120"
MIDDLE = "flows.ftp.count=60"

STEPS_S = 25.0
"""Between the lengths of runs in figures 8 and 9."""

_TWO_PACKETS = "flows.ftp.send_jitter"
_RATES = (5, 10, 20, 40)
_ROUND_TRIPS = "flows.ftp.rtt=25, 50, 100, 200 ms"
_LONG_ROUND_TRIPS = "flows.ftp.rtt=100, 200 ms"


def two_packet_times(rate: float) -> str:
    """Of packets of 512 bytes, at a rate in Mbit/s."""
    return f"{2 * 512 * 8 / rate:.1f} us"


def _rates(rates: Sequence[float], *, jitter: bool) -> str:
    """An axis of rates; the random wait with them if there is one."""
    axis = f"links.bottleneck.rate={', '.join(f'{rate:g} Mbit/s' for rate in rates)}"
    if not jitter:
        return axis
    return f"{axis}; {_TWO_PACKETS}={', '.join(map(two_packet_times, rates))}"


MAIN = Experiment(
    "flows",
    SCENARIO,
    "20 to 120 flows on 20 Mbit/s with 100 ms, before DropTail, GRED, NLRED and REM; RED, and NLRED read in "
    "two other ways",
    variants=(*PAPERS, *READINGS),
    axes={"flows": FLOWS},
    quick_axes={"flows": FEW},
    quick=4,
)

SPREAD_OUT = Experiment(
    "wait",
    SCENARIO,
    "the same where each packet leaves its sender after a random wait of up to two packet times",
    variants=PAPERS,
    axes={"flows": FLOWS},
    quick_axes={"flows": MIDDLE},
    set={_TWO_PACKETS: two_packet_times(20)},
    replications=5,
    quick=3,
)

SENSITIVITY = Experiment(
    "max-p",
    SCENARIO,
    "GRED and NLRED with max_p of 0.1, 0.3 and 0.5",
    variants=(*MAX_P["gred"], *MAX_P["nlred"]),
    axes={"flows": FLOWS},
    quick_axes={"flows": MIDDLE},
    replications=6,
    quick=3,
)

LENGTHS = Experiment(
    "time",
    SCENARIO,
    "runs of 150 s, counted from their beginning to every 25 s",
    variants=PAPERS,
    axes={"flows": FEW},
    quick_axes={"flows": MIDDLE},
    set={
        "duration": "150 s",
        "measure.warm_up": "0 s",
        "measure.period": f"{STEPS_S:g} s",
        "measure.settle": "0 s",
    },
    replications=6,
    quick=3,
)

TODAY = Experiment(
    "today",
    SCENARIO,
    "the same before CoDel, PIE, FQ-CoDel and DualPI2; and CUBIC sources before DropTail and NLRED",
    variants=("nlred", *NEWER, *CUBIC),
    axes={"flows": FLOWS},
    quick_axes={"flows": MIDDLE},
    replications=5,
    quick=3,
)


def _without(experiment: Experiment, about: str, axes: Mapping[str, str] | None = None) -> Experiment:
    """The same with RED and what comes of it as in their own papers."""
    variants = tuple(
        name if name in ("drop-tail", "rem") else f"{name}{PLAIN}"
        for name in experiment.variants
        if name != "nlred-gentle"
    )
    return replace(
        experiment,
        name=f"without-{experiment.name}",
        about=about,
        variants=variants,
        axes=experiment.axes if axes is None else axes,
    )


WITHOUT = (
    _without(MAIN, "20 to 120 flows; GRED, NLRED and RED without the habits of ns-2"),
    _without(SENSITIVITY, "three max_p; GRED and NLRED without the habits of ns-2"),
    _without(
        LENGTHS,
        "60 flows for 150 s; GRED and NLRED without the habits of ns-2",
        {"flows": MIDDLE},
    ),
)
"""MAIN, SENSITIVITY and LENGTHS, of which the claims speak, without habits."""

HABITS = Experiment(
    "habits",
    SCENARIO,
    "GRED and NLRED without the habits of ns-2.35, with one of them, and with all",
    variants=tuple(
        f"{family}{habit}"
        for family in ("gred", "nlred")
        for habit in (PLAIN, "-idle", "-early", "-spare", "")
    ),
    axes={"flows": FEW},
    quick_axes={"flows": "flows.ftp.count=20"},
    replications=5,
    quick=3,
)

NS2_SLOW = Experiment(
    "ns2-10",
    SCENARIO,
    "10 Mbit/s and 50 ms, DropTail and REM too with the habits of ns-2.35, which was run so",
    variants=("as-ns2-drop-tail", *MAX_P["gred"], "as-ns2-rem"),
    axes={"flows": FLOWS},
    quick_axes={"flows": MIDDLE},
    set={"links.bottleneck.rate": "10 Mbit/s", "flows.ftp.rtt": "50 ms"},
    replications=5,
    quick=3,
)

NS2_FAST = Experiment(
    "ns2-30",
    SCENARIO,
    "30 Mbit/s and 100 ms, DropTail and REM too with the habits of ns-2.35, which was run so",
    variants=("as-ns2-drop-tail", "gred", "as-ns2-rem"),
    axes={"flows": FEW},
    quick_axes={"flows": MIDDLE},
    set={"links.bottleneck.rate": "30 Mbit/s"},
    replications=5,
    quick=3,
)

PLACES = Experiment(
    "places",
    SCENARIO,
    "four rates and four round trips, at 20, 60 and 120 flows; GRED, NLRED also without the habits of ns-2",
    variants=(*PAPERS, f"gred{PLAIN}", f"nlred{PLAIN}"),
    axes={"rate": _rates(_RATES, jitter=False), "rtt": _ROUND_TRIPS, "flows": FEW},
    quick_axes={"rate": _rates((5,), jitter=False), "rtt": "flows.ftp.rtt=100 ms"},
    replications=5,
    quick=3,
)

PLACES_SPREAD_OUT = Experiment(
    "places-wait",
    SCENARIO,
    "the longer two of these round trips with the random wait of up to two packet times",
    variants=PAPERS,
    axes={"rate": _rates(_RATES, jitter=True), "rtt": _LONG_ROUND_TRIPS, "flows": FEW},
    quick_axes={"rate": _rates((5,), jitter=True), "rtt": "flows.ftp.rtt=100 ms"},
    replications=5,
    quick=3,
)

EXPERIMENTS = (
    MAIN, SPREAD_OUT, SENSITIVITY, LENGTHS, *WITHOUT, HABITS, TODAY, NS2_SLOW, NS2_FAST, PLACES,
    PLACES_SPREAD_OUT,
)  # fmt: skip

SMALL = (20.0, 40.0)
"""Numbers of flows below the 50 up to which NLRED's queue is said to grow faster."""
LARGE = (60.0, 80.0, 100.0, 120.0)
BEYOND_60 = (80.0, 100.0, 120.0)
NEAR_100 = (100.0, 120.0)
"""120 stands for it with `--quick`, and in the maps."""


def level(
    variant: str,
    measure: str,
    flows: Sequence[float] | float | None = None,
    experiment: Experiment = MAIN,
) -> Level:
    """A measure of a variant against flows, or at some of their numbers."""
    return Level(experiment.name, variant, measure, {} if flows is None else {"flows": flows})
