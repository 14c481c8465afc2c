"""Agreement with ns-2: the quick levels in full, the closed loop with few seeds."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from validation import law, loop, options, picture
from validation.__main__ import QUICK_SEEDS, validate
from validation.page import Outcome, page, summary
from validation.places import REPOSITORY


@cache
def outcome() -> Outcome:
    return validate(QUICK_SEEDS, effects=False)


def test_red_average_follows_ns2_at_every_arrival() -> None:
    replay = law.red()
    assert replay.measure.count == 3457
    assert replay.probability.count == 1589
    assert replay.misjudged == 0
    assert replay.measure.relative <= law.TOLERANCE
    assert replay.probability.relative <= law.TOLERANCE


def test_red_with_the_papers_idle_rule_differs_but_little() -> None:
    replay = law.red({})
    assert replay.misjudged == 0
    assert 0.0 < replay.measure.mean < replay.measure.largest < 1.0


def test_rem_price_equals_ns2s_in_every_bit() -> None:
    replay = law.rem()
    assert replay.measure.count == replay.measure.equal == 2499
    assert replay.misjudged == 0
    assert replay.probability.relative <= law.TOLERANCE


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cargo") is None, reason="the sender is tested in Rust, and there is no cargo"
)
class TestEveryLevel:
    def test_every_trace_of_a_sender_is_followed(self) -> None:
        senders = outcome().senders
        assert senders.passed, senders.output
        assert len(senders.traces) == 16
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
        bad = Outcome(found.seeds, found.laws, found.senders, [*found.rows, swapped], [])
        assert not bad.holds
        assert any("✗ REM drop, queue at 160 users" in line for line in summary(bad))

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
