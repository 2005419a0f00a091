"""solve_motion: exact and noisy targets, gaps, easing, windows, stopping and going on."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue
from manikin.motion import passes
from manikin.motion.ease import bridge, eased, ramps, stretches
from manikin.motion.over import met_rows

RATE = 60.0
PERSON = mk.human()
ENDS = ("Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")


def sway(count: int = 120) -> mk.Motion:
    """A person who sways, bends knees and waves, within limits."""
    t = np.arange(count) / RATE
    q = np.tile(PERSON.rest, (count, 1))
    slow = np.sin(2 * np.pi * 0.5 * t)
    for joint, size in (("LeftForeArm", 0.6), ("RightForeArm", 0.8), ("LeftLeg", 0.4), ("RightLeg", 0.4)):
        q[:, PERSON.index_of(joint)] += size * (1.0 + slow)
    q[:, 0] += 0.1 * slow
    return mk.Motion(PERSON, PERSON.clamp(q), t, "sway")


def targets(motion: mk.Motion) -> np.ndarray:
    """(T, 6, 7)."""
    placed = motion.placements(list(ENDS))
    return np.concatenate([placed[..., :3, 3], rotations.from_matrix(placed[..., :3, :3])], axis=-1)


def followed(rows: np.ndarray) -> list[mk.Over]:
    return [mk.Over(mk.Placement(name, np.eye(4)), rows[:, k]) for k, name in enumerate(ENDS)]


MOTION = sway()
ROWS = targets(MOTION)


@pytest.mark.parametrize("start", [MOTION.poses[0], None], ids=["start", "no start"])
def test_exact_targets_are_met_in_every_frame(start: np.ndarray | None) -> None:
    clip = mk.solve_motion(PERSON, followed(ROWS), MOTION.times, start=start)
    assert clip.reached.all()
    assert clip.complete
    assert clip.notes == ()
    assert np.abs(targets(clip.motion)[..., :3] - ROWS[..., :3]).max() < 3e-4
    assert PERSON.violation(clip.motion.poses).max() <= 1e-9
    assert not clip.eased.any()


def test_the_same_question_has_the_same_bits() -> None:
    one, two = (mk.solve_motion(PERSON, followed(ROWS), MOTION.times).motion.poses for _ in range(2))
    assert np.array_equal(one, two)


def test_what_it_says_is_what_the_poses_do() -> None:
    rows = np.array(ROWS)
    rows[40:50, 3, 0] -= 3.0  # out of reach
    clip = mk.solve_motion(PERSON, followed(rows), MOTION.times, start=MOTION.poses[0])
    assert not clip.reached[40:50].any()
    away = np.linalg.norm(targets(clip.motion)[:, 3, :3] - clip.targets[:, 21:24], axis=1)
    assert (away > clip.tolerances[3])[40:50].all()
    assert clip.reached[60:].all()
    assert clip.worst[1] == "Placement RightHand"
    assert "RightHand" in str(clip)
    assert repr(clip).endswith(f"120 frames, {clip.reached.sum()} reached>")


def test_noise_and_gaps_are_smoothed() -> None:
    rng = np.random.default_rng(0)
    rows = np.array(ROWS)
    rows[..., :3] += 0.01 * rng.normal(size=rows[..., :3].shape)
    rows[30:36, 2], rows[80:84, 4] = np.nan, np.nan
    raw = mk.solve_motion(PERSON, followed(rows), MOTION.times, start=MOTION.poses[0])
    calm = mk.solve_motion(PERSON, followed(rows), MOTION.times, smooth=True, start=MOTION.poses[0])
    off = [np.linalg.norm(targets(c.motion)[..., :3] - ROWS[..., :3], axis=-1).mean() for c in (raw, calm)]
    assert off[1] < 0.6 * off[0]
    assert np.isfinite(calm.motion.poses).all()


@pytest.mark.parametrize("size", [1e-4, 1e-3])
def test_the_less_noise_the_closer_are_targets_followed(size: float) -> None:
    rng = np.random.default_rng(1)
    rows = np.array(ROWS)
    rows[..., :3] += size * rng.normal(size=rows[..., :3].shape)
    clip = mk.solve_motion(PERSON, followed(rows), MOTION.times, smooth=True, start=MOTION.poses[0])
    off = np.linalg.norm(targets(clip.motion)[..., :3] - ROWS[..., :3], axis=-1)
    assert off.mean() < 2.0 * size + 1.5e-3  # the tolerance of a track of exact targets is 2.5 mm


def test_one_wild_or_missing_frame_does_not_spoil_the_clip() -> None:
    rows = np.array(ROWS)
    rows[50, 2] = np.nan
    rows[60, 3, 0] = np.inf
    rows[70, 4, 3:] = 0.0
    clip = mk.solve_motion(PERSON, followed(rows), MOTION.times, start=MOTION.poses[0])
    assert clip.reached.all()
    assert np.abs(targets(clip.motion)[..., :3] - ROWS[..., :3]).max() < 1e-3
    assert any("RightHand: 1 samples" in note for note in clip.notes)


def test_a_goal_during_an_interval_comes_in_and_goes_out_smoothly() -> None:
    face = MOTION.placements(["Head"])[:, 0, :3, 3] + np.array([0.0, 0.05, 0.2])
    others = [over for over in followed(ROWS) if over.goal.label != "Placement RightHand"]
    hand = mk.Over(mk.Position("RightHand", (0, 0, 0)), face, during=[(0.9, 1.3)])
    clip = mk.solve_motion(PERSON, [*others, hand], MOTION.times, start=MOTION.poses[0], ease=0.4)
    assert clip.reached.all()
    inside = (MOTION.times >= 0.9) & (MOTION.times <= 1.3)
    at = clip.motion.placements(["RightHand"])[:, 0, :3, 3]
    assert np.linalg.norm(at - face, axis=1)[inside].max() < 2e-4
    assert np.abs(np.diff(at, axis=0)).max() * RATE < 5.0
    assert clip.eased[:, -1].any()
    assert not clip.eased[inside, -1].any()
    switched = mk.solve_motion(PERSON, [*others, hand], MOTION.times, start=MOTION.poses[0], ease=0.0)
    jump = np.abs(np.diff(switched.motion.placements(["RightHand"])[:, 0, :3, 3], axis=0)).max() * RATE
    assert jump > 2 * np.abs(np.diff(at, axis=0)).max() * RATE


def test_targets_may_be_functions_and_motions() -> None:
    goal = mk.Position("LeftHand", (0, 0, 0))
    by_motion = mk.solve_motion(PERSON, [*followed(ROWS)[:1], mk.Over(goal, MOTION)], MOTION.times)
    rows = met_rows(PERSON, goal, MOTION.poses)
    by_rows = mk.solve_motion(PERSON, [*followed(ROWS)[:1], mk.Over(goal, rows)], MOTION.times)
    assert np.array_equal(by_motion.motion.poses, by_rows.motion.poses)
    place = lambda t: (0.3, 1.2 + 0.1 * t, 0.3) if t < 1.0 else None  # noqa: E731
    clip = mk.solve_motion(PERSON, mk.Over(goal, place), MOTION.times)
    assert clip.reached.all()
    assert np.isnan(clip.errors[-1, 0])


def test_balance_and_plain_goals_count_always() -> None:
    feet = [mk.Placement(n, p) for n, p in zip(ENDS[4:], PERSON.placements(PERSON.rest, list(ENDS[4:])), strict=True)]
    hand = mk.Over(mk.Position("RightHand", (0, 0, 0)), lambda t: (-0.3, 1.0 + 0.1 * t, 0.3))
    clip = mk.solve_motion(PERSON, [*feet, mk.Balance(list(ENDS[4:])), hand], MOTION.times[:30])
    assert clip.reached.all()
    assert clip.errors.shape == (30, 4)


# Windows


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of few frames, so that a short clip has several."""
    monkeypatch.setattr(passes, "WINDOW", 64)
    monkeypatch.setattr(passes, "PERIODS", 2)


@pytest.mark.parametrize("smooth", [None, 5.0])
@pytest.mark.parametrize("during", [None, [(1.2, 2.0)]])
def test_stopped_and_resumed_is_the_same_to_the_bit(small: None, smooth: float | None, during: object) -> None:
    motion = sway(300)
    goals = followed(targets(motion))
    goals[3] = mk.Over(goals[3].goal, goals[3].targets, during=during)
    whole = mk.solve_motion(PERSON, goals, motion.times, smooth=smooth)
    part = mk.solve_motion(PERSON, goals, motion.times, smooth=smooth, progress=lambda done, _: done < 100)
    assert not part.complete
    assert len(part.motion) == 128
    assert np.array_equal(part.motion.poses, whole.motion.poses[:128])
    kept = pickle.loads(pickle.dumps(part))
    again = mk.solve_motion(PERSON, goals, motion.times, smooth=smooth, resume=kept)
    assert again.complete
    assert np.array_equal(again.motion.poses, whole.motion.poses)
    assert np.array_equal(again.errors, whole.errors, equal_nan=True)
    assert np.array_equal(again.targets, whole.targets)


def test_a_clip_is_not_resumed_with_another_question(small: None) -> None:
    motion = sway(200)
    part = mk.solve_motion(PERSON, followed(targets(motion)), motion.times, progress=lambda *_: False)
    with pytest.raises(BadValue, match="another figure, goals, times or options"):
        mk.solve_motion(PERSON, followed(targets(motion)), motion.times + 1.0, smooth=4.0, resume=part)


def test_windows_leave_no_seams() -> None:
    motion = sway(900)
    goals = followed(targets(motion))
    whole = mk.solve_motion(PERSON, goals, motion.times, start=motion.poses[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "WINDOW", 256)
        windows = mk.solve_motion(PERSON, goals, motion.times, start=motion.poses[0])
    assert np.abs(PERSON.difference(whole.motion.poses, windows.motion.poses)).max() < 1e-6


# Pieces


def test_the_ramp_is_quintic() -> None:
    assert_close(eased(np.array([-1.0, 0.0, 0.5, 1.0, 2.0])), [0.0, 0.0, 0.5, 1.0, 1.0])


def test_ramps_meet_half_way_between_near_stretches() -> None:
    counts = np.zeros(100, dtype=bool)
    counts[20:30] = counts[40:50] = True
    u = ramps(counts, np.arange(100) / 100.0, 0.3)
    assert u[20:30].min() == u[40:50].min() == 1.0
    assert u[30:40].min() < 0.01
    assert u[0] == pytest.approx(float(eased(np.array([1.0 / 3.0]))[0]))
    assert u[85:].max() == 0.0


def test_gaps_are_bridged_near_samples_and_never_at_the_ends() -> None:
    known = np.ones(200, dtype=bool)
    known[:5], known[50:60], known[100:160], known[190:] = False, False, False, False
    counts = bridge(known, np.arange(200) / 100.0)
    assert stretches(counts) == [(5, 115), (145, 190)]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: mk.solve_motion(PERSON, [], [0.0, 1.0]), "there are no goals"),
        (lambda: mk.solve_motion(PERSON, mk.Position("Head", (0, 1, 0)), [0.0, 0.0]), "times must increase"),
        (lambda: mk.solve_motion(PERSON, mk.Position("Head", (0, 1, 0)), [0.0, 1.0], smooth=-1), "smooth is -1"),
        (lambda: mk.Over("Head", None), "Over: goal is 'Head'"),
        (lambda: mk.Over(mk.Position("Head", (0, 1, 0)), None, during=[(2.0, 1.0)]), "its end must not be before"),
    ],
)
def test_bad_input_is_told(call: object, match: str) -> None:
    with pytest.raises(BadValue, match=match):
        call()  # type: ignore[operator]


def test_targets_of_a_wrong_shape_are_told() -> None:
    with pytest.raises(BadShape, match=r"'Position Head' has shape \(3, 3\).*\(2, 3\)"):
        mk.solve_motion(PERSON, mk.Over(mk.Position("Head", (0, 1, 0)), np.zeros((3, 3))), [0.0, 1.0])


def test_a_goal_without_any_sample_does_not_count() -> None:
    lost = mk.Over(mk.Position("LeftHand", (0, 0, 0)), np.full((120, 3), np.nan))
    clip = mk.solve_motion(PERSON, [*followed(ROWS)[:1], lost], MOTION.times)
    assert clip.reached.all()
    assert np.isnan(clip.errors[:, 1]).all()
    assert any("no target in any frame" in note for note in clip.notes)


def test_one_frame_is_a_clip() -> None:
    clip = mk.solve_motion(PERSON, followed(ROWS[:1]), MOTION.times[:1])
    assert clip.reached.tolist() == [True]
