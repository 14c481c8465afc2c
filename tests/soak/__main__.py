"""`python -m soak`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from conftest import SMALL
from soak import kills
from soak.features import MODERN
from soak.harness import failures

COUNTS = {"scenarios": 100_000, "commands": 10_000, "stores": 10_000, "kills": 80}


def main() -> int:
    """Does what is asked for, says what failed, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="soak", description="Kills commands, and gives them random input.")
    parser.add_argument("kinds", nargs="*", choices=[*COUNTS, []], metavar="KIND", help=", ".join(COUNTS))
    parser.add_argument("--count", type=int, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    asked = parser.parse_args()
    failed = Counter[str]()
    for kind in asked.kinds or COUNTS:
        count = asked.count or COUNTS[kind]
        found = (
            _killed(asked.seed, count)
            if kind == "kills"
            else failures(kind, asked.seed, count, _say, os.cpu_count() or 1)
        )
        failed[kind] = len(found)
        for seed, why in sorted(found.items())[:20]:
            _say(f"{kind} --seed {seed} --count 1: {why}")
    return int(failed.total() > 0)


def _killed(first: int, count: int) -> dict[int, str]:
    """Seed to what went wrong, of so many commands: every kind and signal in turn."""
    found: dict[int, str] = {}
    for seed in range(first, first + count):
        what = [*kills.COMMANDS][seed % len(kills.COMMANDS)]
        sent = [*kills.SIGNALS][seed // len(kills.COMMANDS) % len(kills.SIGNALS)]
        with tempfile.TemporaryDirectory() as name:
            scenario = Path(name) / "small.toml"
            # Each kind and signal with both.
            of_today = seed // (len(kills.COMMANDS) * len(kills.SIGNALS)) % 2 == 1
            scenario.write_text(MODERN if of_today else SMALL, encoding="utf-8")
            try:
                _say(f"{seed}: {kills.trial(what, sent, seed, scenario, Path(name))}")
            except AssertionError as error:
                found[seed] = f"{what} {sent}: {error}"
    _say(f"kills: {count} commands, {len(found)} failed")
    return found


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
