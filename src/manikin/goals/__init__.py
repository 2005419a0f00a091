"""Goals: where effectors, the gaze and the centre of mass should be. One file a goal; `goal.py` says what all share."""

from manikin.goals.aim import Aim
from manikin.goals.any_of import AnyOf
from manikin.goals.balance import Balance
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading
from manikin.goals.orientation import Orientation
from manikin.goals.placement import Placement
from manikin.goals.plane import Plane
from manikin.goals.position import Position

__all__ = [
    "Aim",
    "AnyOf",
    "Balance",
    "Effector",
    "Goal",
    "Orientation",
    "Placement",
    "Plane",
    "Position",
    "Reading",
]
