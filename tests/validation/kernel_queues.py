"""Linux's links and queue disciplines in the words of a scenario file.

Every run of Linux passes `tbf` with a bucket of one packet: it sends the first packet after an idle time at
once and then one per packet time. Two kinds of disciplines stand below it, and each has its own exact
counterpart here, with Linux's own parameters.

* Some hand a packet over as soon as the one before has left. It waits in `tbf` for its time, out of their
  hands. Here the link is a token bucket of one packet, which holds it too.
* Others only show `tbf` the packet that is next, and count it until it leaves. Here the link is a plain one,
  and a packet leaves Linux's when ours *begins* to be sent: the round trip is shorter by one transmission.
  CAKE, which is its own shaper, is of these: a packet leaves it when it leaves the router.
"""

from __future__ import annotations

from dataclasses import dataclass

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


BUFFERS = (0.5, 1, 2, 4, 8)
"""Bandwidth-delay products that a FIFO holds. Linux ran with 0.5, 1 and 4."""

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
    hands_over: bool
    """Hands the next packet to `tbf`, rather than to show it."""
    bucket: int = PACKET
    """Bytes of the bucket."""


def handed(aqm: str, packets: int) -> Queue:
    """A discipline that hands packets over, and room for some."""
    return Queue(f"{{ {aqm} }}", f"{packets} packets", hands_over=True)


def shown(aqm: str, packets: int) -> Queue:
    """A discipline that shows the packet that is next, and room for some."""
    return Queue(f"{{ {aqm} }}", f"{packets} packets", hands_over=False)


def link(path: Path, waits: Queue) -> list[tuple[str, str]]:
    """The keys of the bottleneck."""
    bucket = [("links.bottleneck.token_bucket", f'{{ burst = "{waits.bucket} B" }}')] * waits.hands_over
    return [
        ("links.bottleneck.rate", path.rate),
        ("links.bottleneck.buffer", waits.buffer),
        ("links.bottleneck.queue", waits.aqm),
        *bucket,
    ]


def round_trip_ms(path: Path, waits: Queue) -> float:
    """The round trip without waiting, as a scenario has it."""
    return path.rtt_ms - (0.0 if waits.hands_over else path.packet_ms)


def own_ms(path: Path, waits: Queue) -> float:
    """Time in `tbf`, which is added to a packet's wait. It is less where the link was idle."""
    return path.packet_ms if waits.hands_over else 0.0


def queue(name: str, link: str, *, ecn: bool) -> Queue:
    """The discipline called `name` in the reference. Raises KeyError if there is none."""
    path = LINKS[link]
    marks = f"ecn = {str(ecn).lower()}"

    def level(octets: float) -> str:
        return f'"{octets * PACKET / FRAME:.8g} B"'

    # Of packets that wait for exactly the step, as on B and D, some are marked: the clock counts 256 ns.
    least = f'"{1 - 256e-6:.9g} ms"'
    mtu = f'mtu = "{FRAME} B"'
    exact = 'invsqrt = "newton16"'
    weight = {1: 1 / 16, 4: 1 / 64}.get(path.times, 1 / 64)
    forced = "harddrop = false, " if ecn else ""
    bands = f"min_th = {level(18750 * path.times)}, max_th = {level(56250 * path.times)}, w_q = {weight}"
    step = 25_000 if path.times == 4 else 6250
    ends = (50, 150) if path.times == 4 else (13, 38)
    band = f'min_th = "{ends[0]} packets", max_th = "{ends[1]} packets"'
    dual = (
        f'target = "15 ms", alpha = {41 / 256}, beta = {819 / 256}, min_th = {least}, '
        f'range = "0 s", delay = "longer", mtu = "{PACKET} B"'
    )
    fair = f'quantum = "{PACKET} B"'
    shaper = f'bandwidth = "{float(path.rate.split()[0]) * FRAME / PACKET:.6f} Mbit/s", overhead = "14 B"'
    of_red = 225_000 * path.times // FRAME
    return {
        **{f"pfifo_{n:g}bdp": shown("drop-tail = {}", int(n * path.product)) for n in BUFFERS},
        "pfifo_1000": shown("drop-tail = {}", 1000),
        "codel": handed(f"codel = {{ {mtu}, {exact}, {marks} }}", 1001),
        "codel_ce": handed(
            f'codel = {{ target = "500 ms", interval = "1 s", ce_threshold = "5 ms", {mtu}, {exact}, '
            "ecn = true }",
            1001,
        ),
        "cake": shown(f"cake = {{ {shaper} }}", 10_240),
        "cake_ff": shown(f'cake = {{ {shaper}, tins = "besteffort", isolation = "flowblind" }}', 10_240),
        "fq_codel": handed(f"fq-codel = {{ {fair}, {mtu}, {exact}, {marks} }}", 10_240),
        "fq_codel_l4s": handed(
            f"fq-codel = {{ ce_threshold = {least}, ce_threshold_ect1 = true, {fair}, {mtu}, {exact}, "
            f"{marks} }}",
            10_240,
        ),
        "pie": handed(f"pie = {{ {marks} }}", 1000),
        "fq_pie": handed(f'fq-pie = {{ {fair}, overflow = "arrival", {marks} }}', 10_240),
        "dualpi2": handed(f"dualpi2 = {{ {dual}, th_len = 0 }}", 10_000),
        "dualpi2_step2p": handed(f"dualpi2 = {{ {dual}, th_len = 2 }}", 10_000),
        "dualpi2_any": handed(f'dualpi2 = {{ {dual}, th_len = 0, low_latency = "any-ect" }}', 10_000),
        "red_fix": shown(f"red = {{ {bands}, max_p = 0.1, {forced}{marks} }}", of_red),
        "red_hard": shown(f"red = {{ {bands}, max_p = 0.1, {marks} }}", of_red),
        "red_adapt": shown(
            f"adaptive-red = {{ {bands}, max_p = 0.02, gentle = false, {forced}{marks} }}", of_red
        ),
        "red_step": shown(
            f"red = {{ min_th = {level(step)}, max_th = {level(step + 1500)}, max_p = 0.732, "
            f"w_q = 0.5, {forced}{marks} }}",
            2 * of_red,
        ),
        "choke": shown(
            f"choke = {{ {band}, max_p = 0.1, w_q = {weight}, {forced}{marks} }}", 150 * path.times
        ),
        "sfb": shown("sfb = { d1 = 0.000503548, d2 = 4.57771e-05, ecn = true }", 1000),
    }[name]
