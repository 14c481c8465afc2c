"""Reports: HTML pages that need no other file and no network.

`write` makes the page of a result, of one run as of a sweep; `Evidence.write` that of an answer of tuning.
"""

from weir.report._directory import REPORT, replacing, write_manifest
from weir.report._result import write
from weir.report._tuning import Evidence

__all__ = ["REPORT", "Evidence", "replacing", "write", "write_manifest"]
