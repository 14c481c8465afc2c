"""Runs on all cores: batches, captures, tables."""
