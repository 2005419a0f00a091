"""Fits a figure to markers. `fit.py` has the main path."""
