"""Course of one live run: from the namespaces and the relay to the measurements."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from subprocess import DEVNULL
from typing import Any

from weir.live._forward import Forwarder
from weir.live._inside import FAR as FAR_COMMAND
from weir.live._internet import ports_of, target_of
from weir.live._namespaces import FAR, Namespaces, tun_is_there
from weir.live._relay import LiveRun, Relay
from weir.live._spec import LiveSpec
from weir.live._studio import shown
from weir.live._terminal import Signals, in_foreground, kept_terminal

TICK_S = 0.25
"""Seconds between two snapshots of the relay."""

GRACE_S = 2.0
"""Seconds that a command has between SIGTERM and SIGKILL."""

OnTick = Callable[[Mapping[str, Any]], object]
"""Callback that gets a snapshot of the relay."""


@dataclass(frozen=True)
class SessionResult:
    """Outcome of a live run."""

    run: LiveRun
    exit_code: int
    congestion: str
    """Congestion control that the ends used by default."""
    tun: bool
    device_drops: int
    """Packets that were lost before they reached the relay, or behind it where it does not learn of them."""
    is_interrupted: bool = False
    """True if Ctrl-C was pressed while it ran."""
    is_full: bool = False
    """True if the commands were ended because no more packets could be kept."""
    last: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Last snapshot of the relay."""


def run_session(
    spec: LiveSpec,
    seed: int,
    on_tick: OnTick | None = None,
    output: int | None = None,
    opened: Callable[[str], object] | None = None,
) -> SessionResult:
    """Runs the commands of `spec` behind the links of its scenario.

    `on_tick` is called several times a second. `output` is a descriptor for what the commands print. With
    `opened`, which is given an address, the studio shows the run while it lasts.
    Raises ScenarioError, WeirError.
    """
    spec.check()
    tun = tun_is_there() and not spec.veth
    forwards = {forward.place: forward for forward in spec.forwards}
    ports = [*forwards, *ports_of(spec.internet, forwards)]
    with ExitStack() as stack:
        stack.enter_context(kept_terminal())
        inside = Namespaces(
            spec.clients,
            mtu=spec.mtu,
            congestion=spec.congestion,
            settings=spec.settings,
            router=spec.router,
            internet=bool(spec.internet),
            ports=ports,
            tun=tun,
            output=output,
        )
        stack.callback(inside.close)
        *near, far = inside.ends
        relay = Relay(spec, seed, near, far, inside.router)
        inside.release_ends()
        if ports:
            served = {inside.listeners[port]: target_of(port, spec.internet, forwards) for port in ports}
            stack.callback(Forwarder(served).close)
        if opened is not None:
            stack.enter_context(shown(spec.scenario, relay, spec.duration_s, opened))
        commands = _Commands(spec, inside, stack.enter_context(Signals()))
        commands.until_the_end(relay, on_tick)
        drops, last = inside.tx_drops(), relay.snapshot()
        measured = relay.stop(commands.over_s)
        return SessionResult(
            measured,
            commands.exit_code,
            inside.congestion,
            tun,
            drops,
            commands.is_interrupted,
            commands.is_full,
            last,
        )


class _Commands:
    """The commands at the ends, until they have ended or were ended."""

    def __init__(self, spec: LiveSpec, inside: Namespaces, signals: Signals) -> None:
        self._spec = spec
        self._inside = inside
        self._signals = signals
        self._running = set(range(spec.clients)) | ({FAR_COMMAND} if spec.far else set[int]())
        self._codes: dict[int, int] = {}
        self._ended_by: int | None = None
        """Signal that ended the run; 0 if its time was over."""
        self._kill_at: float | None = None
        self.is_interrupted = False
        self.is_full = False
        """True if no more packets could be kept."""
        self.over_s = math.inf
        """Time on the relay's clock when the commands ended, or were told to: later packets are not
        measured."""

    @property
    def exit_code(self) -> int:
        """Exit code of the first command at a near end that failed. If the run was ended, it follows from the
        signal."""
        if self._ended_by is not None:
            return 128 + self._ended_by if self._ended_by else 0
        return next((code for _, code in sorted(self._codes.items()) if code), 0)

    def until_the_end(self, relay: Relay, on_tick: OnTick | None) -> None:
        """Starts the commands, and returns when all have ended."""
        spec = self._spec
        environment = {"WEIR_FAR": FAR[0], "WEIR_FAR6": FAR[1]}
        output = DEVNULL if spec.quiet else 2
        self._inside.start(
            spec.command, spec.far, environment, far_output=output, is_ours=bool(spec.controls)
        )
        began = time.monotonic()
        looked = began
        while near := self._running - {FAR_COMMAND}:
            self._wait(TICK_S)
            now = time.monotonic()
            if now - looked >= TICK_S:
                looked = now
                if not relay.is_running:
                    break  # `stop` says why
                if on_tick is not None:
                    on_tick(relay.snapshot())
                if relay.packets >= spec.most_packets and self._ended_by is None:
                    self.is_full = True
                    self._end(0, relay)
            self._obey_signals(relay)
            if spec.duration_s is not None and now - began >= spec.duration_s and self._ended_by is None:
                self._end(0, relay)
            if self._kill_at is not None and now >= self._kill_at and near:
                self._inside.signal(signal.SIGKILL)
        self.over_s = min(self.over_s, relay.elapsed_s)
        self._end_far()

    def _wait(self, timeout_s: float) -> None:
        ended = self._inside.wait(timeout_s)
        if ended is not None:
            self._running.discard(ended.number)
            if ended.number != FAR_COMMAND:
                self._codes[ended.number] = ended.code

    def _obey_signals(self, relay: Relay) -> None:
        for number in self._signals.taken():
            self.is_interrupted |= number == signal.SIGINT
            if number != signal.SIGINT or self._spec.controls:
                # Weir's own senders hear of no signal from the terminal.
                self._end(number, relay)
            elif not in_foreground():
                # Else the terminal has sent it to the commands too.
                self._inside.signal(signal.SIGINT)

    def _end(self, cause: int, relay: Relay) -> None:
        self._ended_by = cause
        self.over_s = min(self.over_s, relay.elapsed_s)
        self._inside.signal(signal.SIGTERM)
        self._kill_at = time.monotonic() + GRACE_S

    def _end_far(self) -> None:
        """Ends the command at the far end. A server has time for its last output."""
        until = time.monotonic() + GRACE_S / 2
        if FAR_COMMAND in self._running:
            self._inside.signal(signal.SIGTERM, far=True)
        while FAR_COMMAND in self._running and time.monotonic() < until:
            self._wait(0.05)
        # What still runs ends with the namespaces.
