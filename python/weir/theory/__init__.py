"""What the papers say should come out, computed without the simulator.

    from weir.theory import Study, network_of

    study = Study.run(network_of(weir.Scenario.load("mine.toml")))
    study.rates, study.prices      # what is reached, and the optimum beside it

Optimisation flow control (Lapsley and Low 1999): `synchronous` and `asynchronous` run its algorithm,
`optimum` finds the same rates and prices with another solver. `equilibrium` has short formulas for one
link. This package shares no code with the simulator: where both should agree, a test says so.
"""

from weir.theory._algorithm import (
    Order,
    Timing,
    Trajectory,
    asynchronous,
    local_bound,
    sharp_bound,
    synchronous,
    theorem_bound,
)
from weir.theory._equilibrium import (
    Host,
    Settled,
    mean_window,
    red_queue,
    rem_hosts,
    rem_price,
    reno_probability,
)
from weir.theory._network import EXAMPLES, Link, Network, Source, Vector
from weir.theory._optimum import Conditions, Optimum, conditions, optimum
from weir.theory._reading import network_of
from weir.theory._study import Study
from weir.theory._utility import TheoryError, Utility

__all__ = [
    "EXAMPLES",
    "Conditions",
    "Host",
    "Link",
    "Network",
    "Optimum",
    "Order",
    "Settled",
    "Source",
    "Study",
    "TheoryError",
    "Timing",
    "Trajectory",
    "Utility",
    "Vector",
    "asynchronous",
    "conditions",
    "local_bound",
    "mean_window",
    "network_of",
    "optimum",
    "red_queue",
    "rem_hosts",
    "rem_price",
    "reno_probability",
    "sharp_bound",
    "synchronous",
    "theorem_bound",
]
