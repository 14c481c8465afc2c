"""Live runs in a store: results as any other, never taken for simulated ones."""

from __future__ import annotations

import hashlib
import json
import shlex
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from platform import release
from typing import TYPE_CHECKING, Any

import numpy as np

from weir import _core
from weir.live._honesty import facts, notes
from weir.scenario import Variant
from weir.store import Record, Store
from weir.sweep import Sweep, as_finished, plan_at_one_point

if TYPE_CHECKING:
    from weir.live._session import SessionResult
    from weir.live._spec import LiveSpec

SIMULATION, KERNEL = "simulation", "tc"
"""Variants beside the live runs, where there is one: simulated, or through a queue of the kernel."""


class LiveResult:
    """The result of some live runs of one command: each is a replication.

    In place of the hash of its scenario, from which the keys of runs follow, it has one of its own: the same
    command on another day is another experiment, and no simulation is taken for it.
    """

    def __init__(self, store: Store, spec: LiveSpec, seed: int, command: str | None = None) -> None:
        self._store = store
        self._spec = spec
        self._seed = seed
        self._command = command
        origin = f"{spec.scenario.hash} live {uuid.uuid4()}"
        self.hash = hashlib.sha256(origin.encode()).hexdigest()[:16]
        self._outcomes: list[SessionResult] = []

    def add(self, outcome: SessionResult) -> None:
        """Keeps the outcome of the next run."""
        keys = _core.run_keys([self.hash], self._seed + len(self._outcomes), 1, _core.results_version)
        tables = outcome.run.tables(int(np.frombuffer(keys, np.int64)[0]))
        self._store.commit(as_finished(tables, [self.hash], [outcome.run.honesty["cpu_s"]]))
        self._outcomes.append(outcome)

    @property
    def replications(self) -> int:
        """Number of runs so far."""
        return len(self._outcomes)

    @property
    def last(self) -> SessionResult:
        """The first run whose command failed, else the last one."""
        return next((one for one in self._outcomes if one.exit_code), self._outcomes[-1])

    def recorded(self, simulated: _core.Scenario | None = None, of_kernel: LiveResult | None = None) -> Sweep:
        """The result, with a number of its own. It may be a comparison: with the simulated runs of a
        scenario, or with runs through a queue of the kernel, of the same seeds."""
        spec = self._spec
        is_alone = simulated is None and of_kernel is None
        label = f"Live, {self._outcomes[0].congestion}" if is_alone else "Live"
        variants = [Variant("live", label, spec.scenario)]
        hashes = [self.hash]
        if simulated is not None:
            variants.append(Variant(SIMULATION, "Simulation", simulated))
        if of_kernel is not None:
            version = ".".join(release().split(".")[:2])
            variants.append(Variant(KERNEL, f"Linux {version}", spec.scenario))
            hashes.append(of_kernel.hash)
        seeded = spec.scenario.replace([("seed", str(self._seed))])
        plan = plan_at_one_point("live" if is_alone else "compare", seeded, variants, len(self._outcomes))
        about = self._about() if of_kernel is None else self._beside(of_kernel)
        definition: dict[str, Any] = {**plan.definition(), "live": about}
        definition["configurations"][: len(hashes)] = hashes
        name = f"{plan.name}-live"
        text = json.dumps([name, definition["configurations"], definition["replications"]])
        key = hashlib.sha256(text.encode()).hexdigest()[:10]
        record = self._store.record_sweep(Record(key, name, plan.title, definition, self._command))
        self._store.compact(force=True)
        sweep = Sweep(self._store, record)
        self._store.write_sweep_table(record, sweep.observations())
        return sweep

    def _commands(self) -> dict[str, str]:
        spec = self._spec
        if spec.controls:
            return {"Command": "the kernel's TCP, as the flow groups say"}
        return {
            "Command": shlex.join(spec.command),
            **({"Far end": shlex.join(spec.far)} if spec.far else {}),
        }

    def _about(self, more: Sequence[SessionResult] = ()) -> dict[str, Any]:
        """Entries of the record that a simulation does not have; `more` are outcomes beside these."""
        outcomes = [*self._outcomes, *more]
        controls = self._spec.controls
        return {
            "facts": {
                **self._commands(),
                **facts(outcomes),
                # Each flow is told its own, whatever the ends use by default.
                **({"Congestion control": ", ".join(controls)} if controls else {}),
                "Kernel": f"Linux {release()}",
            },
            "notes": [asdict(note) for note in notes(outcomes)],
            "honesty": [dict(outcome.run.honesty) for outcome in outcomes],
        }

    def _beside(self, of_kernel: LiveResult) -> dict[str, Any]:
        about = self._about(of_kernel._outcomes)
        about["facts"]["Queue of Linux"] = of_kernel._spec.queue_text
        return about
