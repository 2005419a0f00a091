"""Edges of clips: resumed with other goals, fast recordings, other motions that end early, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadValue
from manikin.motion.spikes import spikes

ARM = mk.chain(3, planar=True)
TIMES = np.arange(60) / 30.0
STILL = mk.Motion(ARM, np.tile([0.3, 0.4, 0.2], (60, 1)), TIMES)


def tip(point: tuple[float, float] = (1.5, 1.5), **options: object) -> mk.Position:
    return mk.Position("Tip", point, axes="xy", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [tip(offset=(0.1, 0, 0)), mk.Position("Segment3", (1.5, 1.5), axes="xy", name="A")])
def test_a_clip_is_not_resumed_with_another_effector(other: mk.Position) -> None:
    named = mk.Position("Tip", (1.5, 1.5), axes="xy", name=other.name)
    done = mk.solve_motion(ARM, named, TIMES)
    assert np.array_equal(mk.solve_motion(ARM, named, TIMES, resume=done).motion.poses, done.motion.poses)
    with pytest.raises(BadValue, match="another figure, goals"):
        mk.solve_motion(ARM, other, TIMES, resume=done)


def test_only_a_stopped_clip_can_be_resumed() -> None:
    edited = mk.edit(STILL, tip(), (20, 30))
    for wrong in (edited, STILL):
        with pytest.raises(BadValue, match=r"resume is <Motion.*it needs the result of a solve_motion"):
            mk.solve_motion(ARM, tip(), TIMES, resume=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [2000.0, 6000.0, 20000.0])
def test_recordings_may_be_fast(rate: float) -> None:
    times = np.arange(200) / rate
    path = np.stack([1.5 + 0.3 * np.cos(6 * times), 0.5 * np.sin(6 * times)], axis=1)
    assert mk.solve_motion(ARM, mk.Over(tip(), path), times).reached.all()
    noisy = mk.solve_motion(ARM, mk.Over(tip(), path), times, smooth=True)
    found = noisy.motion.placements(["Tip"])[:, 0, :2, 3]
    assert np.linalg.norm(found - path, axis=1).max() < 5e-3


def test_a_motion_that_ends_early_gives_no_targets_afterwards() -> None:
    short = mk.Motion(ARM, STILL.poses[:10], TIMES[10:20])
    rows = mk.Over(tip(), short).rows(TIMES)
    assert np.array_equal(np.isfinite(rows).all(axis=1), (np.arange(60) >= 10) & (np.arange(60) < 20))


def test_an_edit_may_turn_the_first_joint_of_an_arm() -> None:
    turned = mk.Motion(ARM, STILL.poses + np.array([0.3, 0.0, 0.0]), TIMES)
    out = mk.edit(STILL, mk.Over(tip(), turned), (25, 35), 10)
    assert out.reached.all()
    assert "Segment1" in out.notes[-1]


def test_postures_count_in_clips_and_edits() -> None:
    pose = np.array([0.1, 0.2, 0.3])
    clip = mk.solve_motion(ARM, mk.Posture(pose), TIMES)
    assert np.abs(clip.motion.poses - pose).max() < 1e-2
    assert np.abs(mk.edit(STILL, mk.Posture(pose), (0, 59)).motion.poses - pose).max() < 1e-2


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: mk.solve_motion(None, tip(), TIMES), "figure is NoneType; it needs a Figure"),  # type: ignore[arg-type]
        (lambda: mk.solve_motion(ARM, None, TIMES), "goals is None; it needs a goal"),  # type: ignore[arg-type]
        (lambda: mk.edit(mk.edit(STILL, tip(), (1, 2)), tip(), (1, 2)), "motion is MotionSolution.*pass its .motion"),  # type: ignore[arg-type]
        (lambda: mk.edit(STILL, tip(), (1.5, 2)), r"frames is \(1.5, 2\).*whole numbers"),  # type: ignore[arg-type]
        (lambda: mk.edit(STILL, tip(), (1, 2), joints=5), "joints is 5; it needs names"),  # type: ignore[arg-type]
        (lambda: mk.inbetween({0.0: ARM.rest}), "keys is dict; it needs a Motion"),  # type: ignore[arg-type]
    ],
)
def test_wrong_input_is_named(call: object, match: str) -> None:
    with pytest.raises(BadValue, match=match):
        call()  # type: ignore[operator]


def test_inbetween_without_goals_has_no_worst_error() -> None:
    keys = mk.Motion(ARM, [[0.0, 0.0, 0.0], [1.0, 0.5, 0.2]], times=[0.0, 1.0])
    frame, goal, error = mk.inbetween(keys, plant="Tip").worst
    assert (frame, goal, np.isnan(error)) == (0, "", True)


@pytest.mark.parametrize("options", [{"during": (0.5, 1.0)}, {"targets": {0.5: (1.5, 1.5), 1.0: (1.2, 1.6)}}])
def test_goals_between_keys_come_in_and_go_out_smoothly(options: dict[str, object]) -> None:
    keys = mk.Motion(ARM, [[0.3, 0.4, 0.2], [1.0, 0.5, 0.2], [0.8, 0.6, 0.2]], times=[0.0, 1.5, 2.0])
    out = mk.inbetween(keys, mk.Over(tip(), **options), rate=60)  # type: ignore[arg-type]
    assert out.reached.all()
    assert np.abs(np.diff(out.motion.poses, axis=0)).max() < 0.25
    assert np.array_equal(out.motion.poses[[0, 90, 120]], keys.poses)
    assert not out.eased[30:61].any()
    assert out.eased[20:30].all()


def test_a_goal_that_the_keys_meet_needs_no_ramp() -> None:
    keys = mk.Motion(ARM, [[0.3, 0.4, 0.2], [1.0, 0.5, 0.2], [1.0, 0.5, 0.2]], times=[0.0, 1.0, 2.0])
    point = ARM.placements(keys.poses[1], ["Tip"])[0, :2, 3]
    out = mk.inbetween(keys, mk.Over(tip(tuple(point)), during=(1.0, 2.0)))
    assert np.array_equal(out.motion.poses, mk.inbetween(keys).motion.poses)


def test_inbetween_names_goals_without_targets() -> None:
    keys = mk.Motion(ARM, [[0.3, 0.4, 0.2], [1.0, 0.5, 0.2]], times=[0.0, 1.0])
    out = mk.inbetween(keys, mk.Over(tip(), {5.0: (1.5, 1.5)}))
    assert out.notes == ("Position Tip has no target in any frame and is ignored",)


@pytest.mark.parametrize("gap", [0.1, 0.3, 0.5, 0.79, 0.9])
def test_goals_follow_one_another_on_one_effector(gap: float) -> None:
    times = np.arange(150) / 30.0
    one = mk.Over(tip((1.5, 1.0), name="one"), during=(1.0, 2.0))
    two = mk.Over(tip((1.5, 0.2), name="two"), during=(2.0 + gap, 3.5))
    clip = mk.solve_motion(ARM, [one, two], times)
    assert clip.reached.all()
    at = clip.motion.placements(["Tip"])[:, 0, :2, 3]
    for over, point in ((one, (1.5, 1.0)), (two, (1.5, 0.2))):
        assert np.linalg.norm(at[over.counts(times)] - point, axis=1).max() < 1e-3
    assert np.abs(np.diff(clip.motion.poses, axis=0)).max() < 0.8


def test_a_goal_is_met_until_another_one_contradicts_it() -> None:
    times = np.arange(150) / 30.0
    one = mk.Over(tip((1.5, 1.0), name="one"), during=(1.0, 2.0))
    two = mk.Over(tip((1.5, -1.0), name="two"), during=(1.5, 3.0))
    clip = mk.solve_motion(ARM, [one, two], times)
    both = one.counts(times) & two.counts(times)
    assert np.array_equal(clip.reached, ~both)


def test_a_goal_that_always_counts_is_left_smoothly() -> None:
    times = np.arange(150) / 30.0
    always = tip((1.5, 1.0), name="always")
    two = mk.Over(tip((1.5, -1.0), name="two"), during=(1.5, 3.0))
    clip, switched = (mk.solve_motion(ARM, [always, two], times, ease=seconds) for seconds in (0.4, 0.0))
    assert clip.eased[:, 1].sum() > 20
    step, jump = (np.abs(np.diff(c.motion.poses, axis=0)).max() for c in (clip, switched))
    assert step < 0.5 * jump


@pytest.mark.parametrize("size", [0.5, 9.0, 1e3, 1e100])
@pytest.mark.parametrize("smooth", [True, 6.0])
def test_a_single_wild_sample_does_not_spoil_a_noisy_clip(size: float, smooth: float) -> None:
    times = np.arange(240) / 60.0
    path = np.stack([1.5 + 0.5 * np.cos(2 * times), 0.5 * np.sin(2 * times)], axis=1)
    rows = path + np.random.default_rng(1).normal(size=path.shape) * 0.01
    plain = mk.solve_motion(ARM, mk.Over(tip(), rows), times, smooth=smooth)
    rows[[60, 100, 180]] += size
    wild = mk.solve_motion(ARM, mk.Over(tip(), rows), times, smooth=smooth)
    for clip in (plain, wild):
        at = clip.motion.placements(["Tip"])[:, 0, :2, 3]
        assert np.linalg.norm(at - path, axis=1).max() < 0.02


def test_only_single_wild_samples_are_spikes() -> None:
    times, noise = np.arange(200) / 60.0, np.random.default_rng(2).normal(size=(200, 3)) * 1e-3
    everything = [slice(0, 3)]
    away = np.abs(np.arange(200) - 100.0)[:, None] * [0.05, 0.0, 0.0]  # a bounce
    step = np.where(np.arange(200) < 100, 0.0, 1.0)[:, None] * [1.0, 0.0, 0.0]
    for path in (away, step, np.minimum(away, 0.5), np.zeros((200, 3))):
        assert not spikes(path, times, everything).any()
        assert not spikes(path + noise, times, everything).any()
    wild = away + noise
    wild[40] += 1.0
    assert np.flatnonzero(spikes(wild, times, everything)).tolist() == [40]


def test_paws_are_planted_too() -> None:
    animal = mk.quadruped()
    paws = [f"{side}{end}Paw" for side in ("Left", "Right") for end in ("Fore", "Hind")]
    stand = [mk.Placement(paw, at) for paw, at in zip(paws, animal.placements(animal.rest, paws), strict=True)]
    hips = animal.placements(animal.rest, ["Hips"])[0, :3, 3] - np.array([0.0, 0.04, 0.0])
    low = mk.solve(animal, [*stand, mk.Position("Hips", hips)], start=animal.rest)
    assert low.reached
    out = mk.inbetween(mk.Motion(animal, [animal.rest, low.pose], times=[0.0, 1.0]))
    assert len(out.notes) == 4
    at = out.motion.placements(paws)[:, :, :3, 3]
    assert np.ptp(at, axis=0).max() < 2e-3 * animal.size


def test_the_slide_of_forepaws_is_measured() -> None:
    animal, times = mk.quadruped(), np.arange(60) / 30.0
    paws = [f"{side}{end}Paw" for side in ("Left", "Right") for end in ("Fore", "Hind")]
    places = animal.placements(animal.rest, paws)
    path = places[0, :3, 3] + np.stack([0 * times, 0 * times, 0.02 * times / times[-1]], axis=1)
    stand = [mk.Placement(paw, at) for paw, at in zip(paws[1:], places[1:], strict=True)]
    clip = mk.solve_motion(animal, [*stand, mk.Over(mk.Position(paws[0], (0, 0, 0)), path)], times, start=animal.rest)
    assert clip.reached.all()
    assert clip.quality.slide.max() > 0.004
