"""Weir against ns-2, on three levels: the AQM alone, the sender alone, the closed loop.

    PYTHONPATH=tests python -m validation --write docs/validation.md

All that is compared with is in tests/reference; nothing outside the repository is needed.
"""
