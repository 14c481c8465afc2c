"""Fails if a change makes the simulator work more or less: `python tools/instructions.py [--write]`.

Counts the instructions per packet of the bench cases and compares them with tools/instructions.json,
which `--write` writes anew: after an improvement, too, or it could be lost again unnoticed. They hardly
depend on the machine, and not on what else runs on it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench import counting, measure

EXPECTED = Path(__file__).with_suffix(".json")
MARGIN = 0.03


def verdicts(expected: dict[str, float], counted: dict[str, float]) -> dict[str, str]:
    """Case to the fault that was found."""
    found: dict[str, str] = {}
    for case, count in counted.items():
        was = expected.get(case)
        if was is None:
            found[case] = "is not in the file"
        elif abs(count / was - 1.0) > MARGIN:
            found[case] = f"takes {100.0 * abs(count / was - 1.0):.1f}% {'more' if count > was else 'fewer'}"
    return found


def table(expected: dict[str, float], counted: dict[str, float], wrong: dict[str, str]) -> str:
    """A line per case."""
    lines = [f"{'instructions per packet':<30}{'now':>8}{'before':>8}"]
    lines += [
        f"{case:<30}{count:>8.0f}{expected.get(case, float('nan')):>8.0f}  {wrong.get(case, '')}".rstrip()
        for case, count in counted.items()
    ]
    if wrong:
        lines.append("hint: if that is meant, write the file anew: python tools/instructions.py --write")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Counts and compares; 1 if a case takes more or less than it did. Without valgrind it only says so."""
    if not counting.has_valgrind():
        sys.stderr.write("instructions: nothing is counted, since valgrind is not installed\n")
        return 0
    counted = counting.instructions(measure.CASES, say=lambda _: None)
    if "--write" in arguments:
        rounded = {case: round(count, 1) for case, count in counted.items()}
        EXPECTED.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
        return 0
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))
    wrong = verdicts(expected, counted)
    sys.stdout.write(table(expected, counted, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
