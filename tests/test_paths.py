"""Results of several links: measures at a port, delays of whole paths, round trips under load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from conftest import Command
from weir._errors import WeirError
from weir.cli import _tables as tables
from weir.stats._measures import MEASURES, measure_named

ACCESS = """
schema = 1
name = "line"
duration = "10 s"
measure.warm_up = "2 s"
measure.bottleneck = "line"

[links.line]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "60 packets"
reverse = { rate = "5 Mbit/s", buffer = "80 packets" }

[flows.down]
count = 3
rtt = "40 ms"
start_jitter = "1 s"

[flows.up]
count = 2
rtt = "60 ms"
upload = true
start_jitter = "1 s"

[variants.drop-tail]

[variants.codel]
links.line.queue.codel = {}
links.line.reverse.queue.codel = {}
"""

HOPS = """
schema = 1
name = "hops"
duration = "10 s"
measure.warm_up = "2 s"

[links.a]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "60 packets"

[links.b]
rate = "12 Mbit/s"
delay = "5 ms"
buffer = "60 packets"

[flows.long]
path = ["a", "b"]
rtt = "60 ms"
count = 2
start_jitter = "1 s"

[flows.cross]
path = ["b"]
rtt = "30 ms"
traffic.poisson = { rate = "20 /s", size = "15 kB" }
"""

WHOLE = pl.col("period") == -1


def _mean(rows: pl.DataFrame, column: str) -> float:
    return float(rows[column].to_numpy().mean())


@pytest.fixture(scope="module")
def compared() -> weir.Sweep:
    return weir.Scenario.loads(ACCESS).compare(replications=2)


def test_a_measure_at_a_port_is_that_of_its_queue(compared: weir.Sweep) -> None:
    measures = [
        "p99 delay at line.reverse",
        "delay of up at line.reverse",
        "loss at line",
        "mean queue at line",
    ]
    found = compared.estimates(measures).filter(WHOLE)
    links = compared.links.filter(WHOLE, pl.col("class") == "all")
    for variant in compared.variants:
        rows = links.filter(pl.col("variant") == variant)
        up = rows.filter(pl.col("direction") == "reverse")
        down = rows.filter(pl.col("direction") == "forward", pl.col("group") == "all")
        expected = {
            "delay_p99 at line.reverse": _mean(up.filter(pl.col("group") == "all"), "delay_p99_ms"),
            "delay_mean of up at line.reverse": _mean(up.filter(pl.col("group") == "up"), "delay_mean_ms"),
            "loss at line": 100.0 * _mean(down, "loss"),
            "mean_queue at line": _mean(down, "queue_mean"),
        }
        here = found.filter(pl.col("variant") == variant)
        assert dict(zip(here["measure"], here["mean"], strict=True)) == pytest.approx(expected)
    paired = compared.differences(measures=["p99 delay at line.reverse"]).filter(WHOLE)
    assert paired["difference"].item() < 0.0
    assert MEASURES["delay_p99 at line.reverse"].heading == "Delay p99 at line.reverse (ms)"


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        ("delay at lin", 'there is no port "lin"', "line"),
        ("delay at moon", 'there is no port "moon"', "ports: line, line.reverse"),
        ("goodput at line", "goodput is not known of one port", "utilisation"),
        ("delay of nobody at line", 'there is no flow group "nobody"', "down, up"),
        ("p98 delay at line", 'there is no measure "p98 delay"', ""),
    ],
)
def test_a_port_that_there_is_not_is_refused(
    words: str, said: str, hint: str, compared: weir.Sweep, tmp_path: Path
) -> None:
    with pytest.raises(WeirError) as refused:
        compared.estimates([words])
    assert said in str(refused.value)
    assert hint in str(refused.value.hint)
    if "p98" not in words:
        # Before any run, too.
        rule = f"{measure_named(words).name} ±5%"
        with pytest.raises(WeirError, match=said):
            weir.Scenario.loads(ACCESS).sweep({"flows.up.count": [1, 2]}, until=[rule], store=tmp_path)


def test_the_delay_of_a_path_is_the_sum_of_its_hops() -> None:
    run = weir.Scenario.loads(HOPS).run(seed=1)
    groups = run.groups.filter(WHOLE)
    links = run.links.filter(WHOLE, pl.col("class") == "all", pl.col("direction") == "forward")
    hops = links.filter(pl.col("departures") > 0)
    waits = {
        group: sum(hops.filter(pl.col("group") == group)["delay_mean_ms"]) for group in ("long", "cross")
    }
    found = dict(groups.select("group", "path_delay_ms").iter_rows())
    assert {name: found[name] for name in waits} == pytest.approx(waits)
    arrived = dict(groups.select("group", "arrived").iter_rows())
    mean = sum(arrived[name] * wait for name, wait in waits.items()) / sum(arrived[name] for name in waits)
    assert found["all"] == pytest.approx(mean)


def test_round_trips_under_load_keep_the_law_of_little() -> None:
    """Without losses each flow has its window on the way: windows = rate x round trip (Little, 1961)."""
    flows, window = {"down": 30, "up": 14}, 8
    more: dict[str, Any] = {"duration": "30 s", "links.line.buffer": "600 packets"}
    more["links.line.reverse.buffer"] = "600 packets"
    more["flows.down.access"] = {"rate": "100 Mbit/s"}
    for group, count in flows.items():
        more[f"flows.{group}.count"] = count
        more[f"flows.{group}.tcp.receive_window"] = f"{window} packets"
    run = weir.Scenario.loads(ACCESS, more).variant("drop-tail").run(seed=1)
    groups = run.groups.filter(WHOLE)
    assert groups["drops"].sum() == 0
    # Uploads wait as data in the queue in which the ACKs of downloads wait.
    (down, up) = (groups.row(by_predicate=pl.col("group") == group, named=True) for group in flows)
    assert up["path_delay_ms"] > 100.0
    assert down["rtt_ms"] > 40.0 + down["path_delay_ms"] + 100.0
    for group, count in flows.items():
        row = groups.row(by_predicate=pl.col("group") == group, named=True)
        rate = row["delivered"] / (row["to_s"] - row["from_s"])
        assert row["rtt_ms"] == pytest.approx(1e3 * count * window / rate, rel=2e-3)


@pytest.mark.parametrize(
    "line",
    [
        {"links.line.delay_variation": {"normal": {"mean": "40 ms", "sd": "1 ms"}}},
        {"links.line.delay_variation": {"uniform": {"max": "20 ms"}, "reorder": True}},
        {"links.line.aggregation": {"interval": "10 ms", "max_interval": "30 ms"}},
        {"links.line.reverse.aggregation": {"interval": "20 ms"}},
        {"links.line.docsis": {"map_interval": "5 ms", "request_to_grant": "20 ms"}},
        {"links.line.reverse.docsis": {"channel": "50 Mbit/s"}},
        {"links.line.token_bucket": {"burst": "50 kB", "peak": "200 Mbit/s"}},
        {"links.line.reverse.token_bucket": {"burst": "3 kB"}},
        {"changes": [{"at": "10 s", "links": {"line": {"rate": "2 Mbit/s"}}}]},
    ],
)
def test_what_a_line_adds_is_part_of_the_round_trip(line: dict[str, Any]) -> None:
    """It was not: 40.7 ms beside random delays of 40 ms, where windows and rates say 80.9."""
    more = {
        "duration": "30 s",
        "links.line.buffer": "600 packets",
        "links.line.reverse.buffer": "600 packets",
    }
    windows = {f"flows.{group}.tcp.receive_window": "2 packets" for group in ("down", "up")}
    run = weir.Scenario.loads(ACCESS, {**more, **windows, **line}).variant("drop-tail").run(seed=1)
    groups = run.groups.filter(WHOLE)
    for group, count in {"down": 3, "up": 2}.items():
        row = groups.row(by_predicate=pl.col("group") == group, named=True)
        rate = row["delivered"] / (row["to_s"] - row["from_s"])
        assert row["rtt_ms"] == pytest.approx(1e3 * count * 2 / rate, rel=2e-2)


def test_packets_of_a_trace_take_what_they_took(tmp_path: Path) -> None:
    """A packet leaves at once at its opportunity: its bits over the mean rate would add 2.8 ms."""
    (tmp_path / "cell.down").write_text("1\n2\n2\n5\n11\n12\n20\n", encoding="utf-8")
    (tmp_path / "cell.toml").write_text(
        """
schema = 1
name = "cell"
duration = "30 s"
measure.warm_up = "2 s"
links.l = { trace = "cell.down", delay = "5 ms", buffer = "100 packets" }
flows.f = { count = 2, rtt = "40 ms", tcp.receive_window = "3 packets" }
""",
        encoding="utf-8",
    )
    groups = weir.load(tmp_path / "cell.toml").run(seed=1).groups.filter(WHOLE)
    for row in groups.iter_rows(named=True):
        rate = row["delivered"] / (row["to_s"] - row["from_s"])
        assert row["rtt_ms"] == pytest.approx(1e3 * 2 * 3 / rate, rel=2e-3)


def test_a_round_trip_that_changes_counts_for_its_time() -> None:
    idle = """
schema = 1
name = "idle"
duration = "8 s"
measure.warm_up = "2 s"
links.l = { rate = "1 Gbit/s", delay = "5 ms", buffer = "1000 packets" }
flows.f = { rtt = "20 ms", tcp.receive_window = "4 packets" }
changes = [{ at = "4 s", flows.f.rtt = "140 ms" }]
"""
    groups = weir.Scenario.loads(idle).run(seed=1).groups.filter(WHOLE)
    # 2 of 6 seconds with 20 ms, 4 with 140, and a packet's 12 us at the link.
    assert groups["rtt_ms"].to_list() == pytest.approx([100.0 + 0.012] * 2, abs=0.02)


def test_datagrams_have_no_round_trip() -> None:
    cbr = {"flows.down.traffic": {"cbr": {"rate": "1 Mbit/s"}}}
    groups = weir.Scenario.loads(ACCESS, cbr).variant("codel").run(seed=1).groups.filter(WHOLE)
    found = dict(groups.select("group", "rtt_ms").iter_rows())
    assert found["down"] != found["down"]
    assert found["all"] == found["up"] > 60.0


def test_the_first_table_of_an_access_line_has_both_directions(
    compared: weir.Sweep, capsys: pytest.CaptureFixture[str], tmp_path: Path, weir_command: Command
) -> None:
    tables.print_sweep(compared)
    first = capsys.readouterr().out.split("\n\n")[1]
    assert first.startswith("Whole run by variant, link\n")
    for variant in ("drop-tail", "codel    "):
        for link in ("line ", "line.reverse "):
            assert f"{variant}  {link}" in first
    path = tmp_path / "line.toml"
    path.write_text(ACCESS, encoding="utf-8")
    shown = weir_command("compare", path, "-q", "--by", "link", "--measure", "p99 delay").stdout
    assert "codel, line.reverse: delay p99 lower by" in shown
    page = (tmp_path / weir_command("report", "1", "-q").stdout.strip()).read_text(encoding="utf-8")
    assert "by variant, link" in page


def test_links_of_a_result_are_exported(tmp_path: Path, weir_command: Command) -> None:
    path = tmp_path / "hops.toml"
    path.write_text(HOPS, encoding="utf-8")
    assert weir_command("run", path, "-q").returncode == 0
    out = tmp_path / "rows.csv"
    done = weir_command("results", "1", "--table", "estimates", "--by", "link", "--export", out, "-q")
    assert done.returncode == 0, done.stderr
    rows = pl.read_csv(out)
    assert rows["link"].unique().sort().to_list() == ["a", "b"]
    assert "utilisation" in rows["measure"].to_list()
