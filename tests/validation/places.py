"""Where things are, and how the recorded files are read."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
REFERENCE = HERE.parent / "reference"
SCENARIO = HERE / "wireline.toml"


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trace(name: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The parameters and the rows of a recorded trace."""
    parameters: dict[str, Any] = json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
    return parameters, rows_of(REFERENCE / f"{name}.csv")
