"""Trains the build of a wheel: `python tools/train.py` runs short scenarios of every kind.

Code that does not run here is compiled for size and not for speed.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.measure import CASES, MANY_FLOWS, TODAY, YARDSTICK

from weir import _core
from weir.disciplines import controls
from weir.scenario import bundled, to_toml

_DURATIONS = {
    "gigabit-100": "3 s", "gigabit-1000": "3 s", "gigabit-10000": "3 s", YARDSTICK: "3 s",
    **dict.fromkeys(TODAY, "3 s"), **dict.fromkeys(MANY_FLOWS, "1 s"),
}  # fmt: skip
_OTHERS = "20 s"


def scenarios() -> Iterator[_core.Scenario]:
    """The cases of `make bench`, each discipline and congestion control, short transfers, several links."""
    files = bundled()
    for case in CASES:
        duration = _DURATIONS.get(case, _OTHERS)
        yield _core.Scenario.load(str(files[f"bench/{case}"]), [("duration", duration)])
    base = _core.Scenario.load(str(files["bench/wireline-delay"]), [("duration", _OTHERS)])
    for discipline in _core.disciplines():
        yield base.replace([(f"links.bottleneck.queue.{discipline}", "{}")])
    for control in controls():
        needs = [(path, to_toml(value)) for path, value in control.needs.items()]
        chosen = [*needs, (f"congestion.{control.name}", "{}")]
        yield base.replace([(f"flows.ftp.tcp.{path}", value) for path, value in chosen])
    for name in ("web", "parking-lot"):
        scenario = _core.Scenario.load(str(files[name]), [("duration", "40 s")])
        yield from (scenario.variant(variant) for variant in scenario.variants)


def main() -> None:
    """Runs the scenarios on one thread: several would lose counts."""
    batch = _core.Batch([(scenario, scenario.seed) for scenario in scenarios()], 1)
    while not batch.wait(1.0):
        pass
    _core.tables(batch.results())


if __name__ == "__main__":
    main()
