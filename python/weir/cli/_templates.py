"""Templates of `weir init`."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "templates"


def templates() -> dict[str, str]:
    """Name to text of every template."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.toml"))}
