"""Joo, Bahk: Hybrid Random Early Detection.

Journal of the Korean Institute of Communication Sciences 27(12A). The journal dates it December 2002, the
copyright 2002-2003; it is quoted as of 2003.
"""

from __future__ import annotations

from weir_papers.hred_2003.checks import CHECKS
from weir_papers.hred_2003.figures import FIGURES
from weir_papers.hred_2003.tables import TABLES
from weir_papers.reading import read

PAPER = read(__name__, CHECKS, FIGURES, TABLES)
