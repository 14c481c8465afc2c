"""A Dask cluster as workers: one on this machine, or one that runs already."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, cast

from weir.sweep._chunk import Chunk, Outcome, WorkersError, work
from weir.sweep._workers import Workers

TIMEOUT_S = 10.0
"""For a scheduler to answer."""

_LOOK_S = 2.0
"""How often the size of the cluster is asked for: workers come and go."""

_PRELOAD = "from weir.sweep._workers import ignore_ctrl_c; ignore_ctrl_c()"


@contextmanager
def dask(address: str) -> Generator[Workers]:
    """Workers of a Dask cluster.

    Args:
        address: `local:4`, a cluster of four processes that ends with the sweep; or where a
            scheduler listens, `tcp://host:8786`, or the file in which it wrote that down.

    Raises WorkersError where Dask is missing, the address makes no sense, or nobody answers.
    """
    # Before Dask, which has no types of its own, is imported: that alone takes a second.
    local = _local(address)
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise WorkersError("Dask is not installed", "pip install 'weir[cluster]'") from None
    _silence()
    if local is None:
        with _connected(address, distributed) as client:
            yield _workers(client, f"Dask at {address}")
        return
    with (
        distributed.LocalCluster(
            n_workers=local,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            preload=[_PRELOAD],
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield _workers(client, f"Dask, {local} local worker{'s' if local > 1 else ''}")


def _silence() -> None:
    """What Dask has to say of workers that come and go is said by us, once."""
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.startswith("distributed") and isinstance(logger, logging.Logger):
            logger.setLevel(logging.CRITICAL)


def _local(address: str) -> int | None:
    kind, colon, number = address.partition(":")
    if kind != "local":
        return None
    if not colon or not number.isdigit() or int(number) < 1:
        raise WorkersError(
            f"{address!r} is not a local cluster", "write local:4 for four workers on this machine"
        )
    return int(number)


@contextmanager
def _connected(address: str, distributed: Any) -> Generator[Any]:  # noqa: ANN401 (see dask)
    try:
        where = {"scheduler_file" if address.endswith(".json") else "address": address}
        client = distributed.Client(**where, timeout=TIMEOUT_S)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise WorkersError(
            f"no Dask scheduler answers at {address}: {reason}",
            "start one with `dask scheduler`, or use --dask local:4",
        ) from None
    try:
        yield client
    finally:
        # The scheduler may be gone already.
        with suppress(OSError):
            client.close(timeout=TIMEOUT_S if client.status == "running" else 0.1)


def _workers(client: Any, what: str) -> Workers:  # noqa: ANN401 (see dask)
    executor = client.get_executor(pure=False)
    known, asked = 1, -math.inf

    def submit(chunk: Chunk) -> Future[Outcome]:
        return cast("Future[Outcome]", executor.submit(work, chunk))

    def slots() -> int:
        """Threads of the cluster, asked for now and then."""
        nonlocal known, asked
        if time.monotonic() - asked > _LOOK_S and client.status == "running":
            asked = time.monotonic()
            # If the scheduler is going, `alive` will say so.
            with suppress(OSError):
                known = max(1, sum(cast("dict[str, int]", client.ncores()).values()))
        return known

    # Two chunks a slot: a worker need not wait for the network between two.
    return Workers(submit, slots, what, ahead=2.0, shortest_s=1.0, alive=lambda: client.status == "running")
