"""Writes docs/tuning-targets.md: twelve targets, answered by Weir's search and by Optuna's default sampler.

PYTHONPATH=tests/tuning python tests/tuning --write docs/tuning-targets.md
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from twelve import BEYOND, EDGE, REACHABLE, RUNS, Asked, task_of

from weir.store import Store
from weir.sweep import chosen_workers
from weir.tune._answer import Answer
from weir.tune._tune import tune

HEAD = f"""# Twelve targets

RED on the network of the operating-point paper, `max_th` from 6 to 50 packets and `max_p` from 0.01 to
1 being free. A grid of both, 108 settings with 20 replications ({RUNS:,} runs for each load;
`tests/tuning/grid.csv` has its command), says what can be had: six targets lie within it, two on its
edge, four beyond. This page is written by `make tuning`: the same targets for `weir tune` and for
`weir tune --optuna`, each from an empty store.

| flows | mean delay, ms | loss, % | by the grid | Weir | runs | worst target | Optuna | runs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def answered(asked: Asked, *, optuna: bool) -> Answer:
    with (
        tempfile.TemporaryDirectory() as place,
        Store.open(Path(place) / "store", create=True) as store,
        chosen_workers() as workers,
    ):
        task = task_of(asked)
        task = replace(task, question=replace(task.question, optuna=optuna))
        return tune(task, store, workers).answer


def row(asked: Asked, kind: str) -> str:
    ours, theirs = answered(asked, optuna=False), answered(asked, optuna=True)
    worst = 100.0 * math.expm1(ours.chosen.worst.shortfall)
    cells = [
        asked.users, f"< {asked.delay_ms:g}", f"< {asked.loss:g}", kind,
        ours.verdict, ours.runs, f"{worst:+.1f}%", theirs.verdict, theirs.runs,
    ]  # fmt: skip
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def main(path: Path) -> None:
    groups = ((REACHABLE, "within"), (EDGE, "edge"), (BEYOND, "beyond"))
    rows = [row(asked, kind) for targets, kind in groups for asked in targets]
    tail = (
        "\nRuns count search and confirmation. *Worst target*: how far the mean of the chosen setting lies\n"
        "from the bound that it misses by most, or meets by least, on fresh seeds. Optuna's sampler\n"
        "proposes 40 settings per parameter and stops at the first that is confirmed; what it does not find\n"
        "it cannot call impossible.\n"
    )
    path.write_text(HEAD + "".join(rows) + tail, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[sys.argv.index("--write") + 1]))
