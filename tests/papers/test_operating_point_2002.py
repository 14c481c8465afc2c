"""The operating-point paper: its claims on made-up curves, its theory, its scenario in short runs."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from weir import Scenario
from weir.plot import draw
from weir.scenario import Value
from weir.stats import MEASURES
from weir.sweep import parsed_axis
from weir_papers import ns2
from weir_papers.data import COUNTERS, Data, Sample, Study
from weir_papers.operating_point_2002 import PAPER
from weir_papers.operating_point_2002.figures import PIPE, settled
from weir_papers.operating_point_2002.points import (
    FOLLOWS,
    LOADS_CHANGE,
    STAGES,
    Target,
    followed,
    misplaced,
    nearest,
)
from weir_papers.operating_point_2002.quantities import best, least_inside, rank_along, shift, variation
from weir_papers.paper import Experiment
from weir_papers.quantities import Of, Quantity

SCENARIO = "papers/operating-point-2002"
EXPERIMENTS = PAPER.experiments
NOTHING = Study({})
FORWARD = "links.bottleneck.forward"
MAX_P = (0.02, 0.1, 0.3, 0.5, 1.0)


def curve(values: NDArray[np.float64], at: tuple[float, ...] = MAX_P) -> Quantity:
    """Made up: a row per place, a column per replication."""
    samples = [Sample("80 users", x, row) for x, row in zip(at, values, strict=True)]
    return Of("loss", "%", lambda _: samples)


def around(values: list[float], noise: float, runs: int = 8, seed: int = 1) -> NDArray[np.float64]:
    drawn = np.random.default_rng(seed).normal(scale=noise, size=(len(values), runs))
    return np.array(values)[:, None] + drawn


def mean(quantity: Quantity) -> float:
    [sample] = quantity.samples(NOTHING)
    return float(sample.values.mean())


# --- Curves -----------------------------------------------------------------------------------------------


def test_a_valley_has_a_minimum_and_a_slope_has_none() -> None:
    valley, slope = around([17.0, 15.0, 14.0, 14.2, 15.0], 0.1), around([12.0, 12.5, 13.0, 13.5, 14.0], 0.1)
    assert mean(least_inside(curve(valley), "first")) == pytest.approx(-3.0, abs=0.15)
    assert mean(least_inside(curve(valley), "last")) == pytest.approx(-1.0, abs=0.15)
    assert mean(least_inside(curve(slope), "first")) == pytest.approx(0.5, abs=0.15)


def test_chance_makes_no_minimum() -> None:
    # Each replication's own least would lie about one deviation below the ends.
    gains = [mean(least_inside(curve(around([10.0] * 5, 1.0, seed=seed)), "first")) for seed in range(200)]
    assert abs(float(np.mean(gains))) < 0.1


def test_the_best_is_counted_in_decades() -> None:
    assert mean(best(curve(around([17.0, 15.0, 14.0, 14.2, 15.0], 0.0)))) == pytest.approx(math.log10(0.3))


def test_outwards_is_more_loss_at_the_same_delay() -> None:
    delays = np.linspace(4.0, 20.0, 30)

    def pair(factor: float, slower: float) -> tuple[Quantity, Quantity]:
        d, losses = slower * delays, factor * (slower * delays) ** -0.5
        at = tuple(delays)
        return curve(d[:, None].repeat(2, axis=1), at), curve(losses[:, None].repeat(2, axis=1), at)

    assert mean(shift("loss", pair(1.5, 1.3), pair(1.0, 1.0))) == pytest.approx(50.0, abs=0.1)
    assert mean(shift("loss", pair(1.0, 1.3), pair(1.0, 1.0))) == pytest.approx(0.0, abs=0.1)
    # Nothing is said where no delay is common to both.
    assert math.isnan(mean(shift("loss", pair(1.5, 100.0), pair(1.0, 1.0))))


def test_ranks_and_variations() -> None:
    assert mean(rank_along(curve(around([1.0, 2.0, 3.0, 4.0, 5.0], 0.0)))) == pytest.approx(1.0)
    assert mean(rank_along(curve(around([5.0, 4.0, 3.0, 2.0, 1.0], 0.0)))) == pytest.approx(-1.0)
    assert mean(variation(curve(around([8.0, 9.0, 10.0, 11.0, 12.0], 0.0)))) == pytest.approx(40.0)


# --- Theory and ns-2 --------------------------------------------------------------------------------------


def test_windows_settle_on_the_line_of_red() -> None:
    at = settled(20, 50.0, 0.1)
    assert 5.0 < at.queue < 50.0
    assert at.window == pytest.approx((PIPE + at.queue) / 20)
    assert at.loss == pytest.approx(1.5 / at.window**2)
    assert at.loss == pytest.approx(2.0 / 3.0 * 0.1 * (at.queue - 5.0) / 45.0, rel=1e-6)
    # The line ends below what 80 users need: at max_th.
    assert settled(80, 30.0, 0.1).queue == 30.0


def test_ns2_has_its_minimum_too() -> None:
    def loss(users: int, at: float) -> float:
        found = ns2.mean("operating_point_2002", f"as-ns2-max-p-{users}", "red", "loss", at)
        assert found is not None
        return found

    assert loss(80, 0.2) == pytest.approx(17.32, abs=0.15)
    assert loss(80, 0.2) < min(loss(80, 0.02), loss(80, 1.0))
    delay = ns2.mean("operating_point_2002", "as-ns2-max-th-20", "red", "delay_mean", 30.0)
    assert delay == pytest.approx(18.0, abs=0.1)


# --- The whole, on made-up numbers ------------------------------------------------------------------------


def surface(users: float, at: dict[str, Any], noise: float) -> dict[str, float]:
    """Smooth losses and delays with a valley over max_p, and something of everything else."""
    max_th, max_p = at.get("max_th", 30.0), at.get("max_p", 0.1)
    return dict.fromkeys([*MEASURES, *COUNTERS], 1.0) | {
        "loss": users / 8.0 * (1.0 + 0.2 * math.log(max_p * 5.0) ** 2) - max_th / 100.0 + noise,
        "delay_mean": at.get("asked_delay", 1.0 + users / 100.0 + 0.5 * max_th / (1.0 + max_p)) + noise,
        "utilisation": 99.0 + noise,
        "drops": 100.0,
        "drops_forced": 100.0 * (1.0 - max_p),
        "drops_early": 100.0 * max_p,
        "departures": 99_000.0,
        "sent": 1000.0,
        "queue_sd": 2.0,
    }


def made_up(experiment: Experiment, *, quick: bool, replications: int = 3) -> Data:
    """Data that an experiment would have measured on the surface."""
    axes = {**experiment.axes, **experiment.quick_axes} if quick else experiment.axes
    levels = {
        name: [_number(level[0]) for level in parsed_axis(text).levels or ()] for name, text in axes.items()
    }
    changes = experiment.stage_s is not None
    starts = [-1.0, *(20.0 * n for n in range(40))] if changes else [-1.0]
    own = float(str(experiment.set.get("flows.ftp.count", 80)))
    rng = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for point in itertools.product(*levels.values()):
        at = dict(zip(levels, point, strict=True))
        users = float(at.get("N", own))
        for variant, replication in itertools.product(experiment.variants, range(replications)):
            key = {"run": len(rows), "variant": variant, "label": variant, "replication": replication, **at}
            values = surface(users, at, float(rng.normal(scale=0.01)))
            for start in starts:
                when = {
                    "period": int(start // 20.0),
                    "from_s": max(start, 0.0),
                    "to_s": max(start, 0.0) + 20.0,
                }
                rows.append({**key, **when, "users": int(users), **values})
    frame = pl.DataFrame(rows)
    runs = frame.select("run", "variant", "label", "replication", *levels).unique(maintain_order=True)
    said = [
        {
            "run": run,
            "component": "links.bottleneck.forward",
            "variable": word,
            "time_s": 100.0 * n,
            "value": 1.0,
        }
        for run in (runs["run"].to_list() if changes or experiment.name.startswith("op-red") else [])
        for word in ("achieved", "unachievable", "max_th", "max_p")
        for n in range(8)
    ]
    return Data(frame, runs, tuple(levels), experiment.stage_s, {"series": pl.DataFrame(said)}.__getitem__)


def _number(written: Value) -> float | str:
    found = re.match(r"[\d.]+", str(written))
    return float(found.group()) if found else str(written)


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, id="full", marks=pytest.mark.soak), pytest.param(True, id="quick")],
)
def study(request: pytest.FixtureRequest) -> Study:
    quick = bool(request.param)
    return Study({one.name: made_up(one, quick=quick) for one in EXPERIMENTS}, quick=quick)


def test_all_can_be_judged_drawn_and_tabulated(study: Study) -> None:
    judged = {claim.id: claim.judge(study) for claim in PAPER.claims}
    assert all(one.checks for one in judged.values())
    assert judged["A-2.1b"].verdict == "holds"
    assert judged["A-2.4a"].verdict == "holds"
    assert judged["A-2.1c"].verdict == "holds"
    drawn = [plot(study) for plot in PAPER.plots]
    assert {f"figure-{number}" for number in range(2, 14)} < {made.name for made in drawn}
    assert drawn[-1].name == "today"
    for made in drawn:
        assert all(len({one.label for one in facet.curves}) <= 7 for facet in made.facets), made.name
        assert draw(made).caption
    for table in PAPER.tables:
        made_table = table(study)
        assert all(len(row) == len(made_table.head) for row in made_table.rows), made_table.name
    for column in PAPER.columns:
        assert all(claim.judge(column.study(study)).checks for claim in PAPER.claims)
    [readings] = PAPER.readings
    fits = readings.fits([one for one in PAPER.claims if one.id in {"A-2.3c", "A-2.4c", "A-2.8a"}], study)
    assert fits["reading"].n_unique() == (2 if study.quick else 72)
    # What the figures show is a reading; what has nothing to do with it is not judged there.
    used = {"Rate (Mbit/s)": "10", "Round trip (ms)": "100", "TCP": "NewReno", "Window": "no limit"}
    assert fits.filter(**used, claim="A-2.4c").height > 0
    assert fits.filter(claim="A-2.8a").is_empty()


def test_every_assertion_has_a_claim() -> None:
    ids = [claim.id for claim in PAPER.claims]
    assert len(set(ids)) == len(ids)
    for number in range(1, 12):
        assert any(re.fullmatch(rf"A-2\.{number}[a-z]?", name) for name in ids), number


def test_the_nearest_is_by_the_larger_ratio() -> None:
    data = made_up(next(one for one in EXPERIMENTS if one.name == "grid"), quick=False)
    study = Study({"grid": data})
    target = Target(10.0, 5.0)
    near = nearest(study, 40, target)
    means = data.at(N=40).whole.group_by("max_th", "max_p").agg(pl.col("delay_mean", "loss").mean())
    ratios = [max(d / 10.0, lost / 5.0) for d, lost in means.select("delay_mean", "loss").iter_rows()]
    assert float(near.distance.mean()) == pytest.approx(min(ratios), rel=1e-3)
    assert nearest(study, 40, Target(1000.0, 100.0)).reaches
    assert nearest(study, 40, Target(1000.0, 100.0)).word == "achieved"
    assert not nearest(study, 40, Target(0.1, 0.1)).reaches
    assert misplaced(study, (40, target), (40, target)).mean() == pytest.approx(1.0, rel=1e-3)
    assert misplaced(study, (40, target), (40, Target(0.1, 100.0))).mean() > 1.0


def test_a_stage_is_compared_with_what_could_be_had() -> None:
    chosen = {
        one.name: made_up(one, quick=False) for one in EXPERIMENTS if one.name in {"grid", "changing-loads"}
    }
    stage = LOADS_CHANGE[1]
    one = followed(Study(chosen), "changing-loads", FOLLOWS["changing-loads"], stage)
    bound = float(nearest(Study(chosen), stage.users, stage.target).distance.mean())
    expected = stage.target.distance(one.delay, one.loss) / max(bound, 1.0)
    assert one.excess == pytest.approx(expected)
    assert one.after_s.shape == one.excess.shape
    assert one.truth.tolist() == [100.0] * 3


# --- The scenario -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=[one.name for one in EXPERIMENTS])
def test_experiments_are_sound(experiment: Experiment) -> None:
    of_readings = experiment.name.startswith("readings")
    assert experiment.plan(PAPER.key, quick=False).replications >= (2 if of_readings else 5)
    assert experiment.plan(PAPER.key, quick=True).replications >= (2 if of_readings else 3)


def test_stages_are_those_of_the_scenario() -> None:
    written = Scenario.load(SCENARIO).variant("op-red-targets").to_toml()
    for stage in STAGES["targets"][1:]:
        assert f"{stage.target.delay:g} ms" in written
        assert f"{stage.start_s:g} s" in written
    assert "step = 60" in Scenario.load(SCENARIO).variant("op-red-loads").to_toml()


def measured(variant: str, max_p: float) -> tuple[float, float, float]:
    """Delay (ms), loss (%) and the share of the drops that are not RED's own (%), means of two runs."""
    scenario = Scenario.load(SCENARIO, {"links.bottleneck.queue.red.max_p": max_p}).variant(variant)
    rows = _whole(scenario.replace({"duration": "60 s"}), 2)
    early = (rows["drops_early"] / rows["drops"]).to_numpy().mean()
    return _mean(rows["delay_mean_ms"]), 100.0 * _mean(rows["loss"]), 100.0 * (1.0 - float(early))


def _whole(scenario: Scenario, replications: int) -> pl.DataFrame:
    return scenario.run(replications=replications).links.filter(
        pl.col("period") == -1, pl.col("direction") == "forward", pl.col("group") == "all"
    )


def _mean(values: pl.Series) -> float:
    return float(values.to_numpy().mean())


def test_a_small_max_p_loses_by_force() -> None:
    small, good, large = (measured("red", max_p) for max_p in (0.02, 0.3, 1.0))
    assert small[0] > good[0] > large[0]
    assert small[1] > good[1] + 1.0
    assert small[2] > 90.0
    assert good[2] < 20.0
    # Without the cliff at max_th there is no left branch.
    gentle = measured("red-gentle", 0.02)
    assert gentle[1] < small[1] - 1.0


def test_op_red_comes_to_its_target() -> None:
    target = Target(11.1, 2.6)
    queue = "links.bottleneck.queue.op-red"
    written: dict[str, Value] = {"target_delay": f"{target.delay} ms", "target_loss": target.loss / 100.0}
    set_: dict[str, Value] = {f"{queue}.{name}": value for name, value in written.items()}
    base = Scenario.load(SCENARIO, {"flows.ftp.count": 20}).variant("op-red").replace(set_)
    rows = _whole(base.replace({"duration": "200 s", "measure.warm_up": "100 s"}), 1)
    assert target.distance(rows["delay_mean_ms"].to_numpy(), 100.0 * rows["loss"].to_numpy())[0] < 1.15
