"""Loaded by the workers of a Dask cluster of our own.

Ctrl-C in a terminal reaches all its processes; the sweep tells its own when to end.
"""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
