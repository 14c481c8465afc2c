"""Predictions of the papers, computed without the simulator.

    from weir.theory import Study, network_of

    study = Study.run(network_of(weir.Scenario.load("mine.toml")))
    study.rates, study.prices      # what is reached, and the optimum beside it

Optimisation flow control (Lapsley and Low 1999): `synchronous` and `asynchronous` run its algorithm,
`optimum` finds the same rates and prices with another solver. `equilibrium` has short formulas for one link.
`system_of` reads a scenario as a queue and its senders, of which `analyse` tells operating point, margins,
roots, period and deviation. This package shares no code with the simulator: where both should agree, a test
says so.
"""

from typing import TYPE_CHECKING

from weir._lazy import first_use
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
from weir.theory._analysis import Analysis, Prediction, Swing, analyse, swing_of
from weir.theory._aqms import AdaptiveRed, Integrator, Red, continuous_pi, dualpi2, pi, pi2, pie, rem
from weir.theory._balance import CUBIC_K, Balance, Path, Sender, balance
from weir.theory._bifurcation import RedMap, ranjan
from weir.theory._boundary import boundary
from weir.theory._constants import by_rounds, codel_rate, codel_time, independent
from weir.theory._design import Designed, design
from weir.theory._equilibrium import (
    Host,
    Settled,
    mean_window,
    red_queue,
    rem_hosts,
    rem_price,
    reno_probability,
)
from weir.theory._flags import Flag
from weir.theory._fluid import Course, Phase, integrate
from weir.theory._gains import (
    PiDesign,
    coupling,
    hred_least_k,
    hred_loop_gain,
    pi2_alpha,
    pi2_gains,
    pi_design,
    red_crossover,
    red_slope,
    red_weight,
)
from weir.theory._margins import Crossover, Margins, frequency_span, margins_of
from weir.theory._model import Reading, system_of
from weir.theory._network import EXAMPLES, Link, Network, Source, Vector
from weir.theory._noise import Noise, noise_of
from weir.theory._optimum import Conditions, Optimum, conditions, optimum
from weir.theory._plant import QueueLoop, RateLoop, intensity, loop_of
from weir.theory._point import Point, System, operating_point
from weir.theory._reading import network_of
from weir.theory._realised import Complex, Realisation
from weir.theory._region import Region, RegionAxis, region
from weir.theory._resting import Resting, resting
from weir.theory._roots import Roots, roots_of
from weir.theory._senders import PACKET_CUT, PAPER_CUT, Group, Sawtooth, dctcp_sawtooth
from weir.theory._series import FluidRun, fluid_of
from weir.theory._special import Avq, Hred, Step
from weir.theory._static import as_pi, static_gain
from weir.theory._study import Study, text_of_study
from weir.theory._utility import TheoryError, Utility

if TYPE_CHECKING:
    from weir.theory._told import text_of_loops

__all__ = [
    "CUBIC_K",
    "EXAMPLES",
    "PACKET_CUT",
    "PAPER_CUT",
    "AdaptiveRed",
    "Analysis",
    "Avq",
    "Balance",
    "Conditions",
    "Course",
    "Crossover",
    "Designed",
    "Flag",
    "FluidRun",
    "Group",
    "Host",
    "Hred",
    "Integrator",
    "Link",
    "Margins",
    "Network",
    "Noise",
    "Optimum",
    "Order",
    "Path",
    "Phase",
    "PiDesign",
    "Point",
    "Prediction",
    "QueueLoop",
    "RateLoop",
    "Reading",
    "Realisation",
    "Red",
    "RedMap",
    "Region",
    "RegionAxis",
    "Resting",
    "Roots",
    "Sawtooth",
    "Sender",
    "Settled",
    "Source",
    "Step",
    "Study",
    "Swing",
    "System",
    "TheoryError",
    "Timing",
    "Trajectory",
    "Utility",
    "Vector",
    "analyse",
    "as_pi",
    "asynchronous",
    "balance",
    "boundary",
    "by_rounds",
    "codel_rate",
    "codel_time",
    "conditions",
    "continuous_pi",
    "coupling",
    "dctcp_sawtooth",
    "design",
    "dualpi2",
    "fluid_of",
    "hred_least_k",
    "hred_loop_gain",
    "independent",
    "integrate",
    "intensity",
    "local_bound",
    "loop_of",
    "margins_of",
    "mean_window",
    "network_of",
    "noise_of",
    "operating_point",
    "optimum",
    "pi",
    "pi2",
    "pi2_alpha",
    "pi2_gains",
    "pi_design",
    "pie",
    "ranjan",
    "red_crossover",
    "red_queue",
    "red_slope",
    "red_weight",
    "region",
    "rem",
    "rem_hosts",
    "rem_price",
    "reno_probability",
    "resting",
    "roots_of",
    "sharp_bound",
    "static_gain",
    "swing_of",
    "synchronous",
    "system_of",
    "theorem_bound",
]

__getattr__ = first_use(__name__)
