"""What is run for the paper, and what stands for what."""

from __future__ import annotations

from weir.papers.paper import Experiment
from weir.papers.quantities import Level

PACKAGE = "rem_2001"
"""Where the numbers of ns-2 lie."""

REM = ("drop-tail", "rem-drop", "rem-mark")
"""The left panel of figure 2."""
RED = ("red-20-80-drop", "red-20-80-mark", "red-10-30-drop", "red-10-30-mark")
"""The right panel, with DropTail."""
MODIFIED = ("red-20-80", "red-10-30", "rem")
"""Wireless: sources that take no loss for congestion, queues that mark beyond max_th too."""
FORCED = ("red-20-80-forced", "red-10-30-forced", "rem")
"""The same where RED drops beyond max_th, as ns-2's does. REM knows no such threshold."""

SETTLED = 20.0
"""Seconds of each period of 50 s that are left out where a settled state is asked for."""

_WINDOWS = [f"ftp.{number}" for number in range(10)]
_FULL = 20
"""Replications; they are cheap enough."""

EXPERIMENTS = (
    Experiment(
        "wireline",
        "rem-wireline",
        "20 to 160 NewReno users on 64 Mbit/s, 20 more every 50 s: DropTail, RED and REM",
        set={
            "measure.period": "10 s",
            "measure.settle": "0 s",
            "measure.series": {"interval": "500 ms", "flows": _WINDOWS},
        },
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "reno",
        "rem-wireline",
        "the same with Reno's recovery, at 40, 100 and 160 users",
        variants=(*RED, "rem-mark"),
        set={
            "duration": "150 s",
            "flows.ftp.count": 40,
            "flows.ftp.population": "60 more every 50 s until 160",
            "flows.ftp.tcp.recovery": {"reno": {"once_per_window": True}},
            "measure.period": "10 s",
            "measure.settle": "0 s",
        },
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "gentle",
        "rem-wireline",
        "160 users from the start before RED that is gentle",
        variants=RED,
        set={
            "duration": "50 s",
            "flows.ftp.count": 160,
            "flows.ftp.population": "1 more every 50 s until 160",
            "links.bottleneck.aqm.red.gentle": True,
            "measure.settle": "20 s",
        },
        replications=_FULL,
    ),
    Experiment(
        "controllers",
        "papers/rem-2001-controllers",
        "REM by equations 2 and 3, PI with the same gains, and what has come since; a random wait of up to "
        "0.25 ms, two packet times, before each burst of a sender",
        replications=_FULL,
    ),
    Experiment(
        "parking-lot",
        "parking-lot",
        "ten flows over one, two and three bottlenecks that mark, ten more over each one alone",
        variants=("rem-mark", "red-mark"),
        axes={"hops": "links.hop.hops=1, 2, 3"},
        quick_axes={"hops": "links.hop.hops=1, 3"},
        set={"measure.series": {"interval": "100 ms"}},
        replications=_FULL,
    ),
    Experiment(
        "wireless",
        "papers/rem-2001-wireless",
        "20 to 100 users on a 2 Mbit/s link that loses 1% of its packets, 20 more every 50 s",
        variants=("drop-tail", *MODIFIED, *FORCED[:2]),
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "senders",
        "papers/rem-2001-wireless",
        "20 and 40 users: NewReno as it was before REM, and NewReno with timers as coarse as in 2000",
        variants=("rem-newreno", "drop-tail-2000"),
        set={"duration": "100 s"},
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "packets",
        "papers/rem-2001-wireless",
        "the same with packets of 48 and of 382 bytes",
        variants=("drop-tail", "rem"),
        axes={"packet": "flows.mobile.packet=48, 382 B"},
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "bursts",
        "papers/rem-2001-wireless",
        "20 users, the same 1% lost by itself and in bursts of 2, 5 and 10 packets on average",
        variants=("drop-tail", "rem"),
        axes={
            # to_bad = 0.01 / 0.99 x to_good: 1% of the packets.
            "to_good": "links.radio.loss.gilbert-elliott.to_good=0.99, 0.5, 0.2, 0.1; "
            "links.radio.loss.gilbert-elliott.to_bad=0.01, 0.0050505, 0.0020202, 0.0010101"
        },
        quick_axes={
            "to_good": "links.radio.loss.gilbert-elliott.to_good=0.99, 0.1; "
            "links.radio.loss.gilbert-elliott.to_bad=0.01, 0.0010101"
        },
        set={"duration": "50 s"},
        stage_s=50.0,
        replications=_FULL,
    ),
    Experiment(
        "mixed-path",
        "papers/rem-2001-mixed-path",
        "ten wireless and ten conventional users of a router that cannot mark",
        replications=_FULL,
    ),
)


def settled(variant: str, measure: str) -> Level:
    """Of the last 30 s of each period of the wireline experiment."""
    return Level("wireline", variant, measure, when="stages", after_s=SETTLED)


def period(variant: str, measure: str, experiment: str = "wireline") -> Level:
    """Of each whole period, as the paper's figures have it."""
    return Level(experiment, variant, measure, when="stages")


def wireless(variant: str, measure: str, after_s: float = 0.0) -> Level:
    """Of each period of the wireless experiment."""
    return Level("wireless", variant, measure, when="stages", after_s=after_s)
