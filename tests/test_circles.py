"""`make lint` fails on a circle of files, and on a circle of folders whose files make none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "circles.py"

CIRCLES = {
    "of files": {
        "lib.rs": "mod one;\nmod two;\n",
        "one.rs": "use crate::two::Two;\npub struct One(Two);\n",
        "two.rs": "use crate::one::One;\npub struct Two(One);\n",
    },
    "of folders": {
        "lib.rs": "mod one;\nmod two;\n",
        "one/mod.rs": "mod front;\npub mod back;\n",
        "one/front.rs": "use crate::two::Two;\npub struct Front(Two);\n",
        "one/back.rs": "pub struct Back;\n",
        "two.rs": "use crate::one::back::Back;\npub struct Two(Back);\n",
    },
}


def circles_in(crates: Path, files: dict[str, str]) -> tuple[int, str]:
    for name, text in files.items():
        file = crates / "some" / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, TOOL, crates]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("files", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_is_found(files: dict[str, str], tmp_path: Path) -> None:
    code, said = circles_in(tmp_path, files)
    assert code == 1
    assert said.startswith("circle: ")
    assert "one" in said


def test_arrows_that_point_one_way_are_no_circle(tmp_path: Path) -> None:
    files = CIRCLES["of folders"] | {"two.rs": "pub struct Two;\n"}
    assert circles_in(tmp_path, files) == (0, "")
