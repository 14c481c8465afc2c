"""From a target to a setting: which parameters give this delay and this loss, and can they be had at all.

- `targets`: what is asked for; `space`: what may be changed for it; `region`: where it has to work
- `evaluator`: settings run on common seeds, each once, and judged on fresh ones; `surface`: what is known
  between them
- `search`, `sampled`: coarse design and refinement, or Optuna's samplers; `shapes`: what parameters do
- `answer`: what comes out; `online`: it at other loads; `text`: it in words
- `tune`: one call for all of it
"""
