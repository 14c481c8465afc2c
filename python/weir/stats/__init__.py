"""Measures, intervals and paired differences."""
