"""Scenarios of the core on their way to other processes and into a store."""

from __future__ import annotations

import hashlib
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from conftest import SMALL
from weir import _core
from weir.run._batch import run_batch


def key_and_packets(scenario: _core.Scenario) -> tuple[int, int]:
    return scenario.run_key(3), run_batch([(scenario, 3)], 1)[0].packets


def test_a_scenario_runs_the_same_in_another_process() -> None:
    scenario = _core.Scenario.loads(SMALL).variant("red").replace([("links.bottleneck.rate", "3 Mbit/s")])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(key_and_packets, scenario).result() == key_and_packets(scenario)


def test_a_pickled_scenario_is_the_same_in_all_it_says(small: Path) -> None:
    loaded = _core.Scenario.load(str(small), [("duration", "9 s")])
    for scenario in (
        loaded,
        loaded.variant("red"),
        loaded.variant("red").replace([("seed", "11")]),
        _core.Scenario.loads(SMALL),
    ):
        again = pickle.loads(pickle.dumps(scenario))  # noqa: S301
        for name in ("hash", "label", "name", "title", "seed", "duration", "variants", "sweep"):
            assert getattr(again, name) == getattr(scenario, name), name
        assert again.to_toml() == scenario.to_toml()


def test_errors_after_pickling_name_the_same_file_and_line(small: Path) -> None:
    scenario = _core.Scenario.load(str(small))
    errors: list[_core.ScenarioError] = []
    for one in (scenario, pickle.loads(pickle.dumps(scenario))):  # noqa: S301
        with pytest.raises(_core.ScenarioError) as caught:
            one.replace([("measure.period", "100 s")])
        errors.append(caught.value)
        with pytest.raises(_core.ScenarioError) as caught:
            one.replace([("duration", "50 ms")])
        errors.append(caught.value)
    first, second, third, fourth = map(str, errors)
    assert (first, second) == (third, fourth)
    assert errors[1].file == str(small)
    assert errors[1].line is not None


def test_scenarios_that_share_a_text_are_pickled_with_one_text() -> None:
    scenario = _core.Scenario.loads(SMALL)
    points = [
        scenario.variant("red").replace([("links.bottleneck.rate", f"{rate} kbit/s")])
        for rate in range(1000, 1100)
    ]
    assert len(pickle.dumps(points)) < len(pickle.dumps(scenario)) + 100 * len(points)


def test_the_key_of_a_run_is_what_it_is_documented_to_be() -> None:
    scenario = _core.Scenario.loads(SMALL)
    keys: set[int] = set()
    for seed in range(100):
        text = f"{scenario.hash} {seed} {_core.results_version}"
        first = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        assert scenario.run_key(seed) == first & (2**63 - 1)
        keys.add(scenario.run_key(seed))
    assert len(keys) == 100


SWEEP = """
[sweep]
replications = 3

[sweep.axes]
"links.bottleneck.buffer" = ["10 packets", "20 packets"]
"flows.ftp.count" = "2..8 by 2"
"""


def test_a_sweep_stays_with_its_scenario_and_changes_nothing_else() -> None:
    scenario = _core.Scenario.loads(SMALL + SWEEP)
    plain = _core.Scenario.loads(SMALL)
    axes = {"links.bottleneck.buffer": ["10 packets", "20 packets"], "flows.ftp.count": "2..8 by 2"}
    assert plain.sweep is None
    assert scenario.sweep == json.dumps({"replications": 3, "axes": axes}, separators=(",", ":"))
    assert scenario.variant("red").replace([("seed", "4")]).sweep == scenario.sweep
    assert scenario.hash == plain.hash
    assert scenario.to_toml() == plain.to_toml()
    more = scenario.replace([("sweep.replications", "5")]).sweep
    assert more is not None
    assert json.loads(more)["replications"] == 5
