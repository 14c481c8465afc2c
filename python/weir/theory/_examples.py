"""Networks to look at: mixed utilities, a bound of each kind that holds."""

from __future__ import annotations

from weir.theory._network import Link, Network, Source
from weir.theory._utility import Utility


def dumbbell() -> Network:
    """One link of 5625 packets/s, that of Lapsley and Low (1999), shared by five who value it differently."""
    path = ("bottleneck",)
    return Network(
        (Link("bottleneck", 5625.0),),
        (
            Source("plain", path, Utility.log_one_plus(5626.0)),
            Source("double", path, Utility.log_one_plus(11252.0)),
            Source("capped", path, Utility.log(11252.0), greatest=900.0),
            Source("assured", path, Utility.log(1000.0), least=600.0),
            Source("reno-like", path, Utility.fair(4e6, 2.0)),
        ),
        "dumbbell",
    )


def parking_lot() -> Network:
    """Three links in a row; one crosses them all, one two, and each link has a source of its own."""
    return Network(
        (Link("first", 1000.0), Link("second", 800.0), Link("third", 1200.0)),
        (
            Source("long", ("first", "second", "third"), Utility.log(1000.0), least=50.0),
            Source("middle", ("first", "second"), Utility.fair(4e5, 2.0), least=260.0),
            Source("a", ("first",), Utility.log_one_plus(1000.0)),
            Source("b", ("second",), Utility.log(2000.0)),
            Source("c", ("third",), Utility.log_one_plus(3000.0), greatest=700.0),
            Source("d", ("third",), Utility.fair(100.0, 0.5)),
        ),
        "parking-lot",
    )


EXAMPLES = {"dumbbell": dumbbell, "parking-lot": parking_lot}
"""By the name that `weir theory ofc --example` knows."""
