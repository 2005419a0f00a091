"""Laws of natural starts: mirrored, turned, moved, in other units and with another axis up, they are the same."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rigs import FAMILIES, Rig

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.prior.anatomy import EFFECTORS, PARTS, anatomy_of
from manikin.prior.start import NaturalStart
from manikin.reference.natural import FADE, Natural, faded

HUMAN = mk.human()
SEGMENTS = ("Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot", "Hips")
OTHER = {"LeftHand": "RightHand", "RightHand": "LeftHand", "LeftFoot": "RightFoot", "RightFoot": "LeftFoot"}
S = np.diag([-1.0, 1.0, 1.0])


def poses(count: int, seed: int) -> np.ndarray:
    """Poses of the person between rest and random ones, leaning and turned."""
    rng = np.random.default_rng(seed)
    wild = HUMAN.random(rng, count)
    part = rng.uniform(0.1, 0.5, count)[:, None]
    step = part * HUMAN.difference(np.repeat(HUMAN.rest[None], count, axis=0), wild)
    step[:, :3] = rng.normal(size=(count, 3))
    step[:, 3:6] = 0.3 * rng.normal(size=(count, 3))
    step[:, 4] = rng.uniform(-np.pi, np.pi, count)
    return HUMAN.clamp(HUMAN.integrate(np.repeat(HUMAN.rest[None], count, axis=0), step))


def goals(places: dict[str, np.ndarray], oriented: set[str]) -> list[mk.Goal]:
    return [mk.Placement(n, p) if n in oriented else mk.Position(n, p[:3, 3]) for n, p in places.items()]


def cases(count: int = 40, seed: int = 3) -> list[tuple[dict[str, np.ndarray], set[str]]]:
    """Placements of random subsets of effectors, and which of them have an orientation."""
    rng = np.random.default_rng(seed)
    out = []
    for q in poses(count, seed):
        names = [n for n in SEGMENTS if rng.random() < 0.7] or ["Head"]
        placed = HUMAN.placements(q, names)
        out.append((dict(zip(names, placed, strict=True)), {n for n in names if rng.random() < 0.5}))
    return out


def world(pose: np.ndarray) -> np.ndarray:
    return HUMAN.placements(pose)[:, :3, 3]


def moved(places: dict[str, np.ndarray], T: np.ndarray) -> dict[str, np.ndarray]:
    return {name: T @ p for name, p in places.items()}


@pytest.mark.parametrize("floor", [None, 0.0])
def test_targets_turned_about_up_and_moved_give_the_pose_turned_and_moved(floor: float | None) -> None:
    rng = np.random.default_rng(1)
    told = 0
    for places, oriented in cases():
        if not well_determined(places, oriented):
            continue
        T = np.eye(4)
        T[:3, :3] = rotations.axis_matrix("y", rng.uniform(-np.pi, np.pi))
        T[:3, 3] = rng.normal(size=3) * (1.0 if floor is None else (1.0, 0.0, 1.0))
        one = world(mk.natural_pose(HUMAN, goals(places, oriented), floor))
        two = world(mk.natural_pose(HUMAN, goals(moved(places, T), oriented), floor))
        assert np.abs(one @ T[:3, :3].T + T[:3, 3] - two).max() < 2e-5  # the net counts in single precision
        told += 1
    assert told > 20


def well_determined(places: dict[str, np.ndarray], oriented: set[str]) -> bool:
    """Whether the heading does not fade."""
    settled = [g.on(HUMAN) for g in goals(places, oriented)]
    on = NaturalStart(HUMAN, settled)._body.with_goals(settled)
    targets = np.concatenate([g.target for g in settled])
    weights = np.ones(len(settled))
    twin: Any = importlib.import_module("manikin.reference.natural")
    seen: list[float] = []
    plain = twin.faded

    def watched(C: float, S: float) -> object:
        seen.append(float(np.hypot(C, S)))
        return plain(C, S)

    twin.faded = watched
    try:
        Natural(on).starts(targets[None], weights)
    finally:
        twin.faded = plain
    return bool(seen[0] > FADE)


def test_mirrored_targets_give_the_mirrored_pose() -> None:
    for places, oriented in cases():
        mirrored = {}
        for name, p in places.items():
            Q = np.eye(4)
            Q[:3, :3], Q[:3, 3] = S @ p[:3, :3] @ S, S @ p[:3, 3]
            mirrored[OTHER.get(name, name)] = Q
        one = mk.natural_pose(HUMAN, goals(places, oriented))
        two = mk.natural_pose(HUMAN, goals(mirrored, {OTHER.get(n, n) for n in oriented}))
        assert np.abs(world(HUMAN.mirrored(one)) - world(two)).max() < 1e-9


def test_another_axis_up_and_another_unit_give_the_same_pose() -> None:
    T = np.eye(4)
    T[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # y up to z up
    root, *others = HUMAN.segments
    turned = root.replaced(rotation=rotations.from_matrix(T[:3, :3]))
    lying = mk.Figure("z up", [turned, *others], up="z")
    large = HUMAN.scaled(100.0)
    for places, oriented in cases(12):
        one = world(mk.natural_pose(HUMAN, goals(places, oriented)))
        two = lying.placements(mk.natural_pose(lying, goals(moved(places, T), oriented)))[:, :3, 3]
        assert np.abs(one @ T[:3, :3].T - two).max() < 2e-5
        far = {n: np.block([[p[:3, :3], 100.0 * p[:3, 3:]], [p[3:]]]) for n, p in places.items()}
        three = large.placements(mk.natural_pose(large, goals(far, oriented)))[:, :3, 3]
        assert np.abs(100.0 * one - three).max() < 2e-3


def moves_of_a_start(settled: list[mk.Goal], rng: np.random.Generator) -> list[float]:
    """The largest move of a joint of the start, for each goal whose target moves by 0.001 in a random direction."""
    targets = np.concatenate([g.target for g in settled])
    at = np.cumsum([0, *(len(g.target) for g in settled)])
    rows = [targets]
    for k in range(len(settled)):
        step = rng.normal(size=3)
        other = targets.copy()
        other[at[k] : at[k] + 3] += 1e-3 * step / np.linalg.norm(step)
        rows.append(other)
    start = NaturalStart(HUMAN, settled)
    found = HUMAN.placements(start.starts(np.array(rows), np.ones(len(settled))))[..., :3, 3]
    moves: list[float] = np.linalg.norm(found[1:] - found[0], axis=-1).max(axis=1).tolist()
    return moves


def test_a_millimetre_of_a_target_moves_the_start_by_at_most_ten() -> None:
    rng = np.random.default_rng(5)
    moves = []
    for places, oriented in cases(150, seed=8):
        moves += moves_of_a_start([g.on(HUMAN) for g in goals(places, oriented)], rng)
    assert np.percentile(moves, 99.9) < 10e-3


def test_a_weak_heading_fades_to_the_figures_own() -> None:
    assert faded(-FADE, 0.0) == (-1.0, 0.0)
    assert faded(0.0, 0.0) == (1.0, 0.0)
    cosine, sine = faded(0.0, 0.5 * FADE)
    assert 0.0 < sine < 1.0
    assert cosine > 0.0
    angles = [np.arctan2(*faded(0.0, s)[::-1]) for s in np.linspace(0.0, 2.0 * FADE, 50)]
    assert (np.diff(angles) >= 0.0).all()
    assert np.diff(angles).max() < 0.1


def test_a_turned_hand_turns_the_heading_less_than_a_turned_head() -> None:
    names = ("Head", "LeftHand", "RightHand")
    rest = dict(zip(names, HUMAN.placements(HUMAN.rest, names), strict=True))
    T = np.eye(4)
    T[:3, :3] = rotations.axis_matrix("y", 1.0)

    def turned_by(which: str) -> float:
        places = {
            n: np.block([[T[:3, :3] @ p[:3, :3], p[:3, 3:]], [p[3:]]]) if n == which else p for n, p in rest.items()
        }
        settled = [g.on(HUMAN) for g in goals(places, set(names))]
        on = NaturalStart(HUMAN, settled)._body.with_goals(settled)
        read = Natural(on)._read(np.concatenate([g.target for g in settled]), np.ones(len(settled)))
        assert read is not None
        return float(np.arctan2(read.turn[0, 2], read.turn[0, 0]))

    none, hand, head = (turned_by(which) for which in ("", "LeftHand", "Head"))
    assert abs(hand - none) < 0.2 * (head - none)


def test_the_native_start_equals_its_twin() -> None:
    for places, oriented in cases(25, seed=9):
        settled = [g.on(HUMAN) for g in goals(places, oriented)]
        start = NaturalStart(HUMAN, settled)
        targets, weights = np.concatenate([g.target for g in settled])[None], np.ones(len(settled))
        one = start.starts(targets, weights)
        two = HUMAN.clamp(Natural(start._body.with_goals(settled)).starts(targets, weights))
        assert np.abs(HUMAN.placements(one) - HUMAN.placements(two)).max() < 1e-5
        assert HUMAN.violation(one).max() == 0.0
        assert np.array_equal(one, start.starts(targets, weights))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("order", ["", "ZXY"])
def test_the_same_person_under_other_names_and_axes_starts_alike(family: str, order: str) -> None:
    rig = Rig("T", family, order, np.random.default_rng(2))
    figure = rig.figure.with_limits("human")
    anatomy = anatomy_of(figure)
    assert set(anatomy.joints) == set(PARTS) or "toes" in str(set(PARTS) - set(anatomy.joints))
    names = [figure.segment_names[i] for i in anatomy.effectors]
    mine = [HUMAN.segment_names[i] for i in anatomy_of(HUMAN).effectors]
    for q in poses(6, 4):
        placed = HUMAN.placements(q, mine)[:, :3, 3]
        one = mk.natural_pose(HUMAN, [mk.Position(n, p) for n, p in zip(mine, placed, strict=True)])
        two = mk.natural_pose(figure, [mk.Position(n, p) for n, p in zip(names, placed, strict=True)])
        apart = HUMAN.placements(one, mine)[:, :3, 3] - figure.placements(two, names)[:, :3, 3]
        # Limits differ, and a spine of one joint bends at its foot alone.
        assert np.linalg.norm(apart, axis=1).max() < (0.15 if len(anatomy.joints["spine"]) > 1 else 0.25)


def test_without_a_person_the_start_faces_its_targets_and_says_so() -> None:
    dog = mk.quadruped()
    feet = [s for s in dog.segment_names if "Foot" in s or "Hand" in s][:3] or list(dog.segment_names[-3:])
    wanted = [mk.Position(n, p[:3, 3]) for n, p in zip(feet, dog.placements(dog.rest, feet), strict=True)]
    solution = mk.solve(dog, wanted, start="natural")
    assert any("is not recognised as a person" in note for note in solution.notes)
    assert np.array_equal(solution.pose, mk.solve(dog, wanted).pose)
    many = mk.Solver(dog, wanted).solve_many("natural")
    assert any("is not recognised as a person" in note for note in many.notes)
    with pytest.raises(BadValue, match="it has no"):
        mk.natural_pose(dog, wanted)


def test_bad_words_and_missing_places_are_named() -> None:
    goal = mk.Position("Head", (0, 1.5, 0))
    with pytest.raises(BadValue, match="start pose is 'naturel'"):
        mk.solve(HUMAN, goal, start="naturel")
    with pytest.raises(BadValue, match="no goal places any of head"):
        mk.natural_pose(HUMAN, mk.Position("LeftForeArm", (0, 1, 0)))
    with pytest.raises(BadValue, match="method 'dls' needs a pose"):
        mk.solve(HUMAN, goal, start="natural", method="dls")
    with pytest.raises(BadValue, match="needs a Figure"):
        mk.natural_pose("human", goal)  # type: ignore[arg-type]


def test_the_calls_agree() -> None:
    places, oriented = cases(1, seed=12)[0]
    wanted = goals(places, oriented)
    solver = mk.Solver(HUMAN, wanted)
    one = solver.solve("natural")
    assert np.array_equal(one.pose, mk.solve(HUMAN, wanted, start="natural").pose)
    assert np.array_equal(one.pose, solver.solve_many("natural").poses[0])
    assert np.array_equal(one.start, mk.natural_pose(HUMAN, wanted))
    rows = np.repeat(solver.targets[None], 3, axis=0)
    assert np.array_equal(solver.solve_many("natural", rows).poses[2], one.pose)
    assert np.array_equal(
        solver.track("natural", rows).poses[0], solver.track(mk.natural_pose(HUMAN, wanted), rows).poses[0]
    )
    led = solver.track("natural", rows, prefer="natural")
    poses_of_rows = np.repeat(mk.natural_pose(HUMAN, wanted)[None], 3, axis=0)
    stiffness = NaturalStart(HUMAN, solver.goals).stiffness(0.2 * HUMAN.size)
    assert np.array_equal(
        led.poses, solver.track(poses_of_rows[0], rows, prefer=poses_of_rows, stiffness=stiffness).poses
    )
    pulled = solver.solve("natural", prefer="natural")
    assert pulled.reached == one.reached
    assert one.start_violation == 0.0


def test_goals_that_do_not_count_are_not_read() -> None:
    solver = mk.Solver(HUMAN, [mk.Position(n, (0.0, 0.0, 0.0)) for n in ("Head", "LeftHand", "RightHand")])
    targets = HUMAN.placements(HUMAN.rest, ["Head", "LeftHand", "RightHand"])[:, :3, 3].reshape(-1)
    without = targets.copy()
    without[6:] = np.nan
    active = np.array([True, True, False])
    found = solver.solve("natural", without, active=active)
    other = mk.Solver(HUMAN, [mk.Position(n, (0.0, 0.0, 0.0)) for n in ("Head", "LeftHand")]).solve(
        "natural", targets[:6]
    )
    assert np.array_equal(found.start, other.start)


def test_targets_that_are_not_finite_are_named() -> None:
    solver = mk.Solver(HUMAN, [mk.Position(n, (0.0, 0.0, 0.0)) for n in ("Head", "LeftHand", "RightHand")])
    rows = np.repeat(
        HUMAN.placements(HUMAN.rest, ["Head", "LeftHand", "RightHand"])[:, :3, 3].reshape(1, -1), 3, axis=0
    )
    rows[1, 4] = np.nan
    with pytest.raises(BadValue, match="targets of 'Position LeftHand', row 1"):
        solver.solve_many("natural", rows)
    with pytest.raises(BadValue, match="targets of 'Position LeftHand'"):
        solver.solve("natural", rows[1])


def test_an_offset_is_taken_off_the_effector() -> None:
    q = poses(1, 6)[0]
    names = ["Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    placed = HUMAN.placements(q, names)
    plain = [mk.Placement(n, p) for n, p in zip(names, placed, strict=True)]
    tool = placed[1] @ np.block([[np.eye(3), np.array([[0.0], [0.08], [0.0]])], [np.zeros((1, 3)), np.ones((1, 1))]])
    offset = [replace(g, placement=tool, offset=(0.0, 0.08, 0.0)) if g.segment == "LeftHand" else g for g in plain]
    assert (
        np.abs(world(mk.natural_pose(HUMAN, plain)) - world(mk.natural_pose(HUMAN, offset))).max() < 1e-2
    )  # the heading reads the point itself


def test_frozen_joints_stay_at_rest() -> None:
    places, oriented = cases(1, seed=13)[0]
    solver = mk.Solver(HUMAN, goals(places, oriented), freeze=["LeftForeArm"])
    at = HUMAN.index_of("LeftForeArm")
    assert solver.solve("natural").start[at] == HUMAN.rest[at]


def test_effectors_are_six() -> None:
    assert len(EFFECTORS) == 6
    assert [HUMAN.segment_names[i] for i in anatomy_of(HUMAN).effectors] == list(SEGMENTS)
