from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import weir
from conftest import SMALL
from two_and_three_links import Row
from weir.scenario._scenario import bundled
from weir.scenario._toml import Value, to_toml


def test_values_are_replaced_by_path(small: Path) -> None:
    scenario = weir.Scenario.load(small, set={"links.bottleneck.rate": "3 Mbit/s", "flows.ftp.count": 3})
    resolved = tomllib.loads(scenario.to_toml())
    assert resolved["links"]["bottleneck"]["rate"] == "3 Mbit/s"
    assert resolved["flows"]["ftp"]["count"] == 3


def test_tables_are_replaced_by_path() -> None:
    scenario = weir.Scenario.loads(SMALL).replace(
        {"links.bottleneck.queue.red": {"min_th": "3 packets", "max_th": "9 packets"}}
    )
    aqm = tomllib.loads(scenario.to_toml())["links"]["bottleneck"]["queue"]
    assert list(aqm) == ["red"]
    assert aqm["red"]["max_th"] == "9 packets"


@pytest.mark.parametrize(
    "value",
    [
        True,
        3,
        0.25,
        1e-9,
        "10 Mbit/s",
        'a "quoted" \\ word\nof two lines\x7f',
        "été 𝛾",
        [1, 2],
        ["a", "b"],
        {"red": {"max_th": "80 packets", "ecn": True}},
        {},
    ],
)
def test_values_survive_being_written_as_toml(value: object) -> None:
    assert tomllib.loads(f"x = {to_toml(value)}")["x"] == value  # pyright: ignore[reportArgumentType]


def test_bundled_scenarios_load_by_name() -> None:
    assert "rem-wireline" in bundled()
    for name, path in bundled().items():
        assert weir.Scenario.load(name).hash == weir.Scenario.load(path).hash


def test_a_file_wins_over_a_bundled_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rem-wireline").write_text(SMALL, encoding="utf-8")
    assert weir.Scenario.load("rem-wireline").name == "small"


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(weir.ScenarioError) as raised:
        weir.Scenario.load("rem-wirelnie")
    assert raised.value.file == "rem-wirelnie"
    assert raised.value.hint == "did you mean 'rem-wireline'?"
    assert str(raised.value) == (
        "rem-wirelnie: there is no such file and no bundled scenario of that name\n"
        "hint: did you mean 'rem-wireline'?"
    )


def test_variants_are_scenarios() -> None:
    scenario = weir.Scenario.loads(SMALL)
    assert scenario.variants == ["drop-tail", "red", "rem"]
    assert scenario.variant("rem").label == "REM"
    assert scenario.variant("rem").variants == []
    with pytest.raises(weir.ScenarioError, match="there is no variant 'ren'") as raised:
        scenario.variant("ren")
    assert raised.value.hint == "did you mean 'red' or 'rem'?"


def test_an_ambiguous_bottleneck_has_to_be_named() -> None:
    row = Row({"a": 5, "b": 5}, ("a", "b"))
    with pytest.raises(weir.ScenarioError, match="a and b have the same rate") as caught:
        row.scenario().chosen(disciplines=["red"])
    assert caught.value.hint == "name the link: --set measure.bottleneck=a"
    (red,) = row.scenario({"measure.bottleneck": "b"}).chosen(disciplines=["red"])
    assert [port.queue for port in red.scenario.network.ports] == ["drop-tail", "red"]


def test_disciplines_are_compared() -> None:
    result = weir.Scenario.loads(SMALL).compare(disciplines=["rem", "drop-tail"])
    assert result.variants == ["rem", "drop-tail"]
    queues = {
        name: list(tomllib.loads(text)["links"]["bottleneck"]["queue"])
        for name, text in result.resolved.items()
    }
    assert queues == {"rem": ["rem"], "drop-tail": ["drop-tail"]}


CHANGED = """
[[changes]]
at = "3 s"
links.bottleneck.queue.red.max_th = "14 packets"
"""


def test_disciplines_that_a_change_replaces_are_not_compared() -> None:
    """All would be RED from then on, under other names."""
    scenario = weir.Scenario.loads(SMALL + CHANGED, {"links.bottleneck.queue.red": {}})
    whole: list[Value] = [{"at": "3 s", "links.bottleneck.queue": {"red": {}}}]
    for changed in (scenario, scenario.replace({"changes": whole})):
        with pytest.raises(
            weir.ScenarioError, match="the queue red at 3 s: from then on codel, pie would"
        ) as it:
            changed.chosen(disciplines=["codel", "red", "pie"])
        assert "--set 'changes=[]'" in str(it.value.hint)
        assert [one.name for one in changed.chosen(disciplines=["red"])] == ["red"]
    for others in ([], [{"at": "3 s", "links.bottleneck.buffer": "9 packets"}]):
        kept = scenario.replace({"changes": others})
        assert len(kept.chosen(disciplines=["codel", "red", "pie"])) == 3


def test_a_change_of_a_value_belongs_to_its_queue() -> None:
    red = SMALL.replace("[links.bottleneck]", "[links.bottleneck]\nqueue.red = {}")
    scenario = weir.Scenario.loads(red + CHANGED)
    with pytest.raises(
        weir.ScenarioError, match="sets a value of red, and the queue is codel then"
    ) as raised:
        scenario.replace({"links.bottleneck.queue.codel": {}})
    assert raised.value.path == "changes[0].links.bottleneck.queue.red"


def test_dotted_keys_in_a_list_of_changes() -> None:
    scenario = weir.Scenario.loads(
        SMALL, {"links.bottleneck.queue.red": {"ecn": True, "min_th": "4 packets"}}
    )
    change = {"at": "3 s", "links.bottleneck.buffer": "20 packets"}
    dotted = scenario.replace({"changes": [{**change, "links.bottleneck.queue.red.max_th": "15 packets"}]})
    (found,) = tomllib.loads(dotted.to_toml())["changes"]
    assert found["links"]["bottleneck"]["buffer"] == "20 packets"
    red = found["links"]["bottleneck"]["queue"]["red"]
    assert (red["ecn"], red["min_th"], red["max_th"]) == (True, "4 packets", "15 packets")


def test_the_baseline_comes_first() -> None:
    result = weir.Scenario.loads(SMALL).compare(baseline="rem")
    assert result.variants == ["rem", "drop-tail", "red"]


def test_what_cannot_be_compared() -> None:
    scenario = weir.Scenario.loads(SMALL)
    with pytest.raises(weir.ScenarioError, match="there is no queue discipline 'purple'"):
        scenario.compare(disciplines=["purple"])
    with pytest.raises(weir.ScenarioError, match="the baseline 'pie' is not among"):
        scenario.compare(baseline="pie")
    with pytest.raises(weir.ScenarioError, match="has no variants"):
        scenario.variant("rem").compare()
    with pytest.raises(ValueError, match="not both"):
        scenario.compare(variants=["rem"], disciplines=["rem"])
    with pytest.raises(weir.WeirError, match="at least one"):
        scenario.run(replications=0)


def test_a_seed_is_part_of_the_resolved_scenario() -> None:
    result = weir.Scenario.loads(SMALL).run(replications=2, seed=100)
    assert (result.seed, result.replications) == (100, 2)
    (resolved,) = result.resolved.values()
    assert tomllib.loads(resolved)["seed"] == 100


def test_the_number_of_threads_does_not_matter() -> None:
    scenario = weir.Scenario.loads(SMALL)
    one, two = (scenario.compare(replications=2, threads=threads) for threads in (1, 2))
    for name, frame in one.tables.items():
        assert frame.equals(two.tables[name]), name


def test_importing_weir_is_light() -> None:
    heavy = {"altair", "jinja2", "numpy", "polars", "rich", "scipy", "vl_convert"}
    script = f"import sys, weir, weir.cli; print(*{heavy!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_public_names() -> None:
    assert set(weir.__all__) <= set(dir(weir))
    for name in weir.__all__:
        assert getattr(weir, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'simulate'"):
        _ = weir.simulate  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue]
