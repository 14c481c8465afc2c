"""Scenarios as networks of the model, and the command."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import pytest

import weir
from conftest import Command
from weir.scenario._toml import Value
from weir.theory import Hred, Study, TheoryError, Utility, network_of, system_of

LOT = """
schema = 1
name = "lot"
duration = "4 s"
[links.a]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"
[links.b]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "50 packets"
[links.unused]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "50 packets"
[flows.long]
path = ["a", "b"]
rtt = "60 ms"
packet_size = "1000 B"
count = 2
tcp.ecn = true
tcp.congestion.rem-host = { utility.fair = 2.0, weight = 100.0, min_rate = 5.0, max_rate = 60.0 }
[flows.short]
path = ["b"]
rtt = "60 ms"
packet_size = "1000 B"
population = [{ step = 2, every = "1 s", until = 6 }, { step = 1, every = "500 ms", until = 5 }]
tcp.receive_window = "12 packets"
tcp.ecn = true
tcp.congestion.rem-host = { utility = "log", base_rtt = "50 ms" }
"""


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_scenario_as_a_network() -> None:
    network = network_of(weir.Scenario.loads(LOT))
    assert [(link.name, link.rate) for link in network.links] == [("a", 1250.0), ("b", 1000.0)]
    long, short = network.sources
    assert (long.path, long.count, long.least, long.greatest) == (("a", "b"), 2, 5.0, 60.0)
    assert long.utility == Utility.fair(100.0, 2.0)
    # A packet per round trip at least, a receiver's window per round trip at most.
    assert (short.count, short.least, short.greatest) == (5, pytest.approx(20.0), pytest.approx(240.0))
    assert short.utility == Utility.log(5626.0)


@pytest.mark.parametrize(("at", "flows"), [(0.0, 1), (0.99, 1), (1.0, 3), (2.5, 5), (3.1, 6), (4.0, 5)])
def test_the_flows_of_an_instant(at: float, flows: int) -> None:
    assert network_of(weir.Scenario.loads(LOT), at).sources[1].count == flows


def test_target_utilisation() -> None:
    network = network_of(weir.Scenario.loads(LOT), target=0.9)
    assert network.capacities.tolist() == pytest.approx([1125.0, 900.0])


def test_data_against_a_link_has_a_link_of_its_own() -> None:
    values: dict[str, Value] = {
        "links.a.reverse": {"rate": "2 Mbit/s", "buffer": "50 packets"},
        "flows.long.path": ["a"],
        "flows.long.upload": True,
    }
    network = network_of(weir.Scenario.loads(LOT, values), 0.0)
    assert [(link.name, link.rate) for link in network.links] == [("a.reverse", 250.0), ("b", 1000.0)]
    assert network.sources[0].path == ("a.reverse",)
    values["links.a.reverse.rate_schedule"] = [{"at": "2 s", "rate": "1 Mbit/s"}]
    changing = weir.Scenario.loads(LOT, values)
    rates = [network_of(changing, at).links[0].rate for at in (0.0, 1.9, 2.0, 4.0)]
    assert rates == [250.0, 250.0, 125.0, 125.0]


def test_a_link_that_follows_a_trace_has_no_one_rate(tmp_path: Path) -> None:
    (tmp_path / "cell.down").write_text("1\n2\n4\n", encoding="utf-8")
    scenario = tmp_path / "lot.toml"
    scenario.write_text(LOT.replace('[links.b]\nrate = "8 Mbit/s"', '[links.b]\ntrace = "cell.down"'))
    with pytest.raises(TheoryError, match="follows a trace") as caught:
        network_of(weir.Scenario.load(scenario), 0.0)
    assert caught.value.path == "links.b.trace"


def test_traffic_of_its_own_has_no_utility() -> None:
    text = LOT.replace("count = 2\n", 'traffic.poisson = { load = 0.5, size = "10 kB" }\n')
    scenario = weir.Scenario.loads(text)
    with pytest.raises(TheoryError, match="traffic of its own states no utility"):
        network_of(scenario, 0.0)


BAD: dict[str, dict[str, Value]] = {
    "reno states no utility": {"flows.long.tcp.congestion.reno": {}},
    "packets of one size": {"flows.long.packet_size": "500 B"},
    "counts packets of": {"links.b.mean_packet_size": "500 B"},
    "no flow is there": {"flows.long.start": "3 s", "flows.short.start": "3 s"},
}


@pytest.mark.parametrize("told", BAD)
def test_what_the_model_has_no_word_for(told: str) -> None:
    scenario = weir.Scenario.loads(LOT, BAD[told])
    with pytest.raises(TheoryError, match=told) as caught:
        network_of(scenario, 0.0)
    assert caught.value.hint


def test_the_command_on_an_example(weir_command: Command, tmp_path: Path) -> None:
    done = weir_command("theory", "ofc", "--example", "parking-lot", "-o", "lot.svg")
    assert done.returncode == 0, done.stderr
    assert "the optimum is reached" in done.stdout
    assert done.stderr.strip() == "lot.svg"
    svg = (tmp_path / "lot.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    for word in ("middle", "third", "Price", "Step"):
        assert word in svg


@pytest.mark.parametrize("more", [[], ["--asynchronous", "--seed", "5"], ["--target-utilisation", "0.9"]])
def test_the_document(weir_command: Command, tmp_path: Path, more: list[str]) -> None:
    (tmp_path / "lot.toml").write_text(LOT, encoding="utf-8")
    done = weir_command("theory", "ofc", "lot.toml", "--json", *more)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["converged"] is True
    assert told["network"] == "lot"
    assert [row["source"] for row in told["rates"]] == ["long", "short"]
    assert [row["link"] for row in told["prices"]] == ["a", "b"]
    assert all(abs(row["difference"]) < 1.0 for row in told["rates"])
    assert told["bounds"]["theorem_1"] <= told["bounds"]["sharp"] <= told["bounds"]["at_the_optimum"]
    assert max(told["conditions"].values()) < 1e-3
    assert told["utility"]["reached"] == pytest.approx(told["utility"]["optimum"], rel=1e-4)


def test_a_step_too_large_ends_with_one(weir_command: Command) -> None:
    done = weir_command("theory", "ofc", "--example", "parking-lot", "--step", "0.0055", "--steps", "500")
    assert done.returncode == 1
    assert "the optimum is not reached after 500 steps" in done.stdout
    assert "a smaller --step" in done.stderr


def test_bad_input(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "lot.toml").write_text(LOT, encoding="utf-8")
    cases = {
        "no example 'lot'": ["--example", "lot"],
        "not both": ["lot.toml", "--example", "dumbbell"],
        "and not both": [],
        "no step": ["lot.toml", "--step", "-1"],
        "no target utilisation": ["lot.toml", "--target-utilisation", "1.5"],
        "flows.ftp.tcp.congestion: reno states no utility": ["rem-wireline"],
        "no such file": ["missing"],
        "no form of a figure": ["lot.toml", "-o", "lot.bmp"],
    }
    for told, arguments in cases.items():
        done = weir_command("theory", "ofc", *arguments, "-q")
        assert told in refused(done), arguments


def test_a_figure_loses_no_swing() -> None:
    from weir.plot._theory import SLOTS, convergence
    from weir.theory import EXAMPLES

    network = EXAMPLES["parking-lot"]()
    study = Study.run(network, 0.0055, most=2000)
    figure = convergence(study)
    rows = figure.rows.filter(figure.rows["label"] == "a")
    assert len(rows) <= SLOTS
    rates = study.trajectory.rates[1:, 2]
    assert rows["lowest"].min() == rates.min()
    assert rows["highest"].max() == rates.max()
    assert math.isclose(rows["optimum"][0], study.optimum.rates[2])
    assert figure.specification["datasets"]["rows"]


HRED = """
schema = 1
name = "hred"
duration = "4 s"
[links.a]
rate = "32 Mbit/s"
delay = "5 ms"
buffer = "500 kB"
queue.hred = { min_th = "125 kB", max_th = "250 kB" }
[flows.bulk]
rtt = "200 ms"
packet_size = "500 B"
count = 100
"""


def aqm_of(**queue: Value) -> Hred:
    scenario = weir.Scenario.loads(HRED, {f"links.a.queue.hred.{key}": value for key, value in queue.items()})
    aqm = system_of(scenario).system.aqm
    assert isinstance(aqm, Hred)
    return aqm


def test_hreds_gains_are_those_of_the_scenario() -> None:
    """Per packet, equation (11): the printed gains are those of 240 ms, and growth lowers them."""
    capacity, plain = 8000.0, aqm_of()
    printed = aqm_of(k_alpha=1.3563e-10, k_beta=2.7126e-10)
    assert printed.rate(capacity) == pytest.approx(plain.rate(capacity), rel=1e-4)
    assert printed.fall == pytest.approx(2.0, rel=1e-4)
    assert aqm_of(growth=1.0).rate(capacity) == pytest.approx(0.75 * plain.rate(capacity))
    with pytest.raises(TheoryError, match="no model: HRED with an average queue"):
        aqm_of(w_q=0.002)
