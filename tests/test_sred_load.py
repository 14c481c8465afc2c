"""SRED keeps its queue where it is, whatever the load (the paper, section 3)."""

from __future__ import annotations

from pathlib import Path

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
few = { flows.users.count = 20 }
some = { flows.users.count = 60 }
many = { flows.users.count = 200 }
red-few = { flows.users.count = 20, {WIDE_RED} }
red-many = { flows.users.count = 200, {WIDE_RED} }
""".replace("{WIDE_RED}", WIDE_RED)


def test_ten_times_the_flows_leave_the_queue_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "sred.toml"
    file.write_text(LINE, encoding="utf-8")
    means = weir.load(file).compare(replications=3, store=False).estimates(["mean_queue"])
    queue = dict(means.select("variant", "mean").iter_rows())
    sred = [queue[name] for name in ("few", "some", "many")]
    # About a third of the buffer, from where on it signals with its full probability.
    assert min(sred) > 180
    assert max(sred) < 1.4 * min(sred), sred
    assert queue["red-many"] > 2.0 * queue["red-few"], queue
