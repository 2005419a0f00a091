"""Goals as marks: the target, the error, and the text beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue, UnknownName
from manikin.goals import Effector, Goal, Reading
from manikin.view.goals import goal_effectors, goal_marks, length_text
from manikin.view.marks import Marks, Stroke
from manikin.view.style import STYLE

CHAIN = mk.chain(3)
POSE = CHAIN.rest
"""Stretched along x: the tip is at (3, 0, 0)."""


def marks_of(goal: Goal, figure: mk.Figure = CHAIN) -> Marks:
    marks = Marks()
    goal_marks(marks, figure, figure.rest, goal)
    return marks


def missing(marks: Marks) -> list[Stroke]:
    return [line for line in marks.lines if line.color == STYLE.missed]


def test_a_missed_position_has_a_ring_at_the_target_and_a_line_from_the_effector_to_it() -> None:
    marks = marks_of(mk.Position("Tip", (3.0, 0.5, 0.0)))
    assert_close(marks.rings[0].point, [3.0, 0.5, 0.0])
    (line,) = missing(marks)
    assert_close(line.points, [[3.0, 0.0, 0.0], [3.0, 0.5, 0.0]])
    assert marks.labels[0].text == "Tip 50 cm"


def test_a_met_position_has_a_ring_and_no_error() -> None:
    marks = marks_of(mk.Position("Tip", (3.0, 0.0, 0.0)))
    assert len(marks.rings) == 1
    assert missing(marks) == []
    assert marks.labels[0].text == "Tip ✓"


def test_the_line_starts_at_the_effector_not_at_its_segment() -> None:
    marks = marks_of(mk.Position("Tip", (3.0, 0.5, 0.0), offset=(0.0, 0.0, 0.25)))
    assert_close(missing(marks)[0].points[0], [3.0, 0.0, 0.25])


def test_a_position_on_some_axes_is_met_at_the_effectors_own_place_on_the_others() -> None:
    marks = marks_of(mk.Position("Tip", (2.0,), axes="x"))
    assert_close(marks.rings[0].point, [2.0, 0.0, 0.0])


def test_an_orientation_is_three_arrows_and_where_it_is_missed_those_of_the_segment_too() -> None:
    turn = mk.rotations.from_axis_angle((0, 0, 1), np.pi / 6)
    marks = marks_of(mk.Orientation("Tip", turn))
    arrows = [line for line in marks.lines if line.arrow]
    assert [line.color for line in arrows] == list(STYLE.axes)
    first = arrows[0].points[1] - arrows[0].points[0]
    assert_close(first / np.linalg.norm(first), [np.cos(np.pi / 6), 0.5, 0.0])
    assert len(marks.lines) == 6
    assert marks.labels[0].text == "Tip 30°"
    assert len(marks_of(mk.Orientation("Tip", (1, 0, 0, 0))).lines) == 3


def test_a_placement_names_only_what_is_missing() -> None:
    turned = mk.rotations.from_axis_angle((0, 0, 1), np.radians(5.0))
    assert marks_of(mk.Placement("Tip", [3, 0, 0, *turned])).labels[0].text == "Tip 5°"
    assert marks_of(mk.Placement("Tip", [3, 0, 0.004, 1, 0, 0, 0])).labels[0].text == "Tip 4 mm"
    both = marks_of(mk.Placement("Tip", [4.5, 0, 0, *turned]))
    assert both.labels[0].text == "Tip 1.5 m, 5°"
    assert_close(missing(both)[0].points, [[3, 0, 0], [4.5, 0, 0]])


def test_a_relative_placement_is_labelled_with_the_part_that_it_misses() -> None:
    first = CHAIN.segment_names[0]
    assert marks_of(mk.Relative("Tip", first, [3, 0.5, 0, 1, 0, 0, 0])).labels[0].text == "Tip 50 cm"
    turned = mk.rotations.from_axis_angle((0, 0, 1), np.radians(5.0))
    assert marks_of(mk.Relative("Tip", first, [3, 0, 0, *turned])).labels[0].text == "Tip 5°"


def test_an_aim_is_a_ray_to_its_point_and_where_it_is_missed_the_present_one() -> None:
    marks = marks_of(mk.Aim("Tip", (3.0, 1.0, 0.0), axis=(0, 0, 1)))
    assert_close(marks.lines[0].points, [[3, 0, 0], [3, 1, 0]])
    (present,) = missing(marks)
    along = present.points[1] - present.points[0]
    assert_close(along / np.linalg.norm(along), [0, 0, 1])
    assert marks.labels[0].text == "Tip 90°"
    assert missing(marks_of(mk.Aim("Tip", (4.0, 0.0, 0.0), axis=(1, 0, 0)))) == []


def test_a_far_target_does_not_stretch_the_picture() -> None:
    marks = marks_of(mk.Aim("Tip", (3.0, 1000.0, 0.0), axis=(0, 1, 0)))
    assert marks.rings == []
    assert marks.points()[:, 1].max() < CHAIN.size


def test_an_aim_at_the_effector_itself_is_drawn_without_a_ray() -> None:
    marks = marks_of(mk.Aim("Tip", (3.0, 0.0, 0.0)))
    assert marks.lines == []
    assert marks.labels[0].met


def test_a_plane_is_a_patch_in_it_with_the_distance_to_it() -> None:
    marks = marks_of(mk.Plane("Tip", (0.0, 0.3, 0.0), (0.0, 1.0, 0.0)))
    assert_close(marks.patches[0].corners[:, 1], [0.3] * 4)
    assert_close(missing(marks)[0].points, [[3, 0, 0], [3, 0.3, 0]])
    assert marks_of(mk.Plane("Tip", (0.0, -0.3, 0.0), (0.0, 1.0, 0.0), side="above")).labels[0].met


def test_balance_shows_the_support_and_the_centre_of_mass_above_it() -> None:
    person = mk.human()
    goal = mk.Balance(["LeftFoot", "RightFoot"])
    marks = marks_of(goal, person)
    (support,) = marks.patches
    assert np.ptp(support.corners[:, 1]) < 1e-12  # on the ground
    assert abs(support.corners[0, 1]) < 0.02
    center = person.center_of_mass(person.rest)
    assert_close(marks.dots[0].point, center)
    assert_close(marks.dots[1].point[[0, 2]], center[[0, 2]])
    assert marks.labels[0].text == "Balance ✓"


def test_lost_balance_is_drawn_as_the_way_back_to_the_support() -> None:
    marks = marks_of(mk.Balance(["Segment1"], points={"Segment1": [(0, 0, -0.2), (0.4, 0, -0.2), (0.4, 0, 0.2)]}))
    center = CHAIN.center_of_mass(POSE)
    way = missing(marks)[-1].points
    assert_close(way[0][[0, 2]], center[[0, 2]])
    assert_close(way[1][[0, 2]], [0.4, 0.0])
    assert marks.labels[0].text == "Balance 1.1 m"


def test_a_support_without_area_is_a_line() -> None:
    marks = marks_of(mk.Balance(["Segment1"]))
    assert marks.patches == []
    assert any(line.color == STYLE.support for line in marks.lines)


def test_of_alternatives_the_nearest_is_drawn_and_the_others_are_pale() -> None:
    near, far = mk.Position("Tip", (3.0, 0.2, 0.0)), mk.Position("Tip", (0.0, 2.0, 0.0))
    marks = marks_of(mk.AnyOf(far, near))
    colors = {tuple(ring.point): ring.color for ring in marks.rings}
    assert colors[(3.0, 0.2, 0.0)] == STYLE.target
    assert colors[(0.0, 2.0, 0.0)] != STYLE.target
    assert len(missing(marks)) == 1
    assert [label.text for label in marks.labels] == ["Tip 20 cm"]


@dataclass(frozen=True, eq=False)
class Low(Goal):
    """A user's own goal: the tip at height 0.5."""

    @property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector("Tip"),)

    @property
    def rows(self) -> int:
        return 1

    def error(self, reading: Reading) -> Vector:
        return reading.position[1:2] - 0.5

    def derivative(self, reading: Reading) -> Matrix:  # noqa: ARG002
        return np.eye(6)[1:2]


def test_a_goal_of_the_users_own_is_a_dot_with_its_name_and_error() -> None:
    marks = marks_of(Low(name="low"))
    assert_close(marks.dots[0].point, [3, 0, 0])
    assert marks.labels[0].text == "low 50 cm"


def test_a_goals_own_name_is_its_label() -> None:
    assert marks_of(mk.Position("Tip", (3, 0, 0), name="grip")).labels[0].text == "grip ✓"


def test_errors_are_told_in_the_figures_unit() -> None:
    assert length_text(0.0412, 1.0) == "4.1 cm"
    assert length_text(0.00012, 1.0) == "0.12 mm"
    assert length_text(1.234, 1.0) == "1.2 m"
    assert length_text(41.2, 0.01) == "41 cm"
    assert length_text(250.0, 1.0) == "250 m"
    assert length_text(0.0412, None) == "0.0412"


def test_paths_are_those_of_goals_about_a_place_none_twice() -> None:
    goals = [
        mk.Position("Tip", (1, 1, 0)),
        mk.Plane("Tip"),
        mk.Position("Tip", (1, 1, 0), offset=(0, 1, 0)),
        mk.Aim("Segment2", (1, 1, 1)),
        mk.AnyOf(mk.Position("Segment3", (0, 0, 0)), mk.Position("Tip", (1, 0, 0))),
    ]
    found = [(name, tuple(offset)) for name, offset in goal_effectors(CHAIN, goals)]
    assert found == [("Tip", (0, 0, 0)), ("Tip", (0, 1, 0)), ("Segment3", (0, 0, 0))]


def test_what_is_no_goal_and_what_is_no_segment_are_named() -> None:
    with pytest.raises(BadValue, match=r"goal \(1, 2\) is not a goal"):
        goal_marks(Marks(), CHAIN, POSE, (1, 2))  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no segment 'Tap'; did you mean 'Tip'"):
        marks_of(mk.Position("Tap", (1, 1, 1)))


def test_a_goal_that_takes_its_effectors_from_the_figure_is_drawn_and_named_by_its_segment() -> None:
    marks = marks_of(mk.Pole("LeftForeArm", (1.0, 1.0, -1.0)), mk.human())
    assert marks.labels[0].text.split()[0] == "LeftForeArm"


# Obstacles


def test_obstacles_of_a_clearance_are_bodies_and_half_spaces_a_piece_of_their_plane() -> None:
    solids = {"ball": mk.Sphere((2, 0.5, 0), 0.2), "box": mk.Box((0.1, 0.2, 0.3), (1, -0.8, 0))}
    marks = marks_of(mk.Clearance(0.05, obstacles=solids | {"floor": mk.HalfSpace((0, -1, 0))}))
    ball, box = (body.faces.reshape(-1, 3) for body in marks.bodies)
    assert_close(np.linalg.norm(ball - [2, 0.5, 0], axis=1), np.full(len(ball), 0.2))
    assert_close([box.min(axis=0), box.max(axis=0)], [[0.9, -1.0, -0.3], [1.1, -0.6, 0.3]])
    (patch,) = marks.patches
    assert_close(patch.corners[:, 1], np.full(4, -1.0))
    assert marks.labels[0].text == "Clearance ✓"
    assert missing(marks) == []
    assert marks.points()[:, 1].min() <= -1.0


def test_a_missed_clearance_has_a_line_between_the_nearest_points_of_the_worst_pair() -> None:
    radius = CHAIN.segment("Segment3").shapes[0].radius
    marks = marks_of(mk.Clearance(0.05, obstacles={"ball": mk.Sphere((2.5, 0.2 + radius, 0), 0.18)}))
    (line,) = missing(marks)
    assert_close(np.sort(line.points[:, 1]), [radius, radius + 0.02])
    assert marks.labels[0].text == "Clearance 3 cm"


def test_of_a_wall_only_the_piece_beside_the_figure_is_drawn_and_of_what_is_far_nothing() -> None:
    wall = mk.Box((100.0, 100.0, 0.1), (0.0, 0.0, -1.0), mk.rotations.from_axis_angle((0, 0, 1), 0.3))
    pole = mk.Capsule((0.0, 0.5, -50.0), (0.0, 0.5, 50.0), 0.1)
    far = [mk.Sphere((0, 0, 90), 1.0), mk.Box((1, 1, 1), (90, 0, 0)), mk.Capsule((0, 90, 0), (0, 99, 0), 0.1)]
    marks = marks_of(mk.Clearance(obstacles=[wall, pole, *far]))
    assert len(marks.bodies) == 2
    for body in marks.bodies:
        assert np.abs(body.faces).max() <= 3.0 + 2.0 * CHAIN.size
    sides = marks.bodies[0].faces[..., 2]
    assert_close([sides.min(), sides.max()], [-1.1, -0.9])


def test_a_clearance_without_obstacles_is_named_and_draws_no_body() -> None:
    marks = marks_of(mk.Clearance())
    assert marks.bodies == []
    assert marks.labels[0].text == "Clearance ✓"


def test_the_alternative_that_was_not_chosen_shows_its_obstacles_too() -> None:
    near, other = (mk.Clearance(obstacles={"ball": mk.Sphere((2, y, 0), 0.2)}) for y in (0.5, 0.1))
    assert len(marks_of(mk.AnyOf(near, other)).bodies) == 2


def test_labels_are_told_to_keep_off_obstacles() -> None:
    in_the_way = marks_of(mk.Clearance(obstacles={"ball": mk.Sphere((2, 0.5, 0), 0.2)})).in_the_way()
    on_it = np.abs(np.linalg.norm(in_the_way - [2, 0.5, 0], axis=1) - 0.2) < 0.01
    assert on_it.sum() >= 100
