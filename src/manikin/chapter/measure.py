"""Numbers of a run: the remaining error, the distances of effectors from their paths, and the sizes of the steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.chapter.run import Course


def errors(course: Course) -> Matrix:
    """(T, effectors) distance of each effector from its path point, length."""
    away: Matrix = np.linalg.norm(course.wanted - course.example.positions(course.poses), axis=-1)
    return away


def deviations(places: Matrix, begin: Matrix, end: Matrix) -> Matrix:
    """(T, effectors) distance of effectors at `places` (T, effectors, d) from the straight segments `begin`, `end`.

    Unlike the error, this ignores delay: an effector that lags behind on its path has no deviation.
    """
    along = end - begin  # (effectors, d)
    square = np.maximum((along**2).sum(axis=-1), 1e-300)
    part = np.clip(((places - begin) * along).sum(axis=-1) / square, 0.0, 1.0)  # (T, effectors)
    off: Matrix = np.linalg.norm(places - begin - part[..., None] * along, axis=-1)
    return off


def lags(course: Course) -> Matrix:
    """(T, effectors) distance of each effector behind its path point, along the path; negative if it is ahead."""
    along = course.wanted[-1] - course.wanted[0]
    along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-300)
    behind: Matrix = ((course.wanted - course.example.positions(course.poses)) * along).sum(axis=-1)
    return behind


def numbers(course: Course) -> dict[str, Any]:
    """The entry of a run in results.json. Lengths are in the figure's unit, angles in radians. Infinities are None."""
    example, figure = course.example, course.example.figure
    labels = [e.label for e in example.effectors]
    left = errors(course)[-1]
    off = deviations(example.positions(course.poses), course.wanted[0], course.wanted[-1]).max(axis=0)
    return {
        "method": course.method,
        "damping": course.damping,
        "final_errors": _each(labels, left),
        "final_error_of_size": float(left.max() / figure.size),
        "deviation": _each(labels, off),
        "largest_deviation": float(off.max()),
        "lag": float(lags(course).mean()),
        "largest_step": float(course.step_norms.max()),
        "condition_number": finite(course.conditions.max()),
        "residual": {
            "of": "linear step" if example.stepped else "solve",
            "largest": float(course.residuals.max()),
            "last": float(course.residuals[-1]),
        },
        "limits_touched": sorted({name for touched in course.limits for name in touched}, key=_natural),
        "outside_limits": float(np.max(figure.violation(course.poses))),
        "angle_ranges": [[float(low), float(high)] for low, high in _ranges(course)],
        "iterations": course.iterations,
        "seconds": course.seconds,
        "final_pose": [float(x) for x in course.poses[-1]],
    }


def finite(value: float) -> float | None:
    """The number, or None if it is infinite, because JSON has no infinity."""
    return float(value) if math.isfinite(value) else None


def _ranges(course: Course) -> Matrix:
    """(nq, 2) smallest and largest value of each angle along the path."""
    return np.stack([course.poses.min(axis=0), course.poses.max(axis=0)], axis=1)


def _each(labels: list[str], values: Vector) -> dict[str, float]:
    return {label: float(value) for label, value in zip(labels, values, strict=True)}


def _natural(name: str) -> tuple[int, str]:
    """Sort key that puts Segment10 after Segment9."""
    return (len(name), name)
