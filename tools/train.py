"""What the build of a wheel learns from: `python tools/train.py` runs short scenarios of every kind.

Code that does not run here is compiled for size and not for speed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from weir import _core
from weir.bench._measure import CASES
from weir.scenario._scenario import bundled

_DURATIONS = {
    "gigabit-100": "3 s", "gigabit-1000": "3 s", "gigabit-10000": "3 s", "gigabit-linux": "3 s",
    "ten-gigabit-crowd": "1 s", "ten-gigabit-crowd-rtts": "1 s",
}  # fmt: skip
_OTHERS = "20 s"


def scenarios() -> Iterator[_core.Scenario]:
    """The cases of `weir bench`, each discipline and congestion control, short transfers, several links."""
    files = bundled()
    for case in CASES:
        duration = _DURATIONS.get(case, _OTHERS)
        yield _core.Scenario.load(str(files[f"bench/{case}"]), [("duration", duration)])
    base = _core.Scenario.load(str(files["bench/wireline-delay"]), [("duration", _OTHERS)])
    for discipline in _core.disciplines():
        yield base.replace([(f"links.bottleneck.queue.{discipline}", "{}")])
    choices = json.loads(_core.schema())["$defs"]["CongestionConfig"]["oneOf"]
    for name in (name for choice in choices for name in choice["properties"]):
        yield base.replace([(f"flows.ftp.tcp.congestion.{name}", "{}")])
    for name in ("web", "parking-lot"):
        scenario = _core.Scenario.load(str(files[name]), [("duration", "40 s")])
        yield from (scenario.variant(variant) for variant in scenario.variants)


def main() -> None:
    """Runs them, on one thread: several would lose counts."""
    batch = _core.Batch([(scenario, scenario.seed) for scenario in scenarios()], 1)
    while not batch.wait(1.0):
        pass
    _core.tables(batch.results())


if __name__ == "__main__":
    main()
