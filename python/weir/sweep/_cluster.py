"""Workers of a Dask cluster, on this machine or elsewhere."""

from __future__ import annotations

import logging
import math
import pickle
import time
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from weir._temporary import temporary_directory
from weir.sweep._chunk import Chunk, ChunkResult, Workers, WorkersError, work_elsewhere
from weir.sweep._interrupts import not_interrupted, without_ctrl_c
from weir.sweep._limits import Allowed

TIMEOUT_S = 10.0
"""Seconds that a scheduler has to answer."""

_LOOK_S = 2.0
"""Seconds between queries of a cluster's size: workers come and go."""

_WORK = "__import__('pickle').loads(work)()"
"""Work of a task. Dask sends a function by name, and a worker that cannot import its module ends without a
word. In this form the import is part of the task, and its error comes back."""

_PRELOAD = "import logging; logging.getLogger('distributed').setLevel('CRITICAL')"
"""Code that Dask's workers run first. Their messages about cancelled work say nothing new."""


@contextmanager
def dask_workers(address: str, allowed: Allowed) -> Generator[Workers]:
    # Before Dask, which has no types of its own, is imported: that alone takes a second.
    kind, colon, number = address.partition(":")
    local = kind == "local"
    if local and not (colon and number.isdigit() and int(number) >= 1):
        raise WorkersError(
            f"{address!r} is not a local cluster", "write local:4 for four workers on this machine"
        )
    try:
        distributed: Any = import_module("distributed")
        if local:
            import_module("cryptography")
    except ImportError as missing:
        what = {"cryptography": "cryptography, which a local cluster needs,"}.get(missing.name or "", "Dask")
        raise WorkersError(f"{what} is not installed", "pip install 'weir-aqm[cluster]'") from None
    # What Dask has to say of workers that come and go is said by us, once.
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.startswith(("distributed", "tornado")) and isinstance(logger, logging.Logger):
            logger.setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        if local:
            # A cluster that is interrupted while it starts cannot be closed.
            with not_interrupted(), without_ctrl_c():
                cluster = _local_cluster(int(number), stack.enter_context(temporary_directory("weir-dask.")))
                client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
            what = f"Dask, {number} local worker{'s' if int(number) > 1 else ''}"
        else:
            client, what = _connected(address, distributed), f"Dask at {address}"
            stack.callback(_close, client)
        executor = client.get_executor(pure=False)
        known, asked = 1, -math.inf

        def slots() -> int:
            """Number of threads of the cluster, queried now and then."""
            nonlocal known, asked
            if time.monotonic() - asked > _LOOK_S and client.status == "running":
                asked = time.monotonic()
                # If the scheduler is going, `alive` will say so.
                with suppress(OSError):
                    known = max(1, sum(cast("dict[str, int]", client.ncores()).values()))
            return known

        def submit(chunk: Chunk) -> Future[ChunkResult]:
            work = pickle.dumps(partial(work_elsewhere, chunk))
            return cast("Future[ChunkResult]", executor.submit(eval, _WORK, {"work": work}))

        yield Workers(
            submit,
            slots,
            what,
            # Two chunks a slot: a worker need not wait for the network between two.
            ahead=2.0,
            shortest_s=1.0,
            alive=lambda: client.status == "running",
            allowed=allowed,
        )


def _local_cluster(workers: int, folder: Path) -> Any:  # noqa: ANN401 (Dask has no types)
    """Worker processes on this machine that only this process can talk to. Their files are in `folder`."""
    distributed: Any = import_module("distributed")
    dask: Any = import_module("dask")
    # Whoever talks to a scheduler can have it run code. Other users of this machine must not: all talk is TLS
    # with a certificate of this process. Pages for browsers would be open to them: there are none.
    chosen: dict[str, object] = {f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker")}
    with dask.config.set({**chosen, "temporary-directory": str(folder)}):
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            security=distributed.Security.temporary(),
            # Any free port: without an address it would be 8787, which may be taken.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            preload=[_PRELOAD],
        )


def _connected(address: str, distributed: Any) -> Any:  # noqa: ANN401 (Dask has no types)
    where = {"scheduler_file" if address.endswith(".json") else "address": address}
    try:
        return distributed.Client(**where, timeout=TIMEOUT_S)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise WorkersError(
            f"no Dask scheduler answers at {address}: {reason}",
            "start one with `dask scheduler`, or use --dask local:4",
        ) from None


def _close(client: Any) -> None:  # noqa: ANN401 (Dask has no types)
    # The scheduler may be gone already.
    with suppress(OSError):
        client.close(timeout=TIMEOUT_S if client.status == "running" else 0.1)
