"""Scenarios: load, change, run, compare."""
