"""`mk.fit_points`: input in its forms, and motions that follow it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close
from keypoint_clips import apart, keypoints, moving, person
from retarget_clips import clip

import manikin as mk
from manikin.errors import BadShape, BadValue
from manikin.motion.points.layouts import LAYOUTS

FRAMES = 45


@pytest.fixture(scope="module")
def truth() -> mk.Motion:
    return moving(person(), FRAMES)


@pytest.fixture(scope="module")
def fitted(truth: mk.Motion) -> mk.PointsFit:
    return mk.fit_points(mk.human(), keypoints(truth, "halpe26", 0.01), "halpe26", times=truth.times)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_motion_back(truth: mk.Motion, layout: str) -> None:
    fit = mk.fit_points(mk.human(), keypoints(truth, layout, 0.005), layout, rate=30.0)
    assert apart(fit.motion, truth) < 0.02
    assert fit.figure.violation(fit.motion.poses).max() < 1e-9
    assert fit.complete
    assert fit.travel == "seen"


def test_twice_gives_the_same_bits(truth: mk.Motion, fitted: mk.PointsFit) -> None:
    again = mk.fit_points(mk.human(), keypoints(truth, "halpe26", 0.01), "halpe26", times=truth.times)
    assert (again.motion.poses == fitted.motion.poses).all()
    assert again.scales == fitted.scales


def test_the_sheet_has_errors_and_lengths(fitted: mk.PointsFit) -> None:
    sheet = fitted.to_dict()
    assert sheet["rms"] == fitted.rms
    assert 0.01 < fitted.rms < 0.025
    assert len(sheet["points"]) == 26
    assert "left big toe" in str(fitted)
    assert fitted.to_csv().splitlines()[0] == "point,rms,worst,worst_frame,missing,rejected"
    assert len(fitted.to_csv().splitlines()) == 27
    assert set(fitted.scales) == set(fitted.deviations)
    assert fitted.attachments["left knee"][0] == "LeftUpLeg"


def test_millimetres_and_another_up_axis_change_nothing(truth: mk.Motion, fitted: mk.PointsFit) -> None:
    points = keypoints(truth, "halpe26", 0.01)
    z_up = 1000.0 * np.roll(points, 1, axis=-1)  # (x, y, z) becomes (z, x, y)
    other = mk.fit_points(mk.human(), z_up, "halpe26", times=truth.times, unit=0.001)
    assert any("along z" in note for note in other.notes)
    assert_close(other.motion.poses, fitted.motion.poses, tol=1e-6)
    camera = mk.fit_points(mk.human(), points * (1.0, -1.0, -1.0), "halpe26", times=truth.times)
    assert any("along -y" in note for note in camera.notes)
    assert_close(camera.motion.poses, fitted.motion.poses, tol=1e-6)
    stated = mk.fit_points(mk.human(), points * (1.0, -1.0, -1.0), "halpe26", times=truth.times, up="-y")
    assert_close(stated.motion.poses, camera.motion.poses, tol=1e-12)


def test_markers_with_names_need_no_layout(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17")
    names = ["".join(word.capitalize() for word in name.split()) for name in LAYOUTS["coco17"]]
    markers = mk.Markers([*names, "C7"], np.concatenate([points, points[:, :1]], axis=1), truth.times, unit=1.0, up="y")
    fit = mk.fit_points(mk.human(), markers)
    assert apart(fit.motion, truth) < 0.02
    assert fit.layout == "names"
    assert any("C7" in note for note in fit.notes)


def test_confidence_is_a_weight(truth: mk.Motion) -> None:
    points, rng = keypoints(truth, "coco17"), np.random.default_rng(0)
    bad = rng.random(points.shape[:2]) < 0.2
    points[bad] += rng.normal(0.0, 0.06, (int(bad.sum()), 3))
    sure = np.where(bad, 0.05, 1.0)
    plain, weighted, fourth = (
        apart(mk.fit_points(mk.human(), given, "coco17", c, rate=30.0, robust=False).motion, truth)
        for given, c in ((points, None), (points, sure), (np.concatenate([points, sure[..., None]], axis=-1), None))
    )
    assert weighted < 0.8 * plain
    assert weighted == fourth


def test_only_ratios_of_the_confidence_count(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17", 0.01)
    sure = np.random.default_rng(1).uniform(0.4, 1.0, points.shape[:2])
    one, half = (mk.fit_points(mk.human(), points, "coco17", c * sure, rate=30.0) for c in (1.0, 0.5))
    assert (one.motion.poses == half.motion.poses).all()


def test_frames_without_points_are_bridged_and_named(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17", 0.005)
    points[20:26] = np.nan
    fit = mk.fit_points(mk.human(), points, "coco17", rate=30.0)
    assert apart(fit.motion, truth) < 0.02
    assert "6 frames have no points, the first is 20; their poses are guesses" in fit.notes


def test_one_frame_without_points_is_named(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17", 0.005)
    points[7] = np.nan
    fit = mk.fit_points(mk.human(), points, "coco17", rate=30.0)
    assert "frame 7 has no points; its pose is a guess" in fit.notes


def test_points_that_are_never_seen_are_named(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17", 0.005)
    confidence = np.ones(points.shape[:2])
    points[:, 7], confidence[:, 9] = np.nan, 0.0
    fit = mk.fit_points(mk.human(), points, "coco17", confidence, rate=30.0)
    assert "never seen: left elbow, left wrist; joints that only these points show are guesses" in fit.notes
    for joint in ("LeftArm", "LeftForeArm"):  # they stay at rest
        number = fit.figure.index_of(joint)
        assert (fit.motion.poses[:, number] == fit.figure.rest[number]).all()


def test_half_a_body_is_fitted(truth: mk.Motion) -> None:
    points = keypoints(truth, "body25", 0.005)
    legs = [k for k, name in enumerate(LAYOUTS["body25"]) if name.split()[-1] in ("knee", "ankle", "toe", "heel")]
    points[:, legs] = np.nan
    fit = mk.fit_points(mk.human(), points, "body25", times=truth.times)
    names = ["Head", "LeftArm", "RightArm", "LeftForeArm", "RightForeArm", "LeftHand", "RightHand"]
    a, b = (m.figure.placements(m.poses, names)[..., :3, 3] for m in (truth, fit.motion))
    assert np.linalg.norm(a - b, axis=-1).mean() < 0.02
    assert any(note.startswith("never seen: right knee, right ankle") for note in fit.notes)


def test_points_of_the_trunk_must_be_seen(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17")
    points[:, [5, 11]] = np.nan
    with pytest.raises(BadValue, match=r"only 2 points .*\(right shoulder, right hip\)"):
        mk.fit_points(mk.human(), points, "coco17")


def test_one_shoulder_and_one_hip_show_the_up_axis(truth: mk.Motion) -> None:
    points = np.roll(keypoints(truth, "coco17", 0.005), 1, axis=-1)  # z is up
    points[::2, 5], points[1::2, 6] = np.nan, np.nan
    fit = mk.fit_points(mk.human(), points, "coco17", rate=30.0)
    assert any("along z" in note for note in fit.notes)


def test_only_gaps_are_an_error(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17")
    with pytest.raises(BadValue, match="points has only gaps"):
        mk.fit_points(mk.human(), points, "coco17", np.zeros(points.shape[:2]))


def test_a_size_of_no_known_unit_names_what_to_pass(truth: mk.Motion) -> None:
    with pytest.raises(BadValue, match="pass unit=, the length of their unit in metres"):
        mk.fit_points(mk.human(), keypoints(truth, "coco17") / 1000.0, "coco17")


def test_gaps_and_confidence_zero_are_the_same(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17")
    gone = np.zeros(points.shape[:2], dtype=bool)
    gone[10:18, 7] = gone[20:25, 13] = True
    gaps = mk.fit_points(mk.human(), np.where(gone[..., None], np.nan, points), "coco17", rate=30.0)
    zeros = mk.fit_points(mk.human(), points, "coco17", np.where(gone, 0.0, 1.0), rate=30.0)
    assert (gaps.motion.poses == zeros.motion.poses).all()
    assert np.isnan(gaps.residuals[gone]).all()
    assert np.isfinite(gaps.residuals[~gone]).all()
    assert apart(gaps.motion, truth) < 0.03
    assert gaps.to_dict()["points"][7]["missing"] == pytest.approx(8 / FRAMES)


def test_wild_samples_are_rejected(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17", 0.005)
    rng = np.random.default_rng(5)
    wild = rng.random(points.shape[:2]) < 0.02
    points[wild] += rng.choice([-0.4, 0.4], (int(wild.sum()), 3))
    fit = mk.fit_points(mk.human(), points, "coco17", rate=30.0)
    assert fit.rejected[wild].all()
    assert fit.rejected[~wild].mean() < 0.01
    assert apart(fit.motion, truth) < 0.02


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [-9999.0, 1e8, 1e300, np.inf])
def test_a_stray_sample_spoils_nothing(truth: mk.Motion, value: float) -> None:
    points = keypoints(truth, "coco17", 0.005)
    points[3, 4] = points[20:24, 9] = value
    fit = mk.fit_points(mk.human(), points, "coco17", rate=30.0)
    stray = np.zeros(points.shape[:2], dtype=bool)
    stray[3, 4] = stray[20:24, 9] = True
    assert apart(fit.motion, truth) < 0.02
    assert (fit.rejected | np.isnan(fit.residuals))[stray].all()


@pytest.mark.parametrize("value", [0.0, -9999.0])
@pytest.mark.parametrize("columns", [slice(None), slice(0, 12)])
def test_several_points_at_one_place_are_gaps(truth: mk.Motion, value: float, columns: slice) -> None:
    points = keypoints(truth, "coco17", 0.005)
    points[..., 0] += 3.0
    gone = np.zeros(points.shape[:2], dtype=bool)
    gone[10:14, columns] = True
    gaps = mk.fit_points(mk.human(), np.where(gone[..., None], np.nan, points), "coco17", rate=30.0)
    fit = mk.fit_points(mk.human(), np.where(gone[..., None], value, points), "coco17", rate=30.0)
    assert (fit.motion.poses == gaps.motion.poses).all()
    assert (fit.rejected == gone | gaps.rejected).all()


def test_points_that_are_centred_on_the_hips(truth: mk.Motion) -> None:
    points = keypoints(truth, "body25")
    centred = points - points[:, 8:9]
    assert mk.fit_points(mk.human(), centred, "body25", rate=30.0, travel=False).travel == "missing"
    rebuilt = mk.fit_points(mk.human(), centred, "body25", rate=30.0)
    assert rebuilt.travel == "rebuilt"
    assert any("centred on the hips" in note for note in rebuilt.notes)
    found = mk.contacts(rebuilt.motion)
    lowest = found.soles.over(rebuilt.figure, rebuilt.motion.poses)[:4, :, 1].min(axis=0)
    assert np.abs(lowest).max() < 0.03
    places = rebuilt.figure.placements(rebuilt.motion.poses, [s for s, _ in rebuilt.attachments.values()])
    at = (
        np.einsum("tkij,kj->tki", places[..., :3, :3], [a for _, a in rebuilt.attachments.values()])
        + places[..., :3, 3]
    )
    assert_close(np.linalg.norm(at - rebuilt.targets, axis=-1), rebuilt.residuals, tol=1e-9)


def test_a_figure_of_unknown_unit_keeps_its_size(truth: mk.Motion) -> None:
    figure = mk.human().scaled(39.0).replaced(unit=None)
    fit = mk.fit_points(figure, keypoints(truth, "coco17"), "coco17", rate=30.0)
    assert 0.85 < np.mean(list(fit.scales.values())) < 1.15
    assert fit.rms < 0.05 * 39.0


def test_points_that_the_figure_lacks_are_ignored(truth: mk.Motion) -> None:
    figure = mk.human()
    parts = {part: names for part, names in mk.bone_map(figure).items() if part != "head"}
    headless = mk.BoneMap(figure, parts, "given")
    fit = mk.fit_points(figure, keypoints(truth, "coco17"), "coco17", rate=30.0, bones=headless)
    assert len(fit.names) == 12
    assert any("no part for nose" in note for note in fit.notes)
    assert apart(fit.motion, truth) < 0.02


def test_one_frame_is_enough(truth: mk.Motion) -> None:
    fit = mk.fit_points(mk.human(), keypoints(truth, "body25")[:1], "body25")
    assert len(fit.motion) == 1
    assert fit.rms < 0.02


def test_a_call_can_be_stopped(truth: mk.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    from manikin.motion.points import together

    monkeypatch.setattr(together, "WINDOW", 15)
    fit = mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", progress=lambda done, _: done == 0)
    assert not fit.complete
    assert len(fit.motion) == 15
    assert fit.residuals.shape == (15, 17)


@pytest.mark.parametrize(
    ("points", "options", "kind", "message"),
    [
        (np.zeros((5, 17, 2)), {"layout": "coco17"}, BadShape, "triangulate"),
        (np.random.default_rng(0).random((5, 17, 3)) * (640, 480, 1), {"layout": "coco17"}, BadValue, "triangulate"),
        (np.zeros((5, 51)), {"layout": "coco17"}, BadShape, r"\(5, 51\); it needs \(frames, points, 3\)"),
        (np.zeros((5, 17, 3)), {}, BadValue, "layout is missing.*coco17, h36m17"),
        (np.zeros((5, 18, 3)), {"layout": "coco17"}, BadShape, "no layout has so many"),
        (np.zeros((5, 17, 3)), {"layout": "coco17", "confidence": np.ones((5, 16))}, BadShape, r"needs \(5, 17\)"),
        (np.zeros((5, 17, 3)), {"layout": "coco17", "confidence": np.full((5, 17), 3.0)}, BadValue, "from 0"),
        (np.full((5, 17, 3), np.nan), {"layout": "coco17"}, BadValue, "are ever seen together"),
        (
            np.zeros((2, 17, 3)),
            {"layout": "coco17", "times": [0, 1], "rate": 7},
            BadValue,
            "times= and rate=7 are both",
        ),
    ],
)
def test_wrong_input_is_named(points: np.ndarray, options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        mk.fit_points(mk.human(), points, **options)


def test_a_wrong_unit_is_an_error_that_says_which_one(truth: mk.Motion) -> None:
    with pytest.raises(BadValue, match=r"pass unit=0\.001"):
        mk.fit_points(mk.human(), 1000.0 * keypoints(truth, "coco17"), "coco17")


def test_a_call_that_is_stopped_while_it_calibrates_is_not_complete(truth: mk.Motion) -> None:
    fit = mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", progress=lambda *_: False)
    assert not fit.complete
    assert any("stopped while lengths were calibrated" in note for note in fit.notes)


def test_travel_that_is_rebuilt_on_demand_is_not_called_hip_centred(truth: mk.Motion) -> None:
    fit = mk.fit_points(mk.human(), keypoints(truth, "halpe26"), "halpe26", travel=True)
    assert fit.travel == "rebuilt"
    assert "the travel was rebuilt from the feet, without jumps" in fit.notes
    with pytest.raises(BadValue, match="travel is 'no'; it must be None, True or False"):
        mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", travel="no")  # type: ignore[arg-type]


def test_a_wrong_layout_of_the_same_length_gives_a_note(truth: mk.Motion) -> None:
    right = mk.fit_points(mk.human(), keypoints(truth, "coco17", 0.02), "coco17")
    wrong = mk.fit_points(mk.human(), keypoints(truth, "coco17", 0.02), "h36m17")
    assert not any("poorly" in note for note in right.notes)
    assert any("fit the figure poorly" in note and "check layout" in note for note in wrong.notes)


def test_up_must_be_an_axis(truth: mk.Motion) -> None:
    with pytest.raises(BadValue, match="up is 2; it must be one of"):
        mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", up=2)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="up is 'w'"):
        mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", up="w")


def test_a_figure_that_does_not_stand_asks_for_a_pose_in_the_map() -> None:
    points = keypoints(moving(mk.human(), 5), "coco17")
    with pytest.raises(BadValue, match="does not stand"):
        mk.fit_points(clip("rokoko").figure, points, "coco17")


def test_progress_must_be_a_function(truth: mk.Motion) -> None:
    with pytest.raises(BadValue, match="progress is 3; it needs a function"):
        mk.fit_points(mk.human(), keypoints(truth, "coco17"), "coco17", progress=3)  # type: ignore[arg-type]


def test_an_animal_is_refused(truth: mk.Motion) -> None:
    with pytest.raises(BadValue, match="four legs"):
        mk.fit_points(mk.quadruped(), keypoints(truth, "coco17"), "coco17")


def test_too_few_points_on_the_trunk(truth: mk.Motion) -> None:
    points = keypoints(truth, "coco17")
    markers = mk.Markers(["LKnee", "RKnee", "LHip", "LAnkle"], points[:, :4], truth.times, unit=1.0)
    with pytest.raises(BadValue, match="only 1 point is on the trunk"):
        mk.fit_points(mk.human(), markers)
