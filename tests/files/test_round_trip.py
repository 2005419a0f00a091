"""From format to format and back: every joint stays where it was, in every frame."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from needs import data_file

import manikin as mk
from manikin.errors import OddFile

CLIPS = (
    "animated_drawings_dab",
    "animated_drawings_rokoko_jesse_dance",
    "bvhio_example",
    "cmu_02_01_walk",
    "cmu_02_05_punch",
    "cmu_05_02_dance_pirouette",
    "cmu_05_11_pirouette",
    "cmu_09_01_run",
    "cmu_49_06_cartwheel",
    "fairmotion_sinusoidal",
    "makehuman_tpose",
    "makehuman_walk1",
    "optitrack_arena_louise",
    "pymo_AV_8Walk_Meredith",
    "threejs_pirouette",
)
MOST = 40
"""Frames of a clip that are converted, in one piece from its middle."""
WAYS = ([".bvh", ".glb"], [".glb", ".usda"], [".usdc", ".bvh"], [".gltf", ".bvh"], [".usda", ".gltf", ".usdc", ".glb"])
"""From format to format, so that each pair of neighbours in them is tried."""


def through(motion: mk.Motion, folder: Path, endings: Sequence[str]) -> list[mk.Motion]:
    """The motion after it was written and read in each format, one after the other; itself first."""
    motions = [motion]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)  # a figure without a unit, and the like
        for k, ending in enumerate(endings):
            path = folder / f"{k}{ending}"
            mk.save(motions[-1], path)
            motions.append(mk.load_motion(path))
    return motions


def worst(a: mk.Motion, b: mk.Motion) -> float:
    """The largest distance of any joint in any frame, in parts of the figure's size. All segments of `a` are in
    `b`: under their names, or (fixed ones at the end of a branch of a BVH) as the end of their parent."""
    names = a.figure.segment_names
    others = [name if name in b.figure.segment_names else f"{a.figure.segment(name).parent}_end" for name in names]
    scale = (b.figure.unit or 1.0) / (a.figure.unit or 1.0)
    here, there = a.placements(names)[..., :3, 3], b.placements(others)[..., :3, 3] * scale
    assert here.shape == there.shape
    here = turned(here, a.figure.up, b.figure.up)
    return float(np.linalg.norm(here - there, axis=-1).max()) / a.figure.size


def piece(motion: mk.Motion) -> mk.Motion:
    first = max(0, (len(motion) - MOST) // 2)
    return motion[first : first + MOST]


@pytest.mark.parametrize("clip", CLIPS)
def test_a_clip_from_bvh_through_glb_and_usd_is_the_same(clip: str, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    path = data_file(f"bvh/{clip}.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        motion = piece(mk.load_motion(path))
    motions = through(motion, tmp_path, [".glb", ".usdc", ".bvh"])
    for after in motions[1:]:
        assert worst(motion, after) <= 1e-5
        assert_close(after.times - after.times[0], motion.times - motion.times[0], scale=1.0, tol=1e-4)
    angles = motions[-1].poses[:, [not name.rpartition(".")[2].startswith("t") for name in motion_names(motions[-1])]]
    if len(angles) > 1:
        assert np.abs(np.diff(angles, axis=0)).max() < np.pi  # no jumps of whole turns


def motion_names(motion: mk.Motion) -> Sequence[str]:
    return motion.figure.number_names


def figures() -> dict[str, mk.Figure]:
    return {
        "human": mk.human(),
        "quadruped": mk.quadruped(),
        "chain": mk.chain(4, mk.Ball()),
        "planar": mk.chain(3, planar=True),
        "rail": mk.Figure(
            "rail",
            [
                mk.Segment("Base", None, mk.Free()),
                mk.Segment(
                    "Cart", "Base", mk.Slider((1, 0, 0), (-1, 1)), offset=(0, 0.5, 0), rotation=(0.6, 0.8, 0, 0)
                ),
                mk.Segment("Arm", "Cart", (mk.Slider((0, 0, 1)), mk.Ball()), offset=(0.2, 0, 0)),
                mk.Segment("Hand", "Arm", mk.Hinge((0, 0.6, 0.8), (-2, 2)), offset=(0, 0.4, 0)),
                mk.Segment("Tip", "Hand", offset=(0, 0.2, 0)),
            ],
            up="z",
        ),
    }


def waving(figure: mk.Figure) -> mk.Motion:
    """A motion in all joints of a figure, its root included, smooth enough for angles to be followed."""
    rng = np.random.default_rng(3)
    keys = figure.random(rng, 4)
    part = np.linspace(0, 1, 8, endpoint=False)[:, None]
    poses = [figure.integrate(a, part * figure.difference(a, b)) for a, b in pairwise(keys)]
    return mk.Motion(figure, np.concatenate(poses), rate=24, name="Wave")


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name", figures())
def test_from_format_to_format_every_joint_stays_where_it_was(name: str, way: list[str], tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    motion = waving(figures()[name])
    for after in through(motion, tmp_path, way)[1:]:
        there = {s for s in motion.figure.segment_names if s in after.figure.segment_names}
        assert len(there) >= len(motion.figure.segments) - ends(motion.figure)
        scale = (after.figure.unit or 1.0) / (motion.figure.unit or 1.0)
        names = [s for s in motion.figure.segment_names if s in there]
        here = turned(motion.placements(names)[..., :3, 3], motion.figure.up, after.figure.up)
        assert np.abs(after.placements(names)[..., :3, 3] * scale - here).max() <= 1e-6 * motion.figure.size


def ends(figure: mk.Figure) -> int:
    """Segments at the ends of branches: a BVH calls them by other names."""
    parents = {s.parent for s in figure.segments}
    return sum(s.name not in parents for s in figure.segments)


def turned(points: np.ndarray, up: str, to: str) -> np.ndarray:
    """Points with another axis up, as the writers turn them."""
    from manikin import rotations
    from manikin.files.common.up_axis import TO_Y_UP

    if up == to:
        return points
    assert to == "y"
    return rotations.rotate(np.array(TO_Y_UP[up]), points)
