"""Tuning: finds the parameters that give a target delay and loss, or shows that none do.

- `targets`: what is asked for; `space`: what may be changed for it; `region`: where it has to work
- `evaluator`: settings run on common seeds, each once, and judged on fresh ones; `surface`: what is known
  between them
- `search`, `sampled`: coarse design and refinement, or Optuna's samplers; `shapes`: what parameters do
- `answer`: what comes out; `online`: it at other loads; `text`: it in words
- `tune`: one call for all of it
"""
