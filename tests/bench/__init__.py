"""Measurements of the model, run by hand: `python -m tests.bench.groups`."""
