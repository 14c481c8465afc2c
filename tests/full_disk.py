"""Files that may not grow, as on a full disk."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from unittest.mock import patch

NO_BYTECODE: Mapping[str, str] = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Environment of a process whose files are limited: Python would cut the modules off that it compiles, and no
later process could import them."""


@contextmanager
def files_up_to(size: int) -> Generator[None]:
    """No file of this process, and of those that it starts, may have more than so many bytes."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    former = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with patch.dict(os.environ, NO_BYTECODE), patch.object(sys, "dont_write_bytecode", new=True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
            signal.signal(signal.SIGXFSZ, former)
