"""What cannot be exported."""

from __future__ import annotations

from weir.errors import WeirError


class ExportError(WeirError, ValueError):
    """A setting that has no such form."""
