"""Tables of numbers, .csv and .npz: motions of robots in and out, columns by name, and files that are wrong."""

from __future__ import annotations

import contextlib
import io
import pickle
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.base import numpy_file
from manikin.errors import BadFile, BadValue, OddFile, Unsupported

LIMIT = '<limit lower="-3" upper="3" velocity="1" effort="1"/>'
ROBOT = f"""<robot name="arm"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<joint name="lift" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>{LIMIT}</joint>
<joint name="elbow" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>{LIMIT}</joint>
<joint name="finger" type="revolute"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/>{LIMIT}
<mimic joint="elbow" multiplier="-2" offset="0.5"/></joint></robot>"""
ENDINGS = (".csv", ".npz")


@pytest.fixture
def arm(tmp_path: Path) -> mk.Figure:
    (tmp_path / "arm.urdf").write_text(ROBOT)
    return mk.load_figure(tmp_path / "arm.urdf")


def csv(folder: Path, text: str) -> Path:
    path = folder / "run.csv"
    path.write_text(text)
    return path


def npz(folder: Path, **arrays: Any) -> Path:
    path = folder / "run.npz"
    np.savez(path, **arrays)
    return path


# In and out


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("figure", [mk.human(), mk.quadruped(), mk.chain(3, mk.Ball())], ids=lambda f: f.name)
def test_a_motion_comes_back_to_the_bit(figure: mk.Figure, ending: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.uniform(0.01, 0.1, 20))
    motion = mk.Motion(figure, figure.random(rng, 20), times, "walk")
    mk.save(motion, tmp_path / f"m{ending}")
    again = mk.load_motion(tmp_path / f"m{ending}", figure=figure)
    assert again.poses.tobytes() == motion.poses.tobytes()
    assert again.times.tobytes() == motion.times.tobytes()
    assert again.figure is figure
    assert again.name == ("walk" if ending == ".npz" else "m")
    assert again.source["notes"] == ()


def test_a_csv_is_plain_to_other_programs(arm: mk.Figure, tmp_path: Path) -> None:
    mk.save(mk.Motion(arm, [[0.25, 1.0, -1.5], [0.5, 0.5, -0.5]], times=[0.0, 0.1]), tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text() == "time,lift,elbow,finger\n0.0,0.25,1.0,-1.5\n0.1,0.5,0.5,-0.5\n"


def test_an_npz_opens_in_numpy_without_pickles(arm: mk.Figure, tmp_path: Path) -> None:
    mk.save(mk.Motion(arm, [[0.25, 1.0, -1.5]], name="go"), tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz", allow_pickle=False) as found:
        assert sorted(found) == ["name", "names", "poses", "times"]
        assert found["names"].tolist() == ["lift", "elbow", "finger"]
        assert found["poses"].tolist() == [[0.25, 1.0, -1.5]]


@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_are_read_in_a_process_of_their_own(arm: mk.Figure, ending: str, tmp_path: Path) -> None:
    motion = mk.Motion(arm, [[0.25, 1.0, -1.5], [0.5, 0.5, -0.5]], times=[0.0, 0.1])
    mk.save(motion, tmp_path / f"m{ending}")
    again = mk.load_motion(tmp_path / f"m{ending}", figure=arm, safe=True)
    assert (again.poses == motion.poses).all()
    assert again.figure.segments == arm.segments


def test_names_with_commas_and_a_joint_called_time_come_back(tmp_path: Path) -> None:
    figure = mk.Figure("odd", [mk.Segment("A", joint=mk.Joint("left, upper", (mk.Hinge(),)))])
    figure = mk.Figure("odd", [*figure.segments, mk.Segment("B", "A", mk.Joint("time", (mk.Hinge(),)))])
    motion = mk.Motion(figure, [[0.1, 0.2], [0.3, 0.4]], times=[5.0, 6.0])
    mk.save(motion, tmp_path / "m.csv")
    again = mk.load_motion(tmp_path / "m.csv", figure=figure)
    assert (again.poses == motion.poses).all()
    assert (again.times == motion.times).all()


# Columns


@pytest.mark.parametrize(
    "text",
    [
        "time,lift,elbow,finger\n0,1,0.5,-0.5\n0.5,2,0.25,0\n",
        "elbow,T,finger,lift\r\n0.5,0,-0.5,1\r\n0.25,0.5,0,2\r\n",
        "time;lift;elbow;finger\n0;1;0.5;-0.5\n0.5;2;0.25;0",
        "\ufeffTime [s]\tlift\telbow\tfinger\n0\t1\t.5\t-.5\n\n5e-1\t2\t.25\t0\n\n",
        '# of the lab\n"time", "lift", "elbow", "finger"\n0, 1, 0.5, -0.5,\n0.5, 2, 0.25, 0,\n',
        "time,lift,elbow\n0,1,0.5\n0.5,2,0.25\n",  # a coupled joint follows
    ],
)
def test_columns_are_found_by_name(arm: mk.Figure, text: str, tmp_path: Path) -> None:
    motion = mk.load_motion(csv(tmp_path, text), figure=arm)
    assert motion.poses == pytest.approx(np.array([[1, 0.5, -0.5], [2, 0.25, 0.0]]))
    assert motion.times == pytest.approx([0, 0.5])


def test_missing_and_unknown_columns_are_told(arm: mk.Figure, tmp_path: Path) -> None:
    with pytest.warns(OddFile) as heard:
        motion = mk.load_motion(csv(tmp_path, "time,elbow,effort\n0,0.5,7\n1,0.25,8\n"), figure=arm)
    said = [str(w.message).partition(": ")[2] for w in heard]
    assert said == [
        "the file has no column for lift; they keep their values in the rest pose",
        "figure 'arm' has no numbers with the names of the columns effort; these columns are ignored",
    ]
    assert motion.poses == pytest.approx(np.array([[0, 0.5, -0.5], [0, 0.25, 0.0]]))


def test_a_table_without_times_takes_a_rate(arm: mk.Figure, tmp_path: Path) -> None:
    path = csv(tmp_path, "lift,elbow,finger\n0,0,0.5\n1,0,0.5\n")
    assert mk.load_motion(path, figure=arm, rate=100).rate == pytest.approx(100.0)
    with pytest.warns(OddFile, match="does not state the times.* 30 frames per second"):
        assert mk.load_motion(path, figure=arm).rate == pytest.approx(30.0)
    with pytest.raises(BadValue, match=r"rate is 10, but .* states the times of its frames"):
        mk.load_motion(csv(tmp_path, "time,lift,elbow\n0,0,0\n"), figure=arm, rate=10)


def test_quaternions_that_were_rounded_are_made_whole(tmp_path: Path) -> None:
    figure = mk.chain(1, mk.Ball())
    names = ",".join(figure.number_names)
    with pytest.warns(OddFile, match="do not have length 1 exactly; they are normalized"):
        motion = mk.load_motion(csv(tmp_path, f"time,{names}\n0,0.71,0.71,0,0\n1,1,0,0,0\n"), figure=figure)
    assert motion.poses[0] == pytest.approx([0.5**0.5, 0.5**0.5, 0, 0])
    with pytest.raises(BadFile, match=r"the quaternion of .* has length 0.5"):
        mk.load_motion(csv(tmp_path, f"time,{names}\n0,0.5,0,0,0\n"), figure=figure)


def test_an_npz_without_names_has_the_order_of_the_figure(arm: mk.Figure, tmp_path: Path) -> None:
    path = npz(tmp_path, poses=np.array([[1, 2, 3]], dtype=np.float32), times=np.array([4]))
    with pytest.warns(OddFile, match="no names for its columns"):
        motion = mk.load_motion(path, figure=arm)
    assert motion.poses.tolist() == [[1, 2, 3]]
    assert motion.times.tolist() == [4]
    names = [b"finger", b"lift", b"elbow"]
    reordered = npz(tmp_path, poses=np.asfortranarray([[1.0, 2, 3], [4, 5, 6]]), times=[0, 1], names=names)
    assert mk.load_motion(reordered, figure=arm).poses.tolist() == [[2, 3, 1], [5, 6, 4]]


# What is wrong


def test_a_figure_is_needed(arm: mk.Figure, tmp_path: Path) -> None:
    path = csv(tmp_path, "time,lift\n0,0\n")
    with pytest.raises(BadValue, match=r"run.csv has no figure.*figure="):
        mk.load_motion(path)
    with pytest.raises(BadValue, match="got str"):
        mk.load_motion(path, figure="arm.urdf")  # type: ignore[arg-type]
    with pytest.raises(Unsupported, match="CSV is not one of them; load_motion"):
        mk.load_figure(path)
    with pytest.raises(Unsupported, match="CSV is not one of them"):
        mk.save(arm, tmp_path / "arm.csv")
    mk.save(mk.Motion(arm, arm.rest), tmp_path / "a.bvh")
    with pytest.raises(BadValue, match="load_motion has no option figure= for BVH"):
        mk.load_motion(tmp_path / "a.bvh", figure=arm)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1,2\n3,4,5\n", "line 1: the first line has numbers; it must have the names of the columns"),
        ("time,lift\n0,1\n1,2,3\n", "line 3: this frame has 3 numbers; it needs 2"),
        ("time,lift\n0,1\n1,x\n", "line 3: expected a number, got 'x'"),
        ("time,lift\n0,1\n\n1,\n", "line 4: expected a number, got ''"),
        ("time,lift\n0,1_0\n", "line 2: expected a number, got '1_0'"),
        ("time,lift\n0,nan\n", "line 2: nan in column 2 is not a usable number"),
        ("time,lift\n0,1e300\n", "line 2: 1e\\+300 in column 2 is not a usable number"),
        ("time,lift,lift\n0,1,1\n", "line 1: several columns have the same name: lift"),
        ("time,lift\n", "line 1: the file has no frames"),
        (
            "time,wrist\n0,1\n",
            r"none of its columns \(wrist\) is a number of figure 'arm', which has lift, elb",
        ),
        ("time,lift,elbow\n1,0,0\n0,0,0\n", "times must increase"),
        ("time,lift\n0,\0\n", "this is not a text file"),
    ],
)
def test_a_csv_that_is_wrong_is_refused_with_its_line(arm: mk.Figure, text: str, message: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        with pytest.raises(BadFile, match=message):
            mk.load_motion(csv(tmp_path, text), figure=arm)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"trans": np.zeros((2, 3))}, r"no array 'poses' of shape \(frames, numbers\); it has trans"),
        (
            {"poses": np.zeros(3)},
            r"poses has type float64 and shape \(3,\); it needs numbers of shape \(frames, numbers\)",
        ),
        (
            {"poses": np.zeros((2, 3)), "times": np.zeros((2, 1))},
            r"times has type .* it needs numbers of shape \(frames,\)",
        ),
        ({"poses": np.zeros((2, 3), dtype=complex)}, "poses has type complex128"),
        ({"poses": np.zeros((2, 4))}, r"poses has shape \(2, 4\), but there are 3 names"),
        ({"poses": np.zeros((0, 3))}, "no frames"),
        ({"poses": np.full((1, 3), np.nan)}, r"poses\[0, 0\] is nan"),
        ({"poses": np.zeros((1, 3)), "names": np.array([1, 2, 3])}, "names has type int64"),
        ({"poses": np.zeros((1, 3)), "names": np.array(["a", "a", "b"])}, "the same name twice"),
        ({"poses": np.zeros((2, 3)), "times": np.zeros(3)}, "times have shape"),
    ],
)
def test_an_npz_that_is_wrong_is_refused(arm: mk.Figure, arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        with pytest.raises(BadFile, match=message):
            mk.load_motion(npz(tmp_path, **arrays), figure=arm)


class Bomb:
    """Says so where it is unpickled."""

    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('unpickled')",))


@pytest.mark.parametrize("key", ["poses", "names"])
def test_objects_are_never_unpickled(arm: mk.Figure, key: str, tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"poses": np.zeros((1, 3)), key: np.array([Bomb()], dtype=object)}
    with pytest.raises(BadFile, match=f"{key} contains Python objects, which are never unpickled"):
        mk.load_motion(npz(tmp_path, **arrays), figure=arm)
    path = tmp_path / "raw.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("poses.npy", pickle.dumps(Bomb()))
    with pytest.raises(BadFile, match="poses is not a NumPy array"):
        mk.load_motion(path, figure=arm)


def claimed(shape: tuple[int, ...], content: bytes) -> bytes:
    """The bytes of an array that says it has a shape."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return out.getvalue() + content


def test_an_array_that_says_it_is_huge_takes_no_memory(arm: mk.Figure, tmp_path: Path) -> None:
    path = tmp_path / "huge.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("poses.npy", claimed((10**12, 3), b"1234"))
    with pytest.raises(BadFile, match="poses is cut off: it needs 24,000,000,000,000 bytes"):
        mk.load_motion(path, figure=arm)


def test_a_compressed_bomb_is_refused(arm: mk.Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_file, "ROOM", 10_000)
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, poses=np.zeros((100_000, 3)))
    assert path.stat().st_size < 10_000
    with pytest.raises(BadFile, match=r" 2,400,000 bytes .*limit .* \d\d\d,\d\d\d$"):
        mk.load_motion(path, figure=arm)


@pytest.mark.parametrize("ending", ENDINGS)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_spoilt_file_is_read_or_refused_and_never_crashes(ending: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = mk.chain(2, planar=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        path = Path(folder) / f"m{ending}"
        mk.save(mk.Motion(figure, rng.normal(size=(5, 2))), path)
        data = bytearray(path.read_bytes())
        for _ in range(rng.integers(1, 20)):
            at = int(rng.integers(0, len(data)))
            data[at : at + int(rng.integers(0, 3))] = bytes([int(rng.integers(0, 256))])
        path.write_bytes(data)
        with contextlib.suppress(BadFile):
            assert mk.load_motion(path, figure=figure).poses.shape[1] == 2


# The command line


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "manikin", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_tables_are_converted_on_the_command_line(arm: mk.Figure, tmp_path: Path) -> None:
    path = csv(tmp_path, "time,lift,elbow\n0,1,0.5\n0.5,2,0.25\n")
    refused = run("convert", path, tmp_path / "out.npz")
    assert refused.returncode == 2
    assert "has no figure; choose one with --of" in refused.stderr
    done = run("convert", path, tmp_path / "out.npz", tmp_path / "out.glb", "--of", tmp_path / "arm.urdf")
    assert done.returncode == 0, done.stderr
    motion = mk.load_motion(tmp_path / "out.npz", figure=arm)
    assert motion.poses == pytest.approx(np.array([[1, 0.5, -0.5], [2, 0.25, 0.0]]))
    assert len(mk.load_motion(tmp_path / "out.glb")) == 2
    back = run("convert", tmp_path / "out.npz", tmp_path / "back.csv", "--of", tmp_path / "arm.urdf")
    assert back.returncode == 0, back.stderr
    assert (mk.load_motion(tmp_path / "back.csv", figure=arm).poses == motion.poses).all()
    bare = tmp_path / "bare.csv"
    bare.write_text("lift,elbow\n1,0.5\n2,0.25\n")
    for source, frames in ((bare, 2), (path, 51)):  # frames per second of a table that does not say them, or resampled
        done = run("convert", source, tmp_path / "fast.csv", "--of", tmp_path / "arm.urdf", "--rate", 100, "--force")
        assert (done.returncode, done.stderr) == (0, "")
        fast = mk.load_motion(tmp_path / "fast.csv", figure=arm)
        assert (len(fast), fast.rate) == (frames, pytest.approx(100.0))
    info = run("info", path, "--of", tmp_path / "arm.urdf")
    assert info.returncode == 0, info.stderr
    assert "2 frames" in info.stdout
    wrong = run("info", tmp_path / "arm.urdf", "--of", "human")
    assert wrong.returncode == 2
    assert "--of has no effect on URDF" in wrong.stderr


@pytest.mark.parametrize("name", ["a;;;b", "a\tb\tc", ";;;", "a,,,,b"])
def test_names_with_separators_come_back(name: str, tmp_path: Path) -> None:
    parts = [mk.Segment(name, None, mk.Hinge()), mk.Segment(f"{name}2", name, mk.Hinge(), offset=(1, 0, 0))]
    motion = mk.Motion(mk.Figure("two", parts), np.array([[0.1, 0.2], [0.3, 0.4]]), rate=10.0)
    mk.save(motion, tmp_path / "a.csv")
    again = mk.load_motion(tmp_path / "a.csv", figure=motion.figure)
    assert np.array_equal(again.poses, motion.poses)
    assert np.array_equal(again.times, motion.times)
