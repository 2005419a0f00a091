"""The step over limbs: the same as that of the sweeps over all coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.goals import Goal

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

LIMBS = ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
TIPS = tuple(f"{s}Hand{f}4" for s in ("Left", "Right") for f in ("Thumb", "Index", "Middle", "Ring", "Pinky"))


def placed(figure: mk.Figure, segment: str, q: np.ndarray, weight: float = 1.0) -> Goal:
    return mk.Placement(segment, figure.placements(q, [segment])[0], weight=weight)


def at(figure: mk.Figure, segment: str, q: np.ndarray, weight: float = 1.0) -> Goal:
    return mk.Position(segment, figure.placements(q, [segment])[0, :3, 3], weight=weight)


def body(q: np.ndarray) -> tuple[mk.Figure, list[Goal]]:
    """Four placements, a limb of its own for the head."""
    figure = mk.human()
    return figure, [at(figure, "Head", q), *(placed(figure, s, q) for s in LIMBS)]


def fingers(q: np.ndarray) -> tuple[mk.Figure, list[Goal]]:
    """Limbs that hang on a segment with a goal of its own, one that does not count, one that counts a lot."""
    figure = mk.human()
    own = [at(figure, s, q, weight) for s, weight in zip(TIPS, (1, 1, 0, 1, 100, 1, 1, 0.01, 1, 1), strict=True)]
    return figure, [at(figure, "Head", q), *(placed(figure, s, q) for s in LIMBS), *own]


def trunk(q: np.ndarray) -> tuple[mk.Figure, list[Goal]]:
    """Goals that make no limbs beside some that do."""
    figure = mk.human()
    aim = mk.Aim("LeftHand", (0.3, 1.2, 3.0))
    plane = mk.Plane("RightFoot", (0, 0.05, 0), (0, 1, 0))
    return figure, [aim, plane, placed(figure, "RightHand", q), at(figure, "LeftFoot", q), at(figure, "Spine2", q)]


def chain(q: np.ndarray) -> tuple[mk.Figure, list[Goal]]:
    """One limb that hangs on the world; its coordinates fill the lanes."""
    figure = mk.chain(np.full(7, 0.1), mk.Euler("ZYX", ((-0.4, 0.4),) * 3))
    pose = figure.random(np.random.default_rng(int(abs(q[0]) * 1e6)))
    return figure, [placed(figure, "Tip", pose)]


@pytest.mark.parametrize("made", [body, fingers, trunk, chain])
def test_steps_over_limbs_are_those_of_the_sweeps(
    made: Callable[[np.ndarray], tuple[mk.Figure, list[Goal]]], kernels: str
) -> None:
    human, rng = mk.human(), np.random.default_rng(5)
    moved = 0.0
    for _ in range(8):
        figure, goals = made(human.random(rng))
        last = "Tip" if made is chain else "RightHand"
        other = mk.Distance(
            last, figure.segments[0].name, 1.0, weight=0.0
        )  # a goal on two segments: no limbs, and no weight
        with_limbs, without = mk.Solver(figure, goals), mk.Solver(figure, [*goals, other])
        for iterations in (1, 2, 4):
            a = with_limbs.solve(figure.rest, iterations=iterations, restarts=0).pose
            b = without.solve(figure.rest, iterations=iterations, restarts=0).pose
            assert a == pytest.approx(b, abs=1e-7)
            moved = max(moved, float(np.abs(a - figure.rest).max()))
    assert moved > 0.3  # and steps that meet limits
