"""The whole examination of a queue discipline: suites of cells, measures, criteria, verdicts.

`evaluate` does what a `Request` asks for; `cells` are the scenarios, `published` are the criteria. The
formulas of the sources are here too: loads of RFC 7928, round trips per minute, the E-model of G.107.
"""

from typing import TYPE_CHECKING

from weir._lazy import first_use
from weir.evaluate._cells import SUITES, Cell, Level, cells, chosen
from weir.evaluate._compare import COMPARED_BY, Compared, Ranks, against, ranks
from weir.evaluate._criteria import Criteria, Criterion, Test, ThresholdError, published, with_thresholds
from weir.evaluate._evaluation import (
    FIRST_SEEDS,
    MOST_SEEDS,
    QUICK_SEEDS,
    Evaluation,
    Request,
    Step,
    evaluate,
    with_drop_tail,
)
from weir.evaluate._evidence import Evidence, holm
from weir.evaluate._formulas import Load, bufferbloat_grade, flows_for_load, loss_at_load, rpm, trimmed_mean
from weir.evaluate._judge import DOUBT, Judgement, Outcome, known_of
from weir.evaluate._series import delays_ms, empty_share, response_rtts, spectral_peak, variation
from weir.evaluate._subject import Subject, subjects
from weir.evaluate._values import Setting, queue_samples
from weir.evaluate._voice import mos

if TYPE_CHECKING:
    from weir.evaluate import _text as words
    from weir.evaluate._text import place_words, threshold_words

__all__ = [
    "SUITES",
    "Cell",
    "Compared",
    "Criteria",
    "Criterion",
    "Evaluation",
    "Evidence",
    "Judgement",
    "Level",
    "Load",
    "Outcome",
    "Ranks",
    "Request",
    "Step",
    "Subject",
    "Test",
    "ThresholdError",
    "against",
    "bufferbloat_grade",
    "cells",
    "chosen",
    "empty_share",
    "evaluate",
    "flows_for_load",
    "holm",
    "loss_at_load",
    "mos",
    "published",
    "ranks",
    "response_rtts",
    "rpm",
    "spectral_peak",
    "subjects",
    "trimmed_mean",
    "variation",
    "with_drop_tail",
    "with_thresholds",
]

__getattr__ = first_use(__name__)
