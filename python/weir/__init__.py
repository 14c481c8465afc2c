"""Weir: a packet simulator for active queue management.

    import weir

    scenario = weir.load("rem-wireline")
    result = scenario.compare(replications=10)
    result.summary()
    weir.report.write(result, result.directory)

A `Scenario` says what is simulated, a `Sweep` holds what was measured: of one run, of variants that are
compared, or of the points of some axes; `Sweep.open` opens an earlier one. `Queue` is one queue discipline
to try by hand. Charts, pages and statistics are in `weir.plot`, `weir.report` and `weir.stats`, notes on
a scenario in `weir.check`.
"""

from __future__ import annotations

import sys

if sys.argv[0].rpartition("/")[2] in {"weir", "-m"}:
    # The program begins: until it has handlers of its own, Ctrl-C ends it without a traceback.
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

import importlib
from typing import TYPE_CHECKING

from weir._extension import __version__, mismatch
from weir._public import ROOMS

if TYPE_CHECKING:
    from weir import check, plot, report, stats
    from weir._api import Scenario, load
    from weir._core import ScenarioError
    from weir._errors import WeirError
    from weir.queue import Queue
    from weir.store import Store
    from weir.sweep import Sweep

__all__ = [
    "Queue",
    "Scenario",
    "ScenarioError",
    "Store",
    "Sweep",
    "WeirError",
    "__version__",
    "check",
    "load",
    "plot",
    "report",
    "stats",
]

# Imported on first use: data frames, charts and the compiled core take longer than `weir --help` may.
_HOME = {
    "Queue": "weir.queue",
    "Scenario": "weir._api",
    "ScenarioError": "weir._core",
    "Store": "weir.store",
    "Sweep": "weir.sweep",
    "WeirError": "weir._errors",
    "load": "weir._api",
}

_MODULES = {*ROOMS} & {*__all__}


def __getattr__(name: str) -> object:
    if (wrong := mismatch()) is not None:
        raise ImportError(wrong)
    if name in _MODULES:
        return importlib.import_module(f"weir.{name}")
    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module 'weir' has no attribute {name!r}") from None
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
