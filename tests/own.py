"""What tests of laws in Python share: a place to write them, and how to run them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import weir
from conftest import SMALL
from weir.toml import Value

CONSTANT = """
    from weir.laws import Controller, Law

    class Constant(Controller):
        variables = ("height",)
        def __init__(self, link, height=0.3, period=0.01):
            self.height, self.period = height, period
        def update(self, seen):
            return self.height
"""


def queue(
    path: str, *, rate: str = "8 Mbit/s", seed: int = 1, ecn: bool = False, **parameters: float
) -> weir.Queue:
    table = {"class": path, "ecn": ecn, "parameters": parameters}
    return weir.Queue({"python": table}, rate=rate, buffer="100 packets", seed=seed)


def scenario(path: str, values: Mapping[str, Value] | None = None) -> weir.Scenario:
    return weir.Scenario.loads(SMALL, {"links.bottleneck.aqm.python.class": path, **(values or {})})


def written(path: str, name: str = "own.toml") -> Path:
    file = Path(name)
    law = f'aqm.python.class = "{path}"\nrate = "2 Mbit/s"'
    file.write_text(SMALL.partition("[variants")[0].replace('rate = "2 Mbit/s"', law), encoding="utf-8")
    return file
