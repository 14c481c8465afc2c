"""Live runs in a store: results as any other, never taken for simulated ones."""

from __future__ import annotations

import hashlib
import json
import shlex
import uuid
from collections.abc import Mapping
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

SIMULATION = "simulation"
"""The variant beside the live runs, where there is one."""


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
    def last(self) -> SessionResult:
        """The first run whose command failed, else the last one."""
        return next((one for one in self._outcomes if one.exit_code), self._outcomes[-1])

    def recorded(self, simulated: _core.Scenario | None = None) -> Sweep:
        """The result, with a number of its own: as a comparison with the simulated runs of a scenario, of the
        same seeds, if there is one."""
        spec = self._spec
        label = "Live" if simulated else f"Live, {self._outcomes[0].congestion}"
        variants = [Variant("live", label, spec.scenario)]
        if simulated is not None:
            variants.append(Variant(SIMULATION, "Simulation", simulated))
        seeded = spec.scenario.replace([("seed", str(self._seed))])
        kind = "live" if simulated is None else "compare"
        plan = plan_at_one_point(kind, seeded, variants, len(self._outcomes))
        definition: dict[str, Any] = {**plan.definition(), "live": self._about()}
        definition["configurations"][0] = self.hash
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
        if spec.settings:
            return {"Command": "the kernel's TCP, as the flow groups say"}
        return {
            "Command": shlex.join(spec.command),
            **({"Far end": shlex.join(spec.far)} if spec.far else {}),
        }

    def _about(self) -> Mapping[str, Any]:
        """Entries of the record that a simulation does not have."""
        return {
            "facts": {
                **self._commands(),
                **facts(self._outcomes),
                "Kernel": f"Linux {release()}",
            },
            "notes": [asdict(note) for note in notes(self._outcomes)],
            "honesty": [dict(outcome.run.honesty) for outcome in self._outcomes],
        }
