"""Odd letters in names come back from every format that is written, or are refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadValue, OddFile

HARMLESS = [
    'a"b',
    "a'b",
    '"a"',
    'a""b',
    "a\\b",
    "a\\n",
    "a,b",
    "a;b",
    "a<b&c>",
    "a b",
    "a/b",
    "ä😀",
    "#a",
    "a:b",
    "=1",
    "End",
]
"""Every format holds these."""
CONTROL = ["a\nb", "a\tb", "a\rb", "a\x00b", "a\x01b", "a\x7fb", "a\u2028b", "\ud800", " a ", "a{b}", "}"]
"""Some formats hold these."""
ENDINGS = ["bvh", "usda", "usdc", "glb", "gltf", "json", "urdf", "csv", "npz", "trc", "c3d"]


def came_back(name: str, ending: str, folder: Path) -> bool:
    """Whether a thing with this name is the same after saving and loading."""
    path = folder / f"x.{ending}"
    if ending in ("trc", "c3d"):
        markers = mk.Markers(["m", name], np.arange(24.0).reshape(4, 2, 3), rate=10.0, unit=1.0)
        mk.save(markers, path)
        return mk.load_markers(path).names == ("m", name)
    turn = mk.Joint(f"j{name}", (mk.Hinge((0, 0, 1), (-1.0, 1.0)),), offset=(0, 1, 0))
    tip = mk.Segment("tip", name, mk.Joint("tip", (), offset=(0, 1, 0)))
    figure = mk.Figure(name, [mk.Segment("root"), mk.Segment(name, "root", turn), tip])
    motion = mk.Motion(figure, [[0.1], [0.2], [0.3]], rate=10.0, name=name)
    mk.save(figure if ending in ("json", "urdf") else motion, path)
    if ending in ("csv", "npz"):
        return np.array_equal(mk.load_motion(path, figure=figure).poses, motion.poses)
    return name in mk.load_figure(path).segment_names


@pytest.mark.parametrize("ending", ENDINGS)
def test_quotes_blanks_and_signs_come_back(ending: str, tmp_path: Path) -> None:
    assert [name for name in HARMLESS if not came_back(name, ending, tmp_path)] == []


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != "bvh"])
@pytest.mark.parametrize("name", CONTROL, ids=ascii)
def test_other_letters_come_back_or_are_refused_before_writing(ending: str, name: str, tmp_path: Path) -> None:
    try:
        assert came_back(name, ending, tmp_path)
    except BadValue as error:
        assert "cannot store" in str(error) or "does not keep" in str(error)  # noqa: PT017
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", CONTROL, ids=ascii)
def test_bvh_says_which_names_it_changes(name: str, tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="BVH cannot store the names"):
        assert not came_back(name, "bvh", tmp_path)
