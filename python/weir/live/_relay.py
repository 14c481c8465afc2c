"""The relay of the core: both directions together, and what was measured as the tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from weir import _core
from weir._errors import WeirError
from weir.live._passed import PassedPackets
from weir.run import frames

if TYPE_CHECKING:
    from weir.live._namespaces import EndSpec
    from weir.live._spec import LiveSpec

DIRECTIONS = ("forward", "reverse")

_OF_LINKS = ("links", "delays")


class Relay:
    """Relay that passes every packet between near ends and the far end through the queues, from its creation
    on."""

    def __init__(
        self,
        spec: LiveSpec,
        seed: int,
        near: Sequence[EndSpec],
        far: EndSpec,
        router: tuple[int, int] | None = None,
    ) -> None:
        """Starts the relay. With `download`, what the far end sends passes the forward direction. With a
        `router` the queue there is that behind its devices. Raises WeirError."""
        self._scenario = spec.scenario
        self._seed = seed
        self._kernels = spec.ways if router is not None else None
        self.group = spec.ways.group
        """The flow group whose path packets take."""
        sides = [[(end.packets, end.address, end.addresses) for end in side] for side in (near, [far])]
        senders, receivers = reversed(sides) if spec.download else sides
        try:
            self._relay = _core.Relay(spec.ways, seed, senders, receivers, spec.mtu, spec.capture, router)
        except OSError as error:
            raise WeirError(f"the relay cannot start: {error}") from None

    @property
    def is_running(self) -> bool:
        """True while both directions run: one that fails stops."""
        return self._relay.is_running

    @property
    def packets(self) -> int:
        """Packets that came so far, in both directions: all are kept."""
        return self._relay.packets

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links that have queues, with their directions, in the order in which packets pass them."""
        _, states = self.states()
        while None in states and self.is_running:
            _, states = self.states()  # a busy machine: a link that is left out would be missed for good
        return [(link["link"], link["direction"]) for state in states if state for link in state["links"]]

    def states(self) -> tuple[float, list[_core.LiveState | None]]:
        """Elapsed time in seconds, and the state of both directions; None for one that does not answer."""
        return self.elapsed_s, self._relay.states()

    def snapshot(self) -> dict[str, Any]:
        """Links and flows of both directions: totals since the start, delays since the last snapshot."""
        time_s, both = self.states()
        states = [state for state in both if state]
        lateness = [state["lateness"] for state in states]
        flows = [flow for state in states for flow in state["flows"]]
        return {
            "time_s": time_s,
            "links": [link for state in states for link in state["links"]],
            "flows": sorted(flows, key=lambda flow: -flow["bytes"]),
            "lateness_p99_us": max((one["wake_p99_us"] for one in lateness), default=0.0),
            "cpu_s": sum(one["cpu_s"] for one in lateness),
            "stalls": sum(one["stalls"] for one in lateness),
        }

    @property
    def elapsed_s(self) -> float:
        """Elapsed time in seconds."""
        return self._relay.elapsed_s

    def stop(self, end_s: float) -> LiveRun:
        """Stops the relay; what came after `end_s` is not measured. Raises WeirError where a direction had
        stopped before."""
        run = LiveRun(self._relay.stop(), self._scenario, end_s, self._seed, self._kernels)
        for name, direction in zip(DIRECTIONS, run.directions, strict=True):
            if direction["error"] is not None:
                raise WeirError(f"the relay stopped in {name} direction: {direction['error']}")
        return run


class LiveRun:
    """Results of one live run."""

    def __init__(
        self,
        run: _core.LiveRun,
        scenario: _core.Scenario,
        end_s: float,
        seed: int,
        kernels: _core.LiveWays | None,
    ) -> None:
        """`kernels` are the ways of packets whose queue was one of the kernel."""
        self._run = run
        self._scenario = scenario
        self._seed = seed
        self._kernels = kernels
        self.duration_s = min(end_s, run.duration_s)
        self.directions = run.directions()
        self.capture_error = run.capture_error

    @cached_property
    def honesty(self) -> dict[str, float]:
        """Reliability of the run: lateness, losses outside the queues, and cost of the relay. Sums and maxima
        over both directions."""
        both: list[dict[str, Any]] = [dict(direction["lateness"]) for direction in self.directions]
        combined: dict[str, float] = {}
        for name in both[0]:
            combine: Callable[[list[Any]], float] = max if name.startswith("wake_") else sum
            combined[name] = combine([one[name] for one in both])
        return combined

    @property
    def agrees(self) -> bool:
        """True if a simulation of the packets that came counted the same as the relay."""
        return all(agrees for _, _, agrees in self._replayed)

    def tables(self, key: int) -> dict[str, pl.DataFrame]:
        """Tables of a run with this key. For each link they have the rows of the direction in which packets
        passed it, without rows by flow group."""
        bottleneck = self._scenario.network.bottleneck
        here = (pl.col("link") == bottleneck.link) & (pl.col("direction") == bottleneck.direction)
        found = self._passed(key)
        for at, (columns, links, _) in enumerate(self._replayed):
            for name, frame in frames(columns, [key]).items():
                kept = _rows(name, frame, links, first=at == 0 and self._kernels is None)
                if name == "links":
                    kept = kept.with_columns(here.alias("bottleneck"))
                found[name] = pl.concat([found[name], kept]) if name in found else kept
        return found

    def _passed(self, key: int) -> dict[str, pl.DataFrame]:
        """Tables of what a queue of the kernel did; none where there was none."""
        if self._kernels is None:
            return {}
        link, direction, rate_bps = self._kernels.kernel_link(self._scenario)
        span_s = self._warm_up_s, self.duration_s
        passed = PassedPackets(self._run.passed(), link, direction, rate_bps, self._kernels.rtt_s, *span_s)
        return passed.tables(key, self._seed)

    @property
    def _warm_up_s(self) -> float:
        """Time that is left out, s: how long the command runs is known only now."""
        warm_up_s, _ = _core.quantity(self._scenario.value("measure.warm_up"))
        return min(warm_up_s, self.duration_s / 2.0)

    @cached_property
    def _replayed(self) -> list[tuple[dict[str, _core.Columns], list[tuple[str, str]], bool]]:
        """Results of a simulation of the packets that came: the same queues, the same decisions."""
        return self._run.replay(self._warm_up_s, self.duration_s)


def _rows(name: str, frame: pl.DataFrame, links: Sequence[tuple[str, str]], *, first: bool) -> pl.DataFrame:
    """The rows of the table of one direction that are about this run."""
    texts = frame.with_columns(pl.col(pl.Enum).cast(pl.String))
    if "group" in texts.columns and name != "flows":
        texts = texts.filter(pl.col("group") == "all")
    if name in _OF_LINKS:
        passed = pl.DataFrame(links, schema={"link": pl.String, "direction": pl.String}, orient="row")
        return texts.join(passed, on=["link", "direction"], how="semi", maintain_order="left")
    if name == "series":
        return texts
    # Goodput, flows and packets are those of the data.
    return texts if first else texts.clear()
