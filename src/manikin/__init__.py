"""manikin poses any articulated figure: say where hands, feet, head and gaze should be, it finds the joint angles.

    import manikin as mk
    figure = mk.human()
    solution = mk.solve(figure, [mk.Position("RightHand", (-0.4, 1.2, 0.3))])
    print(solution)

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
from manikin.solve import solve  # at once: a later import of the module would put it in the function's place

if TYPE_CHECKING:
    from manikin import errors, linalg, rotations
    from manikin.figure import samples
    from manikin.figure.human import human
    from manikin.figure.quadruped import quadruped
    from manikin.files import load_figure, load_markers, load_motion, save
    from manikin.goals import (
        Aim,
        AnyOf,
        Balance,
        Clearance,
        Custom,
        Distance,
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
    from manikin.report.data import Change, Reason, Report
    from manikin.solution import Solution, Status
    from manikin.solvers.compiled import Solver
    from manikin.view import plot

__version__ = "0.1.0"

_LAZY = {
    "human": "manikin.figure.human",
    "quadruped": "manikin.figure.quadruped",
    **dict.fromkeys(("Aim", "AnyOf", "Balance", "Clearance", "Custom", "Distance", "HalfSpace"), "manikin.goals"),
    **dict.fromkeys(("Line", "Orientation", "Placement", "Plane", "Pole", "Position"), "manikin.goals"),
    **dict.fromkeys(("Posture", "Relative"), "manikin.goals"),
    **dict.fromkeys(("Solution", "Status"), "manikin.solution"),
    **dict.fromkeys(("Change", "Reason", "Report"), "manikin.report"),
    "Solver": "manikin.solvers.compiled",
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
    "Distance",
    "Euler",
    "Figure",
    "Free",
    "HalfSpace",
    "Hinge",
    "Joint",
    "Line",
    "Loop",
    "Markers",
    "Motion",
    "Orientation",
    "Placement",
    "Plane",
    "Pole",
    "Position",
    "Posture",
    "Reason",
    "Relative",
    "Report",
    "Segment",
    "Slider",
    "Solution",
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
