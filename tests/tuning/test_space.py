"""Parameters and conditions as people write them."""

from __future__ import annotations

import numpy as np
import pytest
from test_search import SCENARIO

from weir._core import ScenarioError
from weir._errors import WeirError
from weir.scenario._scenario import Scenario
from weir.tune._region import Region
from weir.tune._space import Space
from weir.tune._tune import Question, Task

ROW = SCENARIO.replace("[links.bottleneck]", "[links.hop]\nhops = 3").replace(
    'rtt = "50 ms"', 'rtt = "90 ms"'
)

REFUSALS = (WeirError, ScenarioError)

TARGET = ["mean delay < 10 ms"]

MIN_TH = {"links.bottleneck.queue.red.min_th": "5 packets"}


def space(*texts: str) -> Space:
    return Space.of(Scenario.loads(SCENARIO), texts)


def test_a_parameter_has_the_unit_of_its_default() -> None:
    assert space("red.max_th=6..50").at(np.array([1.0])) == (
        ("links.bottleneck.queue.red.max_th", "50 packets"),
    )
    assert space("red.max_th=6 packets..50 packets").at(np.array([0.0]))[0][1] == "6 packets"
    assert space("links.bottleneck.rate=5..50 Mbit/s").at(np.array([0.0]))[0][1] == "5 Mbit/s"


def test_settings_that_cannot_be_run_are_left_out() -> None:
    # min_th is 5 packets: max_th has to be above it.
    box = Space.of(Scenario.loads(SCENARIO, MIN_TH), ["red.max_th=5..11"])
    assert [setting[0][1] for setting in map(box.at, box.points(7))] == [f"{n} packets" for n in range(6, 12)]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            [],
            'nothing to vary; hint: for example --vary "red.max_th=6..100 packets" --vary "red.max_p=',
        ),
        (["red.max_th"], "is not PARAMETER=LOW..HIGH"),
        (["red.max_th=5, 6"], "is not PARAMETER=LOW..HIGH"),
        (["red.max_th=50..6"], "the bounds are the wrong way round"),
        (["red.max_tt=5..50"], "red has no parameter 'max_tt'"),
        (["rem.alpha=0.1..1"], "the queue of bottleneck is red"),
        (["red.max_p=2..3"], "max_p"),
        (["links.nowhere.rate=5..50 Mbit/s"], "nowhere"),
        (["red.max_p=0.1..0.2", "red.max_p=0.1..0.2"], "two axes vary it"),
        (["red.max_th=6..50 by 4"], "tuning needs bounds"),
    ],
)
def test_what_cannot_be_varied(texts: list[str], said: str) -> None:
    with pytest.raises(REFUSALS) as error:
        space(*texts)
    assert said in str(error.value)


def region(*texts: str) -> Region:
    return Region.of(Scenario.loads(SCENARIO), texts)


def test_conditions_are_corners_middles_and_the_centre() -> None:
    found = region("rate=5..50 Mbit/s", "flows=1..100").conditions()
    assert len(found) == 9
    rates = [float(str(dict(c)["links.bottleneck.rate"]).split()[0]) for c in found]
    assert sorted(set(rates)) == pytest.approx([5.0, 15.8, 50.0], rel=0.01)
    assert {dict(c)["flows.ftp.count"] for c in found} == {1, 10, 100}
    assert len(region("rate=5..50 Mbit/s", "flows=1..100", "rtt=50..200 ms").conditions()) == 9


def test_a_map_goes_a_step_beyond_the_region() -> None:
    cells = region("rate=5..50 Mbit/s", "flows=2..50").cells()
    inside = [dict(condition) for condition, is_inside in cells if is_inside]
    outside = [dict(condition) for condition, is_inside in cells if not is_inside]
    assert len(inside) == 25
    assert len(cells) == 49
    assert {c["flows.ftp.count"] for c in inside} <= set(range(2, 51))
    assert any(int(str(c["flows.ftp.count"])) > 50 for c in outside)
    assert any(float(str(c["links.bottleneck.rate"]).split()[0]) < 5.0 for c in outside)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["flow=1..100"], 'there is no condition "flow"'),
        (["flows=100"], "is not CONDITION=LOW..HIGH"),
        (["rtt=0..200 ms"], "not above zero"),
        (["rate=50..5 Mbit/s"], "the wrong way round"),
        (["rate=5..50 ms"], "rate"),
        (["rate=5..50 Mbit/s", "flows=1..9", "rtt=1..9 ms", "buffer=10..100 packets"], "there may be three"),
    ],
)
def test_what_cannot_be_a_region(texts: list[str], said: str) -> None:
    with pytest.raises(REFUSALS) as error:
        region(*texts)
    assert said in str(error.value)


def test_a_row_of_links_is_one() -> None:
    found = Space.of(Scenario.loads(ROW), ["red.max_th=6..50"])
    assert found.at(np.array([1.0])) == (("links.hop.queue.red.max_th", "50 packets"),)
    assert Region.of(Scenario.loads(ROW), ["rate=5..50 Mbit/s"]).axes[0].column == "links.hop.rate"


def test_exponents_are_no_units() -> None:
    assert space("red.max_th=1e1..5e1").at(np.array([1.0]))[0][1] == "50 packets"


def test_what_is_left_out_is_said() -> None:
    (said,) = Space.of(Scenario.loads(SCENARIO, MIN_TH), ["red.max_th=5..50"]).left_out
    assert said.startswith("links.bottleneck.queue.red.max_th = 5 packets cannot be run")
    assert space("red.max_th=6..50").left_out == ()
    (said,) = space("red.max_p=0.1..1.5").left_out
    assert "1.5" in said


def test_the_defaults_have_a_place() -> None:
    box = Space.of(Scenario.loads(SCENARIO, MIN_TH), ["red.max_p=0..0.9", "red.max_th=6..50"])
    assert box.defaults is not None
    values = dict(box.at(box.defaults))
    assert float(str(values["links.bottleneck.queue.red.max_p"])) == pytest.approx(0.1, rel=1e-4)
    assert values["links.bottleneck.queue.red.max_th"] == "15 packets"
    assert space("red.max_p=0.2..0.9").defaults is None


def test_a_parameter_is_no_condition() -> None:
    with pytest.raises(WeirError, match="two axes vary it"):
        Task.of(
            Scenario.loads(SCENARIO),
            Question(
                TARGET,
                ["red.max_p=0.01..1"],
                ["links.bottleneck.queue.red.max_p=0.1..1"],
            ),
        )


def test_completion_times_need_flows_that_end() -> None:
    with pytest.raises(WeirError, match="no flow of this scenario ends"):
        Task.of(Scenario.loads(SCENARIO), Question(["fct_p99 < 100 ms"], ["red.max_p=0.01..1"]))


def test_op_red_is_told_delay_and_loss() -> None:
    with pytest.raises(WeirError, match="told a mean delay and a loss"):
        Task.of(Scenario.loads(SCENARIO), Question(TARGET, ["red.max_p=0.01..1"], with_op_red=True))
