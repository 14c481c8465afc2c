"""From a target to a setting: which parameters give this delay and this loss, and can they be had at all.

- `targets`: what is asked for; `space`: what may be changed for it
- `lab`: runs of settings on common seeds, each done once; `model`: what is known between the settings tried
- `search`: coarse design, refinement, confirmation on fresh seeds; `answer`: what comes out
"""
