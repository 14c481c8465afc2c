"""A process that does cases: `python -m soak.worker KIND FIRST LAST FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from soak.cases import CASES
from soak.harness import work

if __name__ == "__main__":
    kind, first, last, folder = sys.argv[1:]
    work(CASES[kind], range(int(first), int(last)), Path(folder))
