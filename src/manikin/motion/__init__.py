"""Motions: poses of a figure over time, paths for its goals, functions that follow them, and markers over time."""

from manikin.motion.follow import follow
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion
from manikin.motion.path import path

__all__ = ["Markers", "Motion", "follow", "path"]
