"""Joints that may not move, as a reason."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.problem import Problem
from manikin.report.still import frozen_names, still_joints


def solved(solution: mk.Solution, change: mk.Change) -> mk.Solution:
    """The problem with a release made, as a reader does it."""
    figure, goals = change.applied(solution.figure, solution.goals)
    return mk.solve(figure, goals, solution.start, freeze=change.freeze)


def test_a_frozen_elbow_is_named_and_its_release_reaches() -> None:
    human = mk.human()
    bent = human.pose({"RightForeArm": 1.9})
    target = human.placements(bent, ["RightHand"])[0, :3, 3]
    frozen = ["Hips", "RightShoulder", "RightForeArm", *(f"Spine{k}" for k in ("", 1, 2, 3, 4))]
    solution = mk.solve(human, mk.Position("RightHand", target), freeze=frozen)
    assert not solution.reached
    (report,) = solution.report
    assert (report.reasons[0].kind, report.reasons[0].culprits[0]) == ("frozen", "RightForeArm")
    assert "RightForeArm" in report.reasons[0].still
    change = report.changes[0]
    assert (change.what, change.subject, change.verified) == ("release", "RightForeArm", True)
    assert set(change.freeze) == set(frozen) - {"RightForeArm"}
    assert solved(solution, change).reached
    assert "frozen; releasing RightForeArm" in report.text
    assert "Release RightForeArm." in report.text


def test_joints_that_are_needed_together_are_named_together() -> None:
    arm = mk.chain(3, planar=True)
    target = arm.placements([0.3, 2.0, -1.0], ["Tip"])[0]
    solution = mk.solve(arm, mk.Placement("Tip", target), freeze=["Segment2", "Segment3"])
    (report,) = solution.report
    reason = report.reasons[0]
    assert (reason.kind, reason.together, set(reason.culprits)) == ("frozen", True, {"Segment2", "Segment3"})
    assert "are frozen; releasing both is enough, but one alone is not." in report.text
    assert report.changes[0].freeze == ()
    assert solved(solution, report.changes[0]).reached


def test_only_freezes_all_others_and_the_nearest_that_would_do_is_named() -> None:
    human = mk.human()
    solution = mk.solve(human, mk.Position("RightHand", (-0.3, 1.4, 0.4)), only=["RightForeArm", "RightHand"])
    (report,) = solution.report
    assert (report.reasons[0].kind, report.reasons[0].culprits[0]) == ("frozen", "RightArm")
    assert "joints that could help are frozen" in report.text
    assert "RightForeArm" not in report.changes[0].freeze
    assert "Hips" in report.changes[0].freeze
    assert solved(solution, report.changes[0]).reached


def test_a_joint_without_room_is_locked_and_gets_what_it_needs() -> None:
    arm = mk.Figure(
        "elbow",
        [
            mk.Segment("Upper", joint=mk.Hinge(limits=(-3.0, 3.0))),
            mk.Segment("Lower", "Upper", mk.Hinge(limits=(0.0, 0.0)), offset=(1, 0, 0)),
            mk.Segment("Tip", "Lower", offset=(1, 0, 0)),
        ],
    )
    wanted = np.deg2rad(50.0)
    solution = mk.solve(arm, mk.Position("Tip", (1 + np.cos(wanted), np.sin(wanted)), axes="xy"))
    (report,) = solution.report
    assert (report.reasons[0].kind, report.reasons[0].culprits) == ("frozen", ("Lower",))
    assert "Lower is locked by limits without room; releasing it is enough." in report.text
    change = report.changes[0]
    assert change.amount == pytest.approx(wanted, abs=np.deg2rad(3.0))
    assert change.amount >= wanted - 1e-3
    assert solved(solution, change).reached


def test_a_locked_slide_gets_room_in_lengths() -> None:
    gantry = mk.Figure(
        "gantry",
        [
            mk.Segment("Frame"),
            mk.Segment("X", "Frame", mk.Slider((1, 0, 0), (0.0, 0.0))),
            mk.Segment("Y", "X", mk.Slider((0, 1, 0), (0.0, 1.0))),
        ],
    )
    solution = mk.solve(gantry, mk.Position("Y", (0.25, 0.5, 0.0)))
    (report,) = solution.report
    change = report.changes[0]
    assert (report.reasons[0].culprits, change.unit) == (("X",), "length")
    assert 0.2499 <= change.amount <= 0.3
    assert solved(solution, change).reached


def test_a_frozen_root_is_named_after_the_reason_itself() -> None:
    human = mk.human()
    solution = mk.solve(human, mk.Position("RightHand", (0.0, 5.0, 0.0)), freeze=["Hips"])
    first, second = solution.report[0].reasons
    assert (first.kind, second.kind, second.culprits) == ("out_of_reach", "frozen", ("Hips",))
    assert "Hips is frozen; if it were free, the goal would be met." in solution.report[0].text
    release = next(change for change in solution.report[0].changes if change.what == "release")
    assert solved(solution, release).reached


def test_frozen_joints_that_would_not_help_are_not_blamed() -> None:
    arm = mk.chain(4, planar=True)
    solution = mk.solve(arm, mk.Position("Tip", (4.5, 0.0), axes="xy"), freeze=["Segment2"])
    assert [reason.kind for reason in solution.report[0].reasons] == ["out_of_reach"]
    human = mk.human()
    goals = [mk.Position("RightHand", (-0.4, 1.2, 0.3), name="one"), mk.Position("RightHand", (-0.4, 1.4, 0.3))]
    solution = mk.solve(human, goals, freeze=["RightForeArm"])
    assert [reason.kind for reason in solution.report[0].reasons] == ["conflict"]


def test_a_reachable_goal_with_frozen_joints_is_a_local_minimum_not_frozen() -> None:
    arm = mk.chain(4, planar=True)
    solution = mk.solve(
        arm, mk.Position("Tip", (2.0, 0.0), axes="xy"), method="bounded-dls", freeze=["Segment4"]
    )  # stretched along the line to its target
    assert not solution.reached
    assert solution.report[0].reasons[0].kind == "singular"


def rig() -> mk.Figure:
    slides = mk.Joint("Bone", (mk.Slider((1, 0, 0)), mk.Slider((0, 1, 0)), mk.Hinge(limits=(-1.0, 1.0))))
    return mk.Figure(
        "rig",
        [
            mk.Segment("Base", joint=mk.Hinge(limits=(-1.0, 1.0))),
            mk.Segment("Bone", "Base", slides, offset=(1, 0, 0)),
            mk.Segment("Tip", "Bone", offset=(1, 0, 0)),
        ],
    )


def test_a_joint_that_slides_and_turns_is_let_go_as_a_whole() -> None:
    figure = rig()
    problem = Problem(figure, mk.Position("Tip", (5.0, 0.0, 0.0)), freeze=["Bone"])
    assert still_joints(problem)["Bone"].steps == {1, 2, 3}
    assert frozen_names(problem, []) == ("Bone",)
    assert frozen_names(problem, ["Bone"]) == ()
    solution = mk.solve(figure, problem.goals, freeze=["Bone"])
    assert solution.report[0].reasons[0].culprits == ("Bone",)
    assert solved(solution, solution.report[0].changes[0]).reached


def test_sliders_that_a_rig_holds_are_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = rig()
    monkeypatch.setattr("manikin.report.still._held", lambda _: {1, 2})
    problem = Problem(figure, mk.Position("Tip", (5.0, 0.0, 0.0)), freeze=["Bone"])
    assert still_joints(problem)["Bone"].steps == {3}
    problem.movable[3] = True  # only the sliders stay
    assert still_joints(problem) == {}
    assert frozen_names(problem, []) == ()
    solution = mk.solve(figure, problem.goals, freeze=["Bone"])
    assert [reason.kind for reason in solution.report[0].reasons] == ["out_of_reach"]


def test_with_a_custom_goal_a_release_is_found_and_verified() -> None:
    arm = mk.chain(3, planar=True)
    own = mk.Custom("Tip", lambda placements: [placements[0, 1, 3] - 2.5], rows=1, name="height")
    solution = mk.solve(arm, own, arm.pose({"Segment2": 2.0}), freeze=["Segment2"])
    assert not solution.reached
    change = solution.report[0].changes[0]
    assert solution.report[0].reasons[0].culprits == ("Segment2",)
    assert (change.what, change.verified) == ("release", backend.native)
    assert solved(solution, change).reached


@pytest.mark.parametrize("seed", range(1000, 1040))
def test_frozen_joints_of_any_figure_are_named_where_their_release_is_enough(seed: int) -> None:
    """Sliders, balls, followers, roots of every kind: what is met with all joints free names frozen ones."""
    rng = np.random.default_rng(seed)
    figure = mk.samples.random_figure(rng)
    joints = [s.joint.name for s in figure.segments if s.joint.nq and s.joint.coupling is None]
    freeze = [str(name) for name in rng.choice(joints, int(rng.integers(1, len(joints) + 1)), replace=False)]
    pose = figure.random(rng)
    goals = [
        mk.Placement(s, figure.placements(pose, [s])[0])
        if rng.random() < 0.5
        else mk.Position(s, figure.placements(pose, [s])[0, :3, 3])
        for s in map(str, rng.choice(figure.segment_names, 2, replace=False))
    ]
    solution = mk.solve(figure, goals, freeze=freeze)
    free = mk.solve(figure, goals, restarts=60)
    for k, report in enumerate(solution.report):
        if report.reasons and free.reached and report.reasons[0].kind not in ("local_minimum", "singular", "budget"):
            assert "frozen" in [reason.kind for reason in report.reasons], report.text
        for change in report.changes:
            if change.what == "release":
                again = solved(solution, change)
                assert again.errors[k] <= again.tolerances[k], report.text
