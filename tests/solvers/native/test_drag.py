"""A hand dragged by 5 mm a frame through the edge of reach, far beyond it, and back, with `refine` and `escape`.

At the edge an elbow would have to turn by 0.26 rad within the last 5 mm. Frames that are reached stay so. Hence the
hand comes up to 2 mm late where a joint is at its speed limit. Elsewhere it is within a millimetre of where it must be.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cases import fixed_rng
from solvers.native.drags import known_failure
from solvers.native.test_track import OFFLINE, SLOW, STEP, shaking, turns

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

MILLIMETRE = 1e-3
HURRIED = 0.98 * 0.095
"""Radians in a frame: a joint at its speed limit, or next to it."""
ARM = ["RightShoulder", "RightArm", "RightForeArm", "RightForeArmTwist", "RightHand"]


def curve(a: np.ndarray, by: np.ndarray, b: np.ndarray, rest: int = 25) -> np.ndarray:
    """From a to b in a bow toward `by`, in steps of 5 mm; a rest; the same way back; a rest."""
    s = np.linspace(0.0, 1.0, 20001)[:, None]
    fine = (1 - s) ** 2 * a + 2 * s * (1 - s) * by + s**2 * b
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], int(np.ceil(length[-1] / STEP)) + 1)
    way = np.stack([np.interp(at, length, fine[:, k]) for k in range(3)], axis=1)
    return np.concatenate([way, np.repeat(way[-1:], rest, axis=0), way[::-1], np.repeat(way[:1], rest, axis=0)])


@dataclass
class Dragged:
    figure: mk.Figure
    solver: mk.Solver
    points: np.ndarray
    targets: np.ndarray
    found: mk.Solutions
    tip: str

    @property
    def moves(self) -> np.ndarray:
        return self.figure.difference(self.found.poses[:-1], self.found.poses[1:])

    @property
    def hand(self) -> np.ndarray:
        return self.figure.placements(self.found.poses, [self.tip])[:, 0, :3, 3]


def dragged(solver: mk.Solver, start: np.ndarray, points: np.ndarray) -> Dragged:
    targets = np.concatenate([points, np.tile(solver.targets[3:], (len(points), 1))], axis=1)
    return Dragged(
        solver.figure,
        solver,
        points,
        targets,
        solver.track(start, targets, **OFFLINE),
        solver.goals[0].segment,  # type: ignore[attr-defined]
    )


def of_the_person(kind: str, seed: int) -> Dragged:
    """The right hand from where it hangs, somewhere forward or to the right, to two arms' lengths from the shoulder."""
    human, rng = mk.human(), fixed_rng(seed)
    hand, shoulder = human.placements(human.rest, ["RightHand", "RightArm"])[:, :3, 3]
    away = rng.normal(size=3) * [1.0, 0.6, 1.0]
    away[0], away[2] = -abs(away[0]), abs(away[2])
    away /= np.linalg.norm(away)
    goals: list[mk.Goal] = [mk.Position("RightHand", hand)]
    options = {
        "arm": {"only": ARM},
        "elbow": {"only": ["RightArm", "RightForeArm"]},
        "hips": {"freeze": [human.segments[0].joint.name]},
    }
    if kind == "feet":
        goals += [mk.Placement(s, human.placements(human.rest, [s])[0]) for s in ("LeftFoot", "RightFoot")]
    reach = 1.2 if kind in ("arm", "elbow") else 2.2
    solver = mk.Solver(human, goals, **options.get(kind, {}))
    return dragged(solver, human.rest, curve(hand, shoulder + 0.45 * away, shoulder + reach * away))


def judge(drag: Dragged) -> None:
    """Everything but how near the hand is."""
    assert turns(drag.figure, drag.found.poses).max() <= 0.0951
    assert shaking(drag.moves) == 0
    assert drag.figure.violation(drag.found.poses).max() <= 1e-9
    assert np.all((drag.found.poses >= drag.figure.lower) & (drag.found.poses <= drag.figure.upper))
    assert drag.found.reached[-10:].all()
    assert not drag.found.reached.all()


def near(drag: Dragged, frames: np.ndarray, behind: np.ndarray) -> None:
    """Frames are within a millimetre of the closest point, or two where a joint is at its speed limit."""
    fast = np.concatenate([[0.0], turns(drag.figure, drag.found.poses).max(axis=1)])
    hurried = np.maximum(fast, np.concatenate([[0.0], fast[:-1]]))[frames] >= HURRIED
    assert behind[~hurried].max(initial=0.0) <= MILLIMETRE
    assert behind.max(initial=0.0) <= 2 * MILLIMETRE


NOT_KEPT = {
    ("arm", 6): "the hand is 4.6 mm late where a joint is at its speed limit",
    ("elbow", 1): "in reach, next to the singular pose, the hand is 6.3 mm off, at the speed limit",
    ("feet", 3): "kReachSlack counts all goals together: 0.4 mm of it are 1.5 mm of the hand, a quarter 0.8 mm",
    ("chain of 3", 1): "the tip is 2.02 mm late where a joint is at its speed limit; 0.8 mm with half as much again",
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["arm", "elbow", "hips", "feet"])
def test_a_hand_of_the_person_stays_within_a_millimetre_of_the_closest_reachable_point(
    kind: str, seed: int, request: pytest.FixtureRequest
) -> None:
    known_failure(request, NOT_KEPT.get((kind, seed)))
    drag = of_the_person(kind, seed)
    judge(drag)
    missed = np.flatnonzero(~drag.found.reached)
    best = drag.solver.solve_many(drag.found.poses[missed], drag.targets[missed], restarts=0)
    behind = drag.found.errors[missed, 0] - best.errors[:, 0]
    out = ~best.reached
    near(drag, missed[out], behind[out])
    assert behind[~out].max(initial=0.0) <= 5 * MILLIMETRE  # in reach, next to the singular pose, and reported
    assert (~out).sum() <= 20


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_tip_of_a_chain_is_where_it_must_be(count: int, seed: int, request: pytest.FixtureRequest) -> None:
    """Without limits the closest point is known: on the circle of its reach, toward the target."""
    known_failure(request, NOT_KEPT.get((f"chain of {count}", seed)))
    rng = fixed_rng(100 * count + seed)
    lengths = rng.uniform(0.2, 0.4, count)
    chain = mk.chain(list(lengths), planar=True)
    start, tip = chain.random(rng), chain.segment_names[-1]
    solver = mk.Solver(chain, mk.Position(tip, (0, 0, 0)))
    stretched = solver.solve(None, np.array([100.0, 0.0, 0.0])).pose
    reach = np.linalg.norm(chain.placements(stretched, [tip])[0, :3, 3])
    angle = rng.uniform(0, 2 * np.pi)
    away = np.array([np.cos(angle), np.sin(angle), 0.0])
    drag = dragged(
        solver, start, curve(chain.placements(start, [tip])[0, :3, 3], 0.7 * reach * away, 1.6 * reach * away)
    )
    judge(drag)
    far = np.linalg.norm(drag.points, axis=1)
    out = far > reach
    closest = drag.points[out] / far[out, None] * reach
    near(drag, np.flatnonzero(out), np.linalg.norm(drag.hand[out] - closest, axis=1))


@pytest.mark.parametrize("seed", range(6))
def test_the_hand_of_a_robot_stays_within_a_millimetre_of_the_closest_reachable_point(
    seed: int, data: Path, request: pytest.FixtureRequest
) -> None:
    known_failure(request, None)
    panda, rng = mk.load_figure(data / "urdf" / "panda.urdf"), fixed_rng(seed)
    start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8, 0.02, 0.02])[: panda.nq] + rng.uniform(-0.2, 0.2, panda.nq)
    start = np.clip(start, panda.lower, panda.upper)
    away = rng.normal(size=3)
    away[0], away[2] = abs(away[0]), abs(away[2])
    away /= np.linalg.norm(away)
    shoulder = np.array([0.0, 0.0, 0.333])
    solver = mk.Solver(panda, mk.Position("panda_hand", (0, 0, 0)))
    hand = panda.placements(start, ["panda_hand"])[0, :3, 3]
    drag = dragged(solver, start, curve(hand, shoulder + 0.6 * away, shoulder + 1.6 * away))
    judge(drag)
    missed = np.flatnonzero(~drag.found.reached)
    best = solver.solve_many(drag.found.poses[missed], drag.targets[missed], restarts=0)
    behind = drag.found.errors[missed, 0] - best.errors[:, 0]
    near(drag, missed[~best.reached], behind[~best.reached])


@pytest.mark.parametrize("bent", [-1.4, 1.4])
def test_an_elbow_that_was_straight_bends_to_its_old_side(bent: float) -> None:
    chain = mk.chain([0.3, 0.3], planar=True)
    solver = mk.Solver(chain, mk.Position("Tip", (0, 0, 0)))
    far = np.concatenate([np.arange(0.45, 0.9, STEP), np.arange(0.9, 0.45, -STEP)])  # one frame is exactly on the edge
    targets = np.stack([far, np.zeros_like(far), np.zeros_like(far)], axis=1)
    start = solver.solve_many([[-bent / 2, bent]], targets[:1], restarts=0).poses[0]
    found = solver.track(start, targets, **OFFLINE)
    assert np.sign(found.poses[-1, 1]) == np.sign(start[1]) == np.sign(bent)
    assert np.abs(np.diff(found.poses, axis=0)).max() <= 0.0951


def test_a_joint_at_the_end_of_its_two_turns_does_not_jump_to_their_beginning(data: Path) -> None:
    arm = mk.load_figure(data / "urdf" / "ur5_robot.urdf")
    start = np.array([0.3, -1.2, 1.4, 6.1, 1.2, 0.4])
    poses = np.tile(start, (101, 1))
    poses[:, 3] += np.linspace(0.0, 0.4, 101)  # past its limit at a whole turn
    wanted = arm.placements(np.where(poses > 2 * np.pi, poses - 2 * np.pi, poses), ["tool0"])[:, 0]
    solver = mk.Solver(arm, mk.Placement("tool0", wanted[0]))
    targets = np.concatenate([wanted[:, :3, 3], mk.rotations.from_matrix(wanted[:, :3, :3])], axis=1)
    found = solver.track(start, targets, **OFFLINE)
    assert found.reached[:40].all()
    assert np.abs(np.diff(found.poses, axis=0)).max() <= 0.0951


def test_a_track_may_end_where_the_figure_would_be_caught(data: Path) -> None:
    """The last frames are looked at as if there were more of them."""
    panda = mk.load_figure(data / "urdf" / "panda.urdf")
    solver = mk.Solver(panda, mk.Position("panda_hand_tcp", (0, 0, 0)), freeze=["panda_finger_joint1"])
    start = np.array([-0.54, 0.3, 0.37, -1.89, 0.64, 0.01, 1.03, 0.0, 0.0])
    hand, far = panda.placements(start, ["panda_hand_tcp"])[0, :3, 3], np.array([0.805, -0.065, 0.829])
    way = hand + (far - hand) * np.linspace(0.0, 1.0, int(np.ceil(np.linalg.norm(far - hand) / STEP)) + 1)[:, None]
    targets = np.concatenate([way, np.repeat(way[-1:], 80, axis=0), way[::-1][1:]])
    found = solver.track(start, targets, **OFFLINE)
    assert found.errors[-10:].max() <= MILLIMETRE


@pytest.mark.parametrize("kind", ["arm", "elbow", "hips"])
def test_frames_that_come_one_by_one_move_no_further_than_those_of_a_track(kind: str) -> None:
    """Nothing is known of what comes: the hand is late at the edge, but no joint hurries."""
    drag = of_the_person(kind, 0)
    pose, before, poses, reached = drag.figure.rest, drag.targets[0], [], []
    for row in drag.targets:
        found = drag.solver.track(pose, row[None], before=before, max_speed=SLOW)
        pose, before = found.poses[0], row
        poses.append(pose)
        reached.append(found.reached[0])
    assert turns(drag.figure, np.array(poses)).max() <= 0.0951
    assert np.mean(np.array(reached) == drag.found.reached) >= 0.95
    assert reached[-1]


def test_the_frame_before_is_one_row() -> None:
    drag = of_the_person("arm", 0)
    with pytest.raises(mk.errors.BadShape, match="before"):
        drag.solver.track(drag.figure.rest, drag.targets[:3], before=drag.targets[:2])
    weights = np.full((3, 1), 2.0)
    found = drag.solver.track(drag.figure.rest, drag.targets[:3], before=drag.targets[0], weights=weights)
    assert found.poses.shape == (3, drag.figure.nq)
    assert found.reached.all()
