"""Which link results are about, in tables, responses, figures and pages: the bottleneck of the network."""

from __future__ import annotations

import polars as pl
import pytest

import weir
from two_and_three_links import Row, in_every_order
from weir._errors import WeirError
from weir.cli import _tables as tables
from weir.plot import figure
from weir.report._result import html
from weir.stats._measures import MEASURES

DISCIPLINES = ["drop-tail", "red"]

SHORT = {"duration": "2 s", "measure.series": {"interval": "50 ms"}}


@pytest.fixture
def compared(row: Row) -> weir.Sweep:
    return row.scenario(SHORT).compare(disciplines=DISCIPLINES)


@in_every_order
def test_measures_responses_and_figures_are_those_of_the_bottleneck(row: Row, compared: weir.Sweep) -> None:
    network = row.scenario().network
    assert compared.bottleneck == network.bottleneck.name == row.bottleneck
    assert compared.has_several_links
    for text in compared.resolved.values():
        assert weir.Scenario.loads(text).network.bottleneck.name == row.bottleneck

    here = pl.col("link") == row.bottleneck, pl.col("group") == "all", pl.col("period") == -1
    links = compared.links.filter(*here)
    assert len(links) == len(DISCIPLINES)
    assert links["bottleneck"].all()
    others = pl.col("link").is_in(row.others)
    assert not compared.links.filter(others)["bottleneck"].any()
    assert set(compared.links.filter(others)["link"]) == set(row.others)
    assert (links["rate_bps"] == 1e6 * row.rates[row.bottleneck]).all()

    summary = compared.summary()
    for measure in (one for one in MEASURES.values() if one.table == "links"):
        measured = (links[measure.column] * measure.scale).to_list()
        assert summary[measure.name].to_list() == pytest.approx(measured, nan_ok=True)
    assert summary["mean_queue"][0] > 1.0

    band = ("0 packets", "200 packets")
    options = {"hold": "1 s", "at": ["0 s"]}
    found = compared.responses(*band, **options)  # pyright: ignore[reportArgumentType]
    assert found.equals(compared.responses(*band, link=row.bottleneck, **options))  # pyright: ignore[reportArgumentType]

    waited = compared.delays.filter(*here).group_by("label").agg(pl.col("count").sum()).sort("label")
    histograms = compared.delay_histograms().group_by("label").agg(pl.col("count").sum()).sort("label")
    assert histograms["count"].to_list() == waited["count"].to_list()
    delays = figure(compared, "cdf")
    assert "at the bottleneck" in delays.caption
    longest = compared.delays.filter(*here, pl.col("count") > 0)["upto_ms"].max()
    assert delays.rows["delay_ms"].max() == pytest.approx(longest)


@in_every_order
def test_the_terminal_and_the_page_show_it(
    row: Row, compared: weir.Sweep, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.print_sweep(compared, ("mean_queue", "delay_mean"))
    shown = capsys.readouterr().out
    assert f"queue, marks and delay are those of the bottleneck: {row.bottleneck}\n" in shown
    for link in row.others:
        assert link not in shown
    page = html(compared, [], "")
    for name in ("mean_queue", "goodput"):
        for value in compared.summary()[name]:
            assert f"{value:.{MEASURES[name].decimals}f}" in page


TWO = """
schema = 1
name = "two"
duration = "3 s"
measure.warm_up = "1 s"

[links.a]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[links.b]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[flows.f]
path = ["a", "b"]
count = 2
rtt = "40 ms"
start_jitter = "1 s"

[variants.slow-a]

[variants.slow-b]
links.b.rate = "5 Mbit/s"
"""


def test_rows_of_different_links_are_not_put_under_one_caption() -> None:
    """Slow in turn, a and b are the bottleneck of one variant each: their queues are not compared."""
    scenario = weir.Scenario.loads(TWO)
    with pytest.raises(WeirError) as refused:
        scenario.compare()
    assert "the bottlenecks differ: a (of slow-a), b (of slow-b)" in str(refused.value)
    assert "--set measure.bottleneck=a" in str(refused.value.hint)
    differ = r"the bottlenecks differ: b \(of 5 Mbit/s\), a \(of 40 Mbit/s\)"
    with pytest.raises(WeirError, match=differ):
        scenario.sweep({"links.b.rate": ["5 Mbit/s", "40 Mbit/s"]}, variants=["slow-a"])
    named = scenario.replace({"measure.bottleneck": "b"}).compare()
    measured = named.links.filter(pl.col("bottleneck"))
    assert measured["link"].unique().to_list() == ["b"]
    assert len(measured["variant"].unique()) == 2
    # One variant alone has one.
    assert scenario.compare(variants=["slow-b"]).bottleneck == "b"


def test_goodputs_of_a_group_that_are_shares_of_different_links_are_not_compared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They were: 75% of one link less 20% of another were "lower by 55 points"."""
    text = TWO + '\n[flows.side]\npath = ["b"]\nrtt = "40 ms"\nstart_jitter = "1 s"\n'
    compared = weir.Scenario.loads(text, {"measure.bottleneck": "b"}).compare(replications=2)
    by_group = compared.differences(by="group")
    found = {(row["group"], row["measure"]): row for row in by_group.iter_rows(named=True)}
    through_both = found["f", "goodput"]
    assert (through_both["n"], through_both["difference"], through_both["verdict"]) == (0, None, "other link")
    assert found["side", "goodput"]["n"] == found["f", "rtt_mean"]["n"] == 2
    # The mean of all is of the one link that was named.
    assert compared.differences(measures=["goodput"])["n"].to_list() == [2]
    tables.print_sweep(compared, by="group")
    shown = " ".join(capsys.readouterr().out.split())
    assert "slow-b, f: goodput: not compared, as it is a share of another link; path delay" in shown


def test_a_group_has_no_part_in_a_link_that_it_never_passes() -> None:
    text = TWO.replace('[variants.slow-a]\n\n[variants.slow-b]\nlinks.b.rate = "5 Mbit/s"\n', "")
    text += '\n[flows.side]\npath = ["b"]\nrtt = "40 ms"\nstart_jitter = "1 s"\n'
    run = weir.Scenario.loads(text).run(seed=1)
    assert run.bottleneck == "a"
    measures = ["utilisation of side", "utilisation of f", "goodput of side"]
    row = run.observations(measures=measures).row(0, named=True)
    # Side passes b alone, where its goodput is measured.
    assert row["utilisation of side"] is None
    assert row["utilisation of f"] > 50.0
    assert row["goodput of side"] > 5.0
