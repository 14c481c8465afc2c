"""Evaluations that are small enough for every test."""

from __future__ import annotations

from collections.abc import Sequence

from weir.evaluate import Evaluation, Request, chosen, evaluate, published, subjects, with_drop_tail
from weir.store import Store
from weir.sweep import chosen_workers


def evaluated(store: Store, names: Sequence[str], cells: Sequence[str], seeds: int = 3) -> Evaluation:
    """Cells, as `--quick` has them, for disciplines beside DropTail."""
    found = subjects(names)
    references = with_drop_tail(found, ())
    asked = tuple(found), references, tuple(chosen("all", cells)), published()
    with chosen_workers() as workers:
        return evaluate(Request(*asked, quick=True, first=seeds, most=seeds), store, workers)
