"""Aims of the head: a natural start reads them as an orientation of the head."""

from __future__ import annotations

import numpy as np
import pytest
from prior.test_laws import HUMAN, OTHER, S, cases, moved, moves_of_a_start, poses, well_determined, world
from rigs import Rig

import manikin as mk
from manikin import rotations
from manikin.prior.anatomy import EFFECTORS, anatomy_of
from manikin.prior.start import NaturalStart
from manikin.reference.natural import Natural

KINDS = ("direction", "point")
FORWARD = rotations.to_matrix(anatomy_of(HUMAN).axes[HUMAN.segment_index("Head")])[:, 2]
Gaze = tuple[np.ndarray, np.ndarray]
"""A direction and a point."""


def gazes(count: int = 30, seed: int = 3) -> list[tuple[dict[str, np.ndarray], set[str], Gaze]]:
    """The cases of `test_laws`, and where the head looks in each: within a radian of its forward direction."""
    rng = np.random.default_rng(seed)
    out = []
    for (places, oriented), q in zip(cases(count, seed), poses(count, seed), strict=True):
        head = HUMAN.placements(q, ["Head"])[0]
        u = head[:3, :3] @ FORWARD + 0.4 * rng.normal(size=3)
        u /= np.linalg.norm(u)
        out.append((places, oriented - {"Head"}, (u, head[:3, 3] + rng.uniform(0.5, 5.0) * u)))
    return out


def goals(places: dict[str, np.ndarray], oriented: set[str], gaze: Gaze, kind: str) -> list[mk.Goal]:
    aim = mk.Aim("Head", direction=gaze[0], axis=FORWARD) if kind == "direction" else mk.Aim("Head", gaze[1], FORWARD)
    return [mk.Placement(n, p) if n in oriented else mk.Position(n, p[:3, 3]) for n, p in places.items()] + [aim]


def looks(figure: mk.Figure, pose: np.ndarray, gaze: Gaze) -> float:
    """The angle from the head's forward direction to the gaze, in radians."""
    forward = figure.placements(pose, ["Head"])[0, :3, :3] @ FORWARD
    return float(np.arccos(np.clip(forward @ gaze[0], -1.0, 1.0)))


@pytest.mark.parametrize("kind", KINDS)
def test_targets_turned_about_up_and_moved_give_the_pose_turned_and_moved(kind: str) -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for places, oriented, gaze in gazes():
        if not well_determined(places, oriented):
            continue
        T = np.eye(4)
        T[:3, :3] = rotations.axis_matrix("y", rng.uniform(-np.pi, np.pi))
        T[:3, 3] = rng.normal(size=3)
        there = (T[:3, :3] @ gaze[0], T[:3, :3] @ gaze[1] + T[:3, 3])
        one = world(mk.natural_pose(HUMAN, goals(places, oriented, gaze, kind)))
        two = world(mk.natural_pose(HUMAN, goals(moved(places, T), oriented, there, kind)))
        assert np.abs(one @ T[:3, :3].T + T[:3, 3] - two).max() < 2e-5  # the net counts in single precision
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("kind", KINDS)
def test_mirrored_targets_give_the_mirrored_pose(kind: str) -> None:
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    for places, oriented, gaze in gazes():
        other = {OTHER.get(name, name): M @ p @ M for name, p in places.items()}
        one = mk.natural_pose(HUMAN, goals(places, oriented, gaze, kind))
        two = mk.natural_pose(
            HUMAN, goals(other, {OTHER.get(n, n) for n in oriented}, (S @ gaze[0], S @ gaze[1]), kind)
        )
        assert np.abs(world(HUMAN.mirrored(one)) - world(two)).max() < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_another_axis_up_and_another_unit_give_the_same_pose(kind: str) -> None:
    T = np.eye(4)
    T[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # y up to z up
    root, *others = HUMAN.segments
    lying = mk.Figure("z up", [root.replaced(rotation=rotations.from_matrix(T[:3, :3])), *others], up="z")
    large = HUMAN.scaled(100.0)
    for places, oriented, gaze in gazes(10):
        one = world(mk.natural_pose(HUMAN, goals(places, oriented, gaze, kind)))
        there = (T[:3, :3] @ gaze[0], T[:3, :3] @ gaze[1])
        two = lying.placements(mk.natural_pose(lying, goals(moved(places, T), oriented, there, kind)))[:, :3, 3]
        assert np.abs(one @ T[:3, :3].T - two).max() < 2e-5
        far = {n: np.block([[p[:3, :3], 100.0 * p[:3, 3:]], [p[3:]]]) for n, p in places.items()}
        three = large.placements(mk.natural_pose(large, goals(far, oriented, (gaze[0], 100.0 * gaze[1]), kind)))[
            :, :3, 3
        ]
        assert np.abs(100.0 * one - three).max() < 2e-3


@pytest.mark.parametrize("kind", KINDS)
def test_the_native_start_equals_its_twin(kind: str) -> None:
    for places, oriented, gaze in gazes(25, seed=9):
        settled = [g.on(HUMAN) for g in goals(places, oriented, gaze, kind)]
        start = NaturalStart(HUMAN, settled)
        targets, weights = np.concatenate([g.target for g in settled])[None], np.ones(len(settled))
        one = start.starts(targets, weights)
        two = HUMAN.clamp(Natural(start._body.with_goals(settled)).starts(targets, weights))
        assert np.abs(HUMAN.placements(one) - HUMAN.placements(two)).max() < 1e-5
        assert HUMAN.violation(one).max() == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_millimetre_of_a_target_moves_the_start_by_at_most_ten(kind: str) -> None:
    """A point or a position moves by a millimetre; a direction of length 1 by a thousandth."""
    rng = np.random.default_rng(5)
    moves = []
    for places, oriented, gaze in gazes(100, seed=8):
        moves += moves_of_a_start([g.on(HUMAN) for g in goals(places, oriented, gaze, kind)], rng)
    assert np.percentile(moves, 99.9) < 10e-3


@pytest.mark.parametrize("kind", KINDS)
def test_the_start_looks_at_the_target(kind: str) -> None:
    """The net turns the head most of the way, with the head's position known or unknown."""
    with_aim, without = [], []
    for places, oriented, gaze in gazes(40):
        wanted = goals(places, oriented, gaze, kind)
        with_aim.append(looks(HUMAN, mk.natural_pose(HUMAN, wanted), gaze))
        without.append(looks(HUMAN, mk.natural_pose(HUMAN, wanted[:-1]), gaze))
    assert np.mean(with_aim) < 0.5 * np.mean(without)
    assert np.median(with_aim) < 0.3


def test_a_far_point_counts_as_a_direction_and_a_near_one_depends_on_the_offset() -> None:
    places = dict(zip(("Head", "LeftHand"), HUMAN.placements(HUMAN.rest, ["Head", "LeftHand"]), strict=True))
    settled = [g.on(HUMAN) for g in [mk.Position(n, p[:3, 3]) for n, p in places.items()]]
    far = 200.0  # so far that the start of the ray does not matter
    u = np.array([0.3, -0.2, 0.9]) / np.linalg.norm([0.3, -0.2, 0.9])
    one = mk.natural_pose(HUMAN, [*settled, mk.Aim("Head", direction=u, axis=FORWARD)])
    two = mk.natural_pose(HUMAN, [*settled, mk.Aim("Head", far * u, FORWARD, offset=(0.0, 0.1, 0.1))])
    assert np.abs(world(one) - world(two)).max() < 0.01
    near = places["Head"][:3, 3] + 0.5 * u
    three = mk.natural_pose(HUMAN, [*settled, mk.Aim("Head", near, FORWARD)])
    four = mk.natural_pose(HUMAN, [*settled, mk.Aim("Head", near, FORWARD, offset=(0.1, 0.1, 0.0))])
    assert np.abs(world(three) - world(four)).max() > 0.01


def test_an_orientation_of_the_head_comes_before_an_aim() -> None:
    places, oriented, gaze = gazes(1)[0]
    head = HUMAN.placements(poses(1, 3)[0], ["Head"])[0]
    given = [mk.Placement("Head", head), *goals(places, oriented, gaze, "direction")[:-1]]
    one = mk.natural_pose(HUMAN, given)
    assert np.array_equal(one, mk.natural_pose(HUMAN, [*given, mk.Aim("Head", direction=-gaze[0], axis=FORWARD)]))


def test_aims_of_weight_0_or_of_other_parts_are_not_read() -> None:
    places, oriented, gaze = gazes(2)[1]
    without = goals(places, oriented, gaze, "direction")[:-1]
    one = mk.natural_pose(HUMAN, without)
    aims = [mk.Aim("Head", direction=gaze[0], axis=FORWARD, weight=0.0), mk.Aim("LeftHand", direction=(0, 1, 0))]
    for aim in aims:
        assert np.array_equal(one, mk.natural_pose(HUMAN, [*without, aim]))
    settled = [g.on(HUMAN) for g in goals(places, oriented, gaze, "point")]
    row = np.concatenate([g.target for g in settled])
    row[-3:] = np.nan
    weights = np.ones(len(settled))
    weights[-1] = 0.0
    assert np.array_equal(NaturalStart(HUMAN, settled).starts(row[None], weights)[0], one)


def test_an_eye_counts_as_the_head() -> None:
    places, oriented, gaze = gazes(2)[1]
    others = goals(places, oriented, gaze, "direction")[:-1]
    head, eye = HUMAN.placements(HUMAN.rest, ["Head", "LeftEye"])[:, :3, :3]
    one = mk.natural_pose(HUMAN, [*others, mk.Aim("LeftEye", direction=gaze[0], axis=eye.T @ head @ FORWARD)])
    two = mk.natural_pose(HUMAN, [*others, mk.Aim("Head", direction=gaze[0], axis=FORWARD)])
    assert np.abs(world(one) - world(two)).max() < 1e-6
    assert np.abs(world(one) - world(mk.natural_pose(HUMAN, others))).max() > 1e-2


def test_an_aim_straight_back_or_at_the_head_itself_is_an_answer() -> None:
    head = HUMAN.placements(HUMAN.rest, ["Head"])[0]
    place = mk.Position("Head", head[:3, 3])
    hands = [
        mk.Position(n, p[:3, 3])
        for n, p in zip(("LeftHand", "RightHand"), HUMAN.placements(HUMAN.rest, ["LeftHand", "RightHand"]), strict=True)
    ]
    for aim in (
        mk.Aim("Head", direction=-(head[:3, :3] @ FORWARD), axis=FORWARD),
        mk.Aim("Head", head[:3, 3], FORWARD),
    ):
        pose = mk.natural_pose(HUMAN, [place, *hands, aim])
        assert np.isfinite(pose).all()
        assert HUMAN.violation(pose) == 0.0


def test_an_aim_alone_places_nothing() -> None:
    with pytest.raises(mk.errors.BadValue, match="no goal places any of head"):
        mk.natural_pose(HUMAN, mk.Aim("Head", direction=(0, 0, 1)))


@pytest.mark.parametrize("family", ["Mixamo", "Unreal"])
def test_a_rig_with_other_axes_looks_the_same_way(family: str) -> None:
    figure = Rig("T", family, "ZXY", np.random.default_rng(2)).figure.with_limits("human")
    anatomy = anatomy_of(figure)
    names = [figure.segment_names[i] for i in anatomy.effectors]
    axis = rotations.to_matrix(anatomy.axes[anatomy.effectors[0]])[:, 2]
    assert EFFECTORS[0] == "head"
    for q, (_, _, gaze) in zip(poses(8, 3), gazes(8), strict=True):
        placed = HUMAN.placements(q, [HUMAN.segment_names[i] for i in anatomy_of(HUMAN).effectors])[:, :3, 3]
        pose = mk.natural_pose(
            figure,
            [
                *(mk.Position(n, p) for n, p in zip(names, placed, strict=True)),
                mk.Aim(names[0], direction=gaze[0], axis=axis),
            ],
        )
        forward = figure.placements(pose, [names[0]])[0, :3, :3] @ axis
        assert forward @ gaze[0] > np.cos(0.7)
