"""Finds the body part of each segment."""
