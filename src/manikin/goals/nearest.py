"""Targets moved to a point that a pose reaches."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector


def moved_past(target: Vector, reached: Vector, margin: float) -> Vector:
    """The reached point (n,), moved by a margin (length) farther away from the target."""
    away = reached - target
    length = float(np.linalg.norm(away))
    moved: Vector = reached + away * (margin / length) if length > 0.0 else reached
    return moved
