"""Athuraliya, Li, Low, Yin: REM: Active Queue Management, IEEE Network 15(3), 2001."""

from __future__ import annotations

from weir_papers.reading import read
from weir_papers.rem_2001.checks import CHECKS
from weir_papers.rem_2001.figures import FIGURES
from weir_papers.rem_2001.tables import TABLES

PAPER = read(__name__, CHECKS, FIGURES, TABLES)
