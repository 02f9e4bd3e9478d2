"""Drawings: a layout in, a Plotly figure out; no session, no globals."""
