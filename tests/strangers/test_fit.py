"""Markers and keypoints of a walk that is known, from files written by hand, fitted by a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import c3d_bytes
import numpy as np
import pytest
import walker
import walker_files
from batch_runs import records
from click.testing import CliRunner

import manikin as mk
from manikin.cli.main import main
from manikin.errors import BadValue, OddMarkers
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.marker_fit.result import MarkerFit
from manikin.motion.points.points_fit import PointsFit

WALK = walker.walk(80)
AT = walker.markers(WALK)
SIDES = ("Left", "Right")
KNEES = {
    side: np.degrees(np.arctan2(r[:, 2, 1], r[:, 2, 2]))
    for side in SIDES
    for r in [WALK.turns[:, walker.NAMES.index(f"{side}Leg")]]
}
"""How far the knees are bent in each frame, in degrees."""


def bend(motion: mk.Motion, upper: str, middle: str, lower: str) -> Any:
    """Degrees between the two parts of a limb, from where its joints are."""
    at = motion.placements([upper, middle, lower])[..., :3, 3]
    one, two = (np.diff(at[:, k : k + 2], axis=1)[:, 0] for k in (0, 1))
    cosine = (one * two).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def far(motion: mk.Motion, name: str) -> float:
    """The mean distance of a joint from where it is, in metres."""
    return float(np.linalg.norm(motion.placements([name])[:, 0, :3, 3] - WALK.at(name), axis=1).mean())


# Files of markers


@pytest.fixture(scope="module")
def trc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trial") / "walk.trc"
    path.write_text(walker_files.trc_text(WALK))
    return path


def test_a_trc_file_has_its_markers(trc: Path) -> None:
    found = mk.load_markers(trc)
    assert list(found.names) == list(walker.PLACES)
    assert found.unit == 0.001
    assert np.abs(found.positions - 1000.0 * AT).max() < 1e-5
    assert found.times == pytest.approx(WALK.times, abs=1e-6)
    assert found.rate == pytest.approx(60.0)


@pytest.mark.parametrize("processor", list(c3d_bytes.PROCESSORS))
@pytest.mark.parametrize("scale", [-0.1, 0.1])
def test_a_c3d_file_has_its_markers(tmp_path: Path, processor: str, scale: float) -> None:
    gaps = 1000.0 * AT
    gaps[10:15, 3] = np.nan
    number = c3d_bytes.PROCESSORS[processor]
    made = c3d_bytes.C3D(
        gaps, list(walker.PLACES), number, scale=scale, rate=60.0, parameters={"POINT": {"UNITS": "mm"}}
    )
    (tmp_path / "walk.c3d").write_bytes(made.bytes())
    found = mk.load_markers(tmp_path / "walk.c3d")
    assert list(found.names) == list(walker.PLACES)
    assert found.unit == 0.001
    assert np.array_equal(np.isnan(found.positions), np.isnan(gaps))
    assert np.nanmax(np.abs(found.positions - gaps)) < (0.051 if scale > 0 else 1e-3)
    assert found.times == pytest.approx(WALK.times, abs=1e-6)


def test_written_markers_are_read_by_others(tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    gaps = 1000.0 * AT
    gaps[10:15, 3] = np.nan
    markers = mk.Markers(list(walker.PLACES), gaps, rate=60.0, unit=0.001)
    mk.save(markers, tmp_path / "own.c3d")
    file = ezc3d.c3d(str(tmp_path / "own.c3d"))
    assert file["parameters"]["POINT"]["LABELS"]["value"] == list(walker.PLACES)
    assert file["parameters"]["POINT"]["RATE"]["value"][0] == 60.0
    points = np.moveaxis(file["data"]["points"][:3], -1, 0).transpose(0, 2, 1)
    assert np.array_equal(np.isnan(points), np.isnan(gaps))
    assert np.nanmax(np.abs(points - gaps)) < 1e-3
    mk.save(markers, tmp_path / "own.trc")
    lines = (tmp_path / "own.trc").read_text().splitlines()
    assert lines[3].split("\t")[2::3][: len(AT[0])] == list(walker.PLACES)
    rows = [line.split("\t") for line in lines[5:] if line.strip()]
    assert len(rows) == len(WALK)
    cells = np.array([[float(cell or "nan") for cell in row[2 : 2 + 3 * len(AT[0])]] for row in rows])
    assert np.nanmax(np.abs(cells.reshape(gaps.shape) - gaps)) < 1e-2
    assert np.array_equal(np.isnan(cells.reshape(gaps.shape)), np.isnan(gaps))


# The fit of markers


@pytest.fixture(scope="module")
def fit(trc: Path) -> MarkerFit:
    return mk.fit_markers(mk.human(), mk.load_markers(trc))


def test_a_person_follows_the_markers(fit: MarkerFit) -> None:
    assert fit.complete
    assert fit.rms < 0.004
    assert sorted(fit.names) == sorted(walker.PLACES)
    assert not fit.swaps
    assert not fit.rejected.any()
    assert fit.residuals.shape == (len(WALK), len(walker.PLACES))
    for side in SIDES:
        found = bend(fit.motion, f"{side}UpLeg", f"{side}Leg", f"{side}Foot")
        assert np.abs(found - KNEES[side]).max() < 3.0
        for joint, most in (("Leg", 0.006), ("Foot", 0.006), ("ForeArm", 0.02), ("Hand", 0.015), ("UpLeg", 0.03)):
            assert far(fit.motion, f"{side}{joint}") < most, joint
    assert fit.motion.figure.violation(fit.motion.poses).max() == 0.0
    assert fit.motion.times == pytest.approx(WALK.times, abs=1e-6)


def test_the_residuals_are_the_distances_of_the_markers(fit: MarkerFit) -> None:
    places = fit.attachments
    for k, name in enumerate(fit.names):
        placed = fit.motion.placements([places[name].segment])[:, 0]
        own = placed[:, :3, :3] @ np.array(places[name].offset) + placed[:, :3, 3]
        away = np.linalg.norm(own - AT[:, list(walker.PLACES).index(name)], axis=1)
        assert fit.residuals[:, k] == pytest.approx(away, abs=1e-5)
    assert fit.rms == pytest.approx(np.sqrt(np.mean(fit.residuals**2)), rel=1e-6)


def test_places_are_kept_for_the_next_trial(fit: MarkerFit, trc: Path, tmp_path: Path) -> None:
    fit.attachments.save(tmp_path / "person.json")
    again = mk.fit_markers(
        mk.human(), mk.load_markers(trc), Attachments.load(tmp_path / "person.json"), calibrate=False
    )
    assert again.scales == pytest.approx(dict(fit.scales))
    assert (
        np.abs(
            fit.motion.placements(["LeftHand", "RightFoot"]) - again.motion.placements(["LeftHand", "RightFoot"])
        ).max()
        < 2e-3
    )


def test_gaps_and_exchanged_names_do_not_matter_much(fit: MarkerFit, trc: Path) -> None:
    markers = mk.load_markers(trc)
    names, at = list(markers.names), np.array(markers.positions)
    at[20:40, names.index("LKNE")] = np.nan
    left, right = names.index("LHEE"), names.index("RHEE")
    at[50:60, [left, right]] = at[50:60, [right, left]]
    with pytest.warns(OddMarkers, match="LHEE and RHEE in frames 50 to 59"):
        found = mk.fit_markers(mk.human(), markers.replaced(positions=at), fit.attachments, calibrate=False)
    assert np.isnan(found.residuals[20:40, list(found.names).index("LKNE")]).all()
    assert far(found.motion, "LeftLeg") < 0.03
    assert len(found.swaps) == 1
    assert found.rms < 0.005


def test_the_command_and_the_batch_fit_the_same(fit: MarkerFit, trc: Path, tmp_path: Path) -> None:
    fit.attachments.save(tmp_path / "person.json")
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / "walk.trc").write_bytes(trc.read_bytes())
    (tmp_path / "trials" / "bad.trc").write_text("PathFileType\t4\n")
    said = CliRunner().invoke(
        main,
        [
            "fit",
            str(trc),
            "--out",
            str(tmp_path / "one.npz"),
            "--attach",
            str(tmp_path / "person.json"),
            "--no-calibrate",
        ],
    )
    assert said.exit_code == 0, said.output
    out = tmp_path / "out"
    result = mk.batch(
        "fit",
        tmp_path / "trials",
        out,
        workers=1,
        to=".npz",
        attach=str(tmp_path / "person.json"),
        no_calibrate=True,
    )
    assert [r["clip"] for r in result.failed] == ["bad.trc"]
    assert [r["clip"] for r in records(out)] == ["bad.trc", "walk.trc"]
    with np.load(tmp_path / "one.npz") as one, np.load(out / "walk.npz") as many:
        assert one.files == many.files
        for name in one.files:
            assert np.array_equal(one[name], many[name]), name


# Keypoints

POINTS = walker.keypoints(WALK)


def _npz(path: Path) -> dict[str, Any]:
    np.savez(path, points=POINTS, times=WALK.times, names=np.array(walker.COCO))
    return {}


def _npy(path: Path) -> dict[str, Any]:
    np.save(path, POINTS)
    return {"rate": 60.0}


def _csv(path: Path) -> dict[str, Any]:
    head = ",".join(f"{name}_{axis}" for name in walker.COCO for axis in "xyz")
    rows = [f"{t:.9f}," + ",".join(f"{x:.9f}" for x in row.ravel()) for t, row in zip(WALK.times, POINTS, strict=True)]
    path.write_text("\n".join([f"time,{head}", *rows]) + "\n")
    return {}


@pytest.mark.parametrize(("ending", "write"), [(".npz", _npz), (".npy", _npy), (".csv", _csv)])
def test_a_file_of_keypoints_has_its_points(tmp_path: Path, ending: str, write: Any) -> None:
    path = tmp_path / f"points{ending}"
    found = mk.load_points(path, **write(path))
    assert np.abs(found.positions - POINTS).max() < 1e-8
    assert found.times == pytest.approx(WALK.times, abs=1e-6)
    assert list(found.names) == (list(map(str, range(17))) if ending == ".npy" else list(walker.COCO))
    assert found.unit == 1.0


@pytest.fixture(scope="module")
def seen() -> PointsFit:
    return mk.fit_points(mk.human(), POINTS, "coco17", rate=60.0)


def test_a_person_follows_the_keypoints(seen: PointsFit) -> None:
    for side in SIDES:
        found = bend(seen.motion, f"{side}UpLeg", f"{side}Leg", f"{side}Foot")
        assert np.abs(found - KNEES[side]).mean() < 6.0
        for joint in ("Leg", "Foot", "ForeArm", "Hand", "UpLeg", "Arm"):
            assert far(seen.motion, f"{side}{joint}") < 0.025, joint
    assert seen.motion.figure.violation(seen.motion.poses).max() == 0.0
    assert seen.motion.times == pytest.approx(WALK.times, abs=1e-6)


def test_named_points_in_millimetres_and_another_up_axis_give_the_same(seen: PointsFit, tmp_path: Path) -> None:
    turned = 1000.0 * POINTS[..., [2, 0, 1]]  # z is up
    markers = mk.Markers(list(walker.COCO), turned, times=WALK.times, unit=0.001)
    found = mk.fit_points(mk.human(), markers)
    for name in ("LeftHand", "RightFoot", "Hips"):
        one, two = (m.placements([name])[:, 0, :3, 3] for m in (seen.motion, found.motion))
        assert np.abs(one - two).max() < 0.01


def test_an_outlier_loses_and_a_gap_is_bridged(seen: PointsFit) -> None:
    damaged = POINTS.copy()
    damaged[30, walker.COCO.index("left_wrist")] += (0.5, 0.0, 0.5)
    damaged[50:55, walker.COCO.index("right_knee")] = np.nan
    found = mk.fit_points(mk.human(), damaged, "coco17", rate=60.0)
    assert far(found.motion, "LeftHand") < 0.025
    assert far(found.motion, "RightLeg") < 0.03
    steps = np.linalg.norm(np.diff(found.motion.placements(["LeftHand"])[:, 0, :3, 3], axis=0), axis=1)
    assert steps.max() < 0.06


def test_points_of_which_few_are_seen_at_a_time_are_refused() -> None:
    """For many seconds only a third of the points is seen, then another third: 6 of 17 at most."""
    few = POINTS.copy()
    hidden = (np.arange(17)[None] + np.arange(len(WALK))[:, None] // 27) % 3 != 0
    few[hidden] = np.nan
    with pytest.raises(BadValue, match="no frame has 60 % of the 17 points; the best has 6"):
        mk.fit_points(mk.human(), few, "coco17", rate=2.0)
