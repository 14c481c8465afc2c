"""Reports: HTML pages that need no other file and no network.

`write` makes the page of a result, of one run as of a sweep; `Evidence.write` that of an answer of tuning.
"""

from typing import TYPE_CHECKING

from weir._lazy import first_use
from weir.report._directory import REPORT, check_writable, replacing, write_into, write_manifest
from weir.report._result import write
from weir.report._tuning import Evidence

if TYPE_CHECKING:
    from weir.report._choice import ChoicePage
    from weir.report._scorecard import EvaluationPages

__all__ = ["REPORT", "Evidence", "replacing", "write", "write_manifest"]

__getattr__ = first_use(__name__)
