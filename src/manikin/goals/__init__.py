"""Goals: where effectors, the gaze and the centre of mass should be. Each goal is one file; `goal.py` has their base
class.

Each goal is loaded when its name is first used, so `import manikin` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from manikin.goals.any_of import AnyOf
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading

if TYPE_CHECKING:
    from manikin.goals.aim import Aim
    from manikin.goals.balance import Balance
    from manikin.goals.clearance import Clearance
    from manikin.goals.custom import Custom
    from manikin.goals.distance import Distance
    from manikin.goals.half_space import HalfSpace
    from manikin.goals.line import Line
    from manikin.goals.orientation import Orientation
    from manikin.goals.placement import Placement
    from manikin.goals.plane import Plane
    from manikin.goals.pole import Pole
    from manikin.goals.position import Position
    from manikin.goals.posture import Posture
    from manikin.goals.relative import Relative
    from manikin.goals.robust import GemanMcClure, Huber

_LAZY = {
    "Aim": "manikin.goals.aim",
    "Balance": "manikin.goals.balance",
    "Clearance": "manikin.goals.clearance",
    "Custom": "manikin.goals.custom",
    "Distance": "manikin.goals.distance",
    "GemanMcClure": "manikin.goals.robust",
    "HalfSpace": "manikin.goals.half_space",
    "Huber": "manikin.goals.robust",
    "Line": "manikin.goals.line",
    "Orientation": "manikin.goals.orientation",
    "Placement": "manikin.goals.placement",
    "Plane": "manikin.goals.plane",
    "Pole": "manikin.goals.pole",
    "Position": "manikin.goals.position",
    "Posture": "manikin.goals.posture",
    "Relative": "manikin.goals.relative",
}
"""Maps the name of each goal to the module that is loaded on first use."""

__all__ = [
    "Aim",
    "AnyOf",
    "Balance",
    "Clearance",
    "Custom",
    "Distance",
    "Effector",
    "GemanMcClure",
    "Goal",
    "HalfSpace",
    "Huber",
    "Line",
    "Orientation",
    "Placement",
    "Plane",
    "Pole",
    "Position",
    "Posture",
    "Reading",
    "Relative",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'manikin.goals' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value  # later lookups do not call this function
    return value
