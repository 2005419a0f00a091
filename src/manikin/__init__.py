"""manikin poses any articulated figure. You say where hands, feet, head and gaze should be; it finds the joint angles.

    import manikin as mk
    figure = mk.human()
    feet = ["LeftFoot", "RightFoot"]
    goals = [mk.Placement(name, at) for name, at in zip(feet, figure.placements(figure.rest, feet))]  # stay planted
    goals += [mk.Position("RightHand", (-0.4, 1.2, 0.3))]
    print(mk.solve(figure, goals))

`import manikin` loads only NumPy and the native core. Every other module is loaded when one of its names is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from manikin import backend
from manikin.batch import batch  # imported here: a later import of the submodule would replace the function
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
from manikin.natural import natural  # imported here: a later import of the submodule would replace the function
from manikin.solve import solve  # imported here: a later import of the submodule would replace the function

if TYPE_CHECKING:
    from manikin import errors, linalg, rotations
    from manikin.figure import samples
    from manikin.figure.human.human import human
    from manikin.figure.parts.bone_map import BoneMap
    from manikin.figure.parts.find import bone_map
    from manikin.figure.quadruped.quadruped import quadruped
    from manikin.files import load_figure, load_markers, load_motion, save
    from manikin.files.keypoints import load_points
    from manikin.goals import (
        Aim,
        AnyOf,
        Balance,
        Clearance,
        Custom,
        Distance,
        Effector,
        GemanMcClure,
        Goal,
        HalfSpace,
        Huber,
        Line,
        Orientation,
        Placement,
        Plane,
        Pole,
        Position,
        Posture,
        Relative,
    )
    from manikin.motion.clip import solve_motion
    from manikin.motion.contacts import Contact, Contacts, contacts
    from manikin.motion.edit import edit
    from manikin.motion.follow import follow
    from manikin.motion.keys import inbetween
    from manikin.motion.marker_fit.attachments import Attachments
    from manikin.motion.marker_fit.fit import fit_markers
    from manikin.motion.markers import Markers
    from manikin.motion.motion import Motion
    from manikin.motion.motion_solution import MotionSolution
    from manikin.motion.over import Over
    from manikin.motion.path import path
    from manikin.motion.points.fit import fit_points
    from manikin.motion.points.points_fit import PointsFit
    from manikin.motion.retarget.plant import plant
    from manikin.motion.retarget.retarget import retarget
    from manikin.preferences import CustomPreference, LimitAvoidance, MidRange, Preference, RestPose
    from manikin.report.data import Change, Reason, Report
    from manikin.solution import Solution, Solutions, Status
    from manikin.solvers.native.solver import Solver
    from manikin.studio.notebook import studio
    from manikin.view import animate, plot, plot_quality

__version__ = "0.1.0"

_LAZY = {
    "human": "manikin.figure.human.human",
    "quadruped": "manikin.figure.quadruped.quadruped",
    "BoneMap": "manikin.figure.parts.bone_map",
    "bone_map": "manikin.figure.parts.find",
    **dict.fromkeys(("Aim", "AnyOf", "Balance", "Clearance", "Custom", "Distance", "HalfSpace"), "manikin.goals"),
    **dict.fromkeys(("GemanMcClure", "Huber"), "manikin.goals"),
    **dict.fromkeys(("Line", "Orientation", "Placement", "Plane", "Pole", "Position"), "manikin.goals"),
    **dict.fromkeys(("Posture", "Relative", "Goal", "Effector"), "manikin.goals"),
    **dict.fromkeys(("CustomPreference", "LimitAvoidance", "MidRange"), "manikin.preferences"),
    **dict.fromkeys(("Preference", "RestPose"), "manikin.preferences"),
    **dict.fromkeys(("Solution", "Solutions", "Status"), "manikin.solution"),
    **dict.fromkeys(("Change", "Reason", "Report"), "manikin.report"),
    "Solver": "manikin.solvers.native.solver",
    **dict.fromkeys(("Markers", "Motion", "MotionSolution", "Over", "edit", "follow"), "manikin.motion"),
    **dict.fromkeys(("inbetween", "path", "solve_motion"), "manikin.motion"),
    **dict.fromkeys(("Contact", "Contacts", "contacts"), "manikin.motion.contacts"),
    "Attachments": "manikin.motion.marker_fit.attachments",
    "fit_markers": "manikin.motion.marker_fit.fit",
    "fit_points": "manikin.motion.points.fit",
    "load_points": "manikin.files.keypoints",
    "PointsFit": "manikin.motion.points.points_fit",
    "plant": "manikin.motion.retarget.plant",
    "retarget": "manikin.motion.retarget.retarget",
    **dict.fromkeys(("load_figure", "load_markers", "load_motion", "save"), "manikin.files"),
    **dict.fromkeys(("animate", "plot", "plot_quality"), "manikin.view"),
}
"""Maps each name that is loaded on first use to its module."""
_ROOMS = {
    "errors": "manikin.errors",
    "linalg": "manikin.linalg",
    "rotations": "manikin.rotations",
    "samples": "manikin.figure.samples",
    "studio": "manikin.studio",
}
"""Modules that are attributes of the package."""

__all__ = [
    "Aim",
    "AnyOf",
    "Attachments",
    "Balance",
    "Ball",
    "BoneMap",
    "Box",
    "Capsule",
    "Change",
    "Clearance",
    "Contact",
    "Contacts",
    "Coupling",
    "Custom",
    "CustomPreference",
    "Distance",
    "Effector",
    "Euler",
    "Figure",
    "Free",
    "GemanMcClure",
    "Goal",
    "HalfSpace",
    "Hinge",
    "Huber",
    "Joint",
    "LimitAvoidance",
    "Line",
    "Loop",
    "Markers",
    "MidRange",
    "Motion",
    "MotionSolution",
    "Orientation",
    "Over",
    "Placement",
    "Plane",
    "PointsFit",
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
    "animate",
    "backend",
    "batch",
    "bone_map",
    "chain",
    "contacts",
    "edit",
    "errors",
    "fit_markers",
    "fit_points",
    "follow",
    "human",
    "inbetween",
    "linalg",
    "load_figure",
    "load_markers",
    "load_motion",
    "load_points",
    "natural",
    "path",
    "plant",
    "plot",
    "plot_quality",
    "quadruped",
    "retarget",
    "rotations",
    "samples",
    "save",
    "solve",
    "solve_motion",
    "studio",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(_ROOMS[name])
    if name not in _LAZY:
        raise AttributeError(f"module 'manikin' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value  # later lookups do not call this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
