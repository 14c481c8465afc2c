"""Runs on all cores: batches, captures, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.run._batch import run_each
    from weir.run._captures import Capture, capture_run, parsed_captures
    from weir.run._drawing import SPECIFICATION
    from weir.run._processes import Process, end_with_parent
    from weir.run._tables import TABLES, WHOLE_RUN, frames

__all__ = ["TABLES"]

__getattr__ = first_use(__name__)
