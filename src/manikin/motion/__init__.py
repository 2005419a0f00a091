"""Motions: a figure's poses over time, paths for its goals, and following them."""

from manikin.motion.follow import follow
from manikin.motion.motion import Motion
from manikin.motion.path import path

__all__ = ["Motion", "follow", "path"]
