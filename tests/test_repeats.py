"""Conclusions from replications: equal runs count as one, and few values say little."""

from __future__ import annotations

import polars as pl
import pytest

import weir
from weir.check import few_values
from weir.cli import _tables as tables
from weir.report._result import html

ALONE = """
schema = 1
name = "alone"
duration = "10 s"
measure.warm_up = "2 s"

[links.l]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[flows.f]
rtt = "40 ms"

[variants.drop-tail]
links.l.queue.drop-tail = {}

[variants.codel]
links.l.queue.codel = {}

[variants.pie]
links.l.queue.pie = {}
"""


def test_runs_that_are_equal_have_no_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    """It was "mean ± 95% interval of 5 replications" with ±0.00 throughout."""
    run = weir.Scenario.loads(ALONE).run(replications=5)
    assert run.unvarying.rows() == [(0, "alone")]
    estimates = run.estimates()
    assert estimates["n"].max() == 5
    assert estimates.select("half_width", "low", "high").null_count().row(0) == (len(estimates),) * 3
    tables.print_sweep(run)
    shown = capsys.readouterr().out
    assert "5 replications, all equal: nothing is random, so no intervals" in shown
    assert "±" not in shown
    (note,) = [one.note for one in run.measured_notes if one.note.code == "nothing-random"]
    assert note.path == "flows.f.start_jitter"
    assert "nothing is random, so no intervals" in html(run, [], "")


def test_equal_runs_of_a_rule_have_none_either(capsys: pytest.CaptureFixture[str]) -> None:
    """The table was headed "mean ± 95% interval", with no interval in it."""
    axes = {"links.l.rate": ["5 Mbit/s", "10 Mbit/s"]}
    swept = weir.Scenario.loads(ALONE).sweep(axes, variants=["codel"], until="goodput ±1%")
    tables.print_sweep(swept)
    shown = capsys.readouterr().out
    assert "all replications equal: nothing is random, so no intervals" in shown
    assert "±" not in shown.replace("goodput ±1%", "")


def test_with_chance_there_are_intervals() -> None:
    run = weir.Scenario.loads(ALONE, {"flows.f.start_jitter": "1 s"}).run(replications=5)
    assert run.unvarying.is_empty()
    half_widths = run.summary()["delay_mean_half_width"]
    assert half_widths.null_count() == 0
    assert all(one.note.code != "nothing-random" for one in run.measured_notes)


def test_one_run_alone_is_not_called_equal() -> None:
    assert weir.Scenario.loads(ALONE).run().unvarying.is_empty()


def test_a_comparison_tells_the_variants_apart() -> None:
    """PIE draws, DropTail and CoDel do not: their difference is one number, each other has its interval."""
    compared = weir.Scenario.loads(ALONE).compare(replications=4)
    assert compared.unvarying["variant"].to_list() == ["drop-tail", "codel"]
    assert not compared.is_all_equal
    rows = compared.differences(measures=["delay_mean"])
    found = {row["variant"]: row for row in rows.iter_rows(named=True)}
    assert (found["codel"]["half_width"], found["codel"]["verdict"]) == (None, "lower")
    assert found["codel"]["n"] == 4
    assert found["pie"]["half_width"] > 0.0
    (note,) = [one for one in compared.measured_notes if one.note.code == "nothing-random"]
    assert note.labels == ("drop-tail", "codel")


FEW = """
schema = 1
name = "few"
duration = "20 s"
measure.warm_up = "1 s"

[links.l]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[flows.web]
rtt = "40 ms"
traffic.poisson = {{ rate = "{rate}/s", size.exponential.mean = "20 kB" }}
"""


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (0.7, "a p99 of fewer than 100 values is the largest"),
        (2.5, "a p99 of fewer than 100 values is the largest"),
        (20.0, None),
    ],
)
def test_quantiles_of_few_transfers_are_noted_and_counted(
    rate: float, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    run = weir.Scenario.loads(FEW.format(rate=rate)).run(seed=1)
    found = [one.note.message for one in run.measured_notes if one.note.code == "few-values"]
    about = [message for message in found if "transfers ended" in message]
    assert bool(about) == (said is not None)
    if said:
        assert said in about[0]
    ended = int(run.summary()["transfers"].item())
    assert ended == pytest.approx(19.0 * rate, rel=0.6)
    tables.print_sweep(run)
    assert f"Transfers {ended}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("rate", "seconds", "is_said"), [(150.0, 5, True), (30.0, 100, False)])
def test_transfers_that_had_not_ended_are_said(rate: float, seconds: int, *, is_said: bool) -> None:
    """An overload has no mean time: those that end in the run are the quick ones."""
    text = FEW.format(rate=rate).replace("20 s", f"{seconds} s")
    text += '\n[flows.call]\nrtt = "40 ms"\npacket_size = "200 B"\ntraffic.cbr.rate = "800 bit/s"\n'
    run = weir.Scenario.loads(text).run(seed=1)
    rows = run.table("completions").filter(pl.col("upto_bytes").is_nan(), period=-1, group="all")
    ended, left = (int(rows[name].item()) for name in ("count", "unfinished"))
    assert (left > 0.05 * (ended + left)) == is_said
    found = [one.note.message for one in run.measured_notes if one.note.code == "unfinished-transfers"]
    assert bool(found) == is_said
    assert all(f"{left} of {ended + left} transfers had not ended" in message for message in found)
    beside = run.notes_beside(("delay_p99", "transfers"), of_groups=True)
    assert "unfinished-transfers" not in {one.note.code for one in beside}


def test_a_variant_without_transfers_has_none_that_had_not_ended() -> None:
    text = FEW.format(rate=150.0).replace("20 s", "5 s").replace("traffic.", "# traffic.")
    text += "\n[variants.bulk]\n[variants.short]\nflows.web.traffic.poisson = "
    text += '{ rate = "150/s", size.exponential.mean = "20 kB" }\n'
    compared = weir.Scenario.loads(text).compare()
    (note,) = [one for one in compared.measured_notes if one.note.code == "unfinished-transfers"]
    assert note.labels == ("short",)


def test_one_transfer_is_not_several() -> None:
    (note,) = few_values(1, "transfers of web ended in a run", ["p99"])
    assert note.message.startswith("1 transfer of web ended in a run: ")


def test_each_table_has_the_notes_of_its_quantiles() -> None:
    """Checks the notes on groups and periods and on the tail that was asked for; no note is on a value not
    shown."""
    more = 'measure.period = "1 s"\n[links'
    text = FEW.format(rate=30.0).replace("[links", more, 1)
    text += '\n[flows.call]\nrtt = "40 ms"\npacket_size = "200 B"\ntraffic.cbr.rate = "800 bit/s"\n'
    run = weir.Scenario.loads(text).run(seed=1)

    def said(*measures: str, of_groups: bool = False) -> str:
        return " ".join(one.note.message for one in run.notes_beside(measures, of_groups=of_groups))

    assert "packets of call left the bottleneck in a run: a p99" in said("delay_p99", of_groups=True)
    assert "left the bottleneck in a run" not in said("delay_p99")
    assert "of web ended" not in said("delay_p99", of_groups=True)
    assert "transfers ended in a run: a p99" not in said("delay_p99")
    counts = run.table("links").filter(pl.col("bottleneck"), group="all").filter(pl.col("class") == "all")
    whole, *periods = counts.sort("period")["departures"].to_list()
    assert ("in a period: a p99 of" in said("delay_p99")) == (min(periods) < 100)
    assert ("in a run: a p99.9" in said("delay_p999")) == (whole < 1000)
