"""SRED: its queue hardly follows the number of flows where they are many. With few it is long."""

from __future__ import annotations

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
drop-tail = { flows.users.count = 5, links.line.queue.drop-tail = {} }
""".replace("{WIDE_RED}", WIDE_RED)


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, float]]:
    """Variant to the interval of its mean queue in packets."""
    file = tmp_path_factory.mktemp("sred") / "sred.toml"
    file.write_text(LINE, encoding="utf-8")
    means = weir.load(file).compare(replications=6, store=False).estimates(["mean_queue"])
    return {name: (low, high) for name, low, high in means.select("variant", "low", "high").iter_rows()}


def test_ten_times_the_flows_leave_the_queue_where_it_is(queue: dict[str, tuple[float, float]]) -> None:
    sred = [queue[name] for name in ("few", "some", "many")]
    # From a third of the buffer on it signals with its full probability.
    assert min(low for low, _ in sred) > 180
    assert max(high for _, high in sred) < 1.5 * min(low for low, _ in sred), sred
    assert queue["red-many"][0] > 2.0 * queue["red-few"][1], queue


def test_with_five_flows_the_queue_is_near_that_of_drop_tail(queue: dict[str, tuple[float, float]]) -> None:
    """The probability has then a factor of (5/256)²."""
    assert queue["five"][0] > 0.7 * queue["drop-tail"][1], queue
