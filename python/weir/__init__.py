"""Weir: a packet simulator for active queue management.

    import weir

    scenario = weir.Scenario.load("rem-wireline")
    result = scenario.compare(replications=10)
    result.summary()
    result.plot.queue_by_users()
    result.save("results/rem-wireline")

`Scenario` says what is simulated, `Result` holds what was measured, `Queue` puts one queue
discipline in your hands. `run` and `compare` are the same from a file or a bundled name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir._core import ScenarioError, __version__
    from weir.errors import WeirError
    from weir.queue import Queue
    from weir.result import Result
    from weir.scenario import Scenario, compare, run
    from weir.store import Store
    from weir.sweeps.view import Sweep

__all__ = [
    "Queue",
    "Result",
    "Scenario",
    "ScenarioError",
    "Store",
    "Sweep",
    "WeirError",
    "__version__",
    "compare",
    "run",
]

# Looked up on first use: data frames, charts and the compiled core cost more to import than
# `weir --help` may take.
_HOME = {
    "Queue": "weir.queue",
    "Result": "weir.result",
    "Scenario": "weir.scenario",
    "ScenarioError": "weir._core",
    "Store": "weir.store",
    "Sweep": "weir.sweeps.view",
    "WeirError": "weir.errors",
    "__version__": "weir._core",
    "compare": "weir.scenario",
    "run": "weir.scenario",
}


def __getattr__(name: str) -> object:
    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module 'weir' has no attribute {name!r}") from None
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
