"""Following paths: one linear step for each point, or each solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close

from manikin.chapter.examples import Example, chosen
from manikin.chapter.run import linear_step, paths, run
from manikin.errors import BadValue
from manikin.problem import Problem


def one(name: str, **changes: object) -> Example:
    (found,) = chosen([name])
    return replace(found, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["3", "9"])
def test_paths_begin_at_the_effectors_and_end_at_the_targets(name: str) -> None:
    found = one(name, steps=4)
    rows = paths(found)
    assert rows.shape == (6, len(found.effectors), 2)
    assert_close(rows[0], found.positions(found.start))
    assert_close(rows[-1], found.targets)


@pytest.mark.parametrize("method", ["pinv", "stacked", "dls", "bounded-dls"])
def test_a_step_is_the_formula_of_its_method(method: str) -> None:
    found = one("9")
    at = Problem(found.figure, found.goals).at(found.start)
    J, dX = at.jacobian, -at.residual
    damping = 0.25 if "dls" in method else None
    step = linear_step(at, method, damping)
    if damping is None:
        assert_close(step, np.linalg.pinv(J) @ dX)
    elif method == "dls":
        assert_close(step, np.linalg.solve(J.T @ J + damping**2 * np.eye(11), J.T @ dX), tol=1e-9)
    else:
        pose = found.start + step
        assert np.all(pose <= found.figure.upper + 1e-15)
        assert np.all(pose >= found.figure.lower - 1e-15)


def test_one_step_for_each_path_point_and_no_more() -> None:
    found = one("12", steps=3)
    course = run(found)
    assert course.iterations == 4
    q = found.start
    for row, pose in zip(paths(found)[1:], course.poses[1:], strict=True):
        goals = [goal.with_target(x) for goal, x in zip(found.goals, row, strict=True)]
        q = q + linear_step(Problem(found.figure, goals).at(q), "dls", 0.25)
        assert_close(pose, q)


def test_residuals_of_steps_are_what_the_linear_model_leaves() -> None:
    found = one("13", steps=2)
    course = run(found)
    goals = [goal.with_target(x) for goal, x in zip(found.goals, paths(found)[1], strict=True)]
    at = Problem(found.figure, goals).at(found.start)
    left = -at.residual - at.jacobian @ (course.poses[1] - course.poses[0])
    assert course.residuals[0] == pytest.approx(np.linalg.norm(left))


def test_solved_points_are_reached_whatever_their_number() -> None:
    found = one("6", steps=2)
    course = run(found, "dls")
    assert len(course.poses) == 4
    assert course.damping == 0.25
    assert np.abs(found.positions(course.poses) - course.wanted).max() < 1e-8


def test_a_damped_step_without_damping_is_an_error() -> None:
    found = one("12", damping=None)
    with pytest.raises(BadValue, match="'dls' needs a damping"):
        run(found)


def test_a_method_that_is_not_made_of_linear_steps_is_an_error() -> None:
    with pytest.raises(BadValue, match="'ccd' does not consist of single linear steps"):
        run(one("12"), "ccd")
