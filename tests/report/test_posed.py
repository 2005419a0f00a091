"""`solver.explain`: the report for any pose, the same content as `mk.solve(...).report`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manikin as mk

ARM = mk.chain([1.0, 0.8, 0.5], mk.Hinge(limits=(-0.8, 0.8)))
FEET = {
    "left foot": ["Placement LeftToeBase", "Placement LeftFoot"],
    "right foot": ["Placement RightToeBase", "Placement RightFoot"],
}


def held_person(human: mk.Figure, move: Any) -> list[mk.Goal]:
    """Four levels: toes and balance, a hand, soles, the rest pose. The hand is moved out of reach."""
    rest = human.rest
    place = {name: human.placements(rest, [name])[0] for name in human.segment_names}
    return [
        mk.Placement("LeftToeBase", place["LeftToeBase"]),
        mk.Placement("LeftFoot", place["LeftFoot"], priority=2),
        mk.Placement("RightToeBase", place["RightToeBase"]),
        mk.Placement("RightFoot", place["RightFoot"], priority=2),
        mk.Balance(["LeftFoot", "RightFoot"]),
        mk.Position("RightHand", place["RightHand"][:3, 3] + move, priority=1, tolerance=1e-3 * human.size),
        mk.Posture(rest, priority=3),
    ]


def content(report: Any) -> tuple[Any, ...]:
    return (
        [(r.kind, r.culprits, r.together, r.confidence) for r in report.reasons],
        [(c.what, c.subject, c.goals, c.verified) for c in report.changes],
    )


@pytest.mark.parametrize(
    "goals",
    [
        [mk.Position("Tip", (0.2, 1.9), axes="xy")],
        [mk.Position("Tip", (9.0, 0.0), axes="xy")],
        [mk.Position("Tip", (2.0, 1.0), axes="xy", priority=1), mk.Position("Segment2", (1.0, 0.0), axes="xy")],
        [mk.Position("Tip", (2.0, 1.0), axes="xy"), mk.Position("Tip", (2.0, -1.0), axes="xy", priority=1)],
    ],
    ids=["limit", "out of reach", "priority", "two on one"],
)
def test_the_content_is_that_of_a_solve_from_the_same_pose(goals: list[mk.Goal]) -> None:
    solver = mk.Solver(ARM, goals)
    pose = solver.solve(ARM.rest).pose
    solved = mk.solve(ARM, goals, start=pose)
    explained = solver.explain(solved.pose)
    assert [r.goal for r in explained] == [r.goal for r in solved.report]
    assert any(r.reasons for r in explained)
    for mine, theirs in zip(explained, solved.report, strict=True):
        assert content(mine) == content(theirs)
        assert mine.error == pytest.approx(theirs.error)
        for a, b in zip(mine.reasons, theirs.reasons, strict=True):
            assert a.amount == pytest.approx(b.amount, rel=1e-3, abs=1e-9)


def test_targets_weights_and_activity_are_those_of_the_call() -> None:
    far, near = mk.Position("Tip", (9.0, 0.0), axes="xy"), mk.Position("Segment2", (1.0, 0.0), axes="xy")
    solver = mk.Solver(ARM, [far, near])
    own, other = solver.explain(ARM.rest, {"Tip": (2.3, 0.0)})
    assert own.reached
    assert other.reached
    missed, _ = solver.explain(ARM.rest)
    assert missed.reasons[0].kind == "out_of_reach"
    ignored, _ = solver.explain(ARM.rest, active=[False, True])
    assert not ignored.reasons
    assert "ignored" in ignored.text
    lighter, _ = solver.explain(ARM.rest, weights=[0.0, 1.0])
    assert "ignored" in lighter.text


def test_a_better_pose_is_found_and_offered() -> None:
    solver = mk.Solver(ARM, mk.Position("Tip", (1.6, 1.3), axes="xy"))
    assert solver.solve(ARM.rest).reached
    (report,) = solver.explain(ARM.rest)
    assert report.reasons[0].kind in ("budget", "singular", "local_minimum")
    assert report.pose is not None
    assert solver.explain(report.pose)[0].reached


def test_a_planted_foot_is_named_once() -> None:
    human = mk.human()
    solver = mk.Solver(human, held_person(human, (0.2, 0.3, 1.2)))
    pose = human.rest
    for _ in range(20):
        pose = solver.track(pose, solver.targets[None], before=solver.targets).poses[-1]
    reports = solver.explain(pose, goals=["RightHand"], groups=FEET)
    assert [k for k, r in enumerate(reports) if r.reasons] == [5]
    culprits = reports[5].reasons[0].culprits
    assert {"left foot", "right foot"} & set(culprits)
    assert not any("Placement" in name for name in culprits)
    assert "Placement" not in reports[5].text
    dropped = next(c for c in reports[5].changes if c.what == "drop_goal" and "foot" in c.subject)
    pairs = {"left foot": (0, 1), "right foot": (2, 3)}
    assert dropped.goals == pairs[dropped.subject]
    _, left = dropped.applied(human, solver.goals)
    assert len(left) == len(solver.goals) - 2


def test_less_effort_makes_fewer_solves_and_names_the_same_reason() -> None:
    human = mk.human()
    solver = mk.Solver(human, held_person(human, (0.2, 0.3, 1.2)))
    pose = solver.solve(human.rest, restarts=0).pose
    full = solver.explain(pose, goals=["RightHand"], groups=FEET)[5]
    quick = solver.explain(pose, goals=["RightHand"], groups=FEET, starts=8, limits=False)[5]
    assert quick.re_solves < full.re_solves
    assert quick.starts <= 8
    assert quick.reasons[0].kind == full.reasons[0].kind == "held"
    assert set(quick.reasons[0].culprits) == set(full.reasons[0].culprits)
    assert not any(change.what == "widen_limit" for change in quick.changes)


def test_goals_of_lower_priority_cost_nothing() -> None:
    hand = mk.Position("Tip", (0.2, 1.9), axes="xy")
    posture = mk.Posture(ARM.rest, priority=1)
    pose = mk.Solver(ARM, hand).solve(ARM.rest).pose
    alone = mk.Solver(ARM, hand).explain(pose)[0]
    both = mk.Solver(ARM, [hand, posture]).explain(pose, goals=[0])[0]
    assert both.re_solves == alone.re_solves
    assert content(both) == content(alone)


def test_false_cancels_and_keeps_what_is_done() -> None:
    goals = [mk.Position("Tip", (9.0, 0.0), axes="xy"), mk.Position("Segment2", (0.0, 5.0), axes="xy", priority=1)]
    solver = mk.Solver(ARM, goals)
    seen: list[int] = []
    whole = solver.explain(ARM.rest, progress=lambda done, _: seen.append(done))
    assert seen == list(range(len(seen)))
    assert [content(r) for r in whole] == [content(r) for r in solver.explain(ARM.rest)]
    calls = 0

    def stop(done: int, _: int | None) -> bool:
        nonlocal calls
        calls += 1
        return done < 3

    some = solver.explain(ARM.rest, progress=stop)
    assert calls == 4  # not called again after it returned False
    assert not some[1].reasons
    assert not some[1].reached
    assert "misses its target" in some[1].text


def test_bad_input_is_named() -> None:
    solver = mk.Solver(ARM, [mk.Position("Tip", (9.0, 0.0), axes="xy"), mk.Posture(ARM.rest, name="calm")])
    for call, words in {
        lambda: solver.explain(np.zeros(2)): "pose has shape",
        lambda: solver.explain(np.zeros((1, 3))): "explain takes one pose",
        lambda: solver.explain([np.nan, 0.0, 0.0]): "pose",
        lambda: solver.explain(ARM.rest, [1.0, 2.0]): "targets has shape",
        lambda: solver.explain(ARM.rest, goals=["Tipp"]): "Tipp",
        lambda: solver.explain(ARM.rest, goals=[2]): "goals contains 2",
        lambda: solver.explain(ARM.rest, goals=1.5): "goals is 1.5",  # type: ignore[arg-type]
        lambda: solver.explain(ARM.rest, groups=["calm"]): "groups is",  # type: ignore[arg-type]
        lambda: solver.explain(ARM.rest, groups={"a": ["Tip"], "b": [0]}): "may be in one group",
        lambda: solver.explain(ARM.rest, weights=[-1.0, 1.0]): "weights",
        lambda: solver.explain(ARM.rest, active=[True]): "active",
        lambda: solver.explain(ARM.rest, starts=0): "starts",
        lambda: solver.explain(ARM.rest, progress=3): "progress is 3",  # type: ignore[arg-type]
    }.items():
        with pytest.raises(mk.errors.ManikinError, match=words):
            call()
    stored = mk.Solver.from_bytes(solver.to_bytes())
    with pytest.raises(mk.errors.Unsupported, match="opened from bytes"):
        stored.explain(ARM.rest)
