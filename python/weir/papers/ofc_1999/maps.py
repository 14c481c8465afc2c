"""Where the rows of table 1 are met, over what the paper does not state."""

from __future__ import annotations

from weir.papers.maps import ClaimMap
from weir.papers.ofc_1999.claims import DROP_TAIL_ROW, RED_ROW, REM_ROW
from weir.papers.ofc_1999.experiments import PROPAGATION_MS, SAMPLES

_PROPAGATION = "Propagation round trip (ms)"

MAPS = (
    ClaimMap(
        "map-rem",
        "REM's row over N and the round trip",
        "REM's row of table 1 over the ACKs to an estimate and the round trip, to whose propagation "
        "sending adds 0.351 ms. tau, the round trip without queues, goes with it; the receive window is 21 "
        "packets.",
        "hosts",
        "base",
        ("N", "propagation"),
        ("N, ACKs to an estimate", _PROPAGATION),
        (REM_ROW,),
        (SAMPLES, PROPAGATION_MS),
    ),
    ClaimMap(
        "map-phase",
        "RED's and DropTail's rows over buffer and round trip",
        "The rows of RED and DropTail over the packets that may wait, and the round trip, to whose "
        "propagation sending adds 0.351 ms. 3.3817 and 3.3827 ms lie on both sides of 21 transmissions.",
        "phases",
        "base",
        ("limit", "propagation"),
        ("Packets that may wait", _PROPAGATION),
        (RED_ROW, DROP_TAIL_ROW),
        (50.0, PROPAGATION_MS),
    ),
)
