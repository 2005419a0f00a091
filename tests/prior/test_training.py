"""The training of the net: its gradient, its mirror, the same bits; and the file that came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks import cmu, natural_clips, natural_train
from benchmarks.natural_judge import CONDITIONS, goals_of, judged, targets_of, with_heading
from benchmarks.natural_poses import numbers, poses_of
from benchmarks.natural_train import Net, Settings, masks, shaken, train
from manikin.prior.model import model
from manikin.prior.start import NaturalStart
from manikin.reference.natural import Natural
from manikin.reference.natural_net import INPUTS, mirror_inputs, mirror_outputs, net

needs_data = pytest.mark.needs("data", cmu.FILE)


def test_the_gradient_of_the_net_meets_finite_differences() -> None:
    rng = np.random.default_rng(1)
    made = Net(rng, 8, np.zeros(INPUTS), np.ones(INPUTS), np.zeros(60), np.ones(60))
    made.W[2] *= 10.0
    made.W = [w.astype(np.float64) for w in made.W]  # type: ignore[assignment]
    x, y = rng.normal(size=(5, INPUTS)), rng.normal(size=(5, 60))
    weight = rng.uniform(0.5, 1.0, 60)

    def loss() -> float:
        r = made.forward(x)[0] - y
        return float(((np.sqrt(1.0 + r * r) - 1.0) * weight).sum() / len(x))

    gradient = made.gradient(x, y, weight)[1]
    for own, given in zip(made.W, gradient[:3], strict=True):
        for at in ((0, 0), (3, 5), (-1, -1)):
            kept = own[at]
            own[at] = kept + 1e-5
            above = loss()
            own[at] = kept - 1e-5
            below = loss()
            own[at] = kept
            assert given[at] == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-7)


def test_the_gradient_of_the_steadiness_meets_finite_differences() -> None:
    rng = np.random.default_rng(4)
    made = Net(rng, 8, np.zeros(INPUTS), np.ones(INPUTS), np.zeros(60), np.ones(60))
    made.W[2] *= 10.0
    made.W = [w.astype(np.float64) for w in made.W]  # type: ignore[assignment]
    x, y = rng.normal(size=(5, INPUTS)), rng.normal(size=(5, 60))
    near = x + 0.1 * rng.normal(size=x.shape)
    weight, steady = rng.uniform(0.5, 1.0, 60), rng.uniform(1.0, 2.0, 60)
    whole, gradient = made.gradient(x, y, weight, near=near, steady=steady)
    apart = made.forward(x)[0] - made.forward(near)[0]
    assert whole - made.gradient(x, y, weight)[0] == pytest.approx(0.5 * float((apart**2 * steady).sum()) / 5)
    for own, given in zip(made.W, gradient[:3], strict=True):
        for at in ((0, 0), (3, 5), (-1, -1)):
            losses = []
            for step in (1e-5, -2e-5):
                own[at] += step
                losses.append(made.gradient(x, y, weight, near=near, steady=steady)[0])
            own[at] += 1e-5
            assert given[at] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-4, abs=1e-7)


def test_weights_shrink_by_the_rate_times_the_decay() -> None:
    made = Net(np.random.default_rng(5), 8, np.zeros(INPUTS), np.ones(INPUTS), np.zeros(60), np.ones(60))
    before = [W.copy() for W in made.W]
    made.step(0.01, [np.zeros_like(p) for p in made.parameters], decay=0.5)
    assert all(np.allclose(now, 0.995 * old, rtol=1e-6) for now, old in zip(made.W, before, strict=True))


def test_fractions_of_masks_are_those_of_the_settings() -> None:
    known, turned = masks(np.random.default_rng(6), 20000, (0.3, 0.0, 0.5))
    shares = []
    for places, axes in natural_train.CONDITIONS.values():
        same = (known == np.array(places, dtype=bool)).all(axis=1) & (turned == np.array(axes, dtype=bool)).all(axis=1)
        shares.append(float(same.mean()))
    assert shares == pytest.approx([0.3, 0.0, 0.5], abs=0.02)


def test_a_mirror_twice_is_none() -> None:
    for place, sign in (mirror_inputs(), mirror_outputs()):
        assert np.array_equal(place[place], np.arange(len(place)))
        assert np.array_equal(sign * sign[place], np.ones(len(sign)))


def test_the_net_answers_mirrored_inputs_with_mirrored_outputs() -> None:
    on = SimpleNamespace(**model().arrays)
    x = np.random.default_rng(2).normal(size=(20, INPUTS))
    place, sign = mirror_inputs()
    back, back_sign = mirror_outputs()
    assert np.abs(net(on, x[:, place] * sign) - net(on, x)[:, back] * back_sign).max() < 1e-12


def test_the_file_is_small_and_says_thanks() -> None:
    assert natural_train.FILE.stat().st_size <= 130_000
    with np.load(natural_train.FILE) as file:
        assert "mocap.cs.cmu.edu" in str(file["about"])
        assert "NSF EIA-0196217" in str(file["about"])
    assert (natural_train.FILE.parent / "LICENSE-CMU.txt").exists()


@needs_data
def test_training_twice_gives_the_same_bits() -> None:
    one, two = (train(Settings(width=16, steps=30), say=lambda _: None) for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)


@needs_data
def test_the_split_has_no_subject_twice() -> None:
    parts = [{p.subject for p in cmu.people(which)} for which in ("training", "validation", "test")]
    assert [len(p) for p in parts] == [61, 13, 17]
    assert len(set.union(*parts)) == 61 + 13 + 17


@needs_data
@pytest.mark.parametrize("condition", CONDITIONS)
def test_training_reads_a_pose_as_a_solve_does(condition: str) -> None:
    person = cmu.people("validation")[1]
    figure, poses = person.limited()
    settled = [g.on(figure) for g in goals_of(condition)]
    start = NaturalStart(figure, settled)
    on = start._body.with_goals(settled)
    targets = targets_of(figure, poses[:5], condition)
    read = [Natural(on)._read(row, np.ones(len(settled))) for row in targets]
    known, turned = (np.tile(np.array(m, dtype=bool), (5, 1)) for m in natural_train.CONDITIONS[condition])
    x, _ = numbers(poses_of(person, model().pose).taken(np.arange(5)), known, turned, np.zeros(5))
    assert (
        np.abs(np.array([r.x for r in read if r is not None]) - x).max() < 0.05
    )  # the mean pose is within limits here


@needs_data
def test_random_masks_always_know_an_effector_and_noise_keeps_axes_square() -> None:
    rng = np.random.default_rng(3)
    known, turned = masks(rng, 500, 0.1)
    assert known.any(axis=1).all()
    assert not (turned & ~known).any()
    poses = poses_of(cmu.people("validation")[0], model().pose).taken(np.arange(20))
    off = shaken(poses, rng, 0.01)
    assert np.abs(np.einsum("neij,neik->nejk", off.axes, off.axes) - np.eye(3)).max() < 0.01


@needs_data
@pytest.mark.parametrize(("condition", "ratio"), [("a", 0.85), ("b", 0.72), ("c", 0.65)])
def test_joints_that_were_not_given_end_nearer_to_the_recording(condition: str, ratio: float) -> None:
    def natural(solver: object, targets: np.ndarray) -> object:
        return solver.solve_many("natural", targets)  # type: ignore[attr-defined]

    errors = np.zeros(2)
    for person in cmu.people("validation"):
        rows = judged(person, condition, [with_heading, natural], 8)  # type: ignore[list-item]
        errors += [row.free_error.sum() for row in rows]
        assert rows[1].reached.sum() >= rows[0].reached.sum() - 1
    assert errors[1] < ratio * errors[0]


@needs_data
def test_smoothness_is_measured_from_frame_to_frame() -> None:
    person = cmu.people("validation")[0]
    joints = natural_clips.places(person.figure, person.poses[:7])
    assert joints.shape == (7, 19, 3)
    still = np.repeat(joints[:1], 7, axis=0)
    assert natural_clips.second_difference(still) == 0.0
    still[3, 4, 0] += 1.0  # one joint jumps out and back: 1, 2 and 1 over five differences of 19 joints
    assert natural_clips.second_difference(still) == pytest.approx(4.0 / (5 * 19))
