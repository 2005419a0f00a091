"""Reports on small problems whose answer is obvious."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import targets_of_bodies as bodies

import manikin as mk
from manikin.errors import BadValue
from manikin.goals import Clearance
from manikin.problem import Problem


def first(solution: mk.Solution, goal: int = 0) -> mk.Reason:
    return solution.report[goal].reasons[0]


def met_after(solution: mk.Solution, change: mk.Change, goal: int = 0) -> bool:
    figure, goals = change.applied(solution.figure, solution.goals)
    kept = [k for k in range(len(solution.goals)) if change.what != "drop_goal" or k not in change.goals]
    again = mk.solve(figure, goals, solution.start)
    return bool(again.errors[kept.index(goal)] <= again.tolerances[kept.index(goal)])


def test_goals_that_were_met_have_a_report_without_reasons() -> None:
    solution = mk.solve(mk.chain(3, planar=True), mk.Position("Tip", (1.0, 1.5), axes="xy"))
    (report,) = solution.report
    assert report.reached
    assert (report.reasons, report.changes, report.re_solves) == ((), (), 0)
    assert str(report) == "Position Tip is met."


def test_a_goal_of_weight_zero_is_not_asked_for() -> None:
    goals = [mk.Position("Tip", (1.0, 1.5), axes="xy"), mk.Position("Tip", (0.0, 0.0), axes="xy", weight=0.0)]
    solution = mk.solve(mk.chain(3, planar=True), goals)
    assert solution.report[1].reasons == ()
    assert solution.report[1].text == "Position Tip (2) is ignored (weight 0)."


def test_out_of_reach_by_lengths_is_certain_and_says_how_far() -> None:
    solution = mk.solve(mk.chain(4, planar=True), mk.Position("Tip", (3.0, 4.0), axes="xy"))
    reason = first(solution)
    assert (reason.kind, reason.confidence, reason.unit) == ("out_of_reach", "certain", "length")
    assert reason.amount == pytest.approx(1.0, abs=1e-3)
    assert (
        "the target is 5.00 m from Segment1, but the figure reaches only 4.00 m from there. Move the target by 1.00 m."
    ) in solution.report[0].text
    assert met_after(solution, solution.report[0].changes[0])


def test_too_near_is_out_of_reach_even_without_limits() -> None:
    arm = mk.chain([1.0, 0.3, 0.2], planar=True)
    solution = mk.solve(arm, mk.Position("Tip", (0.2, 0.0), axes="xy"))
    reason = first(solution)
    assert (reason.kind, reason.confidence, reason.geometric) == ("out_of_reach", "likely", True)
    assert reason.amount == pytest.approx(0.3, abs=1e-3)
    assert met_after(solution, solution.report[0].changes[0])


def test_the_limit_in_the_way_is_named_with_what_is_missing() -> None:
    arm = mk.Figure(
        "elbow",
        [
            mk.Segment("Upper", joint=mk.Hinge(limits=(0.0, 0.0))),
            mk.Segment("Lower", "Upper", mk.Hinge(limits=(0.0, 1.0)), offset=(1, 0, 0)),
            mk.Segment("Tip", "Lower", offset=(1, 0, 0)),
        ],
    )
    wanted = 1.0 + np.deg2rad(20.0)
    solution = mk.solve(arm, mk.Position("Tip", (1 + np.cos(wanted), np.sin(wanted)), axes="xy"))
    reason = first(solution)
    assert (reason.kind, reason.culprits, reason.together) == ("limit", ("Lower (upper)",), False)
    assert np.deg2rad(19.9) <= reason.amount <= np.deg2rad(21.5)
    assert reason.gain_per_unit == pytest.approx(1.0, abs=0.1)
    change = solution.report[0].changes[0]
    assert (change.what, change.subject, change.verified) == ("widen_limit", "Lower (upper)", True)
    assert met_after(solution, change)


def test_a_limit_that_needs_more_than_a_quarter_turn_is_named_by_the_side_that_blocks() -> None:
    """The elbow bends by 34° only and would need 145°; the other way round it would need 145° too."""
    arm = mk.Figure(
        "arm",
        [
            mk.Segment("Upper", None, mk.Hinge(axis=(0, 0, 1), limits=(-3.0, 3.0))),
            mk.Segment("Fore", "Upper", mk.Hinge(axis=(0, 0, 1), limits=(0.0, 0.6)), offset=(1, 0, 0)),
            mk.Segment("Hand", "Fore", offset=(1, 0, 0)),
        ],
    )
    for angle in (-1.2, 0.0, 0.7):
        report = mk.solve(arm, mk.Position("Hand", (0.6 * np.cos(angle), 0.6 * np.sin(angle), 0.0))).report[0]
        assert report.reasons[0].kind == "limit"
        assert report.reasons[0].culprits[0] == "Fore (upper)"
        assert report.changes[0].amount == pytest.approx(np.pi - 2.0 * np.arcsin(0.3) - 0.6, abs=0.02)


@pytest.mark.parametrize(
    "goal",
    [
        mk.Distance("RightHand", (0.0, 10.0, 0.0), 1.0),
        mk.Plane("RightHand", (0.0, 10.0, 0.0), (0.0, 1.0, 0.0)),
        mk.Line("RightHand", (0.0, 10.0, 0.0), (1.0, 0.0, 0.0)),
        mk.Relative("RightHand", "Hips", (0.0, 10.0, 0.0), orientation=False),
    ],
    ids=["distance", "plane", "line", "relative"],
)
def test_a_target_moved_into_reach_is_met_by_an_ordinary_solve(goal: mk.Goal) -> None:
    human = mk.human()
    solution = mk.solve(human, goal, freeze=["Hips"])
    report = solution.report[0]
    assert report.reasons[0].kind == "out_of_reach"
    change = report.changes[0]
    assert change.what == "move_target"
    figure, moved = change.applied(human, solution.goals)
    assert mk.solve(figure, moved, freeze=["Hips"]).reached


def test_a_slide_that_is_too_short_is_a_limit_in_lengths() -> None:
    gantry = mk.Figure(
        "gantry",
        [
            mk.Segment("Frame"),
            mk.Segment("X", "Frame", mk.Slider((1, 0, 0), (0.0, 1.0))),
            mk.Segment("Y", "X", mk.Slider((0, 1, 0), (0.0, 1.0))),
        ],
    )
    solution = mk.solve(gantry, mk.Position("Y", (1.25, 0.5, 0.0)))
    reason = first(solution)
    assert (reason.kind, reason.culprits, reason.unit) == ("limit", ("X (upper)",), "length")
    assert 0.2499 <= reason.amount <= 0.27
    assert met_after(solution, solution.report[0].changes[0])
    assert "Widen X's upper limit by 25." in solution.report[0].text


def test_the_cone_of_a_ball_is_widened_as_a_whole() -> None:
    cone = mk.SwingTwist(axis=(1, 0, 0), swing=(0.5, 0.4))
    rod = mk.Figure(
        "rod", [mk.Segment("Rod", joint=mk.Ball(cone)), mk.Segment("Tip", "Rod", offset=(1, 0, 0))], unit=None
    )
    angle = 0.8
    solution = mk.solve(rod, mk.Position("Tip", (np.cos(angle), 0.0, -np.sin(angle))))
    reason = first(solution)
    assert (reason.kind, reason.culprits) == ("limit", ("Rod (cone)",))
    assert 0.28 <= reason.amount <= 0.45
    assert met_after(solution, solution.report[0].changes[0])


def test_twist_beyond_its_range_is_named_by_its_end() -> None:
    cone = mk.SwingTwist(axis=(1, 0, 0), swing=(0.5, 0.5), twist=(-0.3, 0.6))
    rod = mk.Figure("rod", [mk.Segment("Rod", joint=mk.Ball(cone)), mk.Segment("Tip", "Rod", offset=(1, 0, 0))])
    turn = np.array([np.cos(-0.35), np.sin(-0.35), 0.0, 0.0])  # 0.7 rad about the bone, the other way
    solution = mk.solve(rod, mk.Orientation("Rod", turn))
    reason = first(solution)
    assert (reason.kind, reason.culprits, reason.unit) == ("limit", ("Rod (lower twist)",), "rad")
    assert reason.amount == pytest.approx(0.4, abs=0.02)


def test_two_limits_that_are_needed_together_are_named_together() -> None:
    arm = mk.chain([1.0, 1.0, 0.5], mk.Hinge(limits=(-0.5, 0.5)))
    folded = mk.chain([1.0, 1.0, 0.5], planar=True).placements([1.3, 1.4, 0.4], ["Tip"])[0]
    solution = mk.solve(arm, mk.Placement("Tip", folded))
    reason = first(solution)
    assert reason.kind == "limit"
    assert reason.together
    assert len(reason.culprits) >= 2
    change = solution.report[0].changes[0]
    assert [name for name, _ in change.parts] == list(reason.culprits)
    assert met_after(solution, change)


def test_two_targets_on_one_effector_conflict_for_certain() -> None:
    goals = [
        mk.Position("Tip", (2.0, 0.0), axes="xy", name="here"),
        mk.Position("Tip", (2.0, 1.0), axes="xy", name="there"),
    ]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    for k, other in ((0, "there"), (1, "here")):
        reason = first(solution, k)
        assert (reason.kind, reason.culprits, reason.confidence) == ("conflict", (other,), "certain")
        assert met_after(solution, solution.report[k].changes[0], k)


def test_goals_of_the_same_name_are_told_apart() -> None:
    goals = [mk.Position("Tip", (2.0, y), axes="xy") for y in (0.0, 1.0)]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    assert [r.goal for r in solution.report] == ["Position Tip (1)", "Position Tip (2)"]
    assert solution.report[0].changes[0].goals == (1,)


def test_an_unreachable_goal_that_pulls_is_named_as_the_root() -> None:
    goals = [mk.Position("Segment3", (1.5, 0.5), axes="xy"), mk.Position("Tip", (-6.0, 0.0), axes="xy", name="far")]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    reasons = solution.report[0].reasons
    assert (reasons[0].kind, reasons[0].culprits) == ("conflict", ("far",))
    assert (reasons[1].kind, reasons[1].culprits, reasons[1].confidence) == ("out_of_reach", ("far",), "certain")
    assert "far is itself out of reach by 2.00 m and pulls the figure toward its target." in solution.report[0].text


def test_a_goal_of_higher_priority_is_in_conflict_and_is_not_made_lighter() -> None:
    goals = [
        mk.Position("Tip", (2.0, 1.0), axes="xy", priority=1),
        mk.Position("Tip", (2.0, 0.0), axes="xy", name="first"),
    ]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    assert solution.errors[1] <= solution.tolerances[1]
    assert first(solution).culprits == ("first",)
    assert "lower_weight" not in {change.what for change in solution.report[0].changes}


def test_a_lower_weight_is_suggested_where_it_is_enough() -> None:
    goals = [
        mk.Position("Tip", (2.0, 0.0), axes="xy", tolerance=0.01),
        mk.Position("Tip", (2.0, 0.2), axes="xy", tolerance=0.01, name="other"),
    ]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    lighter = next(c for c in solution.report[0].changes if c.what == "lower_weight")
    assert lighter.subject == "other"
    assert 1e-3 < lighter.amount < 0.05
    assert met_after(solution, lighter)


def test_a_stretched_chain_with_its_target_on_the_line_is_singular() -> None:
    arm = mk.chain(4, planar=True)
    solution = mk.solve(arm, mk.Position("Tip", (2.0, 0.0), axes="xy"), method="bounded-dls")
    report = solution.report[0]
    assert (first(solution).kind, report.re_solves) == ("singular", 3)
    assert report.pose is not None
    assert Problem(arm, solution.goals).at(report.pose).reached


def test_a_solve_that_was_stopped_is_not_finished() -> None:
    figure = mk.human()
    goal = mk.Placement("LeftHand", figure.placements(figure.random(np.random.default_rng(1)), ["LeftHand"])[0])
    solution = mk.solve(figure, goal, iterations=1, restarts=0)
    report = solution.report[0]
    assert (first(solution).kind, report.changes[0].what) == ("budget", "more_iterations")
    assert "more iterations meet it." in report.text
    assert report.pose is not None
    assert Problem(figure, goal).at(report.pose).reached


@pytest.mark.parametrize("stopped", [{"iterations": 2}, {"budget": 1e-6}])
def test_a_solve_that_was_stopped_before_its_restarts_is_not_finished(stopped: dict[str, float]) -> None:
    """Whole bodies: going on from where it was stopped often ends in a local minimum, but there were starts to come."""
    figure, wanted = mk.human(), bodies.goals()
    rows = bodies.targets(figure, wanted, figure.random(np.random.default_rng(2), 12))
    layout = [at for _, at in mk.Solver(figure, wanted).target_layout]
    kinds = set()
    for row in rows:
        goals = [goal.with_target(row[at]) for goal, at in zip(wanted, layout, strict=True)]
        solution = mk.solve(figure, goals, **stopped)
        kinds |= {report.reasons[0].kind for report in solution.report if report.reasons}
        assert mk.solve(figure, goals).reached
    assert kinds == {"budget"}


def test_a_collision_holds_the_figure_back() -> None:
    arm = mk.chain(3, mk.Hinge(limits=(-2.0, 2.0)))
    wall = Clearance(0.0, obstacles=[mk.Sphere((1.5, 1.5, 0.0), 0.3)], between=[("*", "obstacle *")])
    solution = mk.solve(arm, [mk.Position("Tip", (1.5, 1.5), axes="xy"), wall])
    reason = first(solution)
    assert (reason.kind, reason.culprits) == ("held", ("Clearance",))
    assert solution.report[0].text.count("Held back by Clearance: without it the goal is met.") == 1


def test_what_a_goal_of_the_users_own_does_is_found_too() -> None:
    def off_the_left(placements: Any) -> Any:
        return [placements[0][0, 3] + 0.5]  # x at −0.5

    own = mk.Custom("Tip", off_the_left, rows=1, name="own")
    solution = mk.solve(mk.chain(3, planar=True), [mk.Position("Tip", (2.0, 0.5), axes="xy"), own])
    assert first(solution).kind == "conflict"
    assert first(solution).culprits == ("own",)


def test_joints_that_were_frozen_stay_so_in_the_report() -> None:
    arm = mk.chain(3, planar=True)
    solution = mk.solve(
        arm, mk.Position("Tip", (2.9, 0.0), axes="xy"), arm.pose({"Segment2": 1.5}), freeze=["Segment2"]
    )
    frozen, reach = solution.report[0].reasons
    assert (frozen.kind, frozen.culprits, frozen.confidence) == ("frozen", ("Segment2",), "shown")
    assert (reach.kind, reach.confidence) == ("out_of_reach", "certain")
    assert solution.report[0].text.endswith(
        "Segment2 is frozen; releasing it is enough. As it is, the target is 2.90 m from Segment1, but the "
        "figure reaches only 2.46 m from there. Release Segment2. Or move the target by 43.8 cm."
    )


def test_the_same_question_gets_the_same_answer() -> None:
    figure = mk.human()
    goals = [mk.Position("LeftHand", (1.2, 1.0, 0.3)), mk.Position("RightHand", (-1.2, 1.0, 0.3))]
    one, two = (mk.solve(figure, goals).report for _ in range(2))
    assert [r.text for r in one] == [r.text for r in two]
    assert [(r.reasons, r.changes) for r in one] == [(r.reasons, r.changes) for r in two]


def test_a_change_for_other_goals_is_refused() -> None:
    goals = [mk.Position("Tip", (2.0, y), axes="xy") for y in (0.0, 1.0)]
    solution = mk.solve(mk.chain(4, planar=True), goals)
    change = solution.report[0].changes[0]
    with pytest.raises(BadValue, match=r"concerns goal number 1, but there are only 1 goals"):
        change.applied(solution.figure, solution.goals[:1])
