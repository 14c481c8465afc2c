"""Bad input gets an error that says what is wrong, and a hint that says what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import weir
from weir import check, evaluate, plot, report, stats, theory
from weir._errors import InputError
from weir.stats import MeasureError
from weir.store import StoreError
from weir.sweep import ChartError
from weir.theory import TheoryError

PAGE = (Path(__file__).parents[1] / "docs/reference/python.md").read_text(encoding="utf-8")
"""The page of the interface. Its block of Python makes a scenario and a result."""

Call = tuple[str, type[Exception], str, str]
"""A call, its error, and parts of the message and of the hint."""


@pytest.fixture(scope="module")
def given() -> Iterator[dict[str, Any]]:
    """Names that every call may use."""
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = {}
    exec(block, found)  # noqa: S102 - our own page
    rem = found["scenario"].variant("rem-mark")
    rows = pl.DataFrame({"time_s": [1.0], "value": [2.0]})
    system = theory.system_of(rem).system
    found |= {
        "check": check, "evaluate": evaluate, "plot": plot, "report": report, "stats": stats,
        "theory": theory, "np": np, "pl": pl, "nan": float("nan"), "rem": rem, "rows": rows,
        "system": system, "phase": theory.Phase(0.0, system), "one": np.ones(1), "two": np.ones(2),
        "port": rem.network.port("bottleneck"), "network": theory.EXAMPLES["dumbbell"](),
        "course": theory.integrate([theory.Phase(0.0, system)], 1.0),
        "bundled": Path(weir.__file__).with_name("scenarios").joinpath("rem-wireline.toml").read_text(),
    }  # fmt: skip
    yield found
    found["result"].close()


VARIANTS = "there are: drop-tail, red-20-80-mark, rem-mark"
MEASURES = "there are: mean_queue, queue_sd, goodput"
WHOLE = "give the text that `Scenario.to_toml` writes"
ABOVE = "more than zero"

SCENARIO: list[Call] = [
    ("weir.load(3)", InputError, "3 names no scenario", "give the name of a bundled scenario"),
    ("weir.load('web', {3: 3})", InputError, "3 is no path of a value", "write it with dots"),
    ("scenario.compare(variants=['rem-mark'], disciplines=['red'])", weir.ScenarioError, "not both", "leave"),
    ("scenario.chosen(['rem-mark'], ['red'])", weir.ScenarioError, "not both", "leave one of them out"),
    ("scenario.compare(variants=[])", weir.ScenarioError, "no variant is named", "there are: drop-tail"),
    ("scenario.compare(disciplines=[])", weir.ScenarioError, "no queue discipline is named", "there are: "),
    ("scenario.compare(variants=['rem-mark'] * 2)", weir.ScenarioError, "'rem-mark' is named twice", "leave"),
    ("scenario.compare(margins={'goodput': -1.0})", MeasureError, "a margin of -1 for 'goodput'", "zero or"),
    ("scenario.compare(margins={'goodput': nan})", MeasureError, "a margin of nan", "zero or more"),
    ("scenario.variant(None)", weir.ScenarioError, "there is no variant 'None'", "there are: drop-tail"),
    ("scenario.run(threads=-1)", weir.WeirError, "there cannot be -1 threads", "0: one for each core"),
    ("scenario.sweep({}, method='x')", weir.WeirError, "there is no method 'x'", "there are: lhs, sobol"),
    ("scenario.choose(['loss < 1%'], [])", weir.ScenarioError, "no discipline to choose from", "there are: "),
    ("scenario.export(replications=-1)", weir.WeirError, "-1 replications", "0 compares nothing"),
]

RESULT: list[Call] = [
    ("result.label('rem-mrk')", InputError, "there is no variant 'rem-mrk'", "did you mean 'rem-mark'?"),
    ("result.label('REM mark')", InputError, "there is no variant", "did you mean 'rem-mark'?"),
    ("result.resolved_at(0, 'x')", InputError, "there is no variant 'x'", VARIANTS),
    ("result.resolved_at(7, 'rem-mark')", InputError, "the result has no point 7", "its only point is 0"),
    ("result.resolved_at(-1, 'rem-mark')", InputError, "the result has no point -1", "its only point is 0"),
    ("result.bottlenecks(0, 'x')", InputError, "there is no variant 'x'", VARIANTS),
    ("result.bottlenecks(7, 'rem-mark')", InputError, "the result has no point 7", "its only point is 0"),
    ("result.differences('x')", InputError, "there is no variant 'x'", VARIANTS),
    ("result.differences(margins={'x': 1.0})", MeasureError, 'there is no measure "x"', MEASURES),
    ("result.quantile(-3)", InputError, "no quantile for -3 degrees of freedom", "give one or more"),
    ("result.sensitivity('x')", MeasureError, 'there is no measure "x"', MEASURES),
    ("result.parts('x')", MeasureError, "nothing is divided by 'x'", "there are: group, class, link"),
    ("result.estimates(by='grup')", MeasureError, "nothing is divided by 'grup'", "did you mean 'group'?"),
    ("result.estimates(of='ftp', by='group')", MeasureError, "values of ftp alone", "leave out `by`"),
    ("result.summary(at='bottleneck', by='link')", MeasureError, "values at bottleneck alone", "leave out"),
    ("result.observations(measures=['x'])", MeasureError, 'there is no measure "x"', MEASURES),
    ("result.series_of(9)", InputError, "the result has no point 9", "its only point is 0"),
    ("result.series_of(variants=['x'])", InputError, "no variant has the label 'x'", "there are: DropTail"),
    ("result.series_of(variants=['rem-mark'])", InputError, "no variant has the label", "'REM mark'"),
    ("result.responses(1, '60 packets')", stats.ResponseError, "1 has no unit", "write a text"),
    ("result.store.finished(['x'])", StoreError, "'x' is no key of a run", "keys are whole numbers"),
    ("result.store.remove_sweep('x')", StoreError, "'x' is no record of a result", "store.find_sweep"),
    ("result.store.prune([])", StoreError, "was opened to be read", "open it to be written"),
]

STATISTICS: list[Call] = [
    ("stats.student_t(-1)", InputError, "no quantile for -1 degrees", "give one or more"),
    ("stats.student_t(3, 1.0)", InputError, "an interval has no level of 1", "from 0 to below 1"),
    ("stats.mean_interval(two, level=1)", InputError, "no level of 1", "from 0 to below 1"),
    ("stats.mean_interval(one, level=nan)", InputError, "no level of nan", "from 0 to below 1"),
    ("stats.mean_interval(np.ones((2, 2)))", InputError, "values of shape (2, 2)", "of shape (n,)"),
    ("stats.paired_difference(one, two)", InputError, "1 values cannot be paired with 2", "NaN where"),
    ("stats.spectrum(two, 0.0, 1.0)", InputError, "samples cannot be 0 s apart", "a step above zero"),
    ("stats.spectrum(two[:0], 1.0, 1.0)", InputError, "a series without values", "sample it"),
    ("stats.spectrum(two * nan, 1.0, 1.0)", InputError, "a series with undefined values", "leave out"),
    ("stats.spectrum(two, 1.0, -1.0)", InputError, "-1.0 s is no expected period", "None where"),
    ("stats.spectrum(two, 1.0, 1.0, finer=0)", InputError, "frequencies cannot be in 0 parts", "1 or more"),
    ("stats.peak_period(two, 1.0, 1.0)", InputError, "2 values are too few", "give a longer series"),
    ("stats.peak_period(one, 1.0, 1.0)", InputError, "1 values are too few", "give a longer series"),
    ("stats.peak_period(np.ones(99), 1.0, 9.0)", InputError, "all equal has no period", "does not swing"),
    ("stats.moving_average(two, 0)", InputError, "there is no mean of 0 samples", "give 1 or more"),
    ("stats.times(np.arange(2), one > 0, 0, 1, 1)", InputError, "1 samples cannot be at 2", "for each"),
    ("stats.times(np.arange(1), one > 0, 0, 1, -1)", InputError, "cannot stay for -1 ns", "zero or more"),
    ("stats.bottleneck_rows({}, 'links')", InputError, "the table 'links' is missing", "given: none"),
    ("stats.bottleneck_rows({'links': rows}, 'links')", InputError, "lacks columns: link", "result.links"),
    ("stats.bottleneck_rows({'links': result.links}, 'delays')", InputError, "'delays' is missing", "links"),
    ("stats.response_estimates(rows)", InputError, "no response_s and no settling_s", "Sweep.responses"),
    ("stats.Ellipse(np.ones((0, 2)))", InputError, "points of shape (0, 2)", "shape (n, 2)"),
    ("stats.Ellipse(np.ones((3, 2)), 1.5)", InputError, "a share of 1.5", "from 0 to below 1"),
    ("stats.Ellipse(np.ones((3, 2))).corners(2)", InputError, "cannot have 2 sides", "give 3 or more"),
]

EVALUATION: list[Call] = [
    ("evaluate.mos(-5.0, 0.0)", InputError, "a call has no delay of -5 ms", "zero or more"),
    ("evaluate.mos(nan, 0.0)", InputError, "a call has no delay of nan ms", "zero or more"),
    ("evaluate.mos(20.0, 5.0)", InputError, "a loss of 5 is no share", "0.02 for 2%"),
    ("evaluate.flows_for_load(10.0, 'hevy')", InputError, "there is no load 'hevy'", "did you mean 'heavy'?"),
    ("evaluate.flows_for_load(-1.0, 'mild')", InputError, "a space of -1 packets", "above zero"),
    ("evaluate.loss_at_load(5, 0.0)", InputError, "a space of 0 packets", "above zero"),
    ("evaluate.loss_at_load(-5, 10.0)", InputError, "-5 flows are no load", "zero or more"),
    ("evaluate.loss_at_load(50, 1.0)", InputError, "it exceeds 1", "fewer flows or more space"),
    ("evaluate.trimmed_mean([])", InputError, "nothing has no mean", "one value or more"),
    ("evaluate.trimmed_mean([1, 2, 3], counts=[1])", InputError, "1 counts do not say", "for each value"),
    ("evaluate.trimmed_mean([1], counts=[1, 2])", InputError, "2 counts do not say", "for each value"),
    ("evaluate.trimmed_mean([1, 2], counts=[0, 0])", InputError, "the counts say of no value", "for one"),
    ("evaluate.trimmed_mean([1, 2], share=0.0)", InputError, "0 is no share", "above 0, at most 1"),
    ("evaluate.trimmed_mean([1, nan])", InputError, "an undefined value", "leave it out"),
    ("evaluate.rpm([], 10.0)", InputError, "no connection of its own", "foreign_ms"),
    ("evaluate.rpm([10.0], 0.0)", InputError, "a round trip of 0 ms", "times above zero"),
    ("evaluate.bufferbloat_grade(nan)", InputError, "that is not defined has no grade", "milliseconds"),
    ("evaluate.variation(one[:0])", InputError, "nothing was sampled", "one sample or more"),
    ("evaluate.empty_share(one[:0])", InputError, "nothing was sampled", "one sample or more"),
    ("evaluate.response_rtts(port, one[:0], one[:0], 9, 0, 4)", InputError, "nothing was sampled", "one"),
    ("evaluate.response_rtts(port, two, one, 9, 0, 4)", InputError, "1 samples cannot be at 2", "for each"),
    ("evaluate.response_rtts(port, two, two, 0, 0, 4)", InputError, "a target of 0 ms", "above zero"),
    ("evaluate.against({}, [], 1, 'a', 'b', 'delay')", MeasureError, "by 'delay'", "did you mean 'delay_p"),
    ("evaluate.against({}, [], 0, 'a', 'b', 'delay_p50')", InputError, "0 looks", "1 or more"),
    ("evaluate.ranks({}, ['a', 'b'], 'x')", MeasureError, "not compared by 'x'", "there are: goodput_bps"),
    ("evaluate.holm([2.0])", InputError, "2 is no p-value", "probabilities"),
    ("evaluate.Evidence(one[:0], 'log')", InputError, "no evidence without a value", "one a seed"),
    ("evaluate.Evidence(one, 'x')", InputError, "there is no scale 'x'", "there are: log, lack, plain"),
    ("evaluate.Evidence(one, 'log', 0)", InputError, "0 looks", "1 or more"),
    ("evaluate.Request((), (), (), evaluate.published())", weir.WeirError, "nothing to evaluate", "subjects"),
]

NOTES: list[Call] = [
    ("check.notes('web')", InputError, "'web' is no scenario", "weir.load"),
    ("check.cost('web')", InputError, "'web' is no scenario", "weir.load"),
    ("check.notes_of_toml('')", weir.ScenarioError, "no whole scenario: it has no duration", WHOLE),
    ("check.notes_of_toml('x = [')", weir.ScenarioError, "this is no TOML", WHOLE),
    ("check.notes_of_toml(bundled)", weir.ScenarioError, "links.bottleneck has no queue", WHOLE),
    ("check.trend_notes('', [1.0], [1.0])", weir.ScenarioError, "it has no duration", WHOLE),
    ("check.trend_notes(rem.to_toml(), [1.0, 2.0], [1.0])", InputError, "1 drifts", "both of each"),
    ("check.notes_together([], [('a', '[[changes]]')])", weir.ScenarioError, "it has no duration", WHOLE),
]

CURVE = "plot.draw(plot.Plot('a', 'A', '', 'x', [plot.Facet('', 'y', [plot.Curve('l', {})])]))"

FIGURES: list[Call] = [
    ("plot.draw(plot.Plot('a', 'A', '', 'x', []))", ChartError, "a has no panel", "give a Facet"),
    ("plot.draw(plot.Plot('a', '', '', '', [plot.Facet('', '', [])], 0))", ChartError, "0 columns", "1 to 3"),
    (CURVE.format("[1, 2], [1]"), ChartError, "the curve 'l' has 2 x and 1 y", "as many of each"),
    (CURVE.format("[1], [1], low=[]"), ChartError, "the curve 'l' has 1 x and 0 low", "as many of each"),
    (CURVE.format("[1], [1], kind='run'"), ChartError, "no kind of curve 'run'", "did you mean 'runs'?"),
    (CURVE.format("['a'], [1]"), ChartError, "the curve 'l' is through 'a'", "give numbers"),
    ("plot.options_of('x')", ChartError, "there is no kind of figure 'x'", "there are: lines, heat"),
    ("plot.figure(result, 'lines', facett='x')", ChartError, "has no facett", "did you mean 'facet'?"),
    ("plot.parts_of_a_whole(rows, {})", ChartError, "no column 'part'", "there are: time_s, value"),
    ("plot.share_map(rows, ['a'], ['b'])", ChartError, "no column 'label'", "there are: time_s, value"),
    ("plot.envelope(rows, ['label'])", ChartError, "no column 'label'", "there are: time_s, value"),
    ("plot.envelope(rows, [], slots=0)", ChartError, "time cannot be in 0 slots", "give 1 or more"),
    ("plot.verdict_map(rows, [], ['x'], {'': ''}, {}, (1, 1))", ChartError, "no column 'panel'", "time_s"),
]

THEORY: list[Call] = [
    ("theory.swing_of(system, theory.operating_point(system))", TheoryError, "REM has no dead zone", "HRED"),
    ("theory.red_crossover(60, 0.0, 0.2)", TheoryError, "capacity is 0", ABOVE),
    ("theory.red_slope(60, 3750.0, 0.2, 0.0)", TheoryError, "pole is 0", ABOVE),
    ("theory.red_weight(0.0, 1.0)", TheoryError, "capacity is 0", ABOVE),
    ("theory.pi2_gains(0.0)", TheoryError, "rtt is 0", ABOVE),
    ("theory.pi2_alpha(0.0, 1.0)", TheoryError, "rtt is 0", ABOVE),
    ("theory.coupling(0.015, 0.0)", TheoryError, "base_rtt is 0", ABOVE),
    ("theory.hred_loop_gain(0.0, 0.0, 0.0, 0.0, 0.0)", TheoryError, "line is not above zero", "a larger k"),
    ("theory.hred_least_k(0.0, 0.0, 0.0, 0.0)", TheoryError, "max_th is 0", ABOVE),
    ("theory.pi_design(60, 3750.0, 0.2, crossover=-1.0)", TheoryError, "crossover is -1", ABOVE),
    ("theory.by_rounds(1.0)", TheoryError, "p is 1", "below 1"),
    ("theory.codel_rate(1.0, 0.0)", TheoryError, "interval is 0", ABOVE),
    ("theory.codel_time(-5.0, 0.1)", TheoryError, "signals is -5", "zero or more"),
    ("theory.reno_probability(0.0)", TheoryError, "window is 0", ABOVE),
    ("theory.mean_window(0, 1.0, 1.0)", TheoryError, "flows is 0", ABOVE),
    ("theory.rem_price(1.0)", TheoryError, "a probability of 1", "below 1"),
    ("theory.rem_price(0.1, phi=1.0)", TheoryError, "phi is 1", "more than 1"),
    ("theory.red_queue(20, 640.0, 80.0, 20.0, 0.1)", TheoryError, "thresholds of 80 and 20", "min_th below"),
    ("theory.rem_hosts([], 1.0, 1.0, 1.0)", TheoryError, "there is no host", "one or more"),
    ("theory.Host(theory.Utility.log(1.0), least=5.0, greatest=1.0)", TheoryError, "no rate lies", "least"),
    ("theory.dctcp_sawtooth(0, 1.0, 1.0, 1.0)", TheoryError, "flows is 0", ABOVE),
    ("theory.intensity(-1.0)", TheoryError, "rate is -1", "zero or more"),
    ("theory.Group(1, 0.1, kind='rena')", TheoryError, "there is no kind 'rena'", "did you mean 'reno'?"),
    ("theory.Group(1, 0.1).round_trip(1.0, 0.0)", TheoryError, "a capacity of 0", ABOVE),
    ("theory.balance([theory.Path('a', ('l',), 0.1)], {'l': 0.0})", TheoryError, "no capacity", ABOVE),
    ("theory.balance([theory.Path('a', (), 0.1)], {'l': 9.0})", TheoryError, "pass no link", "there are: l"),
    ("theory.balance([theory.Path('a', ('l',), 0.1)], {})", TheoryError, "no link 'l'", "there are: none"),
    ("theory.balance([theory.Path('a', ('l',), 0.1, 'cubik')], {'l': 9.0})", TheoryError, "cubik", "'cubic'"),
    ("theory.Path('a', ('l',), 0.0).rate(0.1)", TheoryError, "a delay of zero", "give them a round trip"),
    ("theory.design('pie', 60, 0.246, 3750.0, margin=-1.0)", TheoryError, "a gain margin of -1", ABOVE),
    ("theory.boundary(lambda _: system, 0.0, 1.0)", TheoryError, "low is 0", ABOVE),
    ("theory.RegionAxis.of('N=1..2', -1)", TheoryError, "an axis of -1 levels", "one or more"),
    (
        "theory.region(system, theory.RegionAxis('N', ()), theory.RegionAxis.of('R=1..2', 2))",
        TheoryError,
        "axis N",
        "10",
    ),
    ("theory.integrate([phase], nan)", TheoryError, "the end is at nan s", "a number of seconds"),
    ("theory.integrate([phase], 1.0, step=-1.0)", TheoryError, "step is -1", ABOVE),
    ("theory.integrate([phase], 1.0, queue=-1.0)", TheoryError, "queue is -1", "zero or more"),
    ("course.swing(since=9.0)", TheoryError, "the course ends at 1 s", "an earlier instant"),
    ("course.at(one, one)", TheoryError, "1 values are not of the", "give one of its own"),
    ("theory.fluid_of(rem, interval=0.0)", TheoryError, "interval is 0", ABOVE),
    ("theory.fluid_of(rem, until=-1.0)", TheoryError, "until is -1", ABOVE),
    ("theory.system_of('web')", InputError, "'web' is no scenario", "weir.load"),
    ("theory.network_of(rem, at=99.0)", TheoryError, "ends at 4 s, before 99 s", "an earlier instant"),
    ("theory.local_bound(network, one, one)", TheoryError, "1 rates are not those of 5 sources", "plain"),
    ("theory.conditions(network, np.ones(5), two)", TheoryError, "2 prices", "bottleneck"),
    ("network.load(one)", TheoryError, "1 rates are not those of 5 sources", "in this order: plain"),
    ("network.demand(two)", TheoryError, "2 prices are not those of 1 links", "in this order: bottleneck"),
    ("network.utility(one)", TheoryError, "1 rates are not those of 5 sources", "in this order: plain"),
    ("theory.synchronous(network, order='at_once')", TheoryError, "no order 'at_once'", "'at-once'"),
    ("theory.synchronous(network, most=0)", TheoryError, "0 steps reach nothing", "one or more"),
    ("theory.asynchronous(network, seed=-1)", TheoryError, "the seed -1 is negative", "a whole number"),
    ("theory.Timing(knowledge='x')", TheoryError, "there is no knowledge 'x'", "there are: latest, average"),
    ("theory.Utility.log(5.0).value(-1.0)", TheoryError, "a rate of -1 packets/s", "give"),
    ("theory.margins_of(theory.loop_of(system), 0)", TheoryError, "0 frequencies a decade", "one or more"),
    ("theory.roots_of(theory.loop_of(system), 0)", TheoryError, "a collocation of degree 0", "2 or more"),
    ("theory.ranjan().orbit(0.15, kept=-1)", TheoryError, "-1 averages are none", "one or more"),
    ("theory.ranjan().lyapunov(nan)", TheoryError, "nan is no weight", "at most 1"),
    ("theory.RedMap(250.0, 0.0, 0.1, 250.0, 750.0, 0.1, 3750.0)", TheoryError, "capacity is 0", ABOVE),
    ("theory.Red(20.0, 80.0, 0.0)", TheoryError, "max_p is 0", ABOVE),
    ("theory.Red(20.0, 80.0, spacing='wate')", TheoryError, "no spacing 'wate'", "did you mean 'wait'?"),
    ("theory.continuous_pi(1.0, 0.0, 1.0)", TheoryError, "zero is 0", ABOVE),
    ("theory.rem(1.0, 0.1, 0.001, 0.002, 20.0)", TheoryError, "phi is 1", "more than 1"),
    ("theory.Hred(20.0, 80.0, k=0.0)", TheoryError, "k is 0", ABOVE),
    ("theory.Avq(gamma=0.0)", TheoryError, "gamma is 0", ABOVE),
    ("theory.Step(-1.0)", TheoryError, "threshold is -1", "zero or more"),
]

EVERY = [*SCENARIO, *RESULT, *STATISTICS, *EVALUATION, *NOTES, *FIGURES, *THEORY]


@pytest.mark.parametrize(("call", "kind", "message", "hint"), EVERY, ids=[call for call, *_ in EVERY])
def test_bad_input_is_refused_with_a_hint(
    call: str, kind: type[Exception], message: str, hint: str, given: dict[str, Any]
) -> None:
    with pytest.raises(kind) as caught:
        eval(call, given)  # noqa: S307 - calls of this file
    error: Any = caught.value
    assert message in error.message
    assert hint in (error.hint or "")
    # A handler of what Python raises for a bad value catches these, but for errors of a store and of plans.
    assert isinstance(error, ValueError) or type(error) is weir.WeirError or isinstance(error, StoreError)


def test_a_score_is_never_below_the_lowest() -> None:
    scores = [evaluate.mos(delay, loss) for delay in (0.0, 20.0, 400.0, 9e3) for loss in (0.0, 0.2, 0.5, 1.0)]
    assert min(scores) == 1.0
    assert max(scores) < 4.5
    # The dip of the formula is below 1 for ratings up to 6.5: what lies above it is as it was.
    assert evaluate.mos(0.0, 0.2) == pytest.approx(1.1237450775258055)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("weir.load('web', {'links.bottleneck.rate': '9 Mbps'})", 'links.bottleneck.rate="9 Mbps": '),
        ("weir.Scenario.loads(rem.to_toml(), {'a': 1})", "a=1: a: unknown field"),
        ("rem.replace({'links.bottleneck.rate': '9 Mbps'})", 'links.bottleneck.rate="9 Mbps": '),
        ("rem.with_seed(-1)", "seed=-1: seed: a whole number"),
        ("rem.run(seed=-1)", "seed=-1: seed: a whole number"),
    ],
)
def test_an_error_names_no_option_of_the_command_line(call: str, said: str, given: dict[str, Any]) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        eval(call, given)  # noqa: S307 - calls of this file
    assert str(caught.value).startswith(said)
    assert f"{caught.value.file}: ".startswith(said.partition(": ")[0])


def test_a_setting_is_named_as_it_was_given() -> None:
    with pytest.raises(weir.WeirError, match=r"^rde\.ecn: it begins with none .* hint: there are: red$"):
        evaluate.subjects(["red"], [("rde.ecn", "true")])


def test_a_single_text_is_a_list_of_one(given: dict[str, Any]) -> None:
    scenario, result = given["scenario"], given["result"]
    assert [one.name for one in scenario.chosen("rem-mark")] == ["rem-mark"]
    assert [one.name for one in scenario.chosen(disciplines="codel")] == ["codel"]
    assert result.estimates("mean delay").equals(result.estimates(["mean delay"]))
    assert result.series_of(variants="REM mark").equals(result.series_of(variants=["REM mark"]))
    assert [cell.name for cell in evaluate.chosen("all", "tcp")] == ["tcp"]
    with pytest.raises(weir.WeirError, match="there is no link 'nowhere' to capture"):
        scenario.run(capture="nowhere")
    with pytest.raises(weir.WeirError, match='"delay" is not a target'):
        scenario.tune("delay", [])


def test_words_of_a_measure_name_its_margin(given: dict[str, Any]) -> None:
    rows = given["result"].differences(measures=["mean delay"], margins={"mean delay": 1e6})
    assert set(rows["verdict"]) == {"equal"}


def test_a_store_says_who_has_it_open(tmp_path: Path) -> None:
    store = weir.Store.open(tmp_path / "store", create=True)
    with weir.Store.open(tmp_path / "store"), pytest.raises(StoreError) as caught:
        store.prune([])
    assert caught.value.message == f"this process has {tmp_path / 'store'} open once more"
    assert "until `close`" in (caught.value.hint or "")
    assert store.prune([]) == 0
    store.close()


def test_a_store_says_that_another_process_has_it_open(tmp_path: Path) -> None:
    code = "import sys, weir; store = weir.Store.open(sys.argv[1]); print(flush=True); sys.stdin.read()"
    with weir.Store.open(tmp_path / "store", create=True) as store:
        command = [sys.executable, "-c", code, str(store.path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout is not None
            other.stdout.readline()
            with pytest.raises(StoreError, match=r"another process has .* open; hint: wait for its end"):
                store.prune([])
            other.communicate()


def test_the_default_store_is_read_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    monkeypatch.setattr("weir.store._store.DEFAULT", tmp_path / "store")
    with given["rem"].run() as done, weir.Sweep.open() as found:
        assert done.store.path == found.store.path == tmp_path / "store"
        assert found.id == done.id
