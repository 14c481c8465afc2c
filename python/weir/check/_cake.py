"""Rules on CAKE: its shaper, what it sorts and shares by, and filters of ACKs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import inf

from weir import _core
from weir.check._note import Remark, note, warning
from weir.check._resolved import Aqm, Phase, Resolved, names
from weir.check._units import rate, time

_FILTERS = {"cake": "ack_filter", "ack-filter": "mode"}
"""Disciplines with a filter of ACKs, and the key of its mode."""

_SENDERS = frozenset({"srchost", "hosts", "dual-srchost", "triple-isolate"})
_RECEIVERS = frozenset({"dsthost", "hosts", "dual-dsthost", "triple-isolate"})
"""Isolations to which it matters who sends, and who receives."""


def dscp_unused(scene: Resolved) -> Iterator[Remark]:
    """`dscp` has no effect: no queue on the path sorts packets by it, as CAKE does with several tins."""
    paths = [path for path in scene.paths if "dscp" in scene.group(path) and not _sorts(scene, path)]
    if paths:
        yield note(
            f"flows.{paths[0].group}.dscp",
            f"no queue on the path of {names(paths)} sorts packets by dscp",
            f"{_first(scene, paths[0]).key}.queue.cake = {{}}, or leave dscp out",
        )


def host_unused(scene: Resolved) -> Iterator[Remark]:
    """`from_host` or `to_host` has no effect: no queue on the path shares among hosts, as CAKE does."""
    for key in ("from_host", "to_host"):
        paths = [path for path in scene.paths if key in scene.group(path) and not _shares(scene, path, key)]
        if paths:
            side = "send" if key == "from_host" else "receive"
            yield note(
                f"flows.{paths[0].group}.{key}",
                f"no queue on the path of {names(paths)} shares its rate among hosts that {side}",
                f"{_first(scene, paths[0]).key}.queue.cake = {{}}, or leave {key} out",
            )


def ack_filter_unused(scene: Resolved) -> Iterator[Remark]:
    """A filter of ACKs has no effect: no ACKs pass its queue."""
    passed = {name for path in scene.paths if not path.is_datagrams for name in path.acks}
    for port in scene.ports:
        ((name, parameters),) = scene.link(port)["queue"].items()
        key = _FILTERS.get(name, "")
        if parameters.get(key, "off") != "off" and port.name not in passed:
            path = f"{port.key}.queue.{name}.{key}"
            yield note(path, f"no ACKs pass {port.name}: its filter has none to take away", f'{path} = "off"')


def ack_filter_accecn(scene: Resolved) -> Iterator[Remark]:
    """A filter of ACKs meets only ACKs with accurate ECN feedback that it does not know, and takes none away.

    Linux takes the flag AE for a reserved bit and knows no option of the counters: such ACKs stay. The
    counter of marked packets begins at 5, where AE is set (RFC 9768, section 3.2.1). So without the option
    the filter takes ACKs away after the first marks.
    """
    for port in scene.ports:
        ((name, parameters),) = scene.link(port)["queue"].items()
        key = _FILTERS.get(name, "")
        paths = [path for path in scene.paths if not path.is_datagrams and port.name in path.acks]
        if parameters.get(key, "off") == "off" or not paths:
            continue
        if all(_feeds_back(scene, path) and not _has_plain_acks(scene, path) for path in paths):
            path = f"{port.key}.queue.{name}.{key}"
            marked = next((one for one in paths if _may_be_marked(scene, one)), None)
            better = marked and f"flows.{marked.group}.tcp.accecn_option = false"
            yield note(
                path,
                f"ACKs of {names(paths)} bear accurate ECN feedback, which the filter of {port.name} does "
                "not know: it takes none away",
                f'{better}, or {path} = "off"' if better else f'{path} = "off"',
            )


def shaper_above_rate(scene: Resolved) -> Iterator[Remark]:
    """CAKE's `bandwidth` is above the rate of its link: its shaper never holds a packet back.

    Packets wait in CAKE all the same, as a link takes one at a time. On a real line they wait in the device
    or the modem behind it. Its tins and times are scaled to `bandwidth`.
    """
    for port in scene.data_ports:
        if scene.follows_trace(port) or "token_bucket" in scene.link(port):
            continue
        for phase in scene.phases(port):
            _, highest = scene.rates_between(port, phase.at_s, phase.until_s)
            shaped = shaped_bps(port, phase.aqm)
            if phase.at_s < scene.network.duration_s and shaped is not None and shaped > highest:
                yield _above(port, phase, highest)
                break


def shaper_elsewhere(scene: Resolved) -> Iterator[Remark]:
    """CAKE's `bandwidth` at another port is below the rate of the bottleneck: packets wait there.

    A link's rate decides which one is the bottleneck, and the headline measures are about that one.
    """
    main = scene.ports_by_name[scene.network.bottleneck.name]
    least = min(main.rate_bps, shaped_bps(main, scene.aqm(main)) or inf)
    groups = {path.group for path in scene.through(main)}
    for port in scene.data_ports:
        shaped = shaped_bps(port, scene.aqm(port))
        shares = any(path.group in groups for path in scene.through(port))
        if port.name != main.name and shares and shaped is not None and shaped < least:
            yield warning(
                f"{scene.aqm(port).path}.bandwidth",
                f"the shaper of {port.name} lets {rate(shaped)} pass, less than {main.name}: packets wait "
                f"there, and the headline measures are about {main.name}",
                f'measure.bottleneck = "{port.name}"',
            )


def _feeds_back(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if receivers of the group send accurate ECN feedback."""
    return scene.group(path)["tcp"]["accecn"] and scene.falls_back(path) is None


def _has_plain_acks(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if some ACKs with accurate feedback have neither its option nor its flag AE."""
    return not scene.group(path)["tcp"]["accecn_option"] and _may_be_marked(scene, path)


def _may_be_marked(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if a queue may mark data of the group."""
    ports = (port for port in scene.ports_of(path) if port.ecn_capable)
    return any(aqm.marks in {True, None} for port in ports for aqm in scene.aqms(port))


def _above(port: _core.Port, phase: Phase, highest: int) -> Remark:
    where, since = f"{phase.aqm.path}.bandwidth", phase.at_s
    begins = f"from {time(since)} on, " if since > 0.0 else ""
    return warning(
        where,
        f"{begins}a shaper of {phase.aqm.parameters['bandwidth']} holds nothing back at {rate(highest)}: "
        f"packets wait for {port.name}, in CAKE here, but behind it on a real line",
        f'{where} = "{rate(0.95 * highest)}", or leave it out',
    )


def shaped_bps(port: _core.Port, aqm: Aqm) -> float | None:
    """Bits per second of packets of mean size that the shaper lets through; None where none is written."""
    if aqm.name != "cake" or "bandwidth" not in aqm.parameters:
        return None
    packet = round(port.mean_packet_bytes)
    on_wire, _ = _core.cake_bytes(json.dumps(aqm.parameters), packet, port.rate_bps)
    return _core.quantity(aqm.parameters["bandwidth"])[0] * packet / on_wire


def _sorts(scene: Resolved, path: _core.Path) -> bool:
    """Returns true if a queue sorts data or ACKs of the group into tins."""
    return any(aqm.parameters["tins"] != "besteffort" for _, aqm in _cakes(scene, path))


def _shares(scene: Resolved, path: _core.Path, key: str) -> bool:
    """Returns true if a queue tells this host of the group from others. ACKs go the other way."""
    for is_data, aqm in _cakes(scene, path):
        by = _SENDERS if (key == "from_host") is is_data else _RECEIVERS
        if aqm.parameters["isolation"] in by:
            return True
    return False


def _cakes(scene: Resolved, path: _core.Path) -> Iterator[tuple[bool, Aqm]]:
    """CAKE on the path of the group at any time, and whether data pass it, or ACKs."""
    for is_data, passed in ((True, scene.data_of(path)), (False, tuple(path.acks))):
        for name in passed:
            if (port := scene.ports_by_name.get(name)) is not None:
                yield from ((is_data, aqm) for aqm in scene.aqms(port) if aqm.name == "cake")


def _first(scene: Resolved, path: _core.Path) -> _core.Port:
    """The port that limits the group."""
    return scene.ports_by_name[path.bottleneck.name]
