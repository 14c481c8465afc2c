"""The Python interface: its modules, which the documentation and the tests ask for here."""

ROOMS = ("plot", "report", "stats", "check", "evaluate", "aqm", "theory", "flent")
"""Packages that users import from, besides `weir` itself, in the order of the reference."""

MODULES = ("weir", *(f"weir.{name}" for name in ROOMS))
"""Modules whose `__all__` is the Python interface."""
