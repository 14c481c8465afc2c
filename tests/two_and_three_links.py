"""Scenarios of two and of three links in a row, the rates in every order: one of the links is the bottleneck.

`in_every_order` runs a test once for each of them, as its argument `row`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import pytest

import weir
from weir.scenario._toml import Value

NAMES = ("core", "access", "edge")
"""Names in the order of the file, which is not that of the alphabet."""

RATES = (5, 20, 100)
"""Rates in Mbit/s."""

BUFFERS = {5: 30, 20: 60, 100: 90}
"""Rate in Mbit/s to a buffer in packets: the buffer, too, distinguishes each link from the others."""


@dataclass(frozen=True)
class Row:
    """Links in a row under drop-tail, which four flows pass."""

    rates: Mapping[str, int]
    """Mbit/s of every link, in the order of the file."""
    path: tuple[str, ...]
    """Links that the data pass."""

    @property
    def bottleneck(self) -> str:
        """The link with the lowest rate."""
        return min(self.rates, key=lambda name: self.rates[name])

    @property
    def others(self) -> list[str]:
        """The links that are no bottleneck."""
        return [name for name in self.rates if name != self.bottleneck]

    @property
    def text(self) -> str:
        """The scenario as a file."""
        links = "".join(
            f'[links.{name}]\nrate = "{rate} Mbit/s"\ndelay = "1 ms"\nbuffer = "{BUFFERS[rate]} packets"\n'
            for name, rate in self.rates.items()
        )
        path = ", ".join(f'"{name}"' for name in self.path)
        return (
            f'schema = 1\nname = "row"\nduration = "4 s"\n{links}'
            f'[flows.ftp]\npath = [{path}]\ncount = 4\nrtt = "20 ms"\nstart_jitter = "1 s"\n'
        )

    def scenario(self, changes: Mapping[str, Value] | None = None) -> weir.Scenario:
        """The scenario, with other values by their dotted path."""
        return weir.Scenario.loads(self.text, changes)

    def __str__(self) -> str:
        """Name of a test: `core 5, access 20, forth`."""
        way = "forth" if self.path == tuple(self.rates) else "back"
        return f"{', '.join(f'{name} {rate}' for name, rate in self.rates.items())}, {way}"


ROWS = [
    Row(dict(zip(NAMES[:count], rates, strict=True)), path)
    for count in (2, 3)
    for rates in permutations(RATES[:count])
    for path in (NAMES[:count], NAMES[:count][::-1])
]

in_every_order = pytest.mark.parametrize("row", ROWS, ids=str)
