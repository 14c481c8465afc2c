"""The types of the core, written by hand in `_core.pyi`, are those of the compiled module."""

import subprocess
import sys
from pathlib import Path

ALLOWED = """\
# Names for types, which the compiled module does not have.
weir._core.Column
weir._core.Columns
weir._core.CoreNote
weir._core.Ecn
weir._core.LiveDirection
weir._core.LiveEnd
weir._core.LiveFlow
weir._core.LiveLateness
weir._core.LiveLink
weir._core.LiveState
# The binding lists its names in __all__ by itself.
weir._core.__all__
# A default that is not a number shows as ... from outside.
weir._core.Scenario.loads?
"""

# Nothing but the names of the core matters here, and to follow polars and altair takes long.
CONFIG = """\
[mypy]
follow_imports = skip
"""


def test_the_types_of_the_core_are_true(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(ALLOWED, encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text(CONFIG, encoding="utf-8")
    arguments = ["--concise", "--allowlist", str(allowed), "--mypy-config-file", str(config)]
    check = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "weir._core", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert check.returncode == 0, check.stdout + check.stderr
