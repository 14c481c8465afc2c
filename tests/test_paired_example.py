"""The example of paired differences: its table and its factors are those of the runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import paired
from scipy import stats as untyped_stats  # pyright: ignore[reportMissingTypeStubs]

from weir.stats._intervals import mean_interval

stats: Any = untyped_stats

PAGE = (Path(__file__).parents[1] / "docs" / "explanation" / "statistics.md").read_text(encoding="utf-8")


def said(mean: float, half_width: float) -> str:
    return f"{mean:.2f} ms | {mean - half_width:.2f} to {mean + half_width:.2f} |"


def test_the_page_says_what_the_runs_say() -> None:
    red, pie = (np.array(values) for values in paired.by_seed(paired.compared()))
    for label, values in (("Adaptive RED", red), ("PIE", pie), ("PIE less Adaptive RED, paired", pie - red)):
        found = mean_interval(values)
        assert found.half_width is not None
        assert f"| {label} | {said(found.mean, found.half_width)}" in PAGE
    assert (pie > red).all()
    # Welch's interval, of runs on different seeds.
    low, high = stats.ttest_ind(pie, red, equal_var=False).confidence_interval()
    apart = (high - low) / 2.0
    assert f"independent | {said((pie - red).mean(), apart)}" in PAGE
    half_width = mean_interval(pie - red).half_width
    assert half_width is not None
    factor = apart / half_width
    assert f"{factor:.1f} times shorter" in PAGE
    (replications,) = re.findall(r"about (\d+) times as many replications", PAGE)
    assert int(replications) == round(factor**2)
    assert f"the correlation is {np.corrcoef(red, pie)[0, 1]:.2f}" in PAGE
