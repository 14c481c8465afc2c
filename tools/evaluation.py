"""Prints docs/reference/evaluation.md, cells and criteria of an evaluation: `python tools/evaluation.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from weir.evaluate import cells, published, threshold_words, words

HEAD = """\
# Cells and criteria of an evaluation

Written by `make pages` from `python/weir/evaluate/suites` and `criteria.toml`. How they are used:
[Examine a queue discipline](../how-to/evaluate.md).
"""

CRITERIA = """
## Criteria

A test holds at a place (a cell at a level) where the 95% interval of its measure lies beyond the first
threshold. It fails where the interval lies beyond the second. `/ target` divides by the target delay of the
discipline (20 ms for one that has none), `/ DropTail's` by DropTail's value with the same seed. RFC 7928
sets no thresholds: these are Weir's. The first criterion is the gate: a place fails it only if both of
its tests fail. The fifth fails where its tests of variation and of an empty queue both fail, the
fourteenth where those of goodput and tail do.

| | criterion | weight | test | measure | threshold | cells |
| --- | --- | --- | --- | --- | --- | --- |
"""

CELLS = """
## Cells

Requirement of RFC 7928, section 13: M must be considered, R recommended, Y may, D should or must be
discussed. A cell runs the scenario `evaluation/SUITE/CELL` (`params` that of `medium`); its levels are
the variants, at the points of the axes. What a cell needs and Weir lacks makes it *not available*, which
is never a pass.

| suite | cell | section | requirement | `--quick` | levels | missing |
| --- | --- | --- | --- | --- | --- | --- |
"""

CHOSEN = """
## What the sources leave open

"""


def page() -> str:
    """The page."""
    return "".join(
        [HEAD, CRITERIA, *_criteria(), CELLS, *_cells(), CHOSEN, *(f"- {one}\n" for one in words.DEVIATIONS)]
    )


def _criteria() -> Iterator[str]:
    for one in published().all:
        if not one.tests:
            yield _row(str(one.number), one.title, one.weight, "–", f"needs {one.needs}", "", "")
        for first, test in enumerate(one.tests):
            where = (
                f"{test.suite}, chapters {', '.join(test.sections)}"
                if test.sections
                else ", ".join(test.cells)
            )
            levels = "" if test.levels == ("*",) else f" ({', '.join(test.levels)})"
            own = ("", "", "") if first else (str(one.number), one.title, one.weight)
            only = ", of a discipline that claims L4S" if test.only else ""
            name, measure = f"`{test.name}`", f"{words.measure_words(test)}{only}"
            yield _row(*own, name, measure, threshold_words(test), f"{where}{levels}")


def _cells() -> Iterator[str]:
    for cell in cells():
        levels = "" if cell.needs else str(len(cell.places(quick=False)))
        levels = {"parameters": "two for each parameter", "scheduler": "plain, fq"}.get(cell.vary, levels)
        missing = f"not available: needs {cell.needs}" if cell.needs else cell.lacks
        quick = str(len(cell.places(quick=True))) if cell.quick else ""
        yield _row(cell.suite, f"`{cell.name}`", cell.section, cell.requirement, quick, levels, missing)


def _row(*columns: str) -> str:
    return f"| {' | '.join(columns)} |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
