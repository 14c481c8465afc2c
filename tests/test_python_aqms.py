"""AQMs in Python: what they decide, what is recorded, how a run is identified."""

from __future__ import annotations

import math
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from conftest import Command, Lab
from python_aqms import CONSTANT, queue, scenario


def test_packets_are_signalled_with_the_controllers_probability(lab: Lab) -> None:
    path = f"{lab(CONSTANT)}:Constant"
    for ecn, verdict in ((False, "dropped"), (True, "marked")):
        aqm = queue(path, ecn=ecn)
        assert [aqm.offer(0.0, 1000, ecn="ect0").verdict for _ in range(20)] == ["accepted"] * 20
        aqm.advance(0.01)
        assert aqm["probability"] == 0.3
        signalled = 0
        for _ in range(10_000):
            offered = aqm.offer(0.01, 1000, ecn="ect0")
            signalled += (offered.verdict, offered.reason) == (verdict, "early")
            aqm.take(0.01)
        # Four standard deviations.
        assert abs(signalled - 3000) < 4 * math.sqrt(10_000 * 0.3 * 0.7)
        assert aqm.offer(0.01, 1000).verdict != "marked"


def test_pi_in_python_is_pi(lab: Lab) -> None:
    """PI (Hollot, Misra, Towsley and Gong) in nine lines follows the core's to the last bit."""
    module = lab("""
        from weir.aqm import Controller

        class Pi(Controller):
            def __init__(self, link, a=1.822e-5, b=1.816e-5, target=50, sampling=170):
                self.a, self.b, self.target = a, b, target
                self.period, self.p, self.before = 1 / sampling, 0.0, 0

            def update(self, seen):
                p = self.p + self.a * (seen.packets - self.target) - self.b * (self.before - self.target)
                self.p, self.before = min(max(p, 0.0), 1.0), seen.packets
                return self.p
    """)
    aqm = queue(f"{module}:Pi", ecn=True, a=1e-3, b=0.9e-3, target=20, sampling=100)
    parameters = {"a": 1e-3, "b": 0.9e-3, "q_ref": "20 packets", "interval": "10 ms", "ecn": True}
    core = weir.Queue({"pi": parameters}, rate="8 Mbit/s", buffer="100 packets")
    for n in range(3000):
        for one in (aqm, core):
            one.offer(n * 0.001, 1000, ecn="ect0")
            # The queue grows to 60 packets and shrinks again.
            if n % 25 or n > 1500:
                one.take(n * 0.001)
            if n > 1500 and n % 30 == 0:
                one.take(n * 0.001)
        assert aqm["probability"] == pytest.approx(core["probability"], abs=1e-15)
    assert 0.0 < core["probability"] < 1.0


AQM = """
    from weir.aqm import Aqm

    class Recorder(Aqm):
        variables = ("calls",)
        period = 0.5
        def __init__(self, link):
            self.link, self.log = link, []
            globals()["log"] = self.log
        @property
        def calls(self):
            return len(self.log)
        def on_enqueue(self, packet, queue, now):
            self.log.append(("in", packet.flow, packet.bytes, packet.ecn, queue.packets, queue.bytes, now))
            return {7: "drop", 8: "mark"}.get(packet.flow)
        def on_dequeue(self, packet, sojourn, queue, now):
            self.log.append(("out", packet.flow, sojourn, queue.packets, queue.limit_packets, now))
            return "drop" if packet.flow == 9 else "pass"
        def on_idle(self, now):
            self.log.append(("idle", now))
        def on_rate(self, rate, now):
            self.log.append(("rate", rate, now))
        def update(self, queue, now):
            self.log.append(("update", queue.packets, now))
"""


def test_every_method_of_an_aqm_is_called_and_obeyed(lab: Lab) -> None:
    module = lab(AQM)
    aqm = queue(f"{module}:Recorder", ecn=True)
    log: list[Any] = sys.modules[module].log
    assert aqm.offer(0.0, 1000, flow=7).verdict == "dropped"
    assert aqm.offer(0.1, 500, flow=8, ecn="ect1").verdict == "marked"
    assert aqm.offer(0.2, 500, flow=8).verdict == "dropped"
    assert aqm.offer(0.2, 700, flow=9).verdict == "accepted"
    taken = aqm.take(0.3)
    assert taken is not None
    assert (taken.flow, taken.marked) == (8, True)
    aqm.set_rate(0.4, "4 Mbit/s")
    assert aqm.take(0.6) is None
    assert [(one.flow, one.reason) for one in aqm.dropped] == [(9, "early")]
    assert log == [
        ("in", 7, 1000, "not-ect", 0, 0, 0.0),
        ("in", 8, 500, "ect1", 0, 0, 0.1),
        ("in", 8, 500, "not-ect", 1, 500, 0.2),
        ("in", 9, 700, "not-ect", 1, 500, 0.2),
        ("out", 8, pytest.approx(0.2), 1, 100, 0.3),
        ("rate", 4_000_000, 0.4),
        ("update", 1, 0.5),
        ("out", 9, pytest.approx(0.4), 0, 100, 0.6),
        ("idle", 0.6),
    ]
    assert aqm["calls"] == len(log)


def test_a_controller_sees_what_has_happened(lab: Lab) -> None:
    module = lab("""
        from weir.aqm import Controller

        class Watch(Controller):
            period = 1.0
            seen = []
            def __init__(self, link):
                assert (link.rate, link.mean_packet, link.packets_per_second) == (8_000_000, 1000, 1000.0)
                assert (link.limit_packets, link.limit_bytes) == (100, None)
            def update(self, seen):
                self.seen.append({name: getattr(seen, name) for name in dir(seen) if name[0] != "_"})
                return 0.0
    """)
    aqm = queue(f"{module}:Watch")
    for n in range(102):
        aqm.offer(0.5, 100 + n)
    aqm.take(0.75)
    aqm.set_rate(1.5, "4 Mbit/s")
    aqm.advance(2.0)
    first, second = sys.modules[module].Watch.seen
    assert first == {
        "now": 1.0,
        "packets": 99,
        "bytes": sum(range(101, 200)),
        "rate": 8_000_000,
        "arrived": 102,
        "arrived_bytes": sum(range(100, 202)),
        "left": 1,
        "left_bytes": 100,
        "lost": 2,
        "delay": 0.25,
    }
    assert (second["now"], second["rate"], second["arrived"], second["lost"]) == (2.0, 4_000_000, 0, 0)
    assert second["delay"] is None


CHANCE = """
    from weir.aqm import Aqm

    class Chance(Aqm):
        variables = ("last",)
        last = 0.0
        def on_enqueue(self, packet, queue, now):
            self.last = self.random.random()
            return "drop" if self.last < 0.02 else None
"""


def test_same_seed_same_results_in_threads_and_processes(lab: Lab) -> None:
    aqm = scenario(f"{lab(CHANCE)}:Chance")
    one, other = (aqm.run(replications=3, threads=threads) for threads in (1, 2))
    for name, table in one.tables.items():
        if name != "runs":  # Costs differ.
            assert table.equals(other.tables[name]), name
    last = one.series.filter(one.series["variable"] == "last")
    assert last["value"].n_unique() > 100


def test_random_numbers_depend_on_seed_and_link(lab: Lab) -> None:
    path = f"{lab(CHANCE)}:Chance"

    def draws(seed: int) -> list[float]:
        aqm = queue(path, seed=seed)
        return [aqm.offer(0.0, 1000) and aqm["last"] for _ in range(5)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


def test_variables_are_recorded_over_time(lab: Lab) -> None:
    result = scenario(
        f"{lab(CONSTANT)}:Constant", {"links.bottleneck.queue.python.parameters.height": 0.02}
    ).run()
    names = set(result.series["variable"])
    assert {"probability", "height"} <= names
    height = result.series.filter(result.series["variable"] == "height")
    assert set(height["value"]) == {0.02}
    assert height.height > 100


def test_one_aqm_for_every_flow_queue(lab: Lab) -> None:
    table = {"python": {"class": f"{lab(CONSTANT)}:Constant", "parameters": {"height": 1.0}}}
    aqm = weir.Queue({"fq": {"aqm": table, "flows": 4}}, rate="8 Mbit/s", buffer="50 packets")
    aqm.advance(0.02)
    assert aqm.offer(0.02, 1000).verdict == "dropped"


def test_the_file_is_part_of_the_key_of_a_run(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another text gives other runs, and the resolved scenario holds its digest."""
    module = lab(CONSTANT)
    path = f"{module}:Constant"
    before = scenario(path)
    assert before.hash == scenario(path).hash
    assert before.hash != scenario(path, {"links.bottleneck.queue.python.parameters.height": 0.1}).hash
    resolved = before.to_toml()
    assert weir.Scenario.loads(resolved).hash == before.hash

    file = Path(f"{module}.py")
    file.write_text(file.read_text(encoding="utf-8") + "# another\n", encoding="utf-8")
    # The class in memory is the one of the old text.
    assert scenario(path).hash == before.hash
    monkeypatch.delitem(sys.modules, module)
    shutil.rmtree("__pycache__", ignore_errors=True)
    assert scenario(path).hash != before.hash
    with pytest.raises(weir.ScenarioError, match="has changed: its digest"):
        weir.Scenario.loads(resolved)


def test_sweeps_over_a_parameter_of_the_class(lab: Lab) -> None:
    aqm = scenario(f"{lab(CONSTANT)}:Constant")
    axes = {"links.bottleneck.queue.python.parameters.height": [0.01, 0.1]}

    def rows(store: str, **workers: Any) -> pl.DataFrame:  # noqa: ANN401
        sweep = aqm.sweep(axes, replications=2, variants=(), store=store, **workers)
        return sweep.observations()

    here = rows("threads", threads=2)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = rows("processes", executor=pool)
    assert here.height == there.height > 0
    columns = [name for name in here.columns if name != "cpu_s"]
    assert here.select(columns).equals(there.select(columns))


def test_help_for_writing_one(weir_command: Command) -> None:
    done = weir_command("show", "python")
    assert done.returncode == 0
    assert "class Leaky(Controller):" in done.stdout
    assert "weir show python" in weir_command("list", "disciplines").stderr
