"""A call uses its arrays as they are when it begins, although something else writes to them meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def given(figure: mk.Figure, name: str) -> dict[str, Any]:
    """Arrays for every argument of a call that takes one."""
    rng, rows = np.random.default_rng(5), 1 if name == "solve" else 4
    targets = figure.placements(figure.random(rng, rows), ["LeftHand", "RightHand"])[:, :, :3, 3].reshape(rows, 6)
    start = figure.random(rng)
    out: dict[str, Any] = {"start": start, "targets": targets[0] if name == "solve" else targets}
    out |= {"weights": np.array([1.0, 0.5]), "active": np.array([True, True])}
    out |= {"prefer": figure.random(rng), "stiffness": np.ones(figure.nv)}
    return out | ({"before": targets[0].copy(), "max_speed": None} if name == "track" else {})


def spoil(arrays: dict[str, Any]) -> None:
    for value in arrays.values():
        if isinstance(value, np.ndarray):
            value[...] = False if value.dtype == bool else 0.4


def solver_of(figure: mk.Figure, hook: Any = None) -> mk.Solver:
    def error(p: np.ndarray) -> np.ndarray:
        if hook is not None:
            hook()
        return p[0, :3, 3] - (0.1, 1.4, 0.1)

    goals = [mk.Position(name, (0.3, 1.2, 0.3)) for name in ("LeftHand", "RightHand")]
    return mk.Solver(figure, [*goals, mk.Custom("Head", error, rows=3)])


class Spoiler:
    """Looks like the array of active goals, and writes to the other arrays when it is read."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.arrays = arrays

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        spoil(self.arrays)
        return np.ones(3, dtype=dtype or float)


@pytest.mark.parametrize("name", ["solve", "solve_many", "track"])
@pytest.mark.parametrize("when", ["while it solves", "while arguments are read"])
def test_arrays_that_change_during_a_call_change_nothing(name: str, when: str) -> None:
    figure = mk.human()
    arguments = given(figure, name)
    for key in ("weights", "active"):
        arguments[key] = np.append(arguments[key], arguments[key].dtype.type(1))
    expected = getattr(solver_of(figure), name)(**{k: v if v is None else v.copy() for k, v in arguments.items()})
    if when == "while it solves":
        solver, own = solver_of(figure, lambda: spoil(arguments)), arguments
    else:
        solver, own = solver_of(figure), {**arguments, "active": Spoiler(arguments)}
    found = getattr(solver, name)(**own)
    of = "pose" if name == "solve" else "poses"
    assert np.array_equal(getattr(found, of), getattr(expected, of))
    assert np.array_equal(found.errors, expected.errors)


ROWS = 100_000
UNIT = 2.0**-20
"""Radians for each step of the count that the other thread writes, so that no angle passes half a turn."""


def turning() -> mk.Figure:
    """One segment that turns about z, with its mass beside the axis."""
    return mk.Figure("turning", [mk.Segment("A", None, mk.Hinge((0, 0, 1)), mass=1.0, center=(1, 0, 0))])


def stuck() -> mk.Figure:
    """The same, which must not turn to the left."""
    return mk.Figure("stuck", [mk.Segment("A", None, mk.Hinge((0, 0, 1), (-1.0, 0.0)))])


def angle(sine: np.ndarray, cosine: np.ndarray) -> np.ndarray:
    return np.arctan2(sine, cosine) / UNIT


def read_jacobian(found: np.ndarray) -> np.ndarray:
    """The angles from how the point (1, 0, 0) moves with them."""
    return angle(-found[:, 0, 0], found[:, 1, 0])


READINGS: dict[str, tuple[str, Callable[[mk.Figure, dict[str, np.ndarray]], np.ndarray]]] = {
    "placements": ("poses", lambda f, a: angle(*f.placements(a["poses"])[:, 0, 1::-1, 0].T)),
    "placements of a segment": ("poses", lambda f, a: angle(*f.placements(a["poses"], ["A"])[:, 0, 1::-1, 0].T)),
    "on threads": ("poses", lambda f, a: angle(*f.placements(a["poses"], threads=2)[:, 0, 1::-1, 0].T)),
    "jacobian": ("poses", lambda f, a: read_jacobian(f.jacobian(a["poses"], "A", (1, 0, 0)))),
    "center_of_mass": ("poses", lambda f, a: angle(*f.center_of_mass(a["poses"])[:, 1::-1].T)),
    "com_jacobian": ("poses", lambda f, a: read_jacobian(f.com_jacobian(a["poses"]))),
    "jvp at poses": ("poses", lambda f, a: angle(*(f.jvp(a["poses"], a["ones"])[:, 0, :2, 0] * (-1, 1)).T)),
    "jvp along steps": ("zeros", lambda f, a: f.jvp(a["ones"], a["zeros"])[:, 0, 1, 0] / UNIT / np.cos(1.0)),
    "vjp at poses": ("poses", lambda f, a: np.arccos(f.vjp(a["poses"], a["pulls"])[:, 0]) / UNIT),
    "vjp of pulls": ("pulls", lambda f, a: f.vjp(a["zeros"], a["pulls"])[:, 0] / UNIT),
    "integrate": ("poses", lambda f, a: f.integrate(a["poses"], a["zeros"])[:, 0] / UNIT),
    "difference": ("poses", lambda f, a: f.difference(a["zeros"], a["poses"])[:, 0] / UNIT),
    "clamp": ("poses", lambda f, a: f.clamp(a["poses"])[:, 0] / UNIT),
    "violation": ("poses", lambda _, a: stuck().violation(a["poses"]) / UNIT),
    "start of solve_many": (
        "poses",
        lambda f, a: of_a_solver(f).solve_many(a["poses"], iterations=0).poses[:, 0] / UNIT,
    ),
    "targets of solve_many": ("targets", lambda f, a: read_targets(f, a, "solve_many")),
    "targets of track": ("targets", lambda f, a: read_targets(f, a, "track")),
}
"""By call: the array that another thread writes to, and the counts that the answer was computed from."""


def of_a_solver(figure: mk.Figure) -> mk.Solver:
    return mk.Solver(figure, mk.Distance("A", (0.0, 0.0, 0.0), 0.0))


def read_targets(figure: mk.Figure, arrays: dict[str, np.ndarray], call: str) -> np.ndarray:
    """The target of a distance from where the segment is, which is its error."""
    answer = getattr(of_a_solver(figure), call)(np.zeros(1), arrays["targets"], **LEAST_WORK[call])
    return answer.errors[:, 0] / UNIT


LEAST_WORK: dict[str, dict[str, Any]] = {"solve_many": {"iterations": 0}, "track": {"iterations": 1}}


@pytest.mark.parametrize("name", READINGS)
def test_every_row_is_that_of_one_moment(name: str) -> None:
    """Another thread counts in the first row and then in the last one, so at every moment they differ by 1 at most."""
    written, counts = READINGS[name]
    figure = turning()
    for _ in range(3):
        arrays = {"poses": np.zeros((ROWS, 1)), "zeros": np.zeros((ROWS, 1)), "ones": np.ones((ROWS, 1))}
        arrays |= {"pulls": np.zeros((ROWS, 1, 4, 4)), "targets": np.zeros((ROWS, 1))}
        arrays["pulls"][:, 0, 1, 0] = name != "vjp of pulls"
        flat = arrays[written].reshape(ROWS, -1)[:, 4 if written == "pulls" else 0]
        going, ended = threading.Event(), threading.Event()

        def write(flat: np.ndarray = flat, going: threading.Event = going, ended: threading.Event = ended) -> None:
            count = 0
            while not ended.is_set() and count < 3_000_000:
                count += 1
                flat[0] = flat[-1] = count * UNIT  # the first one is written first
                going.set()

        thread = threading.Thread(target=write)
        thread.start()
        going.wait()
        try:
            found = counts(figure, arrays)
        finally:
            ended.set()
            thread.join()
        assert -0.5 < found[0] - found[-1] < 1.5
