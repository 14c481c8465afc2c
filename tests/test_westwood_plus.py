"""Westwood+: losses by noise cost it less than Reno, and losses by a full queue as much."""

from __future__ import annotations

from pathlib import Path

import weir

LINE = """
schema = 1
name = "noise"
duration = "60 s"
measure.warm_up = "10 s"

[links.air]
rate = "10 Mbit/s"
delay = "25 ms"
buffer = "80 packets"
queue.drop-tail = {}

[flows.one]
rtt = "50 ms"
count = COUNT
start_jitter = "1 s"
tcp.recovery.sack = {}

[variants]
reno.flows.one.tcp.congestion.reno = {}
westwood-plus.flows.one.tcp.congestion.westwood-plus = {}
"""


def _goodput(text: str, folder: Path) -> dict[str, float]:
    """Variant to mean goodput of all flows together over ten replications, as a share of the link."""
    file = folder / "noise.toml"
    file.write_text(text, encoding="utf-8")
    means = weir.load(file).compare(replications=10, store=False).estimates(["goodput"])
    return dict(means.select("variant", "mean").iter_rows())


def test_noise_costs_it_less_than_reno(tmp_path: Path) -> None:
    """One loss in 200 segments: Reno sends about 1.22 / sqrt(p) = 17 segments in a round trip (Mathis and
    others, 1997), and the path holds 42. Westwood+ measures what the path carries, and keeps its window."""
    noisy = LINE.replace("COUNT", "1").replace("queue.", "loss.bernoulli = { per_packet = 0.005 }\nqueue.", 1)
    goodput = _goodput(noisy, tmp_path)
    assert 30 < goodput["reno"] < 60, goodput
    assert goodput["westwood-plus"] > 1.4 * goodput["reno"], goodput


def test_a_full_queue_stays_as_busy(tmp_path: Path) -> None:
    goodput = _goodput(LINE.replace("COUNT", "10"), tmp_path)
    assert min(goodput.values()) > 93, goodput
