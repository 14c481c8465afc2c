"""A queue discipline of the kernel: a kind with options in its units, and what rounding changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from weir.export._port import ExportError, Port

LARGEST = 2**32 - 1
"""Largest number that an option of a qdisc can have."""

MUCH = 0.05
"""Relative difference from which on rounding is worth a warning."""

_OF_FRAME = 2304
"""Bytes of memory of a packet up to a full frame: a block of 2048 B as drivers take it, and the packet's own
description, struct sk_buff, of 256 B (include/linux/skbuff.h)."""

_OF_BUFFER = 768
"""Bytes of memory beside the data of a larger one, about: its description, and that of its pieces."""


@dataclass
class Qdisc:
    """Qdisc that is put together option by option."""

    port: Port
    kind: str
    kernel: str
    """First Linux that has everything used."""
    iproute2: str | None = None
    """First iproute2 that can write it; None if all in use can."""
    shapes: bool = False
    """True if the qdisc has a shaper of its own."""
    bandwidth: int | None = None
    """Rate of that shaper in bit/s, if it is not the link's."""
    counts_frames: bool = True
    """False if the qdisc counts bytes from the IP header on."""
    words: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    notes: list[str] = field(default_factory=list[str])
    """Notes on how numbers were computed."""
    warnings: list[str] = field(default_factory=list[str])
    """Differences between the kernel's behaviour and the simulation."""

    @property
    def rate(self) -> int:
        """Rate that is shaped to, bit/s."""
        return self.bandwidth or self.port.rate

    def option(self, name: str, value: object = None) -> None:
        """Adds `name value`, or a word alone."""
        self.words.append((name,) if value is None else (name, str(value)))

    def whole(self, name: str, wanted: float, *, least: int = 1, most: int = LARGEST, why: str = "") -> None:
        """Adds a whole number, from `least` to `most`; says so where that changes it."""
        used = min(max(round(wanted), least), most)
        self.option(name, used)
        self.rounded(name, wanted, used, why)

    def time(self, name: str, seconds: float | None = None) -> int:
        """Adds a time, that of the parameter of this name if None, in whole microseconds as tc sends it; 0
        would mean "as it is"."""
        wanted = (self.port[name] if seconds is None else seconds) * 1e6
        used = min(max(round(wanted), 1), LARGEST)
        self.option(name, tc_time(used))
        self.rounded(name, wanted, used, unit=" us")
        return used

    def flag(self, name: str, parameter: str | None = None) -> None:
        """Adds the word for a parameter that is on; where it is not, the word `noNAME`."""
        self.option(name if self.port[parameter or name] else f"no{name}")

    def limit(self) -> None:
        """Adds the buffer, in packets."""
        packets, of_bytes = self.port.limit_packets, self.port.core.limit_bytes
        self.option("limit", packets)
        if of_bytes is not None:
            self.notes.append(
                f"limit: the kernel counts packets here; {of_bytes} B are {packets} "
                f"of {self.port.mean_packet} B"
            )

    def rounded(self, name: str, wanted: float, used: float, why: str = "", unit: str = "") -> None:
        """Notes that a number was rounded, and warns where it is now much different."""
        off = (used - wanted) / abs(wanted) if wanted else float(used != wanted)
        if abs(off) <= 1e-9:
            return
        said = f"{name}: {wanted:.6g}{unit} becomes {used:.6g}{unit}{f' ({why})' if why else ''}"
        if abs(off) > MUCH:
            self.warnings.append(f"{said}: {f'{100.0 * off:+.0f}%' if wanted else 'not 0'}")
        else:
            self.notes.append(said)

    def differs(self, name: str, kernels: object, said: str) -> None:
        """Warns where a parameter is not what the kernel has in its place."""
        value = self.port.settings.get(name)
        if value != kernels:
            shown = "none" if value is None else str(value).lower() if isinstance(value, bool) else value
            self.warnings.append(f"{name} = {shown}: {said}")

    def needs(self, version: str) -> None:
        """Notes that an option needs this Linux and this iproute2."""
        self.kernel = later(self.kernel, version)
        self.iproute2 = later(self.iproute2 or "0", version)

    def error(self, message: str, hint: str | None = None, parameter: str | None = None) -> ExportError:
        """Error for a setting that the kernel cannot have."""
        port = self.port
        return ExportError(message, hint, f"{port.path}.{port.discipline}.{parameter}")


def in_32_bits(what: str, number: float) -> int:
    """A number of bytes that 32 bits can hold. Raises ExportError."""
    if round(number) > LARGEST:
        raise ExportError(f"{what} of {number:.4g} bytes is more than the kernel counts, which is {LARGEST}")
    return round(number)


def memory_of_packet(port: Port) -> int:
    """Bytes of the kernel's memory that a packet of mean size takes (`skb->truesize`), about."""
    return max(_OF_FRAME, port.mean_packet + _OF_BUFFER)


def tc_time(microseconds: int) -> str:
    """A time as tc reads it, a whole number: 5ms, 1500us."""
    return _in_units(microseconds, {"s": 1_000_000, "ms": 1000, "us": 1})


def tc_rate(rate: int) -> str:
    """A rate as tc reads it: 10mbit."""
    return _in_units(rate, {"gbit": 10**9, "mbit": 10**6, "kbit": 1000, "bit": 1})


def _in_units(number: int, units: dict[str, int]) -> str:
    return next(f"{number // size}{unit}" for unit, size in units.items() if number % size == 0)


def later(*versions: str) -> str:
    """The latest of some versions."""
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])
