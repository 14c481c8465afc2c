"""What is run: the network of section 3, and everything around it that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from weir.papers.paper import Experiment

if TYPE_CHECKING:
    from weir.toml import Value

SCENARIO = "papers/ofc-1999-base"

SENDING_MS = 0.351
"""Of a round trip, beside propagation: to send a packet on three links, and its ACK."""
PROPAGATION_MS = 3.3827
"""Of the main runs: 3.734 ms in all, 21 packets of the link, rounded up."""
SAMPLES = 75
"""ACKs to an estimate, of the main runs."""

_BINS = "100 ms"
# The series are wanted in the main runs alone; they cannot be taken out, but made short.
_NO_SERIES = {"measure.series.interval": "10 s"}
_REM, _QUEUES = "rem", ("red", "drop-tail")

_PROPAGATION = (
    "2.6487", "2.8487", "3", "3.0487", "3.1487", "3.2487", "3.2987", "3.3487", "3.3817", "3.3827",
    "3.3987", "3.4087", "3.4487", "3.5487", "3.7333", "3.8487", "4.6487",
)  # fmt: skip
_OF_HOSTS = (("2.6487", "3"), ("3.0487", "3.4"), ("3.3827", "3.734"), ("3.8487", "4.2"), ("4.6487", "5"))
"""Propagation, and the whole round trip, ms."""


def _paths(path: str, values: str) -> str:
    """An axis of both groups of sources."""
    return "; ".join(f"flows.{group}.{path}={values}" for group in ("odd", "even"))


def _both(values: Mapping[str, Value]) -> dict[str, Value]:
    return {f"flows.{group}.{path}": value for group in ("odd", "even") for path, value in values.items()}


_ACROSS = ", ".join(f"{one} ms" for one in _PROPAGATION)
_QUICK_ACROSS = ", ".join(f"{one} ms" for one in _PROPAGATION[3:-3:2])
_ROUND_TRIPS = "; ".join(
    (
        _paths("rtt", ", ".join(f"{one} ms" for one, _ in _OF_HOSTS)),
        _paths("tcp.congestion.rem-host.base_rtt", ", ".join(f"{one} ms" for _, one in _OF_HOSTS)),
    )
)
_QUICK_ROUND_TRIPS = "; ".join(
    (
        _paths("rtt", ", ".join(f"{one} ms" for one, _ in _OF_HOSTS[1:4])),
        _paths("tcp.congestion.rem-host.base_rtt", ", ".join(f"{one} ms" for _, one in _OF_HOSTS[1:4])),
    )
)


EXPERIMENTS = (
    Experiment(
        "base",
        SCENARIO,
        "experiments 1 and 2 of the paper, with receive rates in bins of 100 ms",
        (_REM, "differentiated", *_QUEUES),
        set={"measure.period": _BINS},
        replications=20,
        quick=5,
    ),
    Experiment(
        "instant",
        SCENARIO,
        "experiment 1 without jitter of the starts: chance is left to the marks alone",
        (_REM, *_QUEUES),
        set={**_NO_SERIES, **_both({"jitter": "0 s"})},
        replications=20,
        quick=5,
    ),
    Experiment(
        "others",
        SCENARIO,
        "what else the words of the paper might mean",
        ("rem-long-tau", "rem-least-tau", "red-drop", "red-uniform", "drop-tail-49"),
        set={**_NO_SERIES, "measure.period": _BINS},
        replications=20,
        quick=5,
    ),
    Experiment(
        "hosts",
        SCENARIO,
        "REM over the two settings of its hosts' surroundings that the paper does not give",
        (_REM,),
        axes={
            "N": _paths("tcp.congestion.rem-host.samples", "20, 50, 75, 100, 150"),
            "propagation": _ROUND_TRIPS,
        },
        quick_axes={
            "N": _paths("tcp.congestion.rem-host.samples", "20, 75, 150"),
            "propagation": _QUICK_ROUND_TRIPS,
        },
        set={**_NO_SERIES, "links.bottleneck.delay": "1.1 ms"},
        replications=20,
        quick=5,
    ),
    Experiment(
        "phases",
        SCENARIO,
        "RED and DropTail over the round trip, and over what the buffer holds",
        _QUEUES,
        axes={
            "limit": "links.bottleneck.buffer=49, 50, 51 packets",
            "propagation": _paths("rtt", _ACROSS),
        },
        quick_axes={
            "limit": "links.bottleneck.buffer=49, 50 packets",
            "propagation": _paths("rtt", _QUICK_ACROSS),
        },
        # A shorter link leaves room for short round trips; what it takes from them, the access adds.
        set={**_NO_SERIES, "links.bottleneck.delay": "1.1 ms"},
        replications=10,
        quick=5,
    ),
    Experiment(
        "waits",
        SCENARIO,
        "a random wait of each packet at its sender, up to two packet times",
        (_REM, *_QUEUES),
        axes={"wait": _paths("send_jitter", "0, 20, 50, 100, 178, 356 us")},
        quick_axes={"wait": _paths("send_jitter", "0, 50, 178, 356 us")},
        set=_NO_SERIES,
        replications=20,
        quick=5,
    ),
    Experiment(
        "as-ns2",
        SCENARIO,
        "as the runs of ns-2.35 were set up: its Tahoe, and a round trip without the time of sending",
        ("drop-tail-49", "red", "red-drop"),
        axes={"propagation": _paths("rtt", "3, 3.7333 ms")},
        set={
            **_NO_SERIES,
            "links.bottleneck.delay": "1.1 ms",
            **_both(
                {
                    "tcp.limited_transmit": True,
                    "tcp.handshake": True,
                    "tcp.clock_granularity": "10 ms",
                }
            ),
        },
        replications=20,
        quick=5,
    ),
    Experiment(
        "bins",
        SCENARIO,
        "receive rates in shorter and longer bins",
        (_REM, "red"),
        axes={"bin": "measure.period=20, 50, 100, 200 ms"},
        set=_NO_SERIES,
        replications=10,
        quick=5,
    ),
    Experiment(
        "today",
        "papers/ofc-1999-today",
        "CUBIC with CoDel, FQ-CoDel, PIE and DualPI2, and DCTCP, on the same network",
        set={"measure.period": _BINS},
        replications=20,
        quick=5,
    ),
)
