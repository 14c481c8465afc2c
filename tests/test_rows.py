"""Rows of any world, however short its periods: shares are shares, and nothing is faster than its link."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import weir
from weir import _core
from weir.run._batch import run_batch
from weir.run._tables import frames
from weir.sweep._query import export, plain

RATE, PACKET = 2e6, 1000
"""Rate of the link in bit/s, and size of its packets in bytes."""

DISCIPLINES = ("drop-tail", "red", "codel", "pie", "fq-codel", "dualpi2", "choke")

WORLD = """
schema = 1
name = "any"
duration = "3 s"
[measure]
period = "{period} ms"
warm_up = "{warm_up} ms"
[links.l]
rate = "{rate} bit/s"
delay = "5 ms"
buffer = "{buffer} packets"
queue.{discipline} = {{}}
[flows.tcp]
count = {count}
rtt = "{rtt} ms"
packet_size = "{packet} B"
tcp.recovery.sack = {{}}
[flows.burst]
count = 2
rtt = "200 ms"
packet_size = "{packet} B"
stop = "1200 ms"
traffic.cbr.rate = "3 Mbit/s"
"""

worlds = st.fixed_dictionaries(
    {
        "period": st.sampled_from([10, 20, 100, 500]),
        "warm_up": st.sampled_from([0, 1240]),
        "buffer": st.integers(1, 60),
        "discipline": st.sampled_from(DISCIPLINES),
        "count": st.integers(1, 8),
        "rtt": st.integers(10, 300),
    }
)


@given(worlds, st.integers(0, 1000))
@settings(max_examples=40)
def test_shares_are_shares_and_no_group_is_faster_than_its_link(world: dict[str, object], seed: int) -> None:
    scenario = _core.Scenario.loads(WORLD.format(rate=RATE, packet=PACKET, **world))
    tables = frames(_core.tables(run_batch([(scenario, seed)])), [0])
    for name in ("groups", "links"):
        shares = tables[name].select("loss", "mark_fraction").unpivot()["value"].drop_nans()
        assert shares.is_between(0.0, 1.0).all(), name
    groups = tables["groups"]
    assert groups.select(pl.col(pl.Float64).is_infinite().any()).row(0).count(True) == 0
    # A packet that was in transmission when the period began counts whole.
    seconds = groups["to_s"] - groups["from_s"]
    assert (groups["goodput_bps"] * seconds <= RATE * seconds * (1.0 + 1e-9) + 8 * PACKET).all()


def test_the_rows_of_periods_add_up_to_the_run() -> None:
    world = {"period": 20, "warm_up": 0, "buffer": 10, "discipline": "codel", "count": 4, "rtt": 80}
    scenario = _core.Scenario.loads(WORLD.format(rate=RATE, packet=PACKET, **world))
    groups = frames(_core.tables(run_batch([(scenario, 1)])), [0])["groups"]
    for group in ("all", "tcp", "burst"):
        rows = groups.filter(pl.col("group") == group)
        whole, periods = rows.filter(pl.col("period") == -1), rows.filter(pl.col("period") >= 0)
        for column in ("drops", "lost", "arrived", "sent"):
            assert periods[column].sum() == whole[column][0], (group, column)
        ended = whole.select(pl.sum_horizontal("drops", "lost", "arrived")).item()
        assert whole["loss"][0] == whole["drops"][0] / ended
        assert 0 <= whole["sent"][0] - ended < 100, "what is left is on its way"


def test_what_is_dropped_after_its_sender_stopped_is_in_the_document() -> None:
    # The sources of `burst` stop at 1.2 s; a row begins with their packets still in the queue.
    world = {"period": 10, "warm_up": 1240, "buffer": 60, "discipline": "codel", "count": 1, "rtt": 300}
    result = weir.Scenario.loads(WORLD.format(rate=RATE, packet=PACKET, **world)).run()
    losses = result.groups.filter(pl.col("group") == "burst", pl.col("drops") > pl.col("sent"))
    assert not losses.is_empty(), "the case is what it says"
    assert losses["loss"].is_between(0.0, 1.0).all()
    means = [row["mean"] for row in result.document()["estimates"] if row["measure"] == "loss"]
    assert all(mean is None or 0.0 <= mean <= 100.0 for mean in means)


def test_a_spreadsheet_finds_no_formula(tmp_path: Path) -> None:
    texts = ["=1+1", "+A1", "-2", "@SUM(A1)", "\tx", "\rx", "", "DropTail", "a=b"]
    frame = pl.DataFrame({"label": [*texts, None], "mean": [-1.5, *([2.0] * 9)]})
    export(frame, tmp_path / "rows.csv")
    found = pl.read_csv(tmp_path / "rows.csv")
    assert found["label"].to_list() == [*(f"'{text}" for text in texts[:6]), *texts[6:], None]
    assert found["mean"].to_list() == frame["mean"].to_list()
    # Other forms are for programs.
    export(frame, tmp_path / "rows.parquet")
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(frame)


def test_json_has_no_infinity_and_no_nan() -> None:
    frame = pl.DataFrame({"mean": [1.0, float("nan"), float("inf"), None], "n": [1, 2, 3, 4]})
    assert [row["mean"] for row in plain(frame)] == [1.0, None, None, None]
