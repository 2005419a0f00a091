"""The real files of markers: all load, and those that hold one recording agree."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import OddFile

WAIST = ("LFWT", "RFWT", "LBWT", "RBWT")


def load(path: Path) -> mk.Markers:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        return mk.load_markers(path)


@pytest.mark.parametrize(
    ("name", "markers", "frames", "rate", "unit", "up", "missing"),
    [
        ("cmu_02_01.c3d", 41, 343, 120.0, 0.001, "z", 0.0),
        ("EB015PI.c3d", 26, 450, 50.0, 0.001, "z", 0.019),
        ("innovative_sports_training.c3d", 24, 134, 60.0, 1.0, None, 0.007),
        ("walking2.c3d", 44, 1249, 250.0, 0.001, "z", 0.502),
        ("walking2_markers_reference.trc", 44, 126, 25.04, 0.001, None, 0.507),
        ("exampleFormat.trc", 3, 5, 100.0, 1.0, None, 2 / 15),
        ("gait2392/subject01_walk1.trc", 41, 151, 60.0, 0.001, None, 0.0),
    ],
)
def test_every_file_of_markers_loads(
    data: Path, name: str, markers: int, frames: int, rate: float, unit: float, up: str | None, missing: float
) -> None:
    found = load(data / "markers" / name)
    assert found.positions.shape == (frames, markers, 3)
    assert (found.unit, found.up) == (unit, up)
    assert found.rate == pytest.approx(rate, rel=1e-4)
    assert 1.0 - found.present.mean() == pytest.approx(missing, abs=6e-4)


def test_none_of_the_files_is_left_untried(data: Path) -> None:
    files = sorted(p.name for p in (data / "markers").rglob("*") if p.suffix in (".c3d", ".trc"))
    assert len(files) >= 7
    for path in (data / "markers").rglob("*"):
        if path.suffix in (".c3d", ".trc"):
            assert len(load(path)) > 0


@pytest.mark.parametrize("name", ["cmu_02_01", "EB015PI", "innovative_sports_training", "walking2"])
def test_another_library_reads_the_same_places(data: Path, name: str) -> None:
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is the other library")
    ours = load(data / "markers" / f"{name}.c3d")
    theirs = ezc3d.c3d(str(data / "markers" / f"{name}.c3d"))["data"]["points"][:3].transpose(2, 1, 0)
    assert np.array_equal(ours.positions, theirs, equal_nan=True)


def test_a_c3d_file_and_what_opensim_read_from_it_agree(data: Path) -> None:
    """OpenSim's text has every tenth frame and the last, to 0.1 mm."""
    c3d, trc = (load(data / "markers" / n) for n in ("walking2.c3d", "walking2_markers_reference.trc"))
    frames = [*range(0, 1249, 10), 1248]
    assert trc.names == c3d.names
    assert np.allclose(trc.times, c3d.times[frames], atol=1e-12)
    assert (trc.present == c3d.present[frames]).all()
    assert np.nanmax(np.abs(trc.positions - c3d.positions[frames])) < 0.0501
    assert (trc.unit, c3d.unit) == (0.001, 0.001)


def test_markers_and_the_clip_made_from_them_agree(data: Path) -> None:
    """CMU 02_01: BVH (x, y, z) is C3D (y, z, x) / 56.444 mm, and frame 0 of the BVH is an added T-pose."""
    markers = load(data / "markers" / "cmu_02_01.c3d").with_up("y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(data / "bvh" / "cmu_02_01_walk.bvh")
    root = motion.placements(["Hips"])[1:, 0, :3, 3] * 56.444  # mm
    waist = np.mean([markers[name] for name in WAIST], axis=0)
    apart = (waist - waist.mean(axis=0)) - (root - root.mean(axis=0))
    assert len(markers) == len(root) == 343
    assert np.sqrt((apart**2).mean()) < 4.5
    # Feet too, which go to and fro by two thirds of a metre: a marker beside a joint keeps its distance from it.
    for marker, segment in (("LANK", "LeftFoot"), ("RANK", "RightFoot")):
        joint = motion.placements([segment])[1:, 0, :3, 3] * 56.444
        assert np.ptp(joint - root, axis=0).max() > 600.0
        assert np.linalg.norm((markers[marker] - waist) - (joint - root), axis=1).std() < 5.0


@pytest.mark.parametrize("name", ["EB015PI.c3d", "walking2.c3d", "gait2392/subject01_walk1.trc"])
@pytest.mark.parametrize("ending", [".c3d", ".trc"])
def test_real_files_go_out_and_come_back(data: Path, tmp_path: Path, name: str, ending: str) -> None:
    markers = load(data / "markers" / name)
    mk.save(markers, tmp_path / f"again{ending}")
    again = mk.load_markers(tmp_path / f"again{ending}")
    wanted = markers.positions.astype(np.float32) if ending == ".c3d" else markers.positions
    assert again.names == markers.names
    assert np.array_equal(again.positions, wanted, equal_nan=True)
    assert np.allclose(again.times, markers.times, atol=1e-6)
    assert again.unit == markers.unit
    assert again.notes == ()
