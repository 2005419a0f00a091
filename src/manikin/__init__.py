"""manikin poses any articulated figure: say where hands, feet, head and gaze should be, it finds the joint angles.

    import manikin as mk
    figure = mk.human()
    feet = ["LeftFoot", "RightFoot"]
    goals = [mk.Placement(name, at) for name, at in zip(feet, figure.placements(figure.rest, feet))]  # stay planted
    goals += [mk.Position("RightHand", (-0.4, 1.2, 0.3))]
    print(mk.solve(figure, goals))

Importing it loads NumPy and the native core only; every other room is loaded when its first name is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from manikin import backend
from manikin.figure import (
    Ball,
    Box,
    Capsule,
    Coupling,
    Euler,
    Figure,
    Free,
    Hinge,
    Joint,
    Loop,
    Segment,
    Slider,
    Sphere,
    SwingTwist,
    chain,
    tree,
)
from manikin.natural import natural  # at once, as the next one
from manikin.solve import solve  # at once: a later import of the module would put it in the function's place

if TYPE_CHECKING:
    from manikin import errors, linalg, rotations
    from manikin.figure import samples
    from manikin.figure.human.human import human
    from manikin.figure.quadruped.quadruped import quadruped
    from manikin.files import load_figure, load_markers, load_motion, save
    from manikin.goals import (
        Aim,
        AnyOf,
        Balance,
        Clearance,
        Custom,
        Distance,
        Effector,
        Goal,
        HalfSpace,
        Line,
        Orientation,
        Placement,
        Plane,
        Pole,
        Position,
        Posture,
        Relative,
    )
    from manikin.motion.follow import follow
    from manikin.motion.markers import Markers
    from manikin.motion.motion import Motion
    from manikin.motion.path import path
    from manikin.preferences import CustomPreference, LimitAvoidance, MidRange, Preference, RestPose
    from manikin.report.data import Change, Reason, Report
    from manikin.solution import Solution, Solutions, Status
    from manikin.solvers.native.solver import Solver
    from manikin.view import plot

__version__ = "0.1.0"

_LAZY = {
    "human": "manikin.figure.human.human",
    "quadruped": "manikin.figure.quadruped.quadruped",
    **dict.fromkeys(("Aim", "AnyOf", "Balance", "Clearance", "Custom", "Distance", "HalfSpace"), "manikin.goals"),
    **dict.fromkeys(("Line", "Orientation", "Placement", "Plane", "Pole", "Position"), "manikin.goals"),
    **dict.fromkeys(("Posture", "Relative", "Goal", "Effector"), "manikin.goals"),
    **dict.fromkeys(("CustomPreference", "LimitAvoidance", "MidRange"), "manikin.preferences"),
    **dict.fromkeys(("Preference", "RestPose"), "manikin.preferences"),
    **dict.fromkeys(("Solution", "Solutions", "Status"), "manikin.solution"),
    **dict.fromkeys(("Change", "Reason", "Report"), "manikin.report"),
    "Solver": "manikin.solvers.native.solver",
    **dict.fromkeys(("Markers", "Motion", "follow", "path"), "manikin.motion"),
    **dict.fromkeys(("load_figure", "load_markers", "load_motion", "save"), "manikin.files"),
    "plot": "manikin.view",
}
"""Where each name is that is loaded on first use."""
_ROOMS = {
    "errors": "manikin.errors",
    "linalg": "manikin.linalg",
    "rotations": "manikin.rotations",
    "samples": "manikin.figure.samples",
}
"""Modules reachable as attributes."""

__all__ = [
    "Aim",
    "AnyOf",
    "Balance",
    "Ball",
    "Box",
    "Capsule",
    "Change",
    "Clearance",
    "Coupling",
    "Custom",
    "CustomPreference",
    "Distance",
    "Effector",
    "Euler",
    "Figure",
    "Free",
    "Goal",
    "HalfSpace",
    "Hinge",
    "Joint",
    "LimitAvoidance",
    "Line",
    "Loop",
    "Markers",
    "MidRange",
    "Motion",
    "Orientation",
    "Placement",
    "Plane",
    "Pole",
    "Position",
    "Posture",
    "Preference",
    "Reason",
    "Relative",
    "Report",
    "RestPose",
    "Segment",
    "Slider",
    "Solution",
    "Solutions",
    "Solver",
    "Sphere",
    "Status",
    "SwingTwist",
    "backend",
    "chain",
    "errors",
    "follow",
    "human",
    "linalg",
    "load_figure",
    "load_markers",
    "load_motion",
    "natural",
    "path",
    "plot",
    "quadruped",
    "rotations",
    "samples",
    "save",
    "solve",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(_ROOMS[name])
    if name not in _LAZY:
        raise AttributeError(f"module 'manikin' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
