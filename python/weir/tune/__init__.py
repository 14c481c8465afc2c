"""Tuning: finds the parameters that give a target delay and loss, or shows that none do.

- `targets`: what is asked for; `space`: what may be changed for it; `region`: where it has to work
- `evaluator`: settings run on common seeds, each once, and judged on fresh ones; `surface`: what is known
  between them
- `search`, `sampled`: coarse design and refinement, or Optuna's samplers; `shapes`: what parameters do
- `answer`: what comes out; `online`: it at other loads; `text`: it in words
- `tune`: one call for all of it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.tune import _text as words
    from weir.tune._answer import Answer, Confirmed, TargetResult
    from weir.tune._choice import choice_grid, choice_text, choice_words, looked_at, outcome_words
    from weir.tune._evaluator import FRESH_SEEDS, OnStep, Step
    from weir.tune._online import PHASE_S, SETTLED_SHARE, Phase
    from weir.tune._region import MapCell
    from weir.tune._sampled import Front
    from weir.tune._targets import Target
    from weir.tune._text import (
        arguments_of,
        conditions_of,
        front_text,
        measure_words,
        miss_words,
        number_words,
        setting_words,
        target_words,
    )
    from weir.tune._tune import Choice, Question, Task, Tuned, ask, recorded_answer, tune

__getattr__ = first_use(__name__)
