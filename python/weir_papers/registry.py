"""The papers, by their keys."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir_papers.paper import Paper

KEYS = ("rem-2001", "ofc-1999", "operating-point-2002", "hred-2003", "nlred-comparison-2013")
"""Keys in the order in which the papers are reproduced."""


def paper(key: str) -> Paper:
    """The paper of a key; its modules are read only when it is asked for."""
    module = import_module(f"weir_papers.{key.replace('-', '_')}")
    made: Paper = module.PAPER
    return made
