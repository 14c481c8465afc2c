"""What the paper's stability test says of the gain, and what runs say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weir.papers.claims import BELOW_ZERO, Claim, Part, at_most
from weir.papers.data import Sample, Study
from weir.papers.hred_2003.measured import OfSeries, cycle
from weir.papers.hred_2003.parameters import CAPACITY, MAX_TH, MIN_TH, PACKET, RTT_MEAN, K
from weir.papers.quantities import Of, rank

HALF_BAND = 62.5
"""kB: a swing of so much about the middle of the band touches it on both sides."""


def _amplitude(values: Mapping[str, NDArray[np.float64]]) -> float:
    return cycle(values["queue"]) * PACKET / 1e3


def _measured_gain(values: Mapping[str, NDArray[np.float64]]) -> float:
    """Equation (7) at the queue and the line that the run had."""
    queue = float(values["queue"].mean()) * PACKET
    slope = float((values["p_max"] - values["p_min"]).mean()) / (MAX_TH - MIN_TH)
    return (queue + CAPACITY * RTT_MEAN) / (2.0 * float(values["probability"].mean())) * slope


_LINE = ("queue", "p_min", "p_max", "probability")
AMPLITUDE = OfSeries("amplitude of the limit cycle", "kB", "gain", "hred", _amplitude)
GAIN = OfSeries("gain |S|", "", "gain", "hred", _measured_gain, _LINE)


def _along_k(study: Study) -> list[Sample]:
    """At every load, how the amplitude goes with K."""
    return [
        Sample(f"{load:g} flows", load, rank(AMPLITUDE.where(load=(load,))).samples(study)[0].values)
        for load in study["gain"].levels("load")
    ]


GAIN_CLAIMS = (
    Claim(
        "A-3.5",
        "With its K of 2, HRED's gain is below 1 and there is no limit cycle of more than half the band",
        "section III, equation (7); section IV",
        (
            Part(GAIN.where(k=(K,)), at_most(1.0)),
            Part(AMPLITUDE.where(k=(K,)), at_most(HALF_BAND)),
        ),
        note=(
            "The gain is equation (7) at the queue and the line that the runs had, for the mean round trip. "
            "The amplitude is that of a sine with the covariance that the queue has with itself one period "
            "later: noise has none there."
        ),
    ),
    Claim(
        "P-8",
        "A flatter line (a larger K) is steadier, as its gain is lower",
        "section III, equation (7)",
        (Part(Of("rank correlation of K and the amplitude of the limit cycle", "", _along_k), BELOW_ZERO),),
        note=(
            "It is the other way round. Equation (7) looks at the line alone; p_min moves as well, by steps "
            "that do not depend on K. The flatter the line, the more of the control is left to these steps, "
            "which integrate, and late. With 100 flows and K = 8 the queue swings by 160 kB about its mean "
            "at a gain |S| of a quarter; with K = 1/2 by 9 kB at a gain of nearly 3. With 1000 flows "
            "nothing swings much. The paper says that |S| above 1 only may be unstable; below 1 is no proof "
            "of the contrary either."
        ),
    ),
)
