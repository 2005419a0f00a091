"""`mk.load_points`: NumPy arrays, archives, tables and TRC files of keypoints."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadFile, BadValue, Unsupported

POINTS = np.random.default_rng(0).normal(size=(4, 3, 3))


def test_an_array(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", POINTS.astype(np.float32))
    found = mk.load_points(tmp_path / "a.npy", rate=25.0)
    assert found.names == ("0", "1", "2")
    assert found.positions == pytest.approx(POINTS, abs=1e-6)
    assert (found.rate, found.unit) == (25.0, 1.0)
    assert mk.load_points(tmp_path / "a.npy", unit=0.001).unit == 0.001
    assert "30 frames per second" in mk.load_points(tmp_path / "a.npy").notes[0]


def test_a_fourth_column_is_a_confidence(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.concatenate([POINTS, np.full((4, 3, 1), 0.5)], axis=-1))
    found = mk.load_points(tmp_path / "a.npy")
    assert found.positions.shape == (4, 3, 3)
    assert (found.source["confidence"] == 0.5).all()


def test_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", keypoints=POINTS, scores=np.ones((4, 3)), fps=50.0, names=["LHip", "RHip", "Neck"])
    found = mk.load_points(tmp_path / "a.npz")
    assert found.names == ("LHip", "RHip", "Neck")
    assert found.rate == 50.0
    assert found.source["confidence"].shape == (4, 3)
    np.savez(tmp_path / "b.npz", points=POINTS, times=[0.0, 0.1, 0.3, 0.4], unit=0.001)
    assert mk.load_points(tmp_path / "b.npz").times.tolist() == [0.0, 0.1, 0.3, 0.4]
    assert mk.load_points(tmp_path / "b.npz").unit == 0.001


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_another_process_reads_the_same(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    if ending == ".npy":
        np.save(path, POINTS)
    elif ending == ".npz":
        np.savez(path, points=POINTS, confidence=np.ones((4, 3)))
    else:
        path.write_text("nose_x,nose_y,nose_z\n1,2,3\n")
    here, there = (mk.load_points(path, rate=50.0, unit=0.01, safe=safe) for safe in (False, True))
    assert (here.names, here.rate, here.unit) == (there.names, there.rate, there.unit)
    assert np.array_equal(here.positions, there.positions)
    assert here.source.keys() == there.source.keys()


def test_python_objects_are_never_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    np.save(tmp_path / "a.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "a.npz", points=np.array([Trap()], dtype=object))
    (tmp_path / "b.npy").write_bytes(pickle.dumps(Trap()))
    for name in ("a.npy", "a.npz", "b.npy"):
        with pytest.raises(BadFile, match=r"never unpickled|not a NumPy array"):
            mk.load_points(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


def test_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "time,LHip_x,LHip_y,LHip_z,LHip_c,nose.x,nose.y,nose.z\n0,1,2,3,0.5,4,5,6\n0.1,1,2,3,0,,nan,\n"
    )
    found = mk.load_points(tmp_path / "a.csv")
    assert found.names == ("LHip", "nose")
    assert found.times.tolist() == [0.0, 0.1]
    assert found.positions[0].tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert found.source["confidence"].tolist() == [[0.5, 1.0], [0.0, 0.0]]
    assert found.present[1].tolist() == [True, False]


def test_trc_as_pose2sim_writes_it(tmp_path: Path) -> None:
    """Names without subject, gaps as empty cells at the end of the line, no empty line before the numbers."""
    head = "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\t"
    head += "OrigDataStartFrame\tOrigNumFrames\n60\t60\t2\t2\tm\t60\t0\t2\nFrame#\tTime\tRHip\t\t\tLBigToe\t\t\n"
    head += "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    rows = (
        "1\t0.016666666666666666\t-0.08\t0.87\t0.07\t0.1\t0.03\t0.04\n2\t0.03333333333333333\t-0.08\t0.87\t0.07\t\t\t\n"
    )
    (tmp_path / "a.trc").write_text(head + rows)
    found = mk.load_points(tmp_path / "a.trc")
    assert (found.names, found.unit, found.rate) == (("RHip", "LBigToe"), 1.0, 60.0)
    assert found.present.tolist() == [[True, True], [True, False]]
    with pytest.raises(BadValue, match="no option rate= for TRC"):
        mk.load_points(tmp_path / "a.trc", rate=30.0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"nose_x,nose_y\n1,2\n", "triangulate"),
        ("a.csv", b"nose_x,nose_y,nose_z\n1,2\n", "line 2: the line has 2 cells"),
        ("a.csv", b"nose_x,nose_y,nose_z\n1,2,three\n", "line 2: nose_z is 'three'"),
        ("a.csv", b"nose_x,nose_y,nose_z,ear_x,ear_y\n1,2,3,4,5\n", "'ear' has no column for z"),
        ("a.csv", b"nose_x,nose_x,nose_z\n1,2,3\n", "occurs twice"),
        ("a.csv", b"nose_x,nose_y,nose_w\n1,2,3\n", "'nose_w' is not a point and an axis"),
        ("a.csv", b"nose_x,nose_y,nose_z\n", "no frames"),
        ("a.csv", b"nose_x\0", "zero byte"),
        ("a.csv", b"\0", "empty"),
        ("a.npz", b"hello", "the extension says NPZ"),
        ("a.npy", b"hello", "not a NumPy array"),
        ("a.npz", b"PK\x03\x04broken", "broken"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadFile, match=message):
        mk.load_points(tmp_path / name)


def test_wrong_arrays_are_named(tmp_path: Path) -> None:
    cases = {
        "two": ({"points": POINTS[..., :2]}, "triangulate"),
        "flat": ({"points": POINTS[0]}, r"shape \(3, 3\)"),
        "sure": ({"points": POINTS, "confidence": np.ones(4)}, "confidence has shape"),
        "words": ({"points": np.array([["a"]])}, "it needs numbers"),
        "none": ({"poses": POINTS}, "no array 'points'; it has poses"),
        "rate": ({"points": POINTS, "rate": -1.0}, "rate is"),
    }
    for name, (arrays, message) in cases.items():
        np.savez(tmp_path / f"{name}.npz", **arrays)
        with pytest.raises(BadFile, match=message):
            mk.load_points(tmp_path / f"{name}.npz")


def test_an_array_that_states_more_than_it_has(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", POINTS)
    data = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(data.replace(b"(4, 3, 3)", b"(9, 3, 3)"))
    with pytest.raises(BadFile, match=r"states|cut off"):
        mk.load_points(tmp_path / "a.npy")
    (tmp_path / "b.npy").write_bytes(data[:-8])
    with pytest.raises(BadFile, match=r"cut off|states"):
        mk.load_points(tmp_path / "b.npy")


def test_a_file_that_is_cut_off_or_empty(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", POINTS)
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:200])
    with pytest.raises(BadFile, match=r"cut off.* 288 bytes.* 200"):
        mk.load_points(tmp_path / "a.npy")
    (tmp_path / "b.npy").write_bytes(b"")
    with pytest.raises(BadFile, match="the file is empty"):
        mk.load_points(tmp_path / "b.npy")


def test_another_extension_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"\.c3d, \.csv, \.npy, \.npz, \.trc"):
        mk.load_points(tmp_path / "a.json")


def test_a_name_with_separators_does_not_hide_the_commas(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,a;;;;b_x,a;;;;b_y,a;;;;b_z\n0,1,2,3\n0.1,4,5,\n")
    points = mk.load_points(path)
    assert points.names == ("a;;;;b",)
    assert points.positions[0].tolist() == [[1.0, 2.0, 3.0]]
