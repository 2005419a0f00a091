"""Goals: where effectors, the gaze and the centre of mass should be. One file a goal; `goal.py` says what all share."""

from manikin.goals.aim import Aim
from manikin.goals.any_of import AnyOf
from manikin.goals.balance import Balance
from manikin.goals.clearance import Clearance
from manikin.goals.custom import Custom
from manikin.goals.distance import Distance
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading
from manikin.goals.half_space import HalfSpace
from manikin.goals.line import Line
from manikin.goals.orientation import Orientation
from manikin.goals.placement import Placement
from manikin.goals.plane import Plane
from manikin.goals.pole import Pole
from manikin.goals.position import Position
from manikin.goals.posture import Posture
from manikin.goals.relative import Relative

__all__ = [
    "Aim",
    "AnyOf",
    "Balance",
    "Clearance",
    "Custom",
    "Distance",
    "Effector",
    "Goal",
    "HalfSpace",
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
