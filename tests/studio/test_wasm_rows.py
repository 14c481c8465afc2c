"""The WebAssembly module gives the rows of the program, bit for bit, whatever is looked at on the way."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from weir import _core
from weir.check import cost
from weir.scenario._scenario import bundled

TREE = Path(__file__).parents[2]
LARGE = 1_000_000
"""Packets of a large case."""

pytestmark = [
    pytest.mark.studio,
    pytest.mark.skipif(not (TREE / "studio/pkg").exists(), reason="the module is not built: make studio"),
]


class Case(NamedTuple):
    """A scenario of the bundled ones, or a variant of it."""

    name: str
    text: str
    variant: str | None

    def scenario(self) -> _core.Scenario:
        """The scenario as the program has it."""
        return _core.Scenario.loads(self.text, variant=self.variant)


def cases() -> Iterator[Case]:
    for name, path in sorted(bundled().items()):
        text = path.read_text(encoding="utf-8")
        variants = _core.Scenario.loads(text).variants
        yield from (Case(name, text, variant) for variant in (None, *variants))


def native(scenario: _core.Scenario) -> tuple[str, int]:
    """A digest of the tables, as rows.mjs makes it, and the packets of the run."""
    batch = _core.Batch([(scenario, scenario.seed)], 1)
    while not batch.wait(1.0):
        pass
    runs = batch.results()
    digest = hashlib.sha256()
    for table, columns in _core.tables(runs, only_groups=True).items():
        for name, (kind, values, extra) in columns.items():
            digest.update(f"{table}.{name}".encode())
            if isinstance(extra, list):
                digest.update(json.dumps(extra, ensure_ascii=False, separators=(",", ":")).encode())
                digest.update(np.frombuffer(values, kind).astype("u4").tobytes())
            else:
                digest.update(values)
            if isinstance(extra, bytes):
                digest.update(extra)
    return digest.hexdigest(), runs[0].packets


def digests(cases: list[Case], *, looks: bool | None = None) -> Iterator[str]:
    """Digests of the module, one after another; with `looks` given, of all but the number of events."""
    lines = [json.dumps({**case._asdict(), "seed": case.scenario().seed, "looks": looks}) for case in cases]
    script = Path(__file__).with_name("rows.mjs")
    with subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        node.stdin.write("\n".join(lines))
        node.stdin.close()
        yield from (line.strip() for line in node.stdout)
    assert node.returncode == 0


def differing(chosen: list[Case]) -> list[tuple[str, str | None]]:
    found = zip(chosen, digests(chosen), strict=True)
    return [(case.name, case.variant) for case, digest in found if digest != native(case.scenario())[0]]


def of_size(*, large: bool) -> list[Case]:
    plain = [case for case in cases() if not case.scenario().has_python_aqms]
    # The cells of weir evaluate are many, and of the same parts as the others.
    late = [case.name.startswith("evaluation/") or cost(case.scenario()).packets > LARGE for case in plain]
    return [case for case, is_late in zip(plain, late, strict=True) if is_late == large]


def test_a_look_changes_nothing() -> None:
    chosen = of_size(large=False)[::4]
    unseen, seen = (list(digests(chosen, looks=looks)) for looks in (False, True))
    assert seen == unseen


def test_every_bundled_scenario_has_the_rows_of_the_program() -> None:
    chosen = of_size(large=False)
    assert len(chosen) > 50
    assert differing(chosen) == []


@pytest.mark.soak
def test_large_scenarios_have_the_rows_of_the_program() -> None:
    chosen = of_size(large=True)
    assert len(chosen) > 30
    assert differing(chosen) == []
