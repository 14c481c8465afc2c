"""The reference pages of the disciplines: Markdown with a figure each, for docs/disciplines."""

from weir.report.disciplines._equations import tables

__all__ = ["tables"]
