"""Shares of what a link could have carried, whatever its rate does: nothing sends more than that."""

from __future__ import annotations

import math
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weir
from weir import _core
from weir.cli import _tables as tables
from weir.run._batch import run_batch
from weir.run._tables import frames

PACKET = 1000

WORLD = """
schema = 1
name = "any"
duration = "4 s"
measure = {{ warm_up = "{warm_up} ms", period = "{period} ms" }}

[links.l]
{service}
delay = "{delay} ms"
buffer = "{buffer}"

[flows.tcp]
count = {count}
rtt = "60 ms"
packet_size = "1000 B"
tcp.recovery.sack = {{}}

[flows.short]
rtt = "60 ms"
packet_size = "1000 B"
traffic.poisson = {{ rate = "20/s", size.exponential.mean = "10 kB" }}

[flows.flood]
rtt = "60 ms"
packet_size = "1000 B"
start = "1 s"
stop = "2500 ms"
traffic.cbr.rate = "{flood} Mbit/s"
{changes}
"""

rates = st.integers(50, 30_000).map(lambda kbps: f'"{kbps} kbit/s"')
"""Outages among them: a packet of 1000 bytes takes 160 ms at the least rate."""


@st.composite
def schedules(draw: st.DrawFn) -> str:
    """A schedule of rates, which may repeat."""
    changes = draw(st.lists(st.tuples(st.integers(1, 1500), rates), min_size=1, max_size=5))
    at = 0
    steps: list[str] = []
    for gap, rate in changes:
        at += gap
        steps.append(f'{{ at = "{at} ms", rate = {rate} }}')
    period = draw(st.none() | st.integers(1, 1000))
    repeats = "" if period is None else f'\nrate_period = "{at + period} ms"'
    return f"rate = {draw(rates)}\nrate_schedule = [{', '.join(steps)}]{repeats}"


@st.composite
def buckets(draw: st.DrawFn) -> str:
    """A token bucket, with or without a peak, whose rate may change."""
    rate, burst = draw(st.integers(500, 20_000)), draw(st.integers(2, 800))
    later = draw(st.none() | st.integers(500, 20_000))
    most = max(rate, later or 0)
    peak = draw(st.sampled_from(["", f', peak = "{2 * most} kbit/s"', f', peak = "{20 * most} kbit/s"']))
    change = f'\nrate_schedule = [{{ at = "1200 ms", rate = "{later} kbit/s" }}]' if later else ""
    return f'rate = "{rate} kbit/s"{change}\ntoken_bucket = {{ burst = "{burst} kB"{peak} }}'


worlds = st.fixed_dictionaries(
    {
        "service": schedules() | buckets() | rates.map(lambda rate: f"rate = {rate}"),
        "delay": st.integers(0, 30),
        "buffer": st.sampled_from(["20 packets", "40 kB", "100 ms"]),
        "count": st.integers(1, 5),
        "flood": st.integers(1, 60),
        "period": st.sampled_from([50, 330, 1000]),
        "warm_up": st.sampled_from([0, 990]),
        "changes": st.sampled_from(
            ["", '[[changes]]\nat = "1500 ms"\nlinks.l = { queue.codel = {}, buffer = "30 packets" }']
        ),
    }
)


def shares_hold(scenario: _core.Scenario, seed: int) -> None:
    """Utilisation is between 0 and 1 within a packet, and goodput at most that, with what was on its way."""
    tables = frames(_core.tables(run_batch([(scenario, seed)])), [0])
    links = tables["links"].filter(pl.col("group") == "all", pl.col("bottleneck"))
    groups = tables["groups"].filter(pl.col("group") == "all")
    rows = links.join(groups, on=["period", "from_s", "to_s"], suffix="_of_group").sort("period")
    assert len(rows) > 2
    came = _before_measuring(scenario, seed)
    for row in rows.iter_rows(named=True):
        seconds = row["to_s"] - row["from_s"]
        could = row["rate_bps"] * seconds
        if could == 0.0:
            assert math.isnan(row["goodput"]), row
            continue
        packet = 8.0 * PACKET / could
        assert -1e-9 <= row["utilisation"] <= 1.0 + packet + 1e-9, row
        assert row["goodput"] == pytest.approx(row["goodput_bps"] * seconds / could)
        # What had left the bottleneck before, and had not yet arrived.
        before = rows.filter(pl.col("period") >= 0, pl.col("to_s") <= row["from_s"] + 1e-9)
        spans = before["to_s"] - before["from_s"]
        sent = came[0] + float((before["utilisation"].fill_nan(0.0) * before["rate_bps"] * spans).sum())
        arrived = came[1] + float((before["goodput_bps"] * spans).sum())
        flying = max(0.0, sent - arrived) / could
        assert row["goodput"] <= row["utilisation"] + flying + packet + 1e-9, row


def _before_measuring(scenario: _core.Scenario, seed: int) -> tuple[float, float]:
    """Bits that the bottleneck sent, and bits that arrived, in the warm-up."""
    warm_up = scenario.network.duration_s and _core.quantity(_warm_up(scenario))[0]
    if not warm_up:
        return 0.0, 0.0
    early = scenario.replace([("measure.warm_up", '"0 s"'), ("measure.period", f'"{_warm_up(scenario)}"')])
    tables = frames(_core.tables(run_batch([(early, seed)])), [0])
    first = pl.col("period") == 0
    link = tables["links"].filter(first, pl.col("group") == "all", pl.col("bottleneck")).row(0, named=True)
    group = tables["groups"].filter(first, pl.col("group") == "all").row(0, named=True)
    return link["utilisation"] * link["rate_bps"] * warm_up, group["goodput_bps"] * warm_up


def _warm_up(scenario: _core.Scenario) -> str:
    line = next(line for line in scenario.to_toml().splitlines() if line.strip().startswith("warm_up"))
    return line.partition("=")[2].strip().strip('"')


@given(worlds, st.integers(0, 1000))
@settings(max_examples=60)
def test_no_share_of_a_link_is_more_than_it_could_have_carried(world: dict[str, object], seed: int) -> None:
    shares_hold(_core.Scenario.loads(WORLD.format(**world)), seed)


@given(
    gaps=st.lists(st.sampled_from([0, 1, 2, 30, 400]), min_size=3, max_size=30),
    world=worlds,
    seed=st.integers(0, 1000),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_share_of_a_trace_is_more_than_its_opportunities(
    gaps: list[int], world: dict[str, object], seed: int, tmp_path: Path
) -> None:
    at = 0
    lines: list[str] = []
    for gap in [*gaps, 1]:
        at += gap
        lines.append(f"{at}\n")
    (tmp_path / "slots.txt").write_text("".join(lines), encoding="utf-8")
    file = tmp_path / "world.toml"
    file.write_text(WORLD.format(**{**world, "service": 'trace = "slots.txt"'}), encoding="utf-8")
    shares_hold(_core.Scenario.load(str(file)), seed)


BUCKET = """
schema = 1
name = "bucket"
duration = "2 s"
measure.warm_up = "0 s"

[links.shaper]
rate = "10 Mbit/s"
token_bucket = { burst = "1 MB" }
delay = "5 ms"
buffer = "100 packets"

[flows.udp]
rtt = "20 ms"
traffic.cbr.rate = "40 Mbit/s"
"""


def test_a_bucket_could_have_sent_its_tokens_too() -> None:
    """20 Mbit of tokens come in 2 s, and 8 Mbit are in the bucket. It was "139.7%"."""
    shown = weir.Scenario.loads(BUCKET).run().summary()
    assert 99.7 < shown["utilisation"].item() <= 100.0
    assert 99.4 < shown["goodput"].item() <= shown["utilisation"].item()


SCHEDULED = """
schema = 1
name = "scheduled"
duration = "20 s"
measure.warm_up = "2 s"

[links.l]
rate = "1 Mbit/s"
rate_schedule = [{ at = "2 s", rate = "100 Mbit/s" }]
delay = "5 ms"
buffer = "1 MB"

[flows.udp]
rtt = "20 ms"
traffic.cbr.rate = "22 Mbit/s"

[flows.web]
rtt = "20 ms"
traffic.poisson = { rate = "20/s", size.exponential.mean = "100 kB" }
"""


def test_goodput_is_relative_to_the_rate_that_holds() -> None:
    """It was 100 times as much, "2273%", by the rate of the start; and transfers were faster than the least
    time that they could take."""
    run = weir.Scenario.loads(SCHEDULED).run()
    shown = run.summary()
    carried = shown["utilisation"].item()
    assert 30.0 < carried < 50.0
    assert shown["goodput"].item() == pytest.approx(carried, rel=0.02)
    transfers = run.completions.filter(pl.col("upto_bytes").is_nan(), pl.col("group") == "web")
    assert transfers["slowdown_p50"].to_numpy().min() >= 1.0


def test_a_table_names_the_bottleneck_that_a_goodput_is_a_share_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a parking lot each group of cross traffic has its own."""
    run = weir.load("parking-lot", {"duration": "4 s", "measure.warm_up": "1 s"}).run()
    tables.print_sweep(run)
    shown = capsys.readouterr().out
    assert "those of the bottleneck: hop1\n" in shown
    assert "goodput of all is that of the flows over it: long and cross1\n" in shown
    assert re.search(r"^cross3 +hop3 +\d", shown, re.MULTILINE)
    groups = run.groups.filter(pl.col("period") == -1)
    own = {row["group"]: row["goodput"] for row in groups.iter_rows(named=True)}
    assert own["all"] == pytest.approx(own["long"] + own["cross1"])
    assert all(0.0 < share <= 1.0 for share in own.values())
