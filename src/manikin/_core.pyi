"""
The native core of manikin: indices and doubles, no names. Use it through the package.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

from manikin.solution import Status


def available() -> list[str]:
    """Kernels that this processor runs, slowest first."""

def use(name: str) -> None:
    """Choose the kernels, for the whole process."""

def in_use() -> str:
    """The kernels in use."""

def bounded_step(J: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], dX: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], damping: float, lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The damped step within bounds; the twin of manikin.reference.bounded.bounded_step.
    """

def checked_bounded_step(J: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], dX: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], damping: float, lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], floor: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    The same where all is in order: finite numbers, bounds the right way up, damping above floor * |J|; else ValueError.
    """

class Kinematics:
    """
    Kinematics of a tree of nodes; the twin of manikin.reference.kinematics.Kinematics.
    """

    def __init__(self, nq: int, nv: int, *, parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rotation: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], axis: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ratio: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def placements(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')] | None = None, threads: int = 1) -> object:
        """World placements (B, S, 4, 4) of all segments or of the chosen ones."""

    def jacobian(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], segment: int, point: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int = 1) -> object:
        """
        (B, 6, nv): linear then angular velocity of a point of a segment per step, world axes.
        """

    def center_of_mass(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int = 1) -> object:
        """(B, 3)."""

    def com_jacobian(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int = 1) -> object:
        """(B, 3, nv)."""

    def jvp(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int = 1) -> object:
        """(B, S, 4, 4): derivative of all placements along the steps v."""

    def vjp(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], cotangent: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int = 1) -> object:
        """(B, nv): the transpose of jvp."""

    def integrate(self, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> object:
        """(B, nq): the poses after the steps v."""

    def difference(self, q0: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], q1: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> object:
        """(B, nv): the steps from q0 to q1."""

class Solver:
    """A compiled problem: figure and goals."""

    def __init__(self, nq: int, nv: int, *, size: float, goals: int, target_width: int, parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rotation: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], axis: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ratio: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], moving: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], joint: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cone_number: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cone_reference: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], cone_basis: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], cone_swing: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], cone_twist: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], part_kind: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_flags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_offset: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], part_axis: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], part_tolerance: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], link_kind: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_segments: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_flags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_offset: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], link_tolerance: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], link_margin: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], link_counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], contact_segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], contact_point: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], solid_segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], solid_box: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], solid_center: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], solid_edges: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], solid_radius: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], apart_solids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], apart_margin: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], corner_segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], corner_point: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], corner_normal: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], corner_numbers: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], posture_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], posture_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], posture_tolerance: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], posture_stiffness: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def solve_many(self, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], targets: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], measures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], *, restarts: int, iterations: int, most: int, tracking: bool, seed: int, budget: float, threads: int) -> None:
        """
        Poses from starts, in place: q (B, nq), measures (B, parts), counts (B, 4): status, iterations, starts, sweeps.
        """

    def track(self, start: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], targets: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], measures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], *, dt: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], speed: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], levels: object | None, continues: bool, refine: bool, escape: bool, restarts: int, iterations: int, most: int, seed: int, budget: float) -> None:
        """
        Frame after frame, each from the one before: q (T, nq) out, counts (T, 4): status, iterations, starts, the number at its speed limit or -1.
        """

def box_nearest(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], *, a_is_box: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Where boxes, lines or points a and boxes b (n, 12: centre, half edges) are nearest: out (n, 10) is distance, normal, point of a, point of b.
    """

class Heading:
    """A start pose, turned and moved to the targets of goals."""

    def __init__(self, *, start: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], up: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], size: float, arm: float, most: float, slide: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to_slides: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], slide_limits: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], pivot: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], turn: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], turn_axes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], turn_limits: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], point_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point_effector: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], axes_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], axes_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], axes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def starts(self, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """A start for each row of targets, (B, nq)."""

def use_array_api(api: bool) -> bool:
    """
    Whether arrays are read and made through NumPy's C API (as they are) or without it; whether they are then.
    """

class Pose:
    """What `Solver.solve` gives: one row of `Poses`."""

    def __init__(self, pose: NDArray[numpy.float64], errors: NDArray[numpy.float64], code: int, iterations: int, start_violation: float = 0.0, notes: tuple[str, ...] = ()) -> None: ...

    @property
    def pose(self) -> NDArray[numpy.float64]:
        """(nq,) always finite and within limits."""

    @property
    def errors(self) -> NDArray[numpy.float64]:
        """(goals,) one norm a goal, in lengths or radians; 0 where a goal is not active."""

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""

    @property
    def status(self) -> Status:
        """How it ended."""

    @property
    def code(self) -> int:
        """The same as a number: 0 is reached."""

    @property
    def iterations(self) -> int:
        """Steps computed, all starts together."""

    @property
    def start_violation(self) -> float:
        """How far the start was outside its limits before it was brought in, radians or length; 0 where it was within."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the input, in words."""

def set_statuses(all: tuple[object, ...]) -> None:
    """What Pose.status gives, by the solver's number."""

class Quick:
    """One query at a time."""

    def __init__(self, solver: Solver, *, rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], balls: Sequence[int], cones: Sequence[int], cone_numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], quaternions: Sequence[int], directions: Sequence[int], own_targets: Sequence[float], width: int, goal_of: Sequence[int], share: Sequence[float], coupled: Sequence[int], source: Sequence[int], ratio: Sequence[float], shift: Sequence[float], heading: Heading | None) -> None: ...

    def solve(self, q: object, targets: object) -> Pose:
        """
        The pose for arguments that were checked: a start within limits and a row of targets; None is the rest pose with the heading of the targets, the goals' own.
        """

    def sound_poses(self, q: object) -> bool:
        """
        Whether this is a plain float64 array (nq,) or (B, nq) of poses, finite, with unit quaternions and within limits. False means: look at it.
        """

    def sound_targets(self, targets: object) -> bool:
        """
        Whether this is a plain float64 array (B, k) of targets, finite, with unit quaternions and directions. False means: look at it.
        """

def quick_method(function: object) -> object:
    """
    The method, with calls on plain arrays going straight to the native solver in `self._quick`.
    """
