"""The stance of a person and the calibration of retargeting agree on the axes of the body."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin import rotations
from manikin.figure.human.stance import Stance
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.standing import body_axes

FILES = ("cmu_02_01_walk.bvh", "cmu_09_01_run.bvh", "threejs_pirouette.bvh", "pymo_AV_8Walk_Meredith.bvh")


@pytest.mark.parametrize("name", FILES)
def test_both_have_the_same_up_and_nearly_the_same_left(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        figure = mk.load_motion(data_file(f"bvh/{name}")).figure
    index = {n: i for i, n in enumerate(figure.segment_names)}
    parents = [-1 if s.parent is None else index[s.parent] for s in figure.segments]
    world = figure.placements(figure.rest)
    stance = Stance("figure", segment_parts(figure), parents, world)
    one, two = rotations.to_matrix(stance.body), body_axes(figure, world, mk.bone_map(figure))
    assert one[:, 1] == pytest.approx(two[:, 1], abs=1e-12)
    assert np.abs(one[:, 1]).max() == pytest.approx(1.0, abs=1e-12)
    assert one[:, 0] @ two[:, 0] > np.cos(np.deg2rad(5.0))
