"""Poses by name, and their numbers turned into steps."""

from __future__ import annotations

import numpy as np
from checks import assert_close, assert_derivative
from hypothesis import given
from strategies import random_figure, random_pose, rngs

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment
from manikin.figure.numbers import pose_to_steps, steps_to_pose


def dancer() -> Figure:
    follower = Joint(motions=(Hinge(),), coupling=Coupling("Elbow", 0.5, 0.1))
    return Figure(
        "dancer",
        [
            Segment("Hips", joint=Free()),
            Segment("Spine", "Hips", Euler("ZXY")),
            Segment("Arm", "Spine", Ball()),
            Segment("ForeArm", "Arm", Joint("Elbow", (Hinge(limits=(0, 2)),))),
            Segment("Hand", "ForeArm", follower),
        ],
    )


def test_a_pose_sets_named_joints_and_leaves_the_rest_at_rest() -> None:
    figure = dancer()
    turn = rotations.from_axis_angle((0, 1, 0), 0.5)
    q = figure.pose({"Elbow": 1.2, "Spine": (0.1, 0.2, 0.3), "Arm": turn})
    assert_close(q, [0, 0, 0, 1, 0, 0, 0, 0.1, 0.2, 0.3, *turn, 1.2, 0.7], tol=1e-15)
    assert figure.pose().tolist() == figure.rest.tolist()
    assert figure.pose() is not figure.rest


def test_a_pose_sets_single_numbers_by_their_own_names() -> None:
    q = dancer().pose({"Spine.x": 0.2, "Hips.ty": 0.9})
    assert q[8] == 0.2
    assert q[1] == 0.9


def test_a_pose_starts_from_a_base_without_changing_it() -> None:
    figure = dancer()
    base = figure.pose({"Spine": (0.1, 0.2, 0.3)})
    kept = base.copy()
    q = figure.pose({"Spine.x": 1.0}, base=base)
    assert q[7:10].tolist() == [0.1, 1.0, 0.3]
    assert np.array_equal(base, kept)


def test_one_number_may_come_alone_or_in_a_list() -> None:
    figure = dancer()
    assert np.array_equal(figure.pose({"Elbow": 1.0}), figure.pose({"Elbow": [1.0]}))


def test_limits_are_not_enforced_by_a_pose() -> None:
    figure = dancer()
    assert figure.violation(figure.pose({"Elbow": 3.0})) == 1.0


@given(rngs())
def test_every_joint_of_any_figure_can_be_set_by_name(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    wanted = figure.integrate(random_pose(figure, rng), np.zeros(figure.nv))
    numbers = {}
    for s in figure.segments:
        if s.joint.nq and s.joint.coupling is None:
            n = figure.index_of(s.joint.name)
            numbers[s.joint.name] = wanted[n : n + s.joint.nq]
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    assert_close(figure.pose(numbers), wanted, scale=scale, tol=1e-15)


@given(rngs())
def test_a_change_of_numbers_is_the_step_that_makes_it(rng: np.random.Generator) -> None:
    """v = pose_to_steps(dq) is the derivative of the difference from q to q + dq, for a pose without couplings."""
    figure = random_figure(rng, kinds=["hinge", "ball", "euler", "sliders", "free", "fixed"])
    figure = figure.replaced(segments=[s.replaced(joint=_alone(s.joint)) for s in figure.segments])
    q = figure.integrate(random_pose(figure, rng), np.zeros(figure.nv))
    linear = np.moveaxis(pose_to_steps(figure.layout, q, np.eye(figure.nq)), 0, -1)  # (nv, nq)

    def difference(p: Vector) -> Vector:
        step: Vector = figure._kinematics.difference(q[None], _unit(figure, p)[None])[0]
        return step

    assert_derivative(difference, linear, q, tol=1e-9)


@given(rngs())
def test_gradients_by_steps_and_by_numbers_are_transposed(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    forth = pose_to_steps(figure.layout, q, np.eye(figure.nq))  # (nq, steps)
    back = steps_to_pose(figure.layout, q, np.eye(forth.shape[1]))  # (steps, nq)
    assert_close(forth, back.T, tol=4e-16)


def _alone(joint: Joint) -> Joint:
    return Joint(joint.name, joint.motions, joint.offset, joint.rotation)


def _unit(figure: Figure, q: Vector) -> Vector:
    out: Vector = q.copy()
    for n in figure.layout.balls:
        out[n : n + 4] /= np.linalg.norm(out[n : n + 4])
    return out
