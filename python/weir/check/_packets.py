"""Estimated numbers of packets of a run: those that are sent, carried and waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, inf, log, log2, log10
from typing import Any

from weir import _core
from weir.check._connections import Connections
from weir.check._resolved import MOST_CHANGES, Resolved, buffer_limit, duration_of

_REPEATED = 1.3
"""Packets of a waiting flow, as a multiple of its first packets and their timeouts alone: some get an answer,
and what follows is lost. Measured with 5,000 to 500,000 flows on 5 and 20 Mbit/s."""

_RESENT = 0.4
"""Repetitions per carried packet in an overload, divided by x + 0.5. The x is the decimal logarithm of the
waiting transfers over the packets of the path and its buffer. Measured with loads of 1.05 to 2, transfers of
3 to 1000 packets, 5 to 200 Mbit/s and 5 to 40 s."""

_RESENT_BY_TIME = 1.0
"""`_RESENT` for RACK with its probes, which finds losses without waiting for a timeout."""

_FED = 2.0
"""Packets of the path and its buffer per flow, below which flows wait for timeouts."""

_PAGE_3GPP = ((10_710.0, 1.0), (7758.0, 4.0))
"""Objects of a web page: their mean size in bytes, and their number. The number of embedded objects is the
whole part of a Pareto variable, less 2. The variable has the shape 1.1 and lies between 2 and 55
(3GPP2 C.R1002-0, section 2.1)."""

_DATA_3GPP = (1460.0, 536.0)
"""Bytes of data in large packets, and in small ones."""


@dataclass(frozen=True)
class Traffic:
    """Estimated traffic of a group in a run."""

    path: _core.Path
    sources: float
    """Flows that are there from the start, and sessions: each has a state of its own."""
    carried: float
    """Data packets that the bottleneck of the group carries; for datagrams, those that are offered."""
    more: float = 0.0
    """Additional packets: handshakes, and repetitions of flows that wait for timeouts."""
    transfers: float = 0.0
    """Transfers that begin."""
    live: float = 0.0
    """Transfers under way at a time, at most."""
    kept_back: float = 0.0
    """Datagrams that wait at an access link to the end."""

    @property
    def sent(self) -> float:
        """Packets that reach the first port."""
        return self.carried + self.more


@dataclass(frozen=True)
class _Wanted:
    """Traffic that a group would send if nothing limited it."""

    packets: float
    transfers: float = 0.0
    each: float = 1.0
    """Packets of a transfer."""
    lasts_s: float = 0.0
    """Duration of a transfer on an idle path, s."""
    opens: bool = False
    """True if transfers begin whether or not those before them have ended."""


@dataclass(frozen=True)
class Packets:
    """Estimated packets of a scenario."""

    scene: Resolved

    @cached_property
    def _tcp(self) -> Connections:
        return Connections(self.scene)

    @property
    def _duration(self) -> float:
        return self.scene.network.duration_s

    @cached_property
    def groups(self) -> Sequence[Traffic]:
        """Traffic of each group."""
        carried = self._carried
        return [self._traffic(path, carried[path.group]) for path in self.scene.paths]

    @cached_property
    def data_arrivals(self) -> Mapping[str, float]:
        """Port to the packets that arrive there, ACKs left out."""
        found = dict.fromkeys(self.scene.ports_by_name, 0.0)
        for traffic in self.groups:
            passing = traffic.sent
            for port in self.scene.ports_of(traffic.path):
                found[port.name] += passing
                if traffic.path.is_datagrams:
                    passing *= min(1.0, self._capacity(port) / max(1.0, self._datagram_bits[port.name]))
        return found

    @cached_property
    def ack_arrivals(self) -> Mapping[str, float]:
        """Port to the ACKs that arrive there."""
        found = dict.fromkeys(self.scene.ports_by_name, 0.0)
        for traffic in self.groups:
            if traffic.path.is_datagrams:
                continue
            acks = traffic.carried * self._acks_of(traffic.path) + traffic.transfers
            for name in traffic.path.acks:
                if name in found:
                    found[name] += acks
        return found

    def mean_bytes(self, port: _core.Port) -> float:
        """Bytes of a data packet at the port, where each group counts by the packets that it sends.

        A flow that sends little is seldom in the queue. In the mean of the port, each flow counts alike."""
        through = {path.group for path in self.scene.through(port)}
        if len({path.packet_bytes for path in self.scene.through(port)}) < 2:
            return port.mean_packet_bytes
        groups = [traffic for traffic in self.groups if traffic.path.group in through]
        sent = sum(traffic.sent for traffic in groups)
        octets = sum(traffic.sent * traffic.path.packet_bytes for traffic in groups)
        return octets / sent if sent > 0.0 else port.mean_packet_bytes

    def full_bits(self, port: _core.Port) -> float:
        """Bits of data that a full buffer holds."""
        if port.limit_bytes is not None:
            return 8.0 * port.limit_bytes
        return 8.0 * buffer_limit(port) * self.mean_bytes(port)

    def _acks_of(self, path: _core.Path) -> float:
        """ACKs per data packet."""
        return 0.5 if duration_of(self.scene.group(path)["tcp"], "delayed_ack") > 0.0 else 1.0

    @cached_property
    def _datagram_bits(self) -> Mapping[str, float]:
        """Port to the bits that sources of datagrams offer there, if the ports before it let all of them pass
        so far."""
        found = dict.fromkeys(self.scene.ports_by_name, 0.0)
        for path in self.scene.paths:
            if path.is_datagrams:
                passing = self._carried[path.group] * 8.0 * path.packet_bytes
                for port in self.scene.ports_of(path):
                    found[port.name] += passing
                    passing = min(passing, self._capacity(port))
        return found

    def _capacity(self, port: _core.Port) -> float:
        """Bits that the port can send, over the changes of its rate that are known."""
        changes = [(0.0, port.rate_bps), *self.scene.rate_changes[port.name]]
        end = self._duration if len(changes) <= MOST_CHANGES else changes[-1][0]
        spans = pairwise([*changes, (end, 0)])
        sends = sum(bps * (until - at) for (at, bps), (until, _) in spans) / end * self._duration
        limits = (bps for bps in (port.granted_bps, port.shaped_bps) if bps is not None)
        return min([sends, *(bps * self._duration for bps in limits)])

    @cached_property
    def _carried(self) -> Mapping[str, float]:
        """Group to the packets that its bottleneck carries of it; for datagrams, all that the group
        offers."""
        found: dict[str, float] = {}
        through: dict[str, list[_core.Path]] = {}
        for path in self.scene.paths:
            through.setdefault(path.bottleneck.name, []).append(path)
        for name, paths in through.items():
            left = self._capacity(self.scene.ports_by_name[name])
            bits = {path.group: self._wanted[path.group].packets * 8.0 * path.packet_bytes for path in paths}
            # Those that offer least get all of it, as with max-min fairness.
            order = sorted(
                paths,
                key=lambda path: (
                    not path.begins_by_itself,
                    bits[path.group] / max(1, self.scene.load(path).most),
                ),
            )
            flows = sum(max(1, self.scene.load(path).most) for path in order)
            for path in order:
                mine = max(1, self.scene.load(path).most)
                # Transfers come until their load is carried: there are more of them the longer they take.
                share = 1.0 if path.begins_by_itself else mine / flows
                of_time = self.scene.load(path).active_s / self._duration
                comes = self._tcp.access_bps(path) * self.scene.load(path).flow_seconds
                wanted = bits[path.group] if path.begins_by_itself else min(bits[path.group], comes)
                got = min(wanted, left * share, left * of_time)
                left, flows = left - got, flows - mine
                of_all = wanted if path.is_datagrams else got
                found[path.group] = of_all / 8.0 / path.packet_bytes
        return found

    def _traffic(self, path: _core.Path, carried: float) -> Traffic:
        wanted = self._wanted[path.group]
        sources = float(self.scene.load(path).begun)
        if path.is_datagrams:
            replayed = path.replayed
            kept_back = max(0.0, wanted.packets - carried)
            return Traffic(path, sources if replayed is None else replayed[2], carried, kept_back=kept_back)
        syn = 1.0 if self.scene.group(path)["tcp"]["handshake"] else 0.0
        missing = 1.0 - carried / wanted.packets if 0.0 < wanted.packets < inf else 0.0
        if path.traffic == "bulk":
            waits_s = self.scene.load(path).flow_seconds / max(1.0, sources)
            starved = sources * self._starved(path)
            # First windows of those whose SYN gets through are mostly lost: of a tenth of what is carried.
            burst = min(starved, carried / 10.0) * self._tcp.window(path)
            more = sources * syn + burst + starved * _REPEATED * _attempts(waits_s)
            return Traffic(path, sources, carried, more)
        active = self.scene.load(path).active_s
        if wanted.opens:
            waiting = wanted.transfers * missing
            # Only transfers whose SYN gets through send data.
            burst = min(waiting, carried) * min(wanted.each, self._tcp.window(path))
            more = wanted.transfers * syn + burst + waiting * _REPEATED * _mean_attempts(active)
            more += carried * self._resent(path, waiting)
            live = waiting + wanted.transfers / max(active, wanted.lasts_s, 1e-9) * wanted.lasts_s
            sessions = 0.0 if path.begins_by_itself else sources
            return Traffic(path, sessions, carried, more, wanted.transfers, min(live, wanted.transfers))
        transfers = wanted.transfers * (1.0 - missing)
        objects = max(1.0, self._objects(path)) if path.traffic == "web" else 1.0
        starved = max(1.0 - self._admitted(path, sources), self._starved(path) * (missing > 0.0))
        more = transfers * syn + sources * objects * starved * _REPEATED * _attempts(active)
        begun = transfers + sources * objects * starved
        return Traffic(path, sources, carried, more, begun, sources * objects)

    def _resent(self, path: _core.Path, waiting: float) -> float:
        """Repetitions per carried packet, for the transfers of an overload."""
        port = self.scene.ports_by_name[path.bottleneck.name]
        held = port.bdp_packets + buffer_limit(port)
        if waiting <= 0.0:
            return 0.0
        each = _RESENT_BY_TIME if self.scene.detects_by_time(path) else _RESENT
        return each * max(0.0, 0.5 + log10(waiting / max(1.0, held)))

    def _starved(self, path: _core.Path) -> float:
        """Share of the flows at the group's bottleneck for which the path and its buffer have no packets."""
        port = self.scene.ports_by_name[path.bottleneck.name]
        flows = sum(
            self.scene.load(one).most
            for one in self.scene.through(port)
            if not one.is_datagrams and not one.begins_by_itself
        )
        held = port.bdp_packets + buffer_limit(port)
        return min(1.0, max(0.0, 1.0 - held / max(1.0, flows) / _FED))

    @cached_property
    def _wanted(self) -> Mapping[str, _Wanted]:
        return {path.group: self._wanted_of(path) for path in self.scene.paths}

    def _wanted_of(self, path: _core.Path) -> _Wanted:
        if (replayed := path.replayed) is not None:
            # In packets of the size that the group states, as all else.
            return _Wanted(float(replayed[0]))
        if path.begins_by_itself:
            each, transfers = self._opened(path)
            lasts = self._tcp.lasts_s(path, each)
            return _Wanted(transfers * each, transfers, each, lasts, opens=True) if each else _Wanted(inf)
        if (offered := path.offered_bps) is not None:
            return _Wanted(offered * self.scene.load(path).flow_seconds / 8.0 / path.packet_bytes)
        if path.traffic == "bulk":
            flows, lasts = max(1, self.scene.load(path).most), self.scene.load(path).flow_seconds
            window = self._tcp.endless_window(path, lasts / flows)
            rtt = self._tcp.rtt_s(path)
            return _Wanted(window / rtt * lasts if rtt > 0.0 and window < inf else inf)
        return self._sessions(path)

    def _opened(self, path: _core.Path) -> tuple[float, float]:
        """Packets of a transfer that begins by itself, and the transfers; zeros where sizes are not known."""
        if path.listed is not None:
            _, transfers, octets = path.listed
            return octets / max(1, transfers) / path.packet_bytes + 0.5, float(transfers)
        mean, offered = path.mean_transfer_bytes, path.offered_bps
        if offered is None or mean is None:
            return 0.0, 0.0
        return self._packets_of(path), offered / 8.0 / mean * self.scene.load(path).flow_seconds

    def _sessions(self, path: _core.Path) -> _Wanted:
        """Traffic of users: each loads a number of pages, and each page has a number of transfers."""
        table = self._table(path)
        spread = duration_of(table, "inter_session")
        users = float(self.scene.load(path).most)
        begun = min(users, self._duration / spread) if spread > 0.0 else users
        begun *= self._admitted(path, begun)
        # They come one after the other.
        each_s = max(0.0, self.scene.load(path).flow_seconds / max(1.0, users) - begun * spread / 2.0)
        opens = False
        if path.traffic == "closed-loop":
            packets, objects = self._packets_of(path), 1.0
            lasts = self._tcp.lasts_s(path, packets)
            cycle = lasts + duration_of(table, "think_time")
        elif path.traffic == "web":
            packets, objects = self._packets_of(path), self._objects(path)
            lasts = self._tcp.lasts_s(path, packets)
            requests = (objects - 1.0) * duration_of(table, "inter_object")
            opens = table.get("inter_page_from") == "start"
            between = duration_of(table, "inter_page")
            cycle = max(between, requests) if opens else between + requests + lasts
        else:
            objects = sum(number for _, number in _PAGE_3GPP)
            large = float(table.get("large_packets", 1.0))
            packets = sum(
                share * (size / data + 0.5) * number / objects
                for size, number in _PAGE_3GPP
                for share, data in zip((large, 1.0 - large), _DATA_3GPP, strict=True)
            )
            lasts = self._tcp.lasts_s(path, packets) + self._tcp.rtt_s(path) / 2.0
            cycle = objects * lasts + duration_of(table, "parsing") + duration_of(table, "reading")
        pages = each_s / max(cycle, 1e-9) + (path.traffic != "closed-loop")
        if (most := table.get("pages")) is not None:
            pages = min(pages, float(most))
        transfers = begun * pages * objects
        return _Wanted(transfers * packets, transfers, packets, lasts, opens)

    def _admitted(self, path: _core.Path, users: float) -> float:
        """The share of users whose first SYN gets through: those that begin at one instant do not fit into
        the buffer, and try again at one instant."""
        table = self.scene.group(path)
        if users <= 0.0 or duration_of(self._table(path), "inter_session") > 0.0:
            return 1.0
        port = self.scene.ports_by_name[path.bottleneck.name]
        least, most = path.base_rtt_range_s
        spread = duration_of(table, "start_jitter") + (most - least) / 2.0
        syn = _core.quantity(table["tcp"]["ack_size"])[0]
        passed = buffer_limit(port) + spread * port.rate_bps / 8.0 / syn
        return min(1.0, passed * _attempts(self.scene.load(path).active_s) / users)

    def _table(self, path: _core.Path) -> Mapping[str, Any]:
        return self.scene.group(path).get("traffic", {}).get(path.traffic, {})

    def _objects(self, path: _core.Path) -> float:
        return max(1.0, float(self._table(path).get("objects", 1.0)))

    def _packets_of(self, path: _core.Path) -> float:
        """Packets of a transfer of mean size. The last packet is not full."""
        packets = (path.mean_transfer_bytes or path.packet_bytes) / path.packet_bytes
        fixed = isinstance(self._table(path).get("size"), str)
        return max(1.0, float(ceil(packets - 1e-9)) if fixed else packets + 0.5)


def _attempts(seconds_: float) -> float:
    """Packets of a flow that gets no answer: the first, and one each time that its timeout has doubled, from
    1 s on (RFC 6298)."""
    return 1.0 + log2(1.0 + seconds_)


def _mean_attempts(seconds_: float) -> float:
    """Mean number of packets per flow without an answer, for flows that begin evenly over this time."""
    return (
        1.0 + ((1.0 + seconds_) * log(1.0 + seconds_) - seconds_) / (seconds_ * log(2.0)) if seconds_ else 1.0
    )
