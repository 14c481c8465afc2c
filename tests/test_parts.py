"""Results of flow groups and of classes of the queue, each by itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import weir
from conftest import Command
from weir.stats._measures import MEASURES, By, MeasureError, measure_named
from weir.sweep._until import Rule
from weir.tune._targets import Target

TWO = """
schema = 1
name = "two"
duration = "6 s"
measure.warm_up = "1 s"
[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "60 packets"
[flows.cubic]
count = 3
rtt = "40 ms"
start_jitter = "1 s"
tcp.congestion.cubic = {}
[flows.prague]
rtt = "40 ms"
tcp = { ecn = true, congestion.dctcp = {} }

[variants.single]
links.bottleneck.queue.codel = {}
[variants.dual]
links.bottleneck.queue.dualpi2.low_latency = "any-ect"
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> weir.Sweep:
    place = tmp_path_factory.mktemp("two") / "store"
    return weir.Scenario.loads(TWO).compare(3, store=place)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO, encoding="utf-8")
    return path


def test_a_measure_of_a_part_is_what_the_tables_say(two: weir.Sweep) -> None:
    whole = pl.col("period") == -1
    groups = two.groups.filter(whole, group="cubic", variant="dual")
    links = two.links.filter(whole, pl.col("bottleneck"), group="all", variant="dual", **{"class": "L"})
    names = ["goodput of cubic", "p99 delay of L", "loss of L"]
    rows = two.estimates(names).filter(whole, variant="dual")
    assert rows["measure"].to_list() == ["goodput of cubic", "delay_p99 of L", "loss of L"]
    columns = (100.0 * groups["goodput"], links["delay_p99_ms"], 100.0 * links["loss"])
    assert rows["mean"].to_list() == pytest.approx([column.mean() for column in columns])
    # CoDel has no classes.
    single = two.estimates(names).filter(whole, variant="single", measure="delay_p99 of L")
    assert single["n"].to_list() == [0]


def test_a_frame_by_parts_is_those_of_the_parts(two: weir.Sweep) -> None:
    divided: dict[By, list[str]] = {"group": ["cubic", "prague"], "class": ["L", "C"]}
    for by, parts in divided.items():
        summary = two.summary(by=by)
        assert summary.columns[:4] == ["point", "variant", "label", by]
        assert summary[by].unique(maintain_order=True).to_list() == parts
        for part in parts:
            alone = two.summary(of=part)
            assert summary.filter(pl.col(by) == part).drop(by).equals(alone)
        differences = two.differences(by=by, measures=["delay_p99", "loss"])
        assert differences[by].unique(maintain_order=True).to_list() == parts
    goodput = two.differences(by="group", measures=["goodput"]).filter(period=-1)
    named = two.differences(measures=[f"goodput of {part}" for part in ("cubic", "prague")]).filter(period=-1)
    assert goodput["difference"].to_list() == named["difference"].to_list()


def test_groups_share_what_all_have(two: weir.Sweep) -> None:
    goodput = two.summary(by="group").group_by("variant", maintain_order=True).agg(pl.col("goodput").sum())
    assert goodput["goodput"].to_list() == pytest.approx(two.summary()["goodput"].to_list())


def test_the_document_has_every_part(two: weir.Sweep) -> None:
    document = json.loads(json.dumps(two.document(), allow_nan=False))
    assert {row["group"] for row in document["by"]["group"]["estimates"]} == {"cubic", "prague"}
    assert {row["class"] for row in document["by"]["class"]["differences"]} == {"L", "C"}
    few = two.document(["goodput of cubic", "delay_p99"])
    assert [name in few["measures"] for name in ("goodput of cubic", "jain")] == [True, True]
    assert {row["measure"] for row in few["differences"]} == {"goodput of cubic", "delay_p99"}
    assert {row["measure"] for row in few["by"]["class"]["estimates"]} == {"delay_p99"}


def test_the_only_group_is_all(tmp_path: Path) -> None:
    one = TWO.replace(TWO[TWO.index("[flows.prague]") : TWO.index("[variants.single]")], "")
    result = weir.Scenario.loads(one).run(2, store=tmp_path / "store")
    rows = result.estimates(["goodput", "goodput of cubic"]).filter(period=-1)
    assert rows["mean"][0] == rows["mean"][1]
    assert "by" not in result.document() or result.document()["by"] == {}


def test_one_grammar_everywhere() -> None:
    assert measure_named("p99 delay of L").name == "delay_p99 of L"
    assert measure_named("Goodput  of  cubic").title == "Goodput of cubic"
    assert str(Target.parse("p99 delay of L < 2 ms")) == "delay_p99 of L < 2 ms"
    assert str(Rule.parse("goodput of cubic ±1 points")) == "goodput of cubic ±1 points"
    for name in MEASURES:
        assert measure_named(f"{name} of x").name == f"{name} of x"
        assert str(Rule.parse(f"{name} of x ±3%")) == f"{name} of x ±3%"
    with pytest.raises(MeasureError, match='no measure "speed"'):
        measure_named("speed of cubic")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("goodput of cubik", "did you mean 'cubic'"),
        ("goodput of L", "goodput is not known of one class of the queue"),
        ("mean_queue of cubic", "mean_queue is not known of one flow group"),
        ("delay of X", "flow groups: cubic, prague; classes: L, C"),
    ],
)
def test_parts_that_there_are_not(measure: str, said: str, two: weir.Sweep) -> None:
    with pytest.raises(MeasureError, match=said):
        two.estimates([measure])


def test_the_command_line_refuses_them_before_any_run(
    file: Path, weir_command: Command, tmp_path: Path
) -> None:
    for arguments in (
        ("compare", file, "--measure", "goodput of cubik"),
        ("compare", file, "--margin", "goodput of cubik=1"),
        ("sweep", file, "--axis", "flows.cubic.count=1,2", "--until", "goodput of cubik ±1%"),
        ("tune", file, "--target", "goodput of cubik > 5%", "--vary", "codel.target=1..9 ms", "--variant",
         "single"),
    ):  # fmt: skip
        refused = weir_command(*arguments)
        assert refused.returncode == 2
        assert 'there is no flow group "cubik"' in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["two.toml"]


def test_a_run_shows_its_parts_and_a_comparison_when_asked(file: Path, weir_command: Command) -> None:
    run = weir_command("run", file, "--set", "links.bottleneck.queue.dualpi2={}", "-q").stdout
    assert "Whole run by flow group" in run
    assert "Whole run by class of the queue" in run
    plain = weir_command("compare", file, "-n", "3", "-q").stdout
    assert "by flow group" not in plain
    assert "of all flows together; each part by itself: --by group or --by class" in plain
    for title in ("Mean delay", "Delay p99", "Mean queue", "Goodput", "Loss"):
        assert title in plain
    said = weir_command("compare", file, "-n", "3", "--by", "group", "-q").stdout
    assert "Whole run by variant, flow group" in said
    assert "dual, cubic: goodput" in said.replace("\n    ", " ")
    listed = weir_command("results", "2", "--by", "class", "--measure", "delay").stdout
    assert "dual  L" in listed
    assert "single  L" not in listed
    refused = weir_command("run", file, "--by", "class")
    assert "the queue of the bottleneck has no classes" in refused.stderr


def test_goodput_of_all_is_that_of_the_flows_over_the_bottleneck(
    weir_command: Command, tmp_path: Path
) -> None:
    """Downloads and uploads have no rate in common that their goodput could be a share of."""
    asymmetric = '[links.bottleneck]\nreverse = { rate = "1 Mbit/s", buffer = "60 packets" }'
    text = TWO.replace("[links.bottleneck]", asymmetric).replace(
        "[flows.prague]", "[flows.prague]\nupload = true"
    )
    (tmp_path / "both.toml").write_text(text, encoding="utf-8")
    said = "those of the bottleneck: bottleneck\ngoodput of all is that of the flows over it: cubic"
    assert said in weir_command("compare", "both.toml", "-q").stdout
    by_group = weir_command("compare", "both.toml", "-q", "--by", "group").stdout
    assert re.search(r"prague +bottleneck\.reverse +\d", by_group)
    # Data of the upload pass the other direction.
    assert "flow group; Delay p99 and Marked of prague are those of ACKs" in by_group


def test_measure_chooses_the_paired_differences_too(file: Path, weir_command: Command) -> None:
    said = weir_command(
        "compare", file, "-n", "3", "-q", "--measure", "goodput of prague", "--measure", "jain"
    ).stdout.replace("\n    ", " ")
    _, _, differences = said.partition("Against single")
    assert "goodput of prague" in differences
    assert "jain index" in differences
    assert "mean queue" not in differences
    exported = weir_command("results", "1", "--by", "group", "--measure", "loss", "--export", "x.parquet")
    assert exported.returncode == 0, exported.stderr


def test_a_rule_about_a_part_decides(file: Path, weir_command: Command) -> None:
    done = weir_command(
        "sweep", file, "--axis", "flows.cubic.count=1,2", "--variants", "single", "-n", "5", "-q", "--json",
        "--until", "goodput of cubic ±90%",
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert document["until"] == ["goodput of cubic ±90%"]
    assert {row["state"] for row in document["configurations"]} <= {"met", "maximum"}
    assert "goodput of cubic" in {row["measure"] for row in document["estimates"]}


def test_a_part_can_be_drawn(two: weir.Sweep) -> None:
    from weir.plot import figure

    swept = weir.Scenario.loads(TWO).sweep(
        ["flows.cubic.count=1,2"], 2, store=two.store.path.parent / "other"
    )
    drawn = figure(swept, "lines", measure="goodput of cubic")
    rows = swept.estimates(["goodput of cubic"]).filter(period=-1)
    assert sorted(drawn.rows["mean"].to_list()) == pytest.approx(sorted(rows["mean"].to_list()))
    assert drawn.name.startswith("goodput-of-cubic")
