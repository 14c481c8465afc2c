"""Agreement with ns-2: the quick levels in full, the closed loop with few seeds."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from validation import (
    aqm,
    by_sender,
    kernel,
    kernel_habits,
    kernel_tags,
    l4s,
    loop,
    misses,
    operating,
    options,
    parking,
    picture,
    sweeps,
    tcps,
    traces,
)
from validation.__main__ import QUICK_SEEDS, validate
from validation.page import Outcome, page, summary
from validation.places import HERE, REPOSITORY
from weir import _core


@cache
def outcome() -> Outcome:
    """Every level, simulated once for all tests of this file. Cases of Linux are every fourth combination on
    two links. Cases of L4S senders, which have a test of their own, are what the page tells by name."""
    judged = [
        (one, rows)
        for one, rows in kernel.reference().items()
        if one.link in kernel.EFFECT_LINKS and one.flows != kernel.SHOWN_ONLY
    ]
    names = {*l4s.TOLD, "dualpi2, A, prague:1+cubic:1"}
    told = {one: rows for one, rows in l4s.reference().items() if one.name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "reference", lambda: dict(judged[::4]))
        patch.setattr(l4s, "reference", lambda: told)
        return validate(QUICK_SEEDS, effects=False)


def test_red_average_follows_ns2_at_every_arrival() -> None:
    replay = aqm.red()
    assert replay.measure.count == 3457
    assert replay.probability.count == 1589
    assert replay.misjudged == 0
    assert replay.measure.relative <= aqm.TOLERANCE
    assert replay.probability.relative <= aqm.TOLERANCE


def test_red_with_the_papers_idle_rule_differs_but_little() -> None:
    replay = aqm.red({})
    assert replay.misjudged == 0
    assert 0.0 < replay.measure.mean < replay.measure.largest < 1.0


def test_rem_price_equals_ns2s_in_every_bit() -> None:
    replay = aqm.rem()
    assert replay.measure.count == replay.measure.equal == 2499
    assert replay.misjudged == 0
    assert replay.probability.relative <= aqm.TOLERANCE


def lineage() -> traces.Lineage:
    return outcome().lineage


def traced(aqm: str, variable: str) -> traces.Traced:
    return next(found for found in lineage().traced if (found.aqm, found.variable) == (aqm, variable))


def test_pi_probability_equals_ns2s_in_every_bit() -> None:
    followed = traced("PI", "probability").ns2
    assert followed.count == followed.equal == 799


def test_avq_signals_what_ns2_signals() -> None:
    marking, dropping = traced("AVQ, marking", "signals"), traced("AVQ, dropping", "signals")
    assert marking.ns2.count == marking.ns2.equal == 3236
    # Where C~ is bounded decides about two packets.
    assert dropping.ns2.count - dropping.ns2.equal == 2


def test_what_differs_from_ns2_is_calculated_by_weirs_rules() -> None:
    found = [found for found in lineage().traced if found.rules]
    assert len(found) == 8
    assert [(found.aqm, found.variable) for found in found if not found.holds] == []
    assert all(
        found.rules.equal == found.rules.count
        for found in found
        if found.rules and "p_b" not in found.variable
    )


def test_a_rule_that_is_not_weirs_is_noticed() -> None:
    """The calculation by ns-2's rules is not what Weir does."""
    adaptive, feng = traced("Adaptive RED", "max_p"), traced("self-configuring RED", "max_p")
    assert not adaptive.ns2.holds
    assert not feng.ns2.holds


def test_marks_are_as_likely_as_in_ns2_and_the_other_spacing_is_not() -> None:
    wait, uniform, pi = lineage().drawn
    assert wait.holds
    assert uniform.holds
    assert pi.holds
    assert not replace(wait, weir=uniform.weir).holds
    assert not replace(uniform, weir=wait.weir).holds


def test_every_value_of_ns2_has_a_case() -> None:
    red, loads = sweeps.red_cases(), sweeps.load_cases()
    assert len(red) == 161
    assert sum(not case.bound for case in red) == 5
    assert sum(len(case.rows) for case in loads) == 30
    assert {len(rows) for case in (*red, *loads) for rows in case.rows.values()} == {3}


@pytest.mark.parametrize("label", parking.HABITS)
def test_the_parking_lot_says_what_ns2_does(label: str) -> None:
    """Every habit changes the bundled variant, and no two queues are the same."""
    bundled = _core.Scenario.load(str(parking.SCENARIO)).variant(parking.HABITS[label][0])
    found = parking.scenario(label)
    assert found.hash != bundled.hash
    assert all(found.hash != parking.scenario(other).hash for other in parking.HABITS if other != label)


@pytest.mark.slow
class TestThreeBottlenecks:
    def test_every_hop_and_every_path_is_within_tolerance(self) -> None:
        found = lots()
        assert [(lot.label, lot.missed) for lot in found.lots if lot.missed] == []
        assert {lot.label for lot in found.lots} == set(parking.HABITS)
        assert len(found.judged) == 114

    def test_marks_of_the_hops_come_together_along_the_path(self) -> None:
        marking = [lot for lot in lots().lots if lot.marks]
        assert len(marking) == 3
        assert all(lot.adds_up for lot in marking)

    def test_a_path_that_sees_the_marks_of_one_hop_does_not_add_up(self) -> None:
        lot = lots().lot("REM ecn")
        one_hop = {**lot.cells, "end-to-end": lot.cells["marked"][:1]}
        bad = replace(lot, cells=one_hop)
        assert not bad.adds_up
        assert not bad.holds

    def test_long_flows_in_step_are_locked_out(self) -> None:
        found = lots()
        assert found.locked_out
        waited = replace(found.lot(parking.IN_STEP), cells=found.lot(parking.WAIT).cells)
        others = [lot for lot in found.lots if lot.bound]
        assert not replace(found, lots=[waited, *others]).locked_out

    def test_ns2_ran_every_queue_as_often_as_is_said(self) -> None:
        seeds = {lot.label: lot.cells["queue"][0].ns2.n for lot in lots().lots}
        assert seeds == {label: 30 if label == parking.WAIT else 10 for label in parking.HABITS}


def lots() -> parking.Parking:
    return outcome().parking


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo") is None, reason="the sender is tested in Rust, and there is no cargo"
)
class TestEveryLevel:
    def test_every_trace_of_a_sender_is_followed(self) -> None:
        senders = outcome().senders
        assert senders.passed, senders.output
        assert len(senders.traces) == 24
        assert [trace.name for trace in senders.traces if trace.same < trace.rows] == ["mark-then-timeout"]

    def test_the_closed_loop_is_within_tolerance(self) -> None:
        beyond = [
            (row.label, cell)
            for row in outcome().rows
            if row.bound
            for cell in row.all_cells
            if not cell.holds
        ]
        assert beyond == []

    def test_red_over_its_parameters_and_loads_are_within_tolerance(self) -> None:
        found = outcome().sweeps
        assert [
            (point.label, dict(point.where), point.users)
            for point in (*found.red, *found.loads)
            if not point.holds
        ] == []
        assert {point.label for point in found.loads} > {"DropTail", "RED", "PI", "AVQ"}

    def test_op_red_reaches_what_can_be_reached(self) -> None:
        found = outcome().operating
        assert [aim for aim in found.every if not aim.holds] == []
        assert {aim.reachable for aim in found.aims} == {True, False}

    def test_only_a_word_that_is_known_to_be_late_is_excused(self) -> None:
        aim = next(aim for aim in outcome().operating.aims if aim.reachable)
        late = operating.Stage(aim.users, aim.target, aim.best, aim.reached, 0.0, 0.0, "loads", 200, 20)
        assert not late.holds
        assert late.is_late
        missed = operating.At(aim.target.delay, 1.2 * aim.target.loss)
        for other in (replace(late, start=0), replace(late, after=None), replace(late, reached=missed)):
            assert not other.is_late
            assert not replace(outcome().operating, stages=[other]).holds

    def test_a_target_that_is_missed_is_named(self) -> None:
        found = outcome()
        aim = next(aim for aim in found.operating.aims if aim.reachable)
        missed = replace(aim, reached=operating.At(aim.target.delay, 1.2 * aim.target.loss))
        bad = replace(found, operating=replace(found.operating, aims=[missed]))
        assert not bad.holds
        assert any(f"✗ {aim.users} users, target" in line for line in summary(bad))

    def test_other_tcps_are_within_tolerance_or_named(self) -> None:
        found = outcome().tcps
        assert [(one.tcp, one.queue) for one in found if not one.holds] == []
        assert {one.tcp for one in found} == set(tcps.SENDERS)
        assert not any(one.missed for one in found if one.tcp != "Vegas")

    def test_every_value_of_ns2_is_compared(self) -> None:
        rows = outcome().rows
        assert len(rows) == 12
        assert [row.label for row in rows if row.jittered] == ["DropTail", "RED(10:30) drop", "REM ecn"]
        assert all(len(row.all_cells) == 2 * len(loop.MEASURES) * len(loop.USERS) for row in rows)
        assert {cell.ns2.n for row in rows for cell in row.all_cells} == {5}

    def test_the_page_names_every_variant_and_says_nothing_of_the_machine(self) -> None:
        text = page(outcome())
        assert all(f"| {row.label}" in text for row in outcome().rows)
        assert str(REPOSITORY) not in text
        assert text == page(outcome())

    def test_a_value_out_of_tolerance_is_named(self) -> None:
        found = outcome()
        reference = {row.label: row for row in found.rows if not row.jittered}
        swapped = loop.Row("REM drop", jittered=False, cells=_against(reference), whole={})
        bad = replace(found, rows=[*found.rows, swapped])
        assert not bad.holds
        assert any("✗ REM drop, queue at 160 users" in line for line in summary(bad))

    def test_a_load_out_of_tolerance_is_named(self) -> None:
        found = outcome()
        points = {point.label: point for point in found.sweeps.loads}
        cells = [
            replace(ours, ns2=theirs.ns2)
            for ours, theirs in zip(points["AVQ"].cells, points["PI"].cells, strict=True)
        ]
        swapped = replace(found.sweeps, loads=[replace(points["AVQ"], cells=cells)])
        bad = replace(found, sweeps=swapped)
        assert not bad.holds
        assert any("✗ AVQ, kind steady, 100 users, queue" in line for line in summary(bad))

    def test_a_hop_out_of_tolerance_is_named(self) -> None:
        found = outcome()
        lot = found.parking.lot("REM ecn")
        marked = lot.cells["marked"]
        none = replace(marked[1], weir=lot.cells["loss"][1].weir)
        cells = {**lot.cells, "marked": [marked[0], none, marked[2]]}
        lots = [replace(lot, cells=cells), *(other for other in found.parking.lots if other != lot)]
        bad = replace(found, parking=replace(found.parking, lots=lots))
        assert not bad.holds
        assert any("✗ REM ecn, marked, hop 2" in line for line in summary(bad))

    def test_the_picture_is_drawn(self, tmp_path: Path) -> None:
        path = tmp_path / "images" / picture.NAME
        picture.draw(outcome().rows, path)
        assert path.read_text(encoding="utf-8").startswith("<svg")


def _against(rows: dict[str, loop.Row]) -> dict[str, list[loop.Cell]]:
    """Weir's DropTail against ns-2's REM."""
    pairs = zip(rows["DropTail"].cells["queue"], rows["REM drop"].cells["queue"], strict=True)
    return {"queue": [loop.Cell(ours.measure, ours.users, ours.weir, theirs.ns2) for ours, theirs in pairs]}


@pytest.mark.parametrize("habit", options.HABITS, ids=lambda habit: habit.option)
def test_every_habit_is_a_piece_of_the_scenario(habit: options.Habit) -> None:
    scenario = loop.load().variant(habit.variant)
    assert options.without(habit).hash != scenario.hash


def test_every_combination_of_linux_has_a_scenario() -> None:
    recorded = kernel.reference()
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    plain = {one: rows for one, rows in recorded.items() if not one.tag}
    assert len(plain) == 176
    assert {len(rows) for rows in plain.values()} == {3}
    assert len(recorded) == len(plain) + 27
    assert {one.tag for one in recorded} == set(kernel_tags.TAGS)
    assert len({kernel.scenario(one, text).hash for one in recorded}) > 120


def test_runs_of_one_dctcp_flow_are_not_all_the_same() -> None:
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    lone = [one for one in kernel.reference() if (one.congestion, one.flows) == ("dctcp", 1)]
    assert lone
    for one in lone:
        begun = kernel.beginnings(one, text, ())
        assert len({scenario.hash for scenario in begun}) == len(begun) == len(kernel.SEEDS)


@pytest.mark.parametrize("habit", kernel_habits.HABITS, ids=lambda habit: habit[0])
def test_every_habit_of_linux_is_a_piece_of_the_scenario(
    habit: tuple[str, str, kernel_habits.Pieces],
) -> None:
    text = (HERE / kernel.SCENARIO).read_text(encoding="utf-8")
    one = next(iter(kernel.reference()))
    for congestion in ("cubic", "reno", "dctcp"):
        kernel.scenario(replace(one, congestion=congestion), kernel_habits.without(text, habit[2]))
    assert kernel_habits.without(text, habit[2]) != text


@pytest.mark.slow
class TestAKernel:
    @pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.soak)])
    def test_what_misses_is_explained_or_named(self, whole: bool) -> None:  # noqa: FBT001
        found = every_combination() if whole else linux()
        assert misses.named(found.misses) == []
        assert sum(cell.holds for cell in found.cells) > 0.93 * len(found.cells)
        assert {one.combination.flows for one in found.bound} == {1, 4, 16}

    def test_a_miss_that_is_not_named_is_a_failure(self) -> None:
        found = linux()
        explained = next(miss for miss in found.misses if miss.status == "explained")
        bad = replace(found, misses=[replace(explained, known=None)])
        assert not bad.holds
        [line] = misses.named(bad.misses)
        assert explained.combination in line

    def test_an_explanation_that_does_not_help_is_none(self) -> None:
        explained = next(miss for miss in linux().misses if miss.status == "explained")
        assert not replace(explained, with_cause=explained.cell).holds
        assert not replace(explained, with_cause=None).holds

    def test_what_is_called_chance_must_be_able_to_be(self) -> None:
        miss = next(miss for miss in linux().misses if miss.status == "chance")
        cell = miss.cell
        assert not replace(miss, cell=replace(cell, ns2=replace(cell.ns2, mean=1e6))).holds
        # One run has no spread.
        assert not replace(miss, cell=replace(cell, ns2=replace(cell.ns2, n=1))).holds

    @pytest.mark.soak
    def test_no_name_is_left_over(self) -> None:
        """Whoever mends a cause takes its name from the file."""
        assert misses.stale("kernel", every_combination().misses) == []


def test_values_of_every_sender_are_counted_once() -> None:
    found = outcome()
    rows = by_sender.senders(found.kernel, found.l4s, found.bbr)
    assert sum(row.every.values for row in rows) == (
        len(found.kernel.cells) + found.l4s.values + found.bbr.values
    )
    assert sum(row.every.within for row in rows) == sum(row.every.values for row in rows) - sum(
        len(section.misses) for section in (found.kernel, found.l4s, found.bbr)
    )
    assert all(row.without_zeros.values <= row.every.values for row in rows)


def linux() -> kernel.Kernel:
    return outcome().kernel


@cache
def every_combination() -> kernel.Kernel:
    """On the third link too, which has four times as many packets."""
    return kernel.kernel(quick=True)
