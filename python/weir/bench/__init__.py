"""Speed of Weir: `weir bench` and the page it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.bench import _costs as costs
    from weir.bench import _instructions as counting
    from weir.bench import _measure as benchmark
    from weir.bench._measure import Measurement

__getattr__ = first_use(__name__)
