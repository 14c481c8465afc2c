"""Tests that take hours: processes that are killed, and a hundred thousand inputs with random mistakes.

    PYTHONPATH=tests python -m soak [kills] [scenarios] [commands] [stores] [--count N] [--seed N]

Every case has a seed of its own, which a failure names: `--seed N --count 1` does it again.
"""
