"""Measures, intervals, paired differences and response times of finished runs; their numbers as text."""

from weir.run._tables import WHOLE_RUN
from weir.stats import wording
from weir.stats._analysis import ALL, bottleneck_rows
from weir.stats._ellipse import Ellipse
from weir.stats._intervals import (
    CONFIDENCE,
    Difference,
    Interval,
    mean_interval,
    paired_difference,
    student_t,
)
from weir.stats._measures import HEADLINE, MEASURES, Measure
from weir.stats._responses import ResponseError, moving_average, times
from weir.stats._responses import estimates as response_estimates
from weir.stats._spectrum import peak_period, spectrum

__all__ = [
    "ALL",
    "CONFIDENCE",
    "HEADLINE",
    "MEASURES",
    "WHOLE_RUN",
    "Difference",
    "Ellipse",
    "Interval",
    "Measure",
    "ResponseError",
    "bottleneck_rows",
    "mean_interval",
    "moving_average",
    "paired_difference",
    "peak_period",
    "response_estimates",
    "spectrum",
    "student_t",
    "times",
    "wording",
]
