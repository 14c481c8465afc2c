"""Traffic from a capture: its transfers as flows that react, with sizes, arrivals and round trips."""

from weir.traffic._captured import Captured, Values, plain, quantiles, read
from weir.traffic._comments import other_direction
from weir.traffic._written import Link, cdf_of, scenario_of

__all__ = ["Captured", "Link", "cdf_of", "other_direction", "plain", "quantiles", "read", "scenario_of"]
