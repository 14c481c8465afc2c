"""What the theory cannot take."""

from __future__ import annotations

from weir.errors import WeirError


class TheoryError(WeirError, ValueError):
    """A network, a source or a parameter without a meaning in the model."""
