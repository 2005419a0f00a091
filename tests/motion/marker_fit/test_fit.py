"""`fit_markers` on a person that is known, and what it says about bad input."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from synthetic_markers import SCALES, Recording, recorded

import manikin as mk
from manikin.errors import BadValue, UnknownName
from manikin.motion.marker_fit.result import MarkerFit


@pytest.fixture(scope="module")
def record() -> Recording:
    return recorded(80, noise=0.001)


@pytest.fixture(scope="module")
def fit(record: Recording) -> MarkerFit:
    return mk.fit_markers(mk.human(), record.markers)


def joint_errors(fit: MarkerFit, record: Recording, segments: list[str]) -> np.ndarray:
    found = fit.figure.placements(fit.motion.poses, segments)[..., :3, 3]
    true = record.figure.placements(record.poses, segments)[..., :3, 3]
    return np.asarray(np.linalg.norm(found - true, axis=-1).mean(axis=0))


def test_lengths_and_joints_of_a_known_person(fit: MarkerFit, record: Recording) -> None:
    assert fit.rms < 0.004
    for name in ("thigh", "shank", "upper arm"):
        assert abs(fit.scales[name] - SCALES[name]) < 0.03, name
    legs = [f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot")]
    assert joint_errors(fit, record, legs).max() < 0.012
    assert fit.complete
    assert not fit.swaps
    assert not fit.rejected.any()
    assert fit.motion.figure.violation(fit.motion.poses).max() == 0.0


def test_the_twist_of_the_ankles_is_steady(fit: MarkerFit) -> None:
    assert set(fit.attachments.twists) == {"LeftFoot", "RightFoot"}


def test_the_sheet_names_markers_scales_and_what_is_not_seen(fit: MarkerFit) -> None:
    sheet = str(fit)
    assert "bony markers" in sheet
    assert "tracking markers" in sheet
    assert "not seen in these data" in sheet
    assert "hand" in fit.unseen
    assert "thigh" not in fit.unseen
    data = fit.to_dict()
    assert len(data["markers"]) == len(fit.names)
    assert data["rms_by_kind_mm"]["joint"] is None
    assert fit.to_csv().count("\n") == len(fit.names) + 1


def test_a_finished_calibration_gives_the_same_bits(fit: MarkerFit, record: Recording, tmp_path: Path) -> None:
    path = tmp_path / "person.json"
    fit.attachments.save(path)
    for attach in (fit.attachments, path):
        again = mk.fit_markers(mk.human(), record.markers, attach)
        assert np.array_equal(again.motion.poses, fit.motion.poses)
        assert not again.deviations
    part = mk.fit_markers(mk.human(), record.markers[:30], path, calibrate=False)
    assert len(part.motion) == 30
    assert part.rms < 0.004


def test_the_same_call_twice_gives_the_same_bits(fit: MarkerFit, record: Recording) -> None:
    again = mk.fit_markers(mk.human(), record.markers)
    assert np.array_equal(again.motion.poses, fit.motion.poses)
    assert again.attachments.to_json() == fit.attachments.to_json()


def test_a_static_trial_calibrates_another_trial(record: Recording) -> None:
    static = record.markers[:20]
    moving = record.markers[20:]
    fit = mk.fit_markers(mk.human(), moving, calibrate=static)
    assert len(fit.motion) == 60
    assert fit.rms < 0.006
    some = mk.fit_markers(mk.human(), record.markers, calibrate=range(0, 80, 8))
    sliced = mk.fit_markers(mk.human(), record.markers, calibrate=slice(0, 80, 8))
    assert np.array_equal(some.motion.poses, sliced.motion.poses)


def test_units_and_axes_do_not_change_the_joint_angles(fit: MarkerFit, record: Recording) -> None:
    other = record.markers.with_up("z")
    other = other.replaced(positions=1000.0 * other.positions, unit=0.001)
    again = mk.fit_markers(mk.human(), other)
    assert np.abs(again.motion.poses - fit.motion.poses).max() < 1e-6
    unknown = mk.fit_markers(mk.human(), other.replaced(up=None))
    assert np.abs(unknown.motion.poses - fit.motion.poses).max() < 1e-6
    assert any("no up axis" in note for note in unknown.notes)


def test_one_of_several_people(record: Recording) -> None:
    one = record.markers
    both = one.replaced(
        names=[*(f"Anna:{n}" for n in one.names), *(f"Bob:{n}" for n in one.names)],
        positions=np.concatenate([one.positions, np.add(one.positions, [1.0, 0.0, 0.0])], axis=1),
    )
    with pytest.raises(BadValue, match="2 subjects: Anna, Bob"):
        mk.fit_markers(mk.human(), both)
    with pytest.raises(UnknownName, match="Carl"):
        mk.fit_markers(mk.human(), both, subject="Carl")
    anna, bob = (mk.fit_markers(mk.human(), both, subject=s) for s in ("Anna", "Bob"))
    shift = bob.motion.poses[:, :3] - anna.motion.poses[:, :3]
    assert np.abs(shift - [1.0, 0.0, 0.0]).max() < 1e-6


def test_swapped_names_and_a_ghost_change_little(fit: MarkerFit, record: Recording) -> None:
    bad = np.array(record.markers.positions)
    i, j = (record.markers.names.index(n) for n in ("LKNE", "RKNE"))
    bad[30:45, [i, j]] = bad[30:45, [j, i]]
    ghost = record.markers.names.index("RANK")
    bad[50:60, ghost] += [0.3, 0.2, 0.4]
    with pytest.warns(UserWarning, match="LKNE and RKNE in frames 30 to 44"):
        found = mk.fit_markers(mk.human(), record.markers.replaced(positions=bad))
    assert [(s.first, s.last) for s in found.swaps] == [(30, 44)]
    assert found.rejected[50:60, found.names.index("RANK")].all()
    assert found.rejected.sum() == 10
    segments = ["LeftLeg", "RightLeg", "RightFoot", "Hips"]
    a, b = (f.figure.placements(f.motion.poses, segments)[..., :3, 3] for f in (fit, found))
    assert np.linalg.norm(a - b, axis=-1).max() < 0.01


def test_a_gap_is_carried_and_counts_nowhere(fit: MarkerFit, record: Recording) -> None:
    gappy = np.array(record.markers.positions)
    arm = [record.markers.names.index(n) for n in ("LFRM", "LWRA", "LWRB", "LFIN")]
    gappy[35:45, arm] = np.nan
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=gappy))
    assert np.isnan(found.residuals[35:45][:, [found.names.index("LFRM")]]).all()
    turn = np.abs(found.figure.difference(found.motion.poses[:-1], found.motion.poses[1:]))[:, 6:].max()
    clean = np.abs(fit.figure.difference(fit.motion.poses[:-1], fit.motion.poses[1:]))[:, 6:].max()
    assert turn < clean + 0.05
    row = next(r for r in found.table() if r["marker"] == "LFRM")
    assert row["missing"] == pytest.approx(10 / 80)


def test_a_frame_without_any_marker(record: Recording) -> None:
    gappy = np.array(record.markers.positions)
    gappy[:5] = np.nan
    gappy[40:43] = np.nan
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=gappy))
    assert np.isfinite(found.motion.poses).all()
    assert found.rms < 0.004


def test_an_unknown_name_goes_to_the_segment_with_which_it_moves(record: Recording) -> None:
    names = ["Sensor9" if n == "LTHI" else "Box1" if n == "RFIN" else n for n in record.markers.names]
    strange = np.array(record.markers.positions)
    strange[:, names.index("Box1")] = [2.0, 0.0, 0.0]
    with pytest.warns(UserWarning, match="is not known") as heard:
        found = mk.fit_markers(mk.human(), record.markers.replaced(names=names, positions=strange))
    assert any("Sensor9 is not known; it was attached to LeftUpLeg" in str(w.message) for w in heard)
    assert found.attachments["Sensor9"].segment == "LeftUpLeg"
    assert "Box1" not in found.names
    assert any("Box1" in note and "left out" in note for note in found.notes)


def test_weights_scales_and_hold(record: Recording) -> None:
    one = mk.fit_markers(mk.human(), record.markers, scales="one", hold={})
    assert len({round(s, 3) for s in one.scales.values()}) == 1
    assert not one.attachments.twists
    none = mk.fit_markers(mk.human(), record.markers, scales=None)
    assert max(abs(s - 1.0) for s in none.scales.values()) < 1e-3
    each = mk.fit_markers(mk.human(), record.markers, scales="each")
    assert "left thigh" in each.scales
    fixed = mk.fit_markers(mk.human(), record.markers, scales={"thigh": 0.0}, weights={"LASI": 10.0})
    assert fixed.attachments["LASI"].weight == 10.0
    held = mk.fit_markers(mk.human(), record.markers, hold={"LeftFoot": "twist"})
    assert set(held.attachments.twists) == {"LeftFoot"}


def test_progress_may_end_the_work(record: Recording) -> None:
    seen: list[tuple[int, int]] = []

    def progress(done: int, count: int) -> bool:
        seen.append((done, count))
        return done < 1

    long = recorded(60).markers
    many = long.replaced(
        positions=np.concatenate([long.positions] * 30), times=np.arange(1800) / 100.0, residuals=None, cameras=None
    )
    found = mk.fit_markers(mk.human(), many, progress=progress)
    assert not found.complete
    assert 0 < len(found.motion) < 1800
    assert len(found.residuals) == len(found.motion)
    assert all(count == 1800 for _, count in seen)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"unit": None}, "no unit"),
        ({"names": [f"Q{i}" for i in range(44)]}, "none of the marker names is known"),
    ],
)
def test_bad_markers(record: Recording, change: dict[str, object], says: str) -> None:
    with pytest.raises(BadValue, match=says):
        mk.fit_markers(mk.human(), record.markers.replaced(**change))


def test_other_bad_input(record: Recording, fit: MarkerFit) -> None:
    person, markers = mk.human(), record.markers
    with pytest.raises(BadValue, match="fewer than three markers"):
        mk.fit_markers(person, markers.subset(["LASI", "RASI", "LANK", "LHEE", "LTOE"]))
    few = np.full(markers.positions.shape, np.nan)
    few[:, :20] = markers.positions[:, :20]
    with pytest.raises(BadValue, match="60 %"):
        mk.fit_markers(person, markers.replaced(positions=few))
    with pytest.raises(BadValue, match="calibrate is False"):
        mk.fit_markers(person, markers, calibrate=False)
    with pytest.raises(BadValue, match="frame 80"):
        mk.fit_markers(person, markers, calibrate=[0, 80])
    with pytest.raises(UnknownName, match="Hip"):
        mk.fit_markers(person, markers, fit.attachments.replaced(LASI={"segment": "Hip"}))
    with pytest.raises(UnknownName, match="LASJ"):
        mk.fit_markers(person, markers, weights={"LASJ": 2.0})
    with pytest.raises(BadValue, match="twist"):
        mk.fit_markers(person, markers, hold={"LeftLeg": "twist"})
    with pytest.raises(BadValue, match="scales is 'both'"):
        mk.fit_markers(person, markers, scales="both")
    with pytest.raises(BadValue, match="four legs"):
        mk.fit_markers(mk.quadruped(), markers)
    with pytest.raises(BadValue, match="Markers"):
        mk.fit_markers(person, "walk.c3d")  # type: ignore[arg-type]


@pytest.mark.needs("data", "markers/*.c3d")
@pytest.mark.parametrize(
    "name",
    ["cmu_02_01.c3d", "walking2.c3d", "gait2392/subject01_walk1.trc", "EB015PI.c3d", "innovative_sports_training.c3d"],
)
def test_real_recordings(data: Path, name: str) -> None:
    markers = mk.load_markers(data / "markers" / name)
    markers = markers.subset([n for n in markers.names if not n.endswith("JC")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mk.fit_markers(mk.human(), markers)
    assert found.rms < 0.008
    assert found.motion.figure.violation(found.motion.poses).max() == 0.0
    assert not found.swaps


def test_a_stopped_calibration_says_so(record: Recording) -> None:
    found = mk.fit_markers(mk.human(), record.markers, progress=lambda *_: False)
    assert not found.complete
    assert "the call was stopped while lengths and places were calibrated; they are rough" in found.notes
    assert "stopped" in repr(found)


def test_a_trial_with_gaps_only_is_an_error(record: Recording, fit: MarkerFit) -> None:
    gaps = np.full_like(record.markers.positions, np.nan)
    for known, most in ((0, 0), (2, 2)):
        gaps[:, :known] = record.markers.positions[:, :known]
        empty = record.markers.replaced(positions=gaps)
        with pytest.raises(BadValue, match=f"no frame .* three markers.* {most}"):
            mk.fit_markers(mk.human(), empty, fit.attachments)


def test_frames_without_markers_are_named(record: Recording, fit: MarkerFit) -> None:
    gaps = np.array(record.markers.positions)
    gaps[7] = np.nan
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=gaps), fit.attachments)
    assert "frame 7 has no markers; its pose is a guess" in found.notes
    gaps[20:23] = np.nan
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=gaps), fit.attachments)
    assert "4 frames have no markers, the first is 7; their poses are guesses" in found.notes
