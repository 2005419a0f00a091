"""A drag without a page: what is grabbed follows, feet stay, and the figure is not caught for long."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.errors import ManikinError
from manikin.studio.drag import Drag
from manikin.studio.goals import SceneGoal, balance, pin, planted
from manikin.studio.pace import Frame
from manikin.studio.roles import Roles
from manikin.studio.turns import largest_turn

TOES = ("LeftToeBase", "RightToeBase")
SECOND = 62
"""Frames of 16 ms."""
MOST_TURN = 0.25


@cache
def person() -> tuple[mk.Figure, Roles]:
    figure = mk.human()
    return figure, Roles.of(figure)


def standing(pose: Any = None) -> list[SceneGoal]:
    figure, roles = person()
    at = figure.rest if pose is None else pose
    feet = [goal for foot in roles.feet for goal in planted(figure, at, foot)]
    return [*feet, balance(tuple(foot.sole for foot in roles.feet))]


def origin(pose: Any, segment: str) -> Any:
    return person()[0].placements(pose, [segment])[0][:3, 3]


class Hand:
    """Moves a drag as a mouse does, and watches every frame."""

    def __init__(self, segment: str, goals: list[SceneGoal] | None = None, **options: Any) -> None:
        figure, roles = person()
        kept = standing() if goals is None else goals
        self.drag = Drag(figure, figure.rest, kept, roles=roles, budget=None, **options)
        self.segment, self.begin = segment, origin(figure.rest, segment)
        self.turn, self.toes = 0.0, 0.0
        self.see(self.drag.grab(segment, self.begin), figure.rest)

    def see(self, frame: Frame, before: Any) -> None:
        figure = person()[0]
        self.turn = max(self.turn, largest_turn(figure, before, frame.pose))
        off = [np.linalg.norm(origin(frame.pose, name) - origin(figure.rest, name)) for name in TOES]
        self.toes = max(self.toes, float(max(off)))

    def pull(self, move: Any, frames: int = 30) -> None:
        for k in range(1, frames + 1):
            before = self.drag.pose
            self.see(self.drag.move(self.begin + np.array(move) * k / frames), before)
        self.target = self.begin + np.array(move)

    def wait(self) -> None:
        """Rests for a second's frames, or until the figure is settled."""
        for _ in range(SECOND):
            if self.drag.settled:
                return
            before = self.drag.pose
            self.see(self.drag.rest(), before)

    @property
    def error(self) -> float:
        return float(np.linalg.norm(origin(self.drag.pose, self.segment) - self.target))


def lean(pose: Any) -> float:
    figure = person()[0]
    a, b = (figure.placements(q, ["Spine4"])[0][:3, :3] for q in (figure.rest, pose))
    return float(np.degrees(np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0))))


@pytest.mark.parametrize("move", [(-0.15, 0.1, 0.1), (-0.1, 0.4, 0.1), (-0.05, 0.2, 0.3), (-0.3, 0.5, 0.0)])
def test_a_hand_to_the_side_leaves_trunk_and_hips_alone(move: Any) -> None:
    hand = Hand("RightHand")
    hand.pull(move)
    hand.wait()
    assert hand.error < 1e-3
    assert lean(hand.drag.pose) <= 5.0
    assert np.linalg.norm(origin(hand.drag.pose, "Hips") - origin(person()[0].rest, "Hips")) <= 2e-3
    assert hand.toes <= 5e-4
    assert hand.turn <= MOST_TURN


def watched(hand: Hand, targets: Any) -> float:
    """Moves a hand through targets, and lets it rest. Returns the largest lean on the way, in degrees."""
    leans = []
    for target in targets:
        before = hand.drag.pose
        hand.see(hand.drag.move(target), before)
        leans.append(lean(hand.drag.pose))
    hand.target = np.asarray(targets[-1])
    while not hand.drag.settled and len(leans) < len(targets) + 60:
        before = hand.drag.pose
        hand.see(hand.drag.rest(), before)
        leans.append(lean(hand.drag.pose))
    assert hand.drag.settled
    return max(leans)


def sway(hand: Hand) -> tuple[float, float]:
    """The lean of the trunk in degrees, and how far the hips moved."""
    pose = hand.drag.pose
    return lean(pose), float(np.linalg.norm(origin(pose, "Hips") - origin(person()[0].rest, "Hips")))


@pytest.mark.parametrize("frames", [1, 2, 4, 8])
@pytest.mark.parametrize("segment", ["RightHand", "LeftHand"])
@pytest.mark.parametrize("move", [(-0.25, 0.45, 0.15), (-0.1, 0.5, 0.25), (0.05, 0.3, 0.3), (-0.35, 0.2, 0.05)])
def test_a_fast_hand_leaves_trunk_and_hips_alone_as_a_slow_one_does(move: Any, segment: str, frames: int) -> None:
    """Targets that were not used to choose the length of a step. At the last one the arm is nearly straight."""
    fast, slow = Hand(segment), Hand(segment)
    way = np.array(move) * ((1, 1, 1) if segment == "RightHand" else (-1, 1, 1))
    slow.pull(way)
    slow.wait()
    assert watched(fast, [fast.begin + way * k / frames for k in range(1, frames + 1)]) <= 5.0
    assert fast.error < 1e-3
    assert sway(fast) == pytest.approx(sway(slow), abs=2e-4, rel=0.15)
    assert move[0] == -0.35 or sway(fast)[1] <= 2e-3
    assert fast.toes <= 5e-4
    assert fast.turn <= MOST_TURN


@pytest.mark.parametrize("frames", [3, 25])
@pytest.mark.parametrize("out", [(-0.5, 0.5, 0.6), (0.3, 0.2, 1.3), (-1.3, 0.1, 0.1)])
def test_the_trunk_comes_back_upright_when_the_target_is_in_reach_again(out: Any, frames: int) -> None:
    hand = Hand("RightHand")
    away = hand.begin + np.array(out)
    assert watched(hand, [hand.begin + np.array(out) * k / frames for k in range(1, frames + 1)]) > 20.0
    near = hand.begin + np.array((-0.15, 0.35, 0.15))
    watched(hand, [away + (near - away) * k / frames for k in range(1, frames + 1)])
    assert hand.error < 1e-3
    leaned, moved = sway(hand)
    assert (leaned <= 5.0, moved <= 2e-3) == (True, True)
    hand.toes = 0.0
    hand.see(hand.drag.rest(), hand.drag.pose)
    assert hand.toes <= 5e-4
    assert hand.turn <= MOST_TURN


def test_a_release_at_once_ends_where_the_target_was_moved() -> None:
    hand = Hand("RightHand")
    hand.target = hand.begin + np.array((-0.2, 0.5, 0.2))
    hand.see(hand.drag.move(hand.target), hand.drag.pose)
    assert not hand.drag.arrived
    assert hand.drag.release() is hand.drag.pose
    assert hand.error < 1e-3


@pytest.mark.parametrize("away", [3.0, 1e3])
def test_a_figure_that_nothing_holds_follows_a_target_far_away(away: float) -> None:
    figure = mk.human()
    drag = Drag(figure, figure.rest, budget=None)
    at = origin(figure.rest, "RightHand")
    drag.grab("RightHand", at)
    target = at + away * figure.size
    drag.move(target)
    frames = 0
    while not drag.settled and frames < 200:
        drag.rest()
        frames += 1
    assert np.linalg.norm(origin(drag.release(), "RightHand") - target) < 2e-3


@pytest.mark.parametrize("move", [(0.0, -0.4, 0.0), (0.3, -0.2, 0.2), (0.15, -0.3, 0.0), (0.0, 0.0, 0.3)])
def test_hips_come_out_of_a_pose_that_caught_them(move: Any) -> None:
    hips = Hand("Hips")
    hips.pull(move)
    assert hips.error > 1e-2  # the track alone is caught
    hips.wait()
    assert hips.error <= 1e-3
    assert hips.toes <= 5e-4
    assert hips.turn <= MOST_TURN


@pytest.mark.parametrize("seed", range(12))
def test_lowered_hips_arrive_wherever_a_solve_from_the_rest_pose_reaches(seed: int) -> None:
    """On the way, a leg may have to change to another bend, which is far away however short a stride is."""
    rng = np.random.default_rng(7100 + seed)
    hips = Hand("Hips")
    hips.pull((rng.uniform(-0.3, 0.3), rng.uniform(-0.45, 0.0), rng.uniform(-0.3, 0.3)))
    hips.wait()
    solver, row = hips.drag.solver, hips.drag.row
    errors = solver.solve(person()[0].rest, row).errors
    allowed = np.array([goal.allowed for goal in solver.goals])
    counted = [k for k, name in enumerate(hips.drag.names) if name.startswith(("foot", "drag"))]
    if np.all(errors[counted] <= allowed[counted]):
        assert hips.error <= 2e-3
    assert hips.toes <= 7e-4
    assert hips.turn <= MOST_TURN


@pytest.mark.parametrize("seed", range(6))
def test_what_can_be_reached_is_reached_within_a_second(seed: int) -> None:
    """Targets from random poses of the standing figure, not used to choose any constant."""
    figure, _ = person()
    rng = np.random.default_rng(1900 + seed)
    segment = ("RightHand", "Head", "Hips", "LeftForeArm", "Spine3", "LeftHand")[seed]
    goals = [g.goal(figure) for g in standing()]
    start = figure.clamp(figure.integrate(figure.rest, rng.normal(0.0, 0.25, figure.nv)))
    pose = mk.Solver(figure, goals).solve(start).pose
    hand = Hand(segment)
    hand.pull(origin(pose, segment) - hand.begin, frames=15)
    hand.wait()
    assert hand.error <= 2e-3  # the tolerance of a drag is 1.5 mm
    assert hand.toes <= 5e-4
    assert hand.turn <= MOST_TURN


def test_out_of_reach_the_feet_stay_and_the_miss_is_told() -> None:
    hand = Hand("RightHand")
    hand.pull((0.2, 0.3, 1.2))
    hand.wait()
    assert hand.drag.settled
    assert hand.drag.rest().missed
    assert hand.toes <= 5e-4
    assert hand.turn <= MOST_TURN
    drag = hand.drag
    feet = {foot.words: [f"foot {foot.toes}", f"sole {foot.sole}"] for foot in person()[1].feet}
    reports = drag.solver.explain(drag.pose, drag.row, goals=["drag RightHand"], groups=feet)
    report = reports[drag.names.index("drag RightHand")]
    assert report.reasons[0].kind == "held"
    assert {"left foot", "right foot", "balance"} & set(report.reasons[0].culprits)


def test_a_way_out_and_back_ends_where_it_began() -> None:
    hand = Hand("RightHand")
    out = np.array((-0.2, 0.3, 0.2))
    for k in [*range(1, 31), *range(29, -1, -1)]:
        hand.drag.move(hand.begin + out * k / 30)
    assert largest_turn(person()[0], hand.drag.release(), person()[0].rest) < 0.05


def test_the_same_moves_give_the_same_bits() -> None:
    poses = []
    for _ in range(2):
        hips = Hand("Hips")
        hips.pull((0.3, -0.2, 0.2), frames=10)
        hips.wait()
        poses.append(hips.drag.release())
    assert poses[0].tobytes() == poses[1].tobytes()


def test_a_new_move_ends_the_way_at_once() -> None:
    hips = Hand("Hips")
    hips.pull((0.0, -0.4, 0.0))
    for _ in range(12):
        hips.drag.rest()
    assert hips.drag._way is not None
    hips.drag.move(hips.begin)
    assert hips.drag._way is None
    hips.target = hips.begin
    hips.wait()
    assert hips.error <= 2e-3


def test_a_pinned_hand_stays_while_the_other_is_dragged() -> None:
    figure, _ = person()
    hand = Hand("RightHand", [*standing(), pin(figure, figure.rest, "LeftHand")])
    hand.pull((-0.1, 0.3, 0.2))
    hand.wait()
    assert hand.error < 1e-3
    assert np.linalg.norm(origin(hand.drag.pose, "LeftHand") - origin(figure.rest, "LeftHand")) < 5e-4


def test_what_is_grabbed_is_free_again_and_a_foot_is_grabbed_as_a_whole() -> None:
    figure, _ = person()
    foot = Hand("LeftFoot", [*standing(), pin(figure, figure.rest, "LeftHand")])
    assert not {"foot LeftToeBase", "sole LeftFoot", "balance"} & set(foot.drag.names)
    assert {"foot RightToeBase", "sole RightFoot", "pin LeftHand"} <= set(foot.drag.names)
    off = Hand(
        "RightHand",
        [*standing(), SceneGoal("pin x", "placement", "pin", "LeftHand", (0,) * 3 + (1, 0, 0, 0), on=False)],
    )
    assert "pin x" not in off.drag.names


def test_the_orientation_is_dragged_too_if_wanted() -> None:
    figure, roles = person()
    drag = Drag(figure, figure.rest, standing(), roles=roles, budget=None)
    at = origin(figure.rest, "RightHand")
    drag.grab("RightHand", at, turn=True)
    before = mk.rotations.from_matrix(figure.placements(figure.rest, ["RightHand"])[0][:3, :3])
    wanted = mk.rotations.multiply(mk.rotations.from_rotation_vector(np.array([0.0, 0.4, 0.0])), before)
    for _ in range(10):
        frame = drag.move(at, wanted)
    got = mk.rotations.from_matrix(figure.placements(frame.pose, ["RightHand"])[0][:3, :3])
    assert abs(float(got @ wanted)) > 1.0 - 1e-4
    assert not frame.missed


def test_a_sudden_turn_leaves_the_trunk_alone() -> None:
    hand = Hand("RightHand")
    drag = hand.drag
    drag.grab("RightHand", hand.begin, turn=True)
    before = mk.rotations.from_matrix(person()[0].placements(drag.pose, ["RightHand"])[0][:3, :3])
    for angle in (1.2, 0.0, -1.2):
        wanted = mk.rotations.multiply(mk.rotations.from_rotation_vector(np.array([0.0, angle, 0.0])), before)
        drag.move(hand.begin, -wanted)  # the same orientation
        while not drag.settled:
            frame = drag.rest()
            assert lean(frame.pose) <= 5.0
        got = mk.rotations.from_matrix(person()[0].placements(frame.pose, ["RightHand"])[0][:3, :3])
        assert abs(float(got @ wanted)) > 1.0 - 1e-4
        assert np.linalg.norm(origin(frame.pose, "RightHand") - hand.begin) < 1e-3


def test_the_target_of_a_gaze_is_dragged_like_a_segment() -> None:
    figure, roles = person()
    eyes = origin(figure.rest, "Head")
    gaze = SceneGoal("aim Head", "aim", "aim", "Head", tuple(eyes + np.array((0.0, 0.0, 2.0))), 1)
    drag = Drag(figure, figure.rest, [*standing(), gaze], roles=roles, budget=None)
    drag.grab_target("aim Head")
    for k in range(1, 21):
        frame = drag.move(eyes + np.array((0.05 * k, 0.0, 2.0)))
    look = figure.placements(frame.pose, ["Head"])[0]
    toward = eyes + np.array((1.0, 0.0, 2.0)) - look[:3, 3]
    assert look[:3, 2] @ toward / np.linalg.norm(toward) > 1.0 - 1e-4
    assert not frame.missed


def test_holding_nothing_brings_the_figure_to_its_goals() -> None:
    figure, roles = person()
    hand = pin(figure, figure.rest, "RightHand")
    moved = SceneGoal(
        hand.id, hand.kind, hand.role, hand.segment, (*(np.array(hand.target[:3]) + 0.1), *hand.target[3:])
    )
    drag = Drag(figure, figure.rest, [*standing(), moved], roles=roles, budget=None)
    drag.hold()
    rounds = 0
    while not drag.settled and rounds < 60:
        drag.rest()
        rounds += 1
    assert np.linalg.norm(origin(drag.release(), "RightHand") - moved.target[:3]) < 1e-3


def test_frozen_joints_do_not_move() -> None:
    figure, _ = person()
    hand = Hand("RightHand", freeze=["RightForeArm", "Spine"])
    hand.pull((-0.1, 0.2, 0.1))
    for joint in ("RightForeArm", "Spine"):
        at = figure.index_of(joint)
        assert hand.drag.pose[at] == figure.rest[at]


@pytest.mark.parametrize("make", [mk.quadruped, lambda: mk.chain(6)], ids=["quadruped", "chain"])
def test_other_figures_are_dragged_too(make: Any) -> None:
    figure = make()
    roles = Roles.of(figure)
    goals = [goal for foot in roles.feet for goal in planted(figure, figure.rest, foot)]
    drag = Drag(figure, figure.rest, goals, roles=roles, budget=None)
    segment = figure.segment_names[-1] if roles.bones is None else roles.bones["head"][-1]
    at = figure.placements(figure.rest, [segment])[0][:3, 3]
    drag.grab(segment, at)
    for k in range(1, 21):
        drag.move(at - 0.002 * k * figure.size)
    for _ in range(40):
        frame = drag.rest()
    assert not frame.missed


def test_bad_input_is_named() -> None:
    figure, roles = person()
    drag = Drag(figure, figure.rest, standing(), roles=roles)
    for call, words in {
        lambda: drag.move((0, 0, 0)): "nothing is held",
        drag.rest: "nothing is held",
        lambda: drag.grab("Tail", (0, 0, 0)): "Tail",
        lambda: drag.grab("Hips", (0, np.nan, 0)): "point",
        lambda: drag.grab("Hips", (0, 0)): "point",
        lambda: drag.grab_target("aim Head"): "aim Head",
        lambda: drag.grab_target("balance"): "no target",
        lambda: Drag(figure, np.zeros(3)): "pose",
    }.items():
        with pytest.raises(ManikinError, match=words):
            call()
    drag.hold()
    with pytest.raises(ManikinError, match="nothing is grabbed"):
        drag.move((0, 0, 0))
    drag.grab("Hips", origin(figure.rest, "Hips"))
    with pytest.raises(ManikinError, match="turn=True"):
        drag.move((0, 0, 0), (1, 0, 0, 0))
    with pytest.raises(ManikinError, match="point"):
        drag.move((0, 0, np.inf))
