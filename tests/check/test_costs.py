"""Estimates of packets and memory are right within a factor of two, those of time within three."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from costs import BASE, GRID, MORE, measure, scenario

import weir
from weir import _core
from weir.check._estimate import shown_of_flow, shown_of_queue

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the memory of a process, as Linux says it"
)

PROBED = {"duration": "100 ms", "measure.series": {"interval": "50 ms", "flows": ["main"]}}


def wrong(names: Iterable[str], limits: dict[str, float]) -> dict[str, dict[str, float]]:
    """Scenarios whose estimates are not right within these factors: measure to estimate over measurement."""
    found: dict[str, dict[str, float]] = {}
    for name, measured in measure(names):
        off = {
            what: ratio
            for what, ratio in measured.ratios.items()
            if what in limits and not 1.0 / limits[what] <= ratio <= limits[what]
        }
        if off:
            found[name] = off
    return found


def test_packets_and_memory_are_within_a_factor_of_two() -> None:
    # Every fourth one; the soak measures all.
    assert wrong([*GRID][::4], {"packets": 2.0, "memory": 2.0}) == {}


@pytest.mark.soak
def test_time_is_within_a_factor_of_three() -> None:
    assert wrong((*GRID, *MORE), {"packets": 2.0, "memory": 2.0, "time": 3.0}) == {}


def test_every_kind_of_traffic_is_measured() -> None:
    kinds = json.loads(_core.schema())["$defs"]["Traffic"]["oneOf"]
    known = {next(iter(kind["properties"])) for kind in kinds if "properties" in kind}
    cells = [*GRID, *MORE]
    assert known == {"bulk", "poisson", "list", "closed-loop", "web", "web-3gpp", "cbr", "on-off", "replay"}
    assert {kind for kind in known if any(cell.startswith(kind) for cell in cells)} == known


def test_drops_handshakes_and_small_transfers_count() -> None:
    def packets(traffic: dict[str, Any]) -> float:
        return weir.check.cost(scenario({"flows.main.traffic": traffic})).packets

    # 20 Mbit/s carry 33,333 packets of 1500 bytes in 20 s.
    assert packets({"cbr": {"rate": "200 Mbit/s"}}) == pytest.approx(333_333, rel=0.01)
    # A SYN before each of 10,000 packets.
    assert packets({"poisson": {"rate": "500 /s", "size": "1 packets"}}) == pytest.approx(20_000)
    # What is smaller than a packet is one.
    assert packets({"poisson": {"rate": "500 /s", "size": "40 B"}}) == pytest.approx(20_000)


def test_a_trace_counts_until_the_end_of_the_run(tmp_path: Path) -> None:
    rows = "".join(f"{n / 10:.1f},{1000 + n},{n % 3}\n" for n in range(100))
    (tmp_path / "ten.csv").write_text(f"time,bytes,flow\n{rows}", encoding="ascii")
    text = BASE.replace('duration = "20 s"', 'duration = "5 s"')
    file = tmp_path / "replay.toml"
    file.write_text(f'{text}traffic.replay.file = "ten.csv"\n', encoding="utf-8")
    loaded = weir.load(file)
    assert loaded.core.network.paths[0].replayed == (50, sum(range(1000, 1050)), 3)
    assert weir.check.cost(loaded).packets == pytest.approx(50)
    # Of a stored scenario the file need not be there.
    assert _core.network_of(loaded.core.to_toml()).paths[0].replayed is None


def shown(values: dict[str, Any]) -> dict[str, int]:
    """Component to the number of its series."""
    batch = _core.Batch([(scenario({**PROBED, **values}).core, 1)], 1)
    while not batch.wait(1.0):
        pass
    _, codes, names = _core.tables(batch.results())["series"]["component"]
    assert isinstance(names, list)
    found = [names[code].partition(".")[0] for code in codes]
    return {name: found.count(name) for name in set(found)}


@pytest.mark.parametrize("discipline", sorted(set(_core.disciplines()) - {"python"}))
def test_variables_of_queues_are_counted(discipline: str) -> None:
    assert shown_of_queue(discipline) == shown({f"links.bottleneck.queue.{discipline}": {}})["links"]


_RACK = {"flows.main.tcp.recovery.sack.detection": "rack"}
NEEDS: dict[str, dict[str, Any]] = {
    "bbr1": _RACK,
    "bbr3": _RACK,
    "prague": {f"flows.main.tcp.{key}": True for key in ("ecn", "accecn", "accecn_option")}
    | {"flows.main.tcp.recovery.sack": {}},
    "rem-host": {"flows.main.tcp.ecn": True},
    "wireless": {"flows.main.tcp.ecn": True},
}

CONTROLS = sorted(
    path.stem for path in (Path(weir.__file__).parent / "disciplines/congestion").glob("*.toml")
)


@pytest.mark.parametrize("control", CONTROLS)
def test_variables_of_congestion_controls_are_counted(control: str) -> None:
    values: dict[str, Any] = {f"flows.main.tcp.congestion.{control}": {}}
    values |= NEEDS.get(control, {})
    assert shown_of_flow(_core.congestion_facts(control)) == shown(values)["flows"]
