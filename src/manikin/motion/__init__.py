"""Motions: poses of a figure over time, goals over time, operations on clips, and markers over time."""

from manikin.motion.clip import solve_motion
from manikin.motion.edit import edit
from manikin.motion.follow import follow
from manikin.motion.keys import inbetween
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion
from manikin.motion.motion_solution import MotionSolution
from manikin.motion.over import Over
from manikin.motion.path import path
from manikin.motion.result import MotionResult

__all__ = [
    "Markers",
    "Motion",
    "MotionResult",
    "MotionSolution",
    "Over",
    "edit",
    "follow",
    "inbetween",
    "path",
    "solve_motion",
]
