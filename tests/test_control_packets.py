"""SYNs, ACKs and retransmissions at a queue that marks: those of a scalable sender come through.

What each kind of packet declares is held against Linux's table in `crates/weir-tcp/tests/it/declared.rs`.
"""

from pathlib import Path

import polars as pl

import weir

PORT = """\
schema = 1
name = "port"
duration = "2 s"
measure.warm_up = "200 ms"

[links.port]
rate = "1 Gbit/s"
delay = "10 us"
buffer = "1000 packets"
queue.step = { threshold = "20 packets" }

[flows.long]
count = 2
rtt = "100 us"
start_jitter = "10 ms"

[flows.long.tcp]
preset = "linux"
ecn = true
congestion.dctcp = {}

[flows.short]
rtt = "100 us"
traffic.poisson = { rate = "500/s", size.exponential = { mean = "10 kB" } }

[flows.short.tcp]
preset = "linux"
ecn = true
congestion.dctcp = {}
"""


def completed(run: weir.Sweep, group: str) -> tuple[float, float]:
    """The median completion time of the group's transfers in ms, and the share of those that ended."""
    whole = run.completions.filter(
        pl.col("group") == group, pl.col("period") == -1, pl.col("upto_bytes").is_nan()
    )
    (row,) = whole.to_dicts()
    return row["fct_p50_ms"], row["count"] / (row["count"] + row["unfinished"])


def test_short_transfers_of_dctcp_are_not_slowed_by_their_marks() -> None:
    """Ten kilobytes take a handshake, two rounds and a queue of 20 packets: less than 2 ms. Without the bits
    of RFC 8257, section 3.5, most SYNs are dropped, and each costs a second."""
    scenario = weir.Scenario.loads(PORT)
    median_ms, finished = completed(scenario.run(seed=1), "short")
    assert median_ms < 2.0
    assert finished > 0.99
    without = scenario.replace({"flows.short.tcp.ecn_on_syn": False})
    _, finished = completed(without.run(seed=1), "short")
    assert finished < 0.8


def test_the_template_of_a_data_centre_finishes_what_begins() -> None:
    template = weir.load(Path(weir.__file__).with_name("templates") / "datacenter.toml")
    transfers = template.variant("dctcp").run(seed=1).completions
    smaller = transfers.filter(
        pl.col("group") == "search", pl.col("period") == -1, pl.col("upto_bytes") <= 1e6
    )
    assert smaller["count"].sum() > 40
    assert smaller["unfinished"].sum() == 0
