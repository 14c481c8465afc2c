"""The store of finished runs: none is ever lost, and none computed twice.

    from weir.store import Store

    with Store.open("results/store", create=True) as store:
        ours = store.claim(runs)            # not finished, nor claimed by another process
        store.commit(Finished(...))         # a chunk of them, for good
        store.compact(force=True)           # into the Parquet files
        store.scan("links", runs).collect()

A store is a directory:

- `journal.sqlite`: every finished run, its tables, and the sweeps; what it has, is finished
- `tables/NAME-*.parquet`: the same rows once more, for DuckDB, Polars and others
- `sweeps/NAME-ID.parquet`: one wide table for each sweep
- `owners/`: which processes have the store open
- `aside/`: what was damaged and could not be mended

Everything but the journal can be made again from it, and is if it is damaged. Where the journal is
lost or damaged itself, `rebuild` makes a new one from the tables.
"""

from __future__ import annotations

from weir.store._errors import DamagedStoreError, StoreError, UnwritableStoreError
from weir.store._records import Cost, Finished, FinishedRun, Record
from weir.store._replace import discard_directory, make_readable, put_in_place, write_whole
from weir.store._store import DEFAULT, RESULTS_VERSION, Store, place_of, rebuild

__all__ = [
    "DEFAULT",
    "RESULTS_VERSION",
    "Cost",
    "DamagedStoreError",
    "Finished",
    "FinishedRun",
    "Record",
    "Store",
    "StoreError",
    "UnwritableStoreError",
    "rebuild",
]
