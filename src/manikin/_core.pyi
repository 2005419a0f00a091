"""
The native core of manikin: indices and doubles, no names. Use it through the package.
"""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

from manikin.solution import Solution, Solutions, Status


def use_array_api(api: bool) -> bool:
    """
    Selects whether arrays are read and made with NumPy's C API (the default) or without it. Returns whether they are.
    """

PART_KINDS: tuple[str, ...]

LINK_KINDS: tuple[str, ...]

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
    The same for finite numbers, lower bounds not above upper bounds and a damping above floor * |J|. Raises ValueError otherwise.
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

def box_nearest(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], *, a_is_box: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Where boxes, lines or points a and boxes b (n, 12: centre, half edges) are nearest: out (n, 10) is distance, normal, point of a, point of b.
    """

class Heading:
    """A start pose, rotated and moved to the targets of goals."""

    def __init__(self, *, start: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], up: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], size: float, arm: float, most: float, slide: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], to_slides: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], slide_limits: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], pivot: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], turn: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], turn_axes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], turn_limits: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], point_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point_effector: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], axes_goal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], axes_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], axes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def starts(self, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """A start for each row of targets, (B, nq)."""

class Natural:
    """
    Natural start poses of a person. Made from the arrays of reference.natural_arrays.NaturalArrays, by name.
    """

    def __init__(self, **arrays: object) -> None: ...

    def starts(self, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """A start within limits for each row of targets, (B, nq)."""

class Answer:
    """One pose that a solver found: the base of `Solution`."""

    _extra: dict[str, Any] | None

    def __init__(self, pose: NDArray[numpy.float64], errors: NDArray[numpy.float64], code: int, iterations: int, start_violation: float = 0.0, notes: tuple[str, ...] | None = None, chosen: tuple[int, ...] | None = None, owner: Any = None, extra: dict[str, Any] | None = None) -> None: ...

    @property
    def pose(self) -> NDArray[numpy.float64]:
        """(nq,) the pose that was found. Always finite."""

    @property
    def errors(self) -> NDArray[numpy.float64]:
        """(goals,) one norm for each goal, in lengths or radians."""

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""

    @property
    def status(self) -> Status:
        """How the solver ended."""

    @property
    def code(self) -> int:
        """The status as a number: 0 is reached."""

    @property
    def iterations(self) -> int:
        """Steps computed, all starts together."""

    @property
    def start_violation(self) -> float:
        """How far the start was outside its limits before it was clipped to them, in radians or lengths; 0 where it was within."""

    @property
    def _notes(self) -> tuple[str, ...] | None: ...

    @property
    def _chosen(self) -> tuple[int, ...] | None: ...

    @property
    def _owner(self) -> Any: ...

    @property
    def _targets(self) -> NDArray[numpy.float64] | None: ...

    @property
    def _start(self) -> NDArray[numpy.float64]: ...

def set_answers(statuses: tuple[object, ...], bad_value: type) -> None:
    """The status by its number, and the exception for bad values."""

class AnswerRows:
    """Many poses that a solver found: the base of `Solutions`."""

    def __init__(self, owner: Any, poses: NDArray[numpy.float64], errors: NDArray[numpy.float64], codes: NDArray[numpy.int32], iterations: NDArray[numpy.int32], start_violation: NDArray[numpy.float64], chosen: NDArray[numpy.int32], notes: tuple[str, ...] | None = None, targets: NDArray[numpy.float64] | None = None, starts: NDArray[numpy.float64] | None = None, weights: NDArray[numpy.float64] | None = None) -> None: ...

    @property
    def poses(self) -> NDArray[numpy.float64]:
        """(B, nq) always finite and within limits."""

    @property
    def errors(self) -> NDArray[numpy.float64]:
        """(B, goals) one norm for each goal, in lengths or radians; 0 where a goal is not active."""

    @property
    def codes(self) -> NDArray[numpy.int32]:
        """(B,) the status of each row as a number: 0 is reached."""

    @property
    def iterations(self) -> NDArray[numpy.int32]:
        """(B,) steps computed, all starts together."""

    @property
    def start_violation(self) -> NDArray[numpy.float64]:
        """(B,) how far each start was outside its limits before it was clipped to them, in radians or lengths."""

    @property
    def chosen(self) -> NDArray[numpy.int32]:
        """(B, goals) which member of each AnyOf was taken; 0 for other goals."""

    @property
    def _owner(self) -> Any: ...

    @property
    def _notes(self) -> tuple[str, ...] | None: ...

    @property
    def _targets(self) -> NDArray[numpy.float64] | None: ...

    @property
    def _starts(self) -> NDArray[numpy.float64] | None: ...

    @property
    def _weights(self) -> NDArray[numpy.float64] | None: ...

class QueryHolder:
    """The base of `Solver`. It holds the query of the native methods."""

    _query: Query

def native_method(function: object) -> object:
    """
    The method. Calls whose arguments have the form that the native core expects are answered natively, by the query in `self._query`.
    """

class Query:
    """
    A compiled problem: a figure with goals. Made of one block of named arrays.
    """

    def __init__(self, block: bytes) -> None: ...

    def run(self, q: NDArray[numpy.float64], targets: NDArray[numpy.float64], weights: NDArray[numpy.float64], errors: NDArray[numpy.float64], counts: NDArray[numpy.int32], callbacks: object, **options: object) -> None:
        """
        Solves rows with the given weights, in place: q (B, nq), errors (B, goals), counts (B, 3): status, iterations, starts. Options are those of `solve`; `near` keeps the start unchanged, `strict` keeps priorities.
        """

    def speeds(self, every: float) -> NDArray[numpy.float64] | None:
        """
        The largest speeds (nq) of a track with one speed for all joints that turn; None if a joint that turns follows a slider.
        """

    def information(self, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], callbacks: object) -> None:
        """Writes the diagonal of J^T W J to out (B, nv)."""

    def violation(self, q: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        How far a pose (nq) is outside its limits, in radians or lengths; 0 where it is within.
        """

    @property
    def goals(self) -> int:
        """Number of goals, including those of closed loops."""

    @property
    def width(self) -> int:
        """Number of numbers in a row of targets."""

def goal_arrays() -> dict[str, str]:
    """The arrays of goals in a block, in order, with their types."""

def solve(owner: object, start: NDArray[numpy.float64] | None = None, targets: NDArray[numpy.float64] | None = None, **options: Any) -> Solution:
    """One answer of the query in `owner._query`, for arguments that were checked; TypeError for others."""

def solve_many(owner: object, start: NDArray[numpy.float64] | None = None, targets: NDArray[numpy.float64] | None = None, threads: int = 1, **options: Any) -> Solutions:
    """Many answers of the query in `owner._query`, for arguments that were checked; TypeError for others."""

def track(owner: object, start: NDArray[numpy.float64] | None, targets: NDArray[numpy.float64], **options: Any) -> Solutions:
    """Answers frame after frame of the query in `owner._query`, for arguments that were checked; TypeError for others."""

def track_many(owner: object, calls: list[dict[str, Any]], threads: int) -> list[Solutions]:
    """
    Several tracks on threads: `calls` has the arguments of `track` for each, by name. They share the options other than those of frames.
    """

def smooth_correction(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bent: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], wish: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    The correction of values over time; the twin of manikin.reference.smooth.correction.
    """
