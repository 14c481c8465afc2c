"""Shared by the tests of AQMs in Python: an example class, and how to run one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import weir
from conftest import SMALL
from weir.scenario._toml import Value

CONSTANT = """
    from weir.aqm import Aqm, Controller

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
    return weir.Scenario.loads(SMALL, {"links.bottleneck.queue.python.class": path, **(values or {})})


def written(path: str, name: str = "python-aqm.toml") -> Path:
    file = Path(name)
    keys = f'queue.python.class = "{path}"\nrate = "2 Mbit/s"'
    file.write_text(SMALL.partition("[variants")[0].replace('rate = "2 Mbit/s"', keys), encoding="utf-8")
    return file
