"""Animals on four legs: a fox and the built-in quadruped exchange their motions."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from needs import data_file
from retarget_clips import clip, figure

import manikin as mk
from manikin.errors import BadValue


@cache
def fox(which: str) -> mk.Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        return mk.load_motion(data_file("gltf/Fox.glb"), clip=which)


@pytest.mark.parametrize("which", ["Survey", "Walk", "Run"])
def test_a_fox_moves_the_quadruped_and_back(which: str) -> None:
    motion = fox(which)
    dog = mk.retarget(motion, mk.quadruped())
    back = mk.retarget(dog.motion, motion.figure)
    for out in (dog, back):
        found = out.measures
        assert found["slide_mm"] <= 5.0
        assert found["frames_over_limit"] == 0
        assert found["bone_error_deg"] < 5.0
    assert np.max(dog.figure.violation(dog.motion.poses)) == 0.0


def test_all_four_feet_stand() -> None:
    found = mk.contacts(fox("Survey"))
    assert {c.point for c in found} == {
        *(f"{side} {name}" for side in ("left", "right") for name in ("toe", "heel", "hand"))
    }
    clean = mk.plant(fox("Survey"))
    assert clean.after["slide_mm"] < 1.0


def test_two_legs_and_four_legs_do_not_mix() -> None:
    with pytest.raises(BadValue, match="figure 'human' stands on two and clip 'Walk' on four legs"):
        mk.retarget(fox("Walk"), figure("human"))
    with pytest.raises(BadValue, match="stands on four legs and clip"):
        mk.retarget(clip("walk", 30), mk.quadruped())
