"""Compares results with earlier ones: `python tools/digests.py FILE`, then again with `--against FILE`.

Runs every scenario of Weir, of its templates and of the installed papers, each variant with seeds 1 to 3. It
writes the SHA-256 of every column of every result table; run times are in none. With `--against` it lists the
variants that differ, with their tables and columns, and is 1 if there is one. `--only REM` takes those whose
name contains REM.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import weir
from weir import _core
from weir.scenario import bundled

SEEDS = (1, 2, 3)

Digests = dict[str, dict[str, str]]
"""`scenario variant seed` to `table.column` to the digest."""


def scenarios() -> Iterator[tuple[str, _core.Scenario]]:
    """Every variant, with its name."""
    templates = Path(weir.__file__).with_name("templates")
    files = {f"init/{path.stem}": path for path in sorted(templates.glob("*.toml"))}
    for name, path in {**bundled(), **files}.items():
        scenario = _core.Scenario.load(str(path))
        if not scenario.variants:
            yield name, scenario
        for variant in scenario.variants:
            yield f"{name} {variant}", scenario.variant(variant)


def digests(only: str = "") -> Digests:
    """Digests of all variants, run one scenario after the other, so that memory is that of a few runs."""
    found: Digests = {}
    for name, scenario in scenarios():
        if only not in name:
            continue
        batch = _core.Batch([(scenario, seed) for seed in SEEDS])
        while not batch.wait(1.0):
            pass
        for seed, run in zip(SEEDS, batch.results(), strict=True):
            found[f"{name} {seed}"] = {
                f"{table}.{column}": _digest(kind, values, names)
                for table, columns in sorted(_core.tables([run]).items())
                for column, (kind, values, names) in sorted(columns.items())
            }
        sys.stderr.write(f"{name}\n")
    return found


def _digest(kind: str, values: bytes, names: list[str] | bytes | None) -> str:
    """Digest of a column."""
    return sha256(repr((kind, values, names)).encode()).hexdigest()


def differences(before: Digests, now: Digests) -> Iterator[str]:
    """A line for each scenario, variant and table that differs, with the seeds and columns."""
    found: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for run in sorted(before.keys() | now.keys()):
        name, seed = run.rsplit(" ", 1)
        was, new = before.get(run, {}), now.get(run, {})
        for place in was.keys() | new.keys():
            if was.get(place) != new.get(place):
                table, column = place.split(".", 1)
                seeds, columns = found.setdefault((name, table), (set(), set()))
                seeds.add(seed)
                columns.add(
                    column
                    if place in was and place in new
                    else f"{column} (only {'now' if place in new else 'before'})"
                )
    for (name, table), (seeds, columns) in sorted(found.items()):
        yield f"{name}: {table} of seeds {', '.join(sorted(seeds))}: {', '.join(sorted(columns))}"


def main() -> int:
    """Writes the digests, and compares them if that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    now = digests(chosen.only)
    chosen.file.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    if chosen.against is None:
        return 0
    before: Digests = json.loads(chosen.against.read_text(encoding="utf-8"))
    lines = list(differences({run: of for run, of in before.items() if chosen.only in run}, now))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.write(f"{len(now)} runs, {len(lines)} tables differ\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
