"""Contacts of feet that stand exactly: they end where the foot leaves its place."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.stands import EDGE, without_edges

TIMES = np.arange(0.0, 2.0, 1.0 / 100.0)
PARTS = ("left foot", "left foot")


def foot(noise: float = 0.0) -> np.ndarray:
    """(2, frames, 3) a toe that stands from 0.5 to 1.5 s and is slow before and after. The heel moves with it."""
    away = np.sign(TIMES - 1.0) * np.maximum(0.0, np.abs(TIMES - 1.0) - 0.5)
    shake = noise * np.random.default_rng(3).standard_normal((len(TIMES), 3))
    toe = np.stack([0.0 * away, 0.0 * away, 0.2 * away], axis=1) + shake
    return np.stack([toe, toe - [0.0, 0.0, 0.2]])


def mask(first: float, last: float) -> np.ndarray:
    """(2, frames) contacts of both points between two times."""
    return np.tile((first - 1e-9 <= TIMES) & (last + 1e-9 >= TIMES), (2, 1))


def test_a_contact_ends_where_the_foot_leaves_its_place() -> None:
    cut = without_edges(TIMES, foot(), mask(0.4, 1.6), PARTS, 1.0)
    assert np.array_equal(cut, mask(0.5, 1.5))


def test_a_contact_that_is_long_before_the_foot_stands_is_kept() -> None:
    found = mask(0.5 - 2.0 * EDGE, 1.5)
    assert np.array_equal(without_edges(TIMES, foot(), found, PARTS, 1.0), found)


def test_the_noise_of_a_recording_keeps_the_contact() -> None:
    found = mask(0.4, 1.6)
    assert np.array_equal(without_edges(TIMES, foot(3e-4), found, PARTS, 1.0), found)


def test_one_frame_and_no_contact() -> None:
    for count, down in ((1, True), (5, False)):
        found = np.full((2, count), down)
        assert np.array_equal(without_edges(TIMES[:count], foot()[:, :count], found, PARTS, 1.0), found)


@pytest.mark.parametrize("in_place", [None, True])
@pytest.mark.parametrize("name", ["walk", "run", "pymo"])
def test_the_contacts_of_a_retargeted_motion_are_those_of_its_source(name: str, in_place: bool | None) -> None:
    out = mk.retarget(clip(name, 500), figure("human"), in_place=in_place)
    found = mk.contacts(out)
    for point in ("left toe", "left heel", "right toe", "right heel"):
        planted = np.zeros(len(out), dtype=bool)
        for which, first, last in out.source["retarget"]["contacts"]:
            planted[first : last + 1] |= which == point
        assert (found.mask(point) != planted).mean() < 0.02
