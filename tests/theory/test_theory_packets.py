"""Packets against the predictions, on small runs: `make theory` has all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import agreement
import pytest

CASES = {case.name: case for case in agreement.own()}


@pytest.mark.parametrize(
    "name",
    [
        "PI, 60 flows",
        "RED, w_q 3e-5, 120 flows",
        "RED, w_q 1e-4, 60 flows",
        "REM, 40 flows",
        "two round trips, PI",
    ],
)
def test_what_is_flagged_valid_agrees(name: str, tmp_path: Path) -> None:
    rows = agreement.compare([replace(CASES[name], replications=2)], tmp_path)
    valid = [row for row in rows if not row.flags]
    assert valid
    for row in valid:
        # Of two runs the interval is wide: the mean is judged, with half as much again as the tolerance.
        assert row.measured == pytest.approx(row.predicted, rel=1.5 * row.tolerance), row.quantity


def test_what_is_known_to_fail_is_flagged(tmp_path: Path) -> None:
    """Few users under REM: the queue runs empty, and its mean is half as much again as the target."""
    rows = agreement.compare([replace(CASES["REM, 20 flows"], replications=1)], tmp_path)
    (queue,) = [row for row in rows if row.quantity == "queue"]
    assert queue.measured > 1.25 * queue.predicted
    assert queue.flags == ("unstable", "thin-margin")
    assert queue.verdict == "theory not valid here"


@pytest.mark.parametrize(
    ("low", "high", "flags", "verdict"),
    [
        (95.0, 105.0, (), "agrees"),
        (105.0, 115.0, (), "undecided"),
        (111.0, 115.0, (), "outside"),
        (111.0, 115.0, ("unstable",), "theory not valid here"),
    ],
)
def test_verdicts(low: float, high: float, flags: tuple[str, ...], verdict: str) -> None:
    row = agreement.Row("case", "queue", 100.0, 0.5 * (low + high), low, high, 0.1, flags)
    assert row.verdict == verdict
