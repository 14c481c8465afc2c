"""SRED: its mean queue hardly follows the number of flows. Few flows fill the buffer now and then."""

from __future__ import annotations

import polars as pl
import pytest

import weir

WIDE_RED = 'links.line.queue.red = { min_th = "50 packets", max_th = "500 packets" }'

LINE = """
schema = 1
name = "sred"
duration = "60 s"
measure.warm_up = "20 s"

[links.line]
rate = "45 Mbit/s"
delay = "20 ms"
buffer = "600 packets"
queue.sred = {}

[flows.users]
rtt = "100 ms"
start_jitter = "5 s"

[variants]
five = { flows.users.count = 5 }
few = { flows.users.count = 20 }
some = { flows.users.count = 60 }
many = { flows.users.count = 200 }
red-few = { flows.users.count = 20, {WIDE_RED} }
red-many = { flows.users.count = 200, {WIDE_RED} }
""".replace("{WIDE_RED}", WIDE_RED)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> weir.Sweep:
    file = tmp_path_factory.mktemp("sred") / "sred.toml"
    file.write_text(LINE, encoding="utf-8")
    return weir.load(file).compare(replications=6, store=False)


def test_ten_times_the_flows_leave_the_queue_where_it_is(compared: weir.Sweep) -> None:
    rows = compared.estimates(["mean_queue"]).select("variant", "low", "high").iter_rows()
    queue = {name: (low, high) for name, low, high in rows}
    sred = [queue[name] for name in ("few", "some", "many")]
    # From a third of the buffer on it signals with its full probability.
    assert min(low for low, _ in sred) > 180
    assert max(high for _, high in sred) < 1.5 * min(low for low, _ in sred), sred
    assert queue["red-many"][0] > 2.0 * queue["red-few"][1], queue


def test_only_few_flows_fill_the_buffer(compared: weir.Sweep) -> None:
    line = compared.links.filter(pl.col("link") == "line", pl.col("group") == "all", pl.col("period") == -1)
    lost = dict(line.group_by("variant").agg(pl.col("drops_overflow").sum()).iter_rows())
    assert lost["five"] > 0
    assert lost["few"] == lost["some"] == lost["many"] == 0
