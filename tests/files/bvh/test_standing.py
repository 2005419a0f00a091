"""The up axis of a BVH file, which the format does not say: the one along which the figure stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin.errors import OddFile

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def stick(up: str, turn: str = "0 0 0", head: str = "Head", foot: str = "LeftFoot") -> str:
    """A figure whose head is above its feet along an axis; `turn` are the angles of its root in the first frame."""
    a = np.array(AXES[up])
    above, below = (" ".join(map(str, (k * a).tolist())) for k in (5, -5))
    return f"""HIERARCHY
ROOT Hips
{{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT {head} {{ OFFSET {above} CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET 0 0 0 }} }}
  JOINT {foot} {{ OFFSET {below} CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET 0 0 0 }} }}
}}
MOTION
Frames: 1
Frame Time: 0.1
0 0 0 {turn} 0 0 0 0 0 0
"""


def loaded(folder: Path, text: str) -> tuple[mk.Figure, mk.Motion]:
    path = folder / "a.bvh"
    path.write_text(text)
    return mk.load_figure(path), mk.load_motion(path)


@pytest.mark.parametrize("up", AXES)
def test_up_is_the_axis_along_which_the_figure_stands(up: str, tmp_path: Path) -> None:
    figure, motion = loaded(tmp_path, stick(up))
    assert figure.up == motion.figure.up == up
    said = f"BVH does not store the up axis; {up} is used, because the figure stands along it"
    assert figure.source["notes"] == (() if up == "y" else (said,))


@pytest.mark.parametrize(
    "text",
    [
        stick("z", turn="0 -90 0"),  # drawn along z, but the first frame stands along y
        stick("z", head="Tip"),
        stick("z", foot="Base"),
        stick("z").replace("OFFSET 0 0 5", "OFFSET 0 4 3"),
        stick("z").replace("OFFSET 0 0 5", "OFFSET 0 0 0").replace("OFFSET 0 0 -5", "OFFSET 0 0 0"),
    ],
)
def test_up_is_y_where_it_is_not_plain(text: str, tmp_path: Path) -> None:
    figure, motion = loaded(tmp_path, text)
    assert figure.up == motion.figure.up == "y"


def test_a_figure_without_frames_goes_by_what_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(stick("z").partition("MOTION")[0])
    with pytest.warns(OddFile, match="no MOTION part"):
        assert mk.load_figure(path).up == "z"


def test_a_file_along_z_goes_back_in_its_own_words_and_stands_in_other_formats(tmp_path: Path) -> None:
    text = stick("z")
    _, motion = loaded(tmp_path, text)
    mk.save(motion, tmp_path / "out.bvh")
    assert (tmp_path / "out.bvh").read_text() == text
    mk.save(motion, tmp_path / "out.glb")
    again = mk.load_motion(tmp_path / "out.glb")
    assert again.figure.up == "y"
    head = again.figure.placements(again.poses[0], ["Head"])[0, :3, 3]
    assert head == pytest.approx((0, 5, 0), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "up"),
    [
        ("animated_drawings_dab", "z"),
        ("makehuman_tpose", "z"),
        ("makehuman_walk1", "z"),
        ("animated_drawings_rokoko_jesse_dance", "y"),  # drawn along x, stands along y
        ("bvhio_example", "y"),
        ("cmu_49_06_cartwheel", "y"),
        ("fairmotion_sinusoidal", "y"),
        ("optitrack_arena_louise", "y"),
        ("pymo_AV_8Walk_Meredith", "y"),
        ("threejs_pirouette", "y"),
    ],
)
def test_real_files_have_the_axis_along_which_they_stand(name: str, up: str) -> None:
    path = data_file(f"bvh/{name}.bvh")
    assert mk.load_figure(path).up == up
    assert mk.load_motion(path).figure.up == up
