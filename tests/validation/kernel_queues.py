"""Linux's links and queue disciplines in the words of a scenario file.

`tbf` sends the first packet after an idle time at once and then one per packet time. So its packets leave
when those of a link *begin* to be sent, and the round trip is shorter by one transmission: `early`. Two kinds
of disciplines stand below it. Some only show `tbf` the packet that is next, and count it until it leaves: all
is as on a link. Others hand it over as soon as the one before has left. What they know of a packet's delay
ends there, a packet time before ours does: so their targets are longer by that here.

PIE compares a delay with its target and with half of it, and no target says both. Its queue hardly ever
empties; so all happens when it does on a link, and the packet's own transmission is added to its delay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

FRAME, PACKET = 1514, 1500
"""Linux counts frames of Ethernet, this scenario IP packets."""


@dataclass(frozen=True)
class Path:
    """A link of the reference."""

    rate: str
    rtt_ms: int
    packet_ms: float
    """To send a packet."""
    product: int
    """Packets of one bandwidth-delay product, as Linux was told."""
    times: int
    """By how much thresholds in bytes are larger than on A."""


LINKS = {
    "A": Path("10 Mbit/s", 40, 1.2, 33, 1),
    "B": Path("40 Mbit/s", 20, 0.3, 66, 4),
    "C": Path("10 Mbit/s", 100, 1.2, 83, 1),
    "D": Path("100 Mbit/s", 10, 0.12, 83, 10),
}


@dataclass(frozen=True)
class Queue:
    """A discipline before a link."""

    aqm: str
    """A table of TOML."""
    buffer: str
    early: bool = True
    """Packets leave when ours begin to be sent."""


def queue(name: str, link: str, *, ecn: bool, held: bool = False) -> Queue:
    """The discipline called `name` in the reference. Raises KeyError if there is none.

    Before a link that holds a packet as `tbf` does, by a token bucket, nothing is translated.
    """
    path = LINKS[link]
    marks = f"ecn = {str(ecn).lower()}"

    def handed(ms: float) -> str:
        """A delay as a discipline sees it that hands its packets over."""
        return f'"{ms + (0.0 if held else path.packet_ms):.9g} ms"'

    # Of packets that wait for exactly the step, as on B and D, some are marked: the clock counts 256 ns.
    least = handed(1 - (256e-6 if held else 0.0))

    def room(frames: float) -> str:
        return f"{frames:.6g} packets"

    def level(octets: float) -> str:
        return f'"{octets * PACKET / FRAME - (PACKET if held else 0):.8g} B"'

    # A FIFO only shows the packet that is next: the one that the bucket holds counts.
    shown = 1 if held else 0
    # One packet more is out of the hands of such a discipline.
    mtu = f'mtu = "{FRAME if held else FRAME + PACKET} B"'
    exact = 'invsqrt = "newton16"'
    weight = {1: 1 / 16, 4: 1 / 64}.get(path.times, 1 / 64)
    forced = "harddrop = false, " if ecn else ""
    bands = f"min_th = {level(18750 * path.times)}, max_th = {level(56250 * path.times)}, w_q = {weight}"
    step = 25_000 if path.times == 4 else 6250
    ends = (50, 150) if path.times == 4 else (13, 38)
    band = f'min_th = "{ends[0]} packets", max_th = "{ends[1]} packets"'
    dual = (
        f"target = {handed(15)}, alpha = {41 / 256}, beta = {819 / 256}, min_th = {least}, "
        f'range = "0 s", th_len = 0, delay = "longer", mtu = "{PACKET if held else PACKET * 3 // 2} B"'
    )
    fair = f'quantum = "{PACKET} B"'
    shaper = f'bandwidth = "{float(path.rate.split()[0]) * FRAME / PACKET:.6f} Mbit/s", overhead = "14 B"'
    bytes_of_red = 225_000 * path.times // FRAME
    found = {
        "pfifo_0.5bdp": Queue("{ drop-tail = {} }", room(path.product // 2 - shown)),
        "pfifo_1bdp": Queue("{ drop-tail = {} }", room(path.product - shown)),
        "pfifo_4bdp": Queue("{ drop-tail = {} }", room(4 * path.product - shown)),
        "pfifo_1000": Queue("{ drop-tail = {} }", room(1000)),
        "codel": Queue(f"{{ codel = {{ target = {handed(5)}, {mtu}, {exact}, {marks} }} }}", room(1001)),
        "codel_ce": Queue(
            f'{{ codel = {{ target = {handed(500)}, interval = "1 s", ce_threshold = {handed(5)}, '
            f"{mtu}, {exact}, ecn = true }} }}",
            room(1001),
        ),
        # CAKE takes a packet when it sends it.
        "cake": Queue(f"{{ cake = {{ {shaper} }} }}", room(10_240)),
        "cake_ff": Queue(
            f'{{ cake = {{ {shaper}, tins = "besteffort", isolation = "flowblind" }} }}', room(10_240)
        ),
        "fq_codel": Queue(
            f"{{ fq-codel = {{ target = {handed(5)}, {fair}, {mtu}, {exact}, {marks} }} }}", room(10_240)
        ),
        "pie": Queue(f"{{ pie = {{ {marks} }} }}", room(1000), early=False),
        "fq_pie": Queue(
            f'{{ fq-pie = {{ {fair}, overflow = "arrival", {marks} }} }}', room(10_240), early=False
        ),
        "dualpi2": Queue(f"{{ dualpi2 = {{ {dual} }} }}", room(10_000)),
        "fq_codel_l4s": Queue(
            f"{{ fq-codel = {{ target = {handed(5)}, ce_threshold = {least}, ce_threshold_ect1 = true, "
            f"{fair}, {mtu}, {exact}, {marks} }} }}",
            room(10_240),
        ),
        "dualpi2_step2p": Queue(
            f"{{ dualpi2 = {{ {dual.replace('th_len = 0', 'th_len = 2')} }} }}", room(10_000)
        ),
        "dualpi2_any": Queue(f'{{ dualpi2 = {{ {dual}, low_latency = "any-ect" }} }}', room(10_000)),
        "red_fix": Queue(f"{{ red = {{ {bands}, max_p = 0.1, {forced}{marks} }} }}", room(bytes_of_red)),
        "red_hard": Queue(f"{{ red = {{ {bands}, max_p = 0.1, {marks} }} }}", room(bytes_of_red)),
        "red_adapt": Queue(
            f"{{ adaptive-red = {{ {bands}, max_p = 0.02, gentle = false, {forced}{marks} }} }}",
            room(bytes_of_red),
        ),
        "red_step": Queue(
            f"{{ red = {{ min_th = {level(step)}, max_th = {level(step + 1500)}, max_p = 0.732, "
            f"w_q = 0.5, {forced}{marks} }} }}",
            room(2 * bytes_of_red),
        ),
        "choke": Queue(
            f"{{ choke = {{ {band}, max_p = 0.1, w_q = {weight}, {forced}{marks} }} }}",
            room(150 * path.times),
        ),
        "sfb": Queue("{ sfb = { d1 = 0.000503548, d2 = 4.57771e-05, ecn = true } }", room(1000)),
    }[name]
    return replace(found, early=False) if held else found
