"""A discipline as the kernel has it: a kind with options, and what gets lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from weir.export.errors import ExportError
from weir.export.port import Port

LARGEST = 2**32 - 1
"""Of the numbers of a qdisc."""

MUCH = 0.05
"""From this relative difference on, rounding is worth a warning."""


@dataclass
class Qdisc:
    """Put together option by option."""

    port: Port
    kind: str
    kernel: str
    """The first Linux that has all that is used."""
    iproute2: str | None = None
    """The first iproute2 that can write it, where that is younger than the people who use it."""
    shapes: bool = False
    """It brings a shaper of its own."""
    words: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    notes: list[str] = field(default_factory=list[str])
    """How numbers came about."""
    warnings: list[str] = field(default_factory=list[str])
    """Where the kernel does something else than the simulation did."""

    def option(self, name: str, value: object = None) -> None:
        """Adds `name value`, or a word alone."""
        self.words.append((name,) if value is None else (name, str(value)))

    def whole(self, name: str, wanted: float, *, least: int = 1, most: int = LARGEST, why: str = "") -> int:
        """Adds a whole number, from `least` to `most`; says so where that changes it."""
        used = min(max(round(wanted), least), most)
        self.option(name, used)
        self.rounded(name, wanted, used, why)
        return used

    def time(self, name: str, seconds: float, *, why: str = "") -> int:
        """Adds a time, in whole microseconds as tc sends it; 0 would mean "as it is"."""
        used = min(max(round(seconds * 1e6), 1), LARGEST)
        self.option(name, told(used))
        self.rounded(name, seconds * 1e6, used, why, unit=" us")
        return used

    def rounded(self, name: str, wanted: float, used: float, why: str = "", unit: str = "") -> None:
        """Notes that a number was rounded, and warns where it is now much different."""
        if abs(used - wanted) <= 1e-9 * abs(wanted):
            return
        off = abs(used - wanted) / abs(wanted) if wanted else float("inf")
        said = f"{name}: {wanted:.6g}{unit} becomes {used:.6g}{unit}{f' ({why})' if why else ''}"
        if off > MUCH:
            share = f"{100.0 * (used - wanted) / wanted:+.0f}%" if wanted else "not 0"
            self.warnings.append(f"{said}: {share}")
        else:
            self.notes.append(said)

    def differs(self, name: str, kernels: object, said: str) -> None:
        """Warns where a parameter is not what the kernel has in its place."""
        value = self.port.parameters.get(name)
        if value != kernels:
            self.warnings.append(f"{name} = {toml(value)}: {said}")

    def needs(self, kernel: str, iproute2: str | None = None) -> None:
        """Something is used that came later."""
        self.kernel = later(self.kernel, kernel)
        self.iproute2 = (
            later(self.iproute2, iproute2) if self.iproute2 and iproute2 else self.iproute2 or iproute2
        )

    def ecn(self) -> None:
        """Adds `ecn` or `noecn`."""
        self.option("ecn" if self.port.on("ecn") else "noecn")

    def room(self, name: str = "limit") -> None:
        """Adds the buffer, in packets."""
        packets = self.port.room_packets
        self.option(name, self.port.room_packets)
        if self.port.in_bytes:
            self.notes.append(
                f"limit: the kernel counts packets here; {self.port.room} B are {packets} "
                f"of {self.port.mean_packet} B"
            )


def checked(name: str, number: float) -> int:
    """A number of bytes or packets that has room in 32 bits. Raises ExportError."""
    if round(number) > LARGEST:
        raise ExportError(f"{name} of {number:.4g} bytes is more than the kernel counts, which is {LARGEST}")
    return round(number)


def told(microseconds: int) -> str:
    """As people write it: 5ms, 1500us."""
    for unit, size in (("s", 1_000_000), ("ms", 1000)):
        if microseconds % size == 0:
            return f"{microseconds // size}{unit}"
    return f"{microseconds}us"


def rate_told(rate: int) -> str:
    """As tc reads it: 10mbit."""
    for unit, size in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 1000)):
        if rate % size == 0:
            return f"{rate // size}{unit}"
    return f"{rate}bit"


def toml(value: object) -> str:
    """As it stands in a scenario; a word for what is not there."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def later(one: str | None, other: str) -> str:
    """The later of two versions."""
    if one is None:
        return other
    return max(one, other, key=lambda version: tuple(int(part) for part in version.split(".")))
