"""What an answer of tuning is believed by: itself, its box, its maps, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, cast

from weir import _core
from weir.plot.tuning import Data
from weir.plot.tuning.maps import worst_corner
from weir.report.tuning_words import reasons, verdict_sentence
from weir.sweep.axes import Axis
from weir.sweep.values import text_of
from weir.tune.answer import Answer
from weir.tune.evaluator import FRESH
from weir.tune.online import Load, Phase
from weir.tune.region import MapCell, Region
from weir.tune.tune import Tuned


@dataclass(frozen=True)
class Evidence:
    """An answer with all that it takes to believe, to use and to repeat it."""

    answer: Answer
    axes: tuple[Axis, ...]
    """Of the box, in the order of the parameters."""
    name: str
    """Of the scenario, as it is written on the command line."""
    title: str
    resolved: str
    """The scenario with every default, before anything was changed."""
    seed: int
    """Of the first run of the search."""
    command: str | None = None
    """The command line, where there was one."""
    options: tuple[str, ...] = ()
    """With which the scenario was loaded, as arguments: `--set links.bottleneck.rate="10 Mbit/s"`."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    exports: Mapping[str, str] = field(default_factory=dict[str, str])
    """What it is to what it says: `tc script`, `OpenWrt SQM`, `scenario`."""
    region: Region | None = None
    cells: tuple[MapCell, ...] = ()
    """The map over the region; empty for none."""
    loads: tuple[Load, ...] = ()
    """What can be had at other loads."""
    phases: tuple[Phase, ...] = ()
    """The answer beside OP-RED; empty for none."""
    origin: Mapping[str, str] = field(default_factory=dict[str, str])
    """What else it takes to repeat it: Python, platform."""

    @staticmethod
    def of(tuned: Tuned, exports: Mapping[str, str] | None = None) -> Evidence:
        """Of what `weir.tune.tune` gave."""
        task, core = tuned.task, tuned.task.scenario.core
        return Evidence(
            answer=tuned.answer,
            axes=task.space.axes,
            name=task.source,
            title=core.title or core.name,
            resolved=core.to_toml(),
            seed=core.seed,
            command=None if tuned.record is None else tuned.record.command,
            options=task.options,
            wall_s=tuned.wall_s,
            cpu_s=tuned.cpu_s,
            exports=exports or {},
            region=task.region,
            cells=tuned.cells,
            phases=tuned.phases,
            loads=tuned.loads,
        )

    @property
    def data(self) -> Data:
        """What figures see."""
        return Data(self.answer, self.axes, self.resolved, self.loads)

    @property
    def settings(self) -> list[str]:
        """The setting as arguments of any command: `links.bottleneck.queue.red.max_p=0.1`."""
        return [f"{path}={text_of(value)}" for path, value in self.answer.chosen.setting.items()]

    def to_json(self) -> dict[str, Any]:
        """All that the page says, as plain values."""
        document = {
            "sentence": verdict_sentence(self.data),
            "reasons": reasons(self.data),
            **self.answer.to_json(),
            "scenario": self.name,
            "title": self.title,
            "axes": [axis.to_json() for axis in self.axes],
            "set": self.settings,
            "seed": self.seed,
            "fresh_seed": self.seed + FRESH,
            "command": self.command,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "weir": _core.__version__,
            "results_version": _core.results_version,
            "exports": dict(self.exports),
            "robustness": [cell.to_json() for cell in self.cells],
            "worst_condition": worst_corner(self.cells).to_json() if self.cells else None,
            "op_red": [phase.to_json() for phase in self.phases],
        }
        return cast("dict[str, Any]", _finite(document))


def _finite(value: object) -> object:
    """JSON has no infinity: what is not finite is null."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in cast("Sequence[Any]", value)]
    return value
