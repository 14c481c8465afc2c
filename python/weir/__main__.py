"""The program: `weir`, and `python -m weir`.

Worker processes import it anew: at its head it imports nothing that takes long.
"""

from __future__ import annotations

import atexit
import gc
import os


def main() -> None:
    """The command line, in a process of its own."""
    # Nothing here is linear algebra, and threads that wait for some cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What a command makes is needed to its end, and goes with the process: to look for garbage among it would
    # take a quarter of the time of a short run.
    gc.set_threshold(1_000_000)
    atexit.register(gc.freeze)

    from weir import cli

    cli.main()


if __name__ == "__main__":
    main()
