"""What goals answer to solvers, reports and pictures (`goals/capabilities.py`), for every kind of goal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin.goals import Effector, Goal
from manikin.goals.goal import FARTHEST
from manikin.goals.native_terms import LinkTerm, PartTerm, PoseTerm
from manikin.problem import Problem

HUMAN = mk.human()
TURN = np.array([0.5, 0.5, -0.5, 0.5])
POINT = np.array([0.3, 1.1, 0.4])
GOALS: dict[str, Goal] = {
    "position": mk.Position("LeftHand", POINT, offset=(0.0, 0.1, 0.0)),
    "position along two axes": mk.Position("LeftHand", (0.4, 0.3), axes="zx"),
    "orientation": mk.Orientation("Head", TURN),
    "swing and twist": mk.Orientation("Head", TURN, axis=(0, 1, 0), swing=1.0, twist=0.03),
    "swing": mk.Orientation("Head", TURN, axis=(0, 1, 0), twist=0.0),
    "placement": mk.Placement("RightHand", [*POINT, *TURN], offset=(0.0, 0.1, 0.0)),
    "aim": mk.Aim("Head", (2.0, 1.5, 1.0), offset=(0.0, 0.1, 0.1)),
    "plane": mk.Plane("LeftFoot", (0.0, 0.2, 0.0), (0.1, 1.0, 0.2)),
    "above a plane": mk.Plane("LeftFoot", (0.0, 2.0, 0.0), (0.0, 1.0, 0.0), side="above"),
    "below a plane": mk.Plane("LeftFoot", (0.0, -2.0, 0.0), (0.0, 1.0, 0.0), side="below"),
    "line": mk.Line("LeftHand", POINT, (1.0, 2.0, 0.0)),
    "distance from a point": mk.Distance("LeftHand", POINT, 2.5),
    "at least from a point": mk.Distance("LeftHand", POINT, 2.5, kind="at_least"),
    "at most from a point": mk.Distance("LeftHand", POINT + 3.0, 0.1, kind="at_most"),
    "distance of two hands": mk.Distance("LeftHand", "RightHand", 4.0),
    "relative": mk.Relative("LeftHand", "RightHand", [*POINT, *TURN]),
    "relative position": mk.Relative("LeftHand", "RightHand", POINT, orientation=False),
    "relative orientation": mk.Relative("LeftHand", "RightHand", TURN, position=False),
    "pole": mk.Pole("LeftForeArm", POINT),
    "posture": mk.Posture(HUMAN.rest),
    "balance": mk.Balance(["LeftFoot", "RightFoot"]),
    "clearance": mk.Clearance(0.01, obstacles=[mk.Sphere(POINT, 0.1)]),
    "custom": mk.Custom("LeftHand", lambda placements, _: placements[0, :3, 3] - POINT, rows=3, target=[1e30]),
}
MOVABLE = [name for name in GOALS if name not in ("pole", "posture", "balance", "clearance", "custom")]
"""Goals whose target can be moved to where a pose is."""
POSES = HUMAN.random(np.random.default_rng(3), 5)


@dataclass(frozen=True, eq=False)
class Nearer(mk.Position):
    """A user's goal with an error other than that of its base."""

    def error(self, reading):
        return 0.5 * super().error(reading)


@dataclass(frozen=True, eq=False)
class Pinned(Goal):
    """A user's goal that answers where its effector should be."""

    segment: str
    point: tuple[float, float, float]

    @property
    def effectors(self):
        return (Effector(self.segment),)

    @property
    def rows(self):
        return 3

    def error(self, reading):
        return reading.position - np.array(self.point)

    def derivative(self, reading):  # noqa: ARG002 (the same everywhere)
        return np.eye(6)[:3]

    @property
    def wanted_point(self):
        return np.array(self.point), np.ones(3, dtype=bool)


@pytest.mark.parametrize("name", GOALS)
def test_quaternions_and_directions_stand_where_a_goal_says(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    for width, slots in ((4, goal.quaternions), (3, goal.directions)):
        for at in slots:
            assert np.linalg.norm(goal.target[at : at + width]) == pytest.approx(1.0)


def test_which_goals_have_quaternions_and_directions() -> None:
    found = {name: (goal.on(HUMAN).quaternions, goal.on(HUMAN).directions) for name, goal in GOALS.items()}
    assert {name for name, (turns, _) in found.items() if turns} == {
        *("orientation", "placement", "posture", "relative", "relative position", "relative orientation"),
        *("swing and twist", "swing"),
    }
    assert {name for name, (_, ways) in found.items() if ways} == {"plane", "above a plane", "below a plane", "line"}
    assert found["posture"][0] == tuple(HUMAN.layout.balls)


@pytest.mark.parametrize("name", MOVABLE)
def test_a_target_moved_to_a_reading_is_met_by_it(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    for pose in POSES:
        reading = Problem(HUMAN, [goal], pose).at(pose).readings[0]
        for margin in (0.0, 0.5 * goal.allowed):
            moved = goal.met_by(reading, margin)
            assert moved is not None
            assert type(moved) is type(goal)
            assert Problem(HUMAN, [moved], pose).at(pose).reached


@pytest.mark.parametrize("name", sorted(set(GOALS) - set(MOVABLE)))
def test_a_goal_without_a_target_in_space_has_none_to_move(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    assert goal.met_by(Problem(HUMAN, [goal]).at(HUMAN.rest).readings[0]) is None


@pytest.mark.parametrize("name", MOVABLE)
def test_an_effector_that_meets_a_goal_is_as_far_away_as_the_goal_says(name: str) -> None:
    rng = np.random.default_rng(4)
    for pose in POSES:
        goal = GOALS[name].on(HUMAN)
        reading = Problem(HUMAN, [goal], pose).at(pose).readings[0]
        goal = goal.met_by(reading) or goal
        at = reading.placements[:, :3, 3]
        for base in rng.normal(size=(20, 3)):
            least = goal.distance_from(base)
            if least is not None:
                assert np.linalg.norm(at[0] - base) >= least - 1e-9
        if goal.span is not None:
            assert np.linalg.norm(at[0] - at[1]) >= goal.span - 1e-9


def test_which_goals_say_how_far_an_effector_must_be() -> None:
    far = {name: goal.on(HUMAN).distance_from(np.zeros(3)) for name, goal in GOALS.items()}
    said = {"position", "position along two axes", "placement", "plane", "above a plane", "below a plane", "line"}
    said |= {"distance from a point", "at least from a point", "at most from a point"}
    assert {name for name, distance in far.items() if distance is not None} == said
    assert far["above a plane"] == 2.0
    assert far["position along two axes"] == pytest.approx(0.5)
    assert {name for name, goal in GOALS.items() if goal.on(HUMAN).span is not None} == {"distance of two hands"}


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_at_its_wanted_point_and_rotation_has_no_error_there(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    pose = POSES[0]
    reading = Problem(HUMAN, [goal], pose).at(pose).readings[0]
    moved = goal.met_by(reading)
    if goal.wanted_point is None and goal.wanted_rotation is None:
        return
    assert moved is not None
    if moved.wanted_point is not None:
        point, counts = moved.wanted_point
        assert_close(point[counts], reading.position[counts])
    if moved.wanted_rotation is not None:
        assert_close(mk.rotations.to_matrix(moved.wanted_rotation), reading.rotation)


def test_which_goals_want_a_point_or_a_rotation() -> None:
    assert {n for n, g in GOALS.items() if g.wanted_point is not None} == {
        *("position", "position along two axes", "placement"),
    }
    turned = {"orientation", "placement", "swing and twist"}
    assert {n for n, g in GOALS.items() if g.wanted_rotation is not None} == turned
    assert {n for n, g in GOALS.items() if g.point_slot is not None} == {"position", "placement"}


def test_the_halves_of_a_placement_are_a_position_and_an_orientation() -> None:
    goal = mk.Placement("Head", [*POINT, *TURN], weight=3.0, priority=2, tolerance=(0.1, 0.2), name="look").on(HUMAN)
    assert goal.halves is not None
    place, turn = goal.halves
    assert_close(place.target, POINT)
    assert_close(turn.target, TURN)
    assert (place.tolerance, turn.tolerance) == (0.1, 0.2)
    assert (place.weight, turn.weight, place.priority, turn.priority, place.name) == (3.0, 3.0, 2, 2, "look")


@pytest.mark.parametrize("name", GOALS)
def test_terms_of_native_goals_point_into_the_target(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    if goal.evaluated_in_python:
        assert name in ("custom", "position along two axes")
        return
    terms = goal.native_terms()
    assert terms
    for term in terms:
        assert isinstance(term, (PartTerm, LinkTerm, PoseTerm))
        assert term.tolerance > 0.0
        assert isinstance(term, PoseTerm) or 0 <= term.target <= max(len(goal.target) - 1, 0)


def test_a_users_subclass_of_a_native_goal_is_solved_in_python() -> None:
    goal = Nearer("LeftHand", POINT).on(HUMAN)
    assert goal.evaluated_in_python
    assert not mk.Position("LeftHand", POINT).on(HUMAN).evaluated_in_python


@pytest.mark.parametrize("name", GOALS)
def test_a_near_goal_is_not_clipped(name: str) -> None:
    goal = GOALS[name].on(HUMAN)
    assert goal.clipped(HUMAN) is goal


def test_far_targets_offsets_and_points_are_clipped() -> None:
    far = FARTHEST * HUMAN.size
    goal = mk.Position("LeftHand", (1e30, 1.0, -1e30), offset=(0.0, 1e30, 0.0)).on(HUMAN).clipped(HUMAN)
    assert_close(goal.target, [far, 1.0, -far])
    assert_close(goal.offset, [0.0, far, 0.0])
    goal = mk.Distance("LeftHand", (0.0, 1e30, 0.0), 1e30).on(HUMAN).clipped(HUMAN)  # type: ignore[assignment]
    assert_close(goal.to, [0.0, far, 0.0])  # type: ignore[attr-defined]
    assert goal.distance == far  # type: ignore[attr-defined]
    plane = mk.Plane("LeftFoot", (0.0, 1e30, 0.0), (0.0, 0.0, 1.0)).on(HUMAN).clipped(HUMAN)
    assert_close(plane.normal, [0.0, 0.0, 1.0])
    either = mk.AnyOf(mk.Position("Hips", (1e30, 0, 0)), mk.Position("Hips", (0, 0, 0)), weight=3.0).on(HUMAN)
    assert_close(either.clipped(HUMAN).target, [far, 0, 0, 0, 0, 0])
    assert [goal.weight for goal in either.clipped(HUMAN).alternatives] == [3.0, 3.0]


def test_the_alternatives_of_a_goal_are_itself_and_of_an_any_of_its_members() -> None:
    assert all(goal.alternatives == (goal,) for goal in GOALS.values())
    either = mk.AnyOf(GOALS["position"], GOALS["plane"], weight=2.0, priority=1)
    assert [type(goal) for goal in either.alternatives] == [mk.Position, mk.Plane]
    assert [(goal.weight, goal.priority) for goal in either.alternatives] == [(2.0, 1), (2.0, 1)]


def test_goals_about_the_whole_figure_and_goals_whose_effector_is_traced() -> None:
    assert {n for n, g in GOALS.items() if g.whole_figure} == {"balance", "clearance"}
    assert {n for n, g in GOALS.items() if g.traced} == {
        *("position", "position along two axes", "placement", "plane", "above a plane", "below a plane"),
    }


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_a_users_goal_that_wants_a_point_is_solved_as_a_position_is(method: str) -> None:
    arm = mk.chain(4)
    own = mk.solve(arm, Pinned("Tip", (1.0, 2.0, 0.5)), method=method)
    assert own.reached
    assert_close(own.pose, mk.solve(arm, mk.Position("Tip", (1.0, 2.0, 0.5)), method=method).pose)


def test_a_users_goal_that_wants_a_point_is_reported_out_of_reach() -> None:
    solution = mk.solve(mk.chain(2), Pinned("Tip", (5.0, 0.0, 0.0)))
    assert "out of reach by at least 3.00 m" in str(solution)
