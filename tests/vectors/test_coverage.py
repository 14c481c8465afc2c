"""The table of what is covered names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_test_in_the_table_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (HERE / "README.md").read_text(encoding="utf-8")))
    sources = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    assert len(named) > 50
    assert named - set(re.findall(r"^def (test_\w+)", sources, re.MULTILINE)) == set()
