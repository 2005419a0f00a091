"""The named samples have the degeneracy of their names, and random figures have all features of a figure."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative, step_units
from hypothesis import given
from strategies import seeds

from manikin import rotations
from manikin.errors import BadValue
from manikin.figure import Ball, Euler, Figure, Free, Hinge, Slider, samples
from manikin.figure.random_figure import KINDS
from manikin.kinematics import swing_twist

ALL = samples.all()


def tip(figure: Figure, name: str = "Tip") -> np.ndarray:
    return figure.placements(figure.rest, [name])[0, :3, 3]


def rank(matrix: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=1e-9 * max(1.0, np.abs(matrix).max())))


# All of them


def test_the_names_asked_for_are_there() -> None:
    wanted = (
        "stretched folded zero_length_segment branch_at_the_root single_joint only_root coincident_joints gimbal "
        "half_turn cone_apex on_the_rim touching_limits coupled_pair long_chain slider_then_ball two_tips_at_one_place "
        "all_kinds"
    )
    assert set(wanted.split()) <= set(ALL)
    for name in ALL:
        assert ALL[name][0] == getattr(samples, name)()


@pytest.mark.parametrize("name", list(ALL))
def test_the_pose_is_the_rest_pose_and_holds_every_limit(name: str) -> None:
    figure, pose = ALL[name]
    assert_close(pose, figure.rest, tol=0.0)
    assert figure.violation(pose) == 0.0
    assert np.isfinite(figure.placements(pose)).all()
    assert Figure.from_dict(figure.to_dict()) == figure


@pytest.mark.parametrize("name", [n for n in ALL if ALL[n][0].nv])
def test_derivatives_hold_at_the_bad_place(name: str) -> None:
    figure, pose = ALL[name]
    last = figure.segment_names[-1]
    point = np.array([0.1, -0.2, 0.3]) * figure.size
    units = step_units(figure)

    def place(q: np.ndarray) -> np.ndarray:
        T = figure.placements(q, [last])[..., 0, :, :]
        return T[..., :3, :3] @ point + T[..., :3, 3]

    J = figure.jacobian(pose, last, point)[:3]
    assert_derivative(place, J, pose, move=figure.integrate, units=units, scale=figure.size, batched=True)
    com = figure.com_jacobian(pose)
    assert_derivative(
        figure.center_of_mass, com, pose, move=figure.integrate, units=units, scale=figure.size, batched=True
    )


# One by one


def test_stretched_cannot_move_along_itself() -> None:
    figure = samples.stretched()
    J = figure.jacobian(figure.rest, "Tip")[:3]
    assert rank(J) == 1
    assert_close(J[0], np.zeros(3), tol=1e-15)
    figure = samples.stretched_in_space()
    assert rank(figure.jacobian(figure.rest, "Tip")[:3]) == 2


def test_folded_has_its_tip_at_the_root() -> None:
    figure = samples.folded()
    assert_close(tip(figure), np.zeros(3), tol=1e-15)
    assert_close(figure.jacobian(figure.rest, "Tip")[:3, 0], np.zeros(3), tol=1e-15)


def test_the_wrist_in_line_has_six_hinges_and_five_directions() -> None:
    figure = samples.wrist_in_line()
    assert figure.nv == 6
    assert rank(figure.jacobian(figure.rest, "Tip")) == 5
    bent = figure.pose({"Segment5": 0.5})
    assert rank(figure.jacobian(bent, "Tip")) == 6


def test_the_zero_length_segment_has_two_joints_at_one_place() -> None:
    figure = samples.zero_length_segment()
    P = figure.placements(figure.rest)[:, :3, 3]
    assert_close(P[1], P[2], tol=0.0)
    J = figure.jacobian(figure.rest, "Tip")
    assert_close(J[:, 1], J[:, 2], tol=1e-15)


def test_coincident_joints_turn_about_one_place() -> None:
    figure = samples.coincident_joints()
    q = figure.random(np.random.default_rng(0))
    assert_close(figure.placements(q)[:3, :3, 3], np.zeros((3, 3)), tol=0.0)


def test_the_two_tips_are_at_one_place_and_their_arms_are_not() -> None:
    figure = samples.two_tips_at_one_place()
    assert_close(tip(figure, "Tip3"), tip(figure, "Tip5"), tol=1e-15)
    assert np.linalg.norm(tip(figure, "Segment3") - tip(figure, "Segment5")) > 0.5


def test_a_root_alone_has_no_numbers_or_only_its_own() -> None:
    assert (samples.only_root().nq, samples.only_root().nv) == (0, 0)
    assert (samples.only_free_root().nq, samples.only_free_root().nv) == (7, 6)
    assert samples.single_joint().nv == 1


def test_the_branches_at_the_root_share_no_joint() -> None:
    figure = samples.branch_at_the_root()
    moved = [np.abs(figure.jacobian(figure.rest, f"Tip{k}")).sum(axis=0) > 0.0 for k in (4, 5, 6)]
    assert_close(np.sum(moved, axis=0), np.ones(figure.nv), tol=0.0)


def test_every_euler_joint_of_gimbal_has_lost_an_axis() -> None:
    figure = samples.gimbal()
    for s in figure.segments:
        if s.joint.nq:
            at = figure.step_of(s.joint.name)
            turns = figure.jacobian(figure.rest, s.name)[3:, at : at + 3]
            assert np.linalg.matrix_rank(turns, tol=1e-9) == 2, s.name
    assert sum(s.joint.nq > 0 for s in figure.segments) == 12


def test_half_turns_are_half_turns() -> None:
    figure = samples.half_turn()
    for at in figure.layout.balls:
        turn = rotations.to_rotation_vector(figure.rest[at : at + 4])
        assert_close(np.linalg.norm(turn), np.pi, tol=1e-15)


def _coordinates(figure: Figure, segment: str) -> tuple[np.ndarray, Ball]:
    ball = figure.segment(segment).joint.motions[0]
    assert isinstance(ball, Ball)
    assert ball.limits is not None
    at = figure.index_of(segment)
    M = rotations.multiply(rotations.inverse(np.array(ball.limits.reference)), figure.rest[at : at + 4])
    return swing_twist.decompose(M, ball.limits.basis), ball


def test_the_apex_is_the_centre_of_the_cone_and_the_rim_its_edge() -> None:
    for segment in ("Segment1", "Segment2"):
        at, _ = _coordinates(samples.cone_apex(), segment)
        assert_close(at[:2], [0.0, 0.0], tol=1e-15)
        at, ball = _coordinates(samples.on_the_rim(), segment)
        cone = ball.limits
        assert cone is not None
        assert_close(np.hypot(at[0] / cone.swing[0], at[1] / cone.swing[1]), 1.0, tol=1e-12)
    assert_close(at[2], cone.twist[1], tol=1e-12)
    at, _ = _coordinates(samples.swing_half_turn(), "Segment1")
    assert_close(np.hypot(at[0], at[1]), np.pi, tol=1e-15)


def test_touching_limits_leave_no_room() -> None:
    figure = samples.touching_limits()
    still = figure.lower == figure.upper
    assert still.tolist() == [True, True, False, True, True, False]
    poses = figure.random(np.random.default_rng(0), 5)
    assert_close(poses[:, still], np.tile(figure.lower[still], (5, 1)), tol=0.0)


def test_a_coupled_pair_has_one_degree_of_freedom_and_follows_it() -> None:
    figure = samples.coupled_pair()
    assert (figure.nq, figure.nv) == (3, 1)
    q = figure.pose({"Segment1": 0.4})
    assert_close(q, [0.4, -0.5, 0.0], tol=1e-15)
    assert_close(figure.integrate(q, [0.1]), [0.5, -0.7, -0.02], tol=1e-15)


def test_slider_then_ball_moves_along_before_it_turns() -> None:
    figure = samples.slider_then_ball()
    half = np.sqrt(0.5)
    q = figure.pose({"Root": [1.0, 2.0, 3.0, half, 0.0, 0.0, half], "Arm": [0.5, 0.0, 0.0, 0.0]})
    assert_close(figure.placements(q, ["Root"])[0, :3, 3], [1.0, 2.0, 3.0], tol=1e-15)
    assert_close(figure.placements(q, ["Arm"])[0, :3, 3], [0.0, 2.5, 3.0], tol=1e-12)


def test_a_long_chain_is_as_long_as_asked() -> None:
    for n in (1, 7, 500):
        figure = samples.long_chain(n)
        assert len(figure.segments) == n + 1
        assert_close(figure.size, 1.0, tol=1e-12)
    with pytest.raises(BadValue, match="a long chain of 0 segments; it needs at least 1"):
        samples.long_chain(0)


def test_all_kinds_has_a_joint_of_every_kind() -> None:
    kinds = {s.joint.kind for s in samples.all_kinds().segments}
    assert kinds == {"free", "slider", "hinge", "euler", "ball", "slider+slider+ball", "slider+hinge", "fixed"}
    assert any(s.joint.coupling is not None for s in samples.all_kinds().segments)


# Random ones


@given(seeds())
def test_a_random_figure_rests_and_moves_within_its_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = samples.random_figure(rng, segments=int(rng.integers(1, 25)))
    assert figure.violation(figure.rest) == 0.0
    assert figure.violation(figure.random(rng, 5)).max() == 0.0
    assert figure.mass > 0.0
    assert Figure.from_dict(figure.to_dict()) == figure


def test_the_same_seed_gives_the_same_figure() -> None:
    first, again = (samples.random_figure(np.random.default_rng(7), 20) for _ in range(2))
    assert first == again
    assert first != samples.random_figure(np.random.default_rng(8), 20)


def test_random_figures_have_everything_a_figure_may_have() -> None:
    seen: set[str] = set()
    for seed in range(60):
        figure = samples.random_figure(np.random.default_rng(seed), 15)
        seen.add(f"up {figure.up}")
        seen.add(f"unit {figure.unit}")
        parents = [s.parent for s in figure.segments]
        seen.add("star" if parents.count(parents[-1]) == 14 else "chain" if len(set(parents)) == 15 else "bush")
        for s in figure.segments:
            seen |= _features(figure, s.name)
    everything = {
        *("up x", "up y", "up z", "unit None", "unit 1.0", "unit 0.01", "star", "chain", "bush"),
        *("free", "fixed", "hinge", "slider", "euler2", "euler3", "proper euler", "ball", "cone", "sliders+rotation"),
        *("oblique axis", "axis", "turned", "half-turned", "no length", "tiny length", "coupled", "coupled chain"),
        *("held by ratio 0", "length follows angle", "touching", "one-sided", "limits beside 0", "narrow cone"),
        *("wide cone", "centred cone", "no mass", "shapes", "other name"),
    }
    assert everything <= seen, everything - seen


def _features(figure: Figure, name: str) -> set[str]:
    s = figure.segment(name)
    out = {s.joint.kind} if s.joint.kind in ("free", "fixed", "hinge", "slider") else set()
    joints = {x.joint.name: x.joint for x in figure.segments}
    length = np.linalg.norm(s.joint.offset)
    out |= {"no length"} if length == 0.0 else {"tiny length"} if length < 1e-6 * figure.size else set()
    out |= set() if s.joint.rotation[0] == 1.0 else {"half-turned" if s.joint.rotation[0] == 0.0 else "turned"}
    out |= {word for word, there in [("no mass", s.mass == 0.0), ("shapes", bool(s.shapes))] if there}
    out |= {"other name"} if s.joint.name != name else set()
    if len(s.joint.motions) > 1 and not isinstance(s.joint.motions[-1], Slider):
        out.add("sliders+rotation")
    if s.joint.coupling is not None:
        leader = joints[s.joint.coupling.source]
        out |= {"coupled"} | ({"coupled chain"} if leader.coupling is not None else set())
        out |= {"held by ratio 0"} if s.joint.coupling.ratio == 0.0 else set()
        if isinstance(s.joint.motions[0], Slider) and isinstance(leader.motions[0], Hinge):
            out.add("length follows angle")
    for motion in s.joint.motions:
        limits: list[tuple[float, float]] = []
        if isinstance(motion, (Hinge, Slider)):
            out.add("axis" if np.count_nonzero(motion.axis) == 1 else "oblique axis")
            limits = [motion.limits]
        elif isinstance(motion, Euler):
            out.add(f"euler{len(motion.order)}")
            out |= {"proper euler"} if len(motion.order) == 3 and motion.order[0] == motion.order[2] else set()
            limits = list(motion.limits)
        elif isinstance(motion, Ball):
            out.add("ball" if motion.limits is None else "cone")
            if motion.limits is not None:
                out |= {"narrow cone"} if min(motion.limits.swing) < 0.1 else set()
                out |= {"wide cone"} if max(motion.limits.swing) == np.pi else set()
                out |= {"centred cone"} if motion.limits.reference[0] == 1.0 else set()
        else:
            assert isinstance(motion, Free)
        for low, high in limits:
            out |= {"touching"} if low == high else set()
            out |= {"one-sided"} if np.isinf(low) != np.isinf(high) else set()
            out |= {"limits beside 0"} if low > 0.0 or high < 0.0 else set()
    return out


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "free"])
def test_random_figures_can_be_kept_to_one_kind(kind: str) -> None:
    figure = samples.random_figure(np.random.default_rng(3), 30, kinds=[kind])
    words = {"cone": "ball", "sliders": "slider"}
    assert all(words.get(kind, kind) in s.joint.kind for s in figure.segments)


def test_what_cannot_be_drawn_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(BadValue, match="a random figure of 0 segments; it needs at least 1"):
        samples.random_figure(rng, 0)
    with pytest.raises(BadValue, match="kind 'spring' of a random figure is not one of fixed, hinge"):
        samples.random_figure(rng, 5, kinds=["spring"])
