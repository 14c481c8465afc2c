"""Traffic as users of the package meet it: the guide, the table `completions`, its measures."""

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

import weir
from weir._errors import WeirError
from weir.plot import Figure, slowdown
from weir.stats._measures import MEASURES, TRANSFER_MEASURES
from weir.store import Finished, FinishedRun

GUIDE = Path(__file__).parents[1] / "docs" / "reference" / "traffic.md"
TRANSFERS = [name for name, measure in MEASURES.items() if measure.table == "completions"]

WEB = """
schema = 1
name = "transfers"
duration = "20 s"
measure.period = "10 s"
links.bottleneck = { rate = "10 Mbit/s", delay = "5 ms", buffer = "50 packets" }

[flows.web]
rtt = "20 ms"
traffic.poisson = { load = 0.6, size.pareto = { mean = "20 kB", shape = 1.3, at_most = "1 MB" } }

[flows.long]
rtt = "20 ms"
stop = "10 s"

[variants.drop-tail]
links.bottleneck.queue.drop-tail = {}

[variants.fq-codel]
links.bottleneck.queue.fq-codel = {}
"""


@pytest.fixture(scope="module")
def compared() -> weir.Sweep:
    return weir.Scenario.loads(WEB).compare(replications=3)


def _blocks(language: str) -> list[str]:
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_every_example_of_the_guide_runs(tmp_path: Path) -> None:
    head, *groups = _blocks("toml")
    assert len(groups) == 6
    cdf, listed, trace = _blocks("text")
    (tmp_path / "uplink.csv").write_text(trace, encoding="utf-8")
    (tmp_path / "flows.csv").write_text(listed, encoding="utf-8")
    (tmp_path / "mine.cdf").write_text(cdf, encoding="utf-8")
    assert "web-search" in groups[1]
    for group in [*groups, groups[1].replace("web-search", "mine.cdf")]:
        path = tmp_path / "scenario.toml"
        path.write_text(f"{head}\n{group}", encoding="utf-8")
        result = weir.Scenario.load(path).run()
        delivered = result.groups.filter(pl.col("group") == "all", pl.col("period") == -1)["delivered"]
        assert delivered.gt(0).all(), group
    everything = tmp_path / "all.toml"
    everything.write_text("\n".join([head, *groups]), encoding="utf-8")
    whole = weir.Scenario.load(everything).run().groups.filter(pl.col("period") == -1)
    assert len(whole["group"].unique()) == 1 + 11
    assert whole["delivered"].gt(0).all()


def test_kinds_of_the_guide_are_those_of_the_schema() -> None:
    table = GUIDE.read_text(encoding="utf-8").split("\n## ", maxsplit=1)[0]
    named = re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)
    text = weir.Scenario.loads
    for kind in named:
        with pytest.raises(weir.ScenarioError) as told:
            text(WEB, {f"flows.web.traffic.{kind}.no-such": 1})
        assert "unknown name" not in str(told.value), kind
    with pytest.raises(weir.ScenarioError) as told:
        text(WEB, {"flows.web.traffic.zzz": 1})
    assert sorted(re.findall(r"[a-z0-9-]+", str(told.value).split("known:")[1])) == sorted(named)


def test_completions_are_a_table_of_a_result(compared: weir.Sweep) -> None:
    table = compared.completions
    assert table.columns[:6] == ["point", "variant", "label", "replication", "seed", "run"]
    everything = table.filter(pl.col("upto_bytes").is_nan())
    classes = table.filter(pl.col("upto_bytes").is_not_nan())
    keys = ["variant", "replication", "group", "period"]
    sums = classes.group_by(keys).agg(pl.col("count", "bytes", "unfinished").sum())
    both = everything.join(sums, on=keys, suffix="_sum")
    assert len(both) == len(everything) == 2 * 3 * 3 * 2  # "all" and "web"; bulk flows have no rows
    for column in ("count", "bytes", "unfinished"):
        assert both[column].to_list() == both[f"{column}_sum"].to_list()
    assert everything["slowdown_mean"].min() >= 1.0  # type: ignore[operator]


def test_measures_of_transfers_are_measures_like_any_other(compared: weir.Sweep) -> None:
    assert set(TRANSFERS) <= set(compared.measures)
    whole = compared.estimates(TRANSFER_MEASURES).filter(pl.col("period") == -1)
    assert whole["n"].to_list() == [3] * 2 * len(TRANSFER_MEASURES)
    table = compared.completions.filter(
        pl.col("variant") == "fq-codel",
        pl.col("group") == "all",
        pl.col("period") == -1,
        pl.col("upto_bytes").is_nan(),
    )
    (mean,) = whole.filter(pl.col("variant") == "fq-codel", pl.col("measure") == "fct_mean")["mean"]
    assert mean == pytest.approx(table["fct_mean_ms"].mean())
    differences = compared.differences(measures=["slowdown_p99"]).filter(pl.col("period") == -1)
    # Short flows do not wait behind the queue of the long one.
    assert differences["difference"][0] < 0
    assert {row["measure"] for row in compared.document()["estimates"]} == set(MEASURES)
    of_group = compared.estimates(["fct_mean"], of="web").filter(pl.col("period") == -1)
    assert of_group["mean"].to_list() == whole.filter(pl.col("measure") == "fct_mean")["mean"].to_list()


def test_where_no_flows_come_and_go_nothing_is_said_of_transfers() -> None:
    result = weir.Scenario.loads(WEB, {"flows.web.traffic.bulk": {}, "flows.web.stop": "5 s"}).run()
    assert result.completions.is_empty()
    assert not set(TRANSFERS) & set(result.measures)
    assert set(result.document()["measures"]) == set(result.measures)
    assert not set(TRANSFERS) & set(result.estimates()["measure"])
    with pytest.raises(WeirError, match="no flows come and go"):
        slowdown(result)


def test_results_of_before_there_were_transfers_can_be_read(tmp_path: Path, compared: weir.Sweep) -> None:
    keys = compared.finished["run"].to_list()
    tables = {
        name: compared.store.scan(name, keys).collect()
        for name in ("links", "groups", "flows", "delays", "series")
    }
    runs = compared.store.scan("runs", keys).drop("results_version", "weir").collect()
    with weir.Store.open(tmp_path / "old", create=True) as store:
        store.commit(Finished([FinishedRun(**row) for row in runs.iter_rows(named=True)], tables))
        store.record_sweep(compared.record)
    old = weir.Sweep.open(compared.number, tmp_path / "old")
    assert not set(TRANSFERS) & set(old.measures)
    assert old.estimates(["goodput"]).equals(compared.estimates(["goodput"]))


def test_the_figure_shows_both_quantiles_of_every_size(compared: weir.Sweep, tmp_path: Path) -> None:
    from weir.plot._runs import FEWEST

    figure = slowdown(compared)
    assert isinstance(figure, Figure)
    rows = figure.rows
    assert set(rows["quantile"]) == {"Median", "99th percentile"}
    assert set(rows["family"]) == {"drop-tail", "fq-codel"}
    assert (rows["count"] >= FEWEST).all()
    assert (rows["slowdown"] >= 1.0).all()
    weir.report.write(compared, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Slowdown by size" in page
    assert "Slowdown p99" in page


def test_a_sweep_keeps_transfers_and_stops_by_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(WEB.split("[variants", maxsplit=1)[0], encoding="utf-8")
    with weir.Scenario.load(path).sweep(
        {"flows.web.traffic.poisson.load": [0.3, 0.6]},
        until=["slowdown_p50 ±30%"],
        store=tmp_path / "store",
        name="loads",
    ) as sweep:
        rows = sweep.estimates(["slowdown_p50", "fct_mean"]).filter(pl.col("period") == -1)
        slow = rows.filter(pl.col("measure") == "slowdown_p50")["mean"].to_list()
        assert 1.0 <= slow[0] < slow[1]
        assert set(TRANSFERS) <= set(sweep.measures)
        # "web" is one of two groups, so it has rows of its own.
        assert {"all", "web"} == set(sweep.table("completions")["group"])


def test_a_scenario_takes_its_files_along(tmp_path: Path) -> None:
    import pickle

    (tmp_path / "mine.cdf").write_text("1000 0.5\n20000 1\n", encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(r"size\.pareto = \{.*?\}", 'size.cdf = "mine.cdf"', WEB), encoding="utf-8")
    here = weir.Scenario.load(path)
    there = pickle.loads(pickle.dumps(here.core))  # noqa: S301
    assert there.hash == here.hash
    assert weir.Scenario.loads(here.to_toml()).hash == here.hash
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for name in ("mine.cdf", "mine.toml"):
        shutil.copy(tmp_path / name, copy / name)
    assert weir.Scenario.load(copy / "mine.toml").hash == here.hash
    (copy / "mine.cdf").write_text("1000 0.5\n20001 1\n", encoding="utf-8")
    assert weir.Scenario.load(copy / "mine.toml").hash != here.hash
