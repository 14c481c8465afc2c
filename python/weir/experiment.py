"""The shape of an experiment: arms, replications, common seeds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir import _core
from weir.batch import OnProgress, run_batch
from weir.captures import Captured, unwritable
from weir.record import VariantRecord, record_of

if TYPE_CHECKING:
    from weir.result import Result


@dataclass(frozen=True)
class Arm:
    """One of the things compared."""

    name: str
    label: str
    scenario: _core.Scenario


def execute(
    scenario: _core.Scenario,
    arms: Sequence[Arm],
    replications: int,
    threads: int,
    progress: OnProgress | None,
    command: str | None,
    margins: Mapping[str, float] | None = None,
    captured: Captured | None = None,
) -> Result:
    """Runs every arm with the seeds `scenario.seed + r`: the traffic draws are common to all.

    Of the first run, captures are made. Raises WeirError if one cannot be written.
    """
    if replications < 1:
        raise ValueError(f"{replications} replications; there must be at least one")
    seeds = [scenario.seed + replication for replication in range(replications)]
    jobs = [(arm, replication) for arm in arms for replication in range(replications)]

    started = time.monotonic()
    wanted = captured.described if captured is not None else ()
    try:
        runs = run_batch([(arm.scenario, seeds[r]) for arm, r in jobs], threads, progress, wanted)
    except _core.CaptureError as error:
        raise unwritable(error) from None
    wall_s = time.monotonic() - started

    # Imported late: a bad scenario is reported, and a good one started, without data frames.
    from weir.result import Result
    from weir.tables import Key, assemble

    variants = [VariantRecord(arm.name, arm.label, arm.scenario.hash) for arm in arms]
    return Result(
        record=record_of(scenario, variants, seeds, runs, wall_s, margins or {}, command),
        tables=assemble(
            [(Key(arm.name, arm.label, r), run) for (arm, r), run in zip(jobs, runs, strict=True)]
        ),
        resolved={arm.name: arm.scenario.to_toml() for arm in arms},
        captures=captured if captured is not None else {},
    )
