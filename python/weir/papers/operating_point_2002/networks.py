"""Where the conclusions hold: maps over rate and round trip, which the paper does not state."""

from __future__ import annotations

from weir.papers.claims import BELOW_ZERO, Claim, Part, at_most
from weir.papers.maps import ClaimMap
from weir.papers.operating_point_2002.claims_max_p import better_at
from weir.papers.operating_point_2002.claims_max_th import (
    below_knee,
    delay_variation,
    heavy_utilisation,
    light_loss,
    light_utilisation,
)
from weir.papers.operating_point_2002.shapes import LeastInside
from weir.papers.quantities import Level

_TITLES = ("Rate (Mbit/s)", "Round trip (ms)")
_AXES = ("rate", "rtt")
_USED = (10.0, 100.0)


def _curve() -> Level:
    return Level("networks-max-p", "red", "loss")


OVER_MAX_P = ClaimMap(
    "map-max-p",
    "Where the minimum over max_p is, 80 users, max_th 30",
    "The minimum is there on almost every network, and 0.3 betters 0.1 on almost every one. Where 80 users "
    "are a low load, 20 Mbit/s with a long round trip, the best max_p is a small one.",
    "networks-max-p",
    "networks-max-p",
    _AXES,
    _TITLES,
    (
        Claim(
            "A-2.4a",
            "the loss has a minimum between max_p 0.02 and 1",
            "section 4.3",
            (
                Part(LeastInside(_curve(), "first"), BELOW_ZERO),
                Part(LeastInside(_curve(), "last"), BELOW_ZERO),
            ),
        ),
        Claim(
            "A-2.6",
            "max_p 0.3 has less delay and less loss than 0.1",
            "section 4.3",
            (
                Part(better_at("delay_mean", "networks-max-p"), BELOW_ZERO),
                Part(better_at("loss", "networks-max-p"), BELOW_ZERO),
            ),
        ),
    ),
    _USED,
)

OVER_MAX_TH = ClaimMap(
    "map-max-th",
    "Where max_th matters to the use of the link, 10 and 80 users, max_p 0.1",
    "Delays of few and many users are alike where the pipe is small (lower left), the losses of few do "
    "not depend on max_th where it is large (upper right); a knee at 15 lies between. With many users the "
    "link is full everywhere.",
    "networks-max-th",
    "networks-max-th",
    _AXES,
    _TITLES,
    (
        Claim(
            "A-2.2",
            "up to half of the buffer, delays of 10 and 80 users differ by less than 25%",
            "section 4.2",
            (Part(delay_variation(experiment="networks-max-th"), at_most(25.0)),),
        ),
        Claim(
            "A-2.3a",
            "with 10 users the link is used less below max_th 15, and equally much above",
            "section 4.2",
            (
                Part(below_knee("networks-max-th"), at_most(-1.0)),
                Part(light_utilisation("networks-max-th"), at_most(2.0)),
            ),
        ),
        Claim(
            "A-2.3b",
            "with 10 users the loss does not depend on max_th above 15",
            "section 4.2",
            (Part(light_loss("networks-max-th"), at_most(1.0)),),
        ),
        Claim(
            "A-2.3c",
            "with 80 users the utilisation does not depend on max_th",
            "section 4.2",
            (Part(heavy_utilisation("networks-max-th"), at_most(2.0)),),
        ),
    ),
    _USED,
)

MAPS = (OVER_MAX_P, OVER_MAX_TH)
