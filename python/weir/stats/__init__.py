"""Measures, intervals, paired differences and response times of finished runs; their numbers as text."""

from weir.run import WHOLE_RUN
from weir.stats import _analysis as analysis
from weir.stats import _responses as response_times
from weir.stats import wording
from weir.stats._analysis import ALL, bottleneck_rows, component_of
from weir.stats._ellipse import Ellipse
from weir.stats._grid import Cell, Grid, grid_cells, render_grid
from weir.stats._intervals import (
    CONFIDENCE,
    Difference,
    Interval,
    deviation,
    deviation_of,
    mean_interval,
    paired_difference,
    student_t,
    with_intervals,
)
from weir.stats._measures import (
    HEADLINE,
    MEASURES,
    MEASURES_BY,
    OVERVIEW,
    TRANSFER_MEASURES,
    By,
    Measure,
    MeasureError,
    check_measure,
    compared_measures,
    defined_measures,
    known_measure,
    measure_named,
    named_margins,
)
from weir.stats._responses import HOW_TO_ASK, NO_SERIES, ResponseError, moving_average, responses, times
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
