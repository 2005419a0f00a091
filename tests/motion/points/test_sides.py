"""Points with exchanged sides or mirrored axes get a hint, others do not."""

from __future__ import annotations

import numpy as np
import pytest
from keypoint_clips import keypoints, moving, person

import manikin as mk
from manikin.motion.points.inputs import checked
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.sides import mirrored


def exchanged(points: np.ndarray, layout: str) -> np.ndarray:
    names = LAYOUTS[layout]
    other = {"left": "right", "right": "left"}
    order = [names.index(" ".join(other.get(w, w) for w in name.split())) for name in names]
    return points[:, order]


def cues(points: np.ndarray, layout: str) -> tuple[str, ...]:
    return mirrored(checked(points, layout, None, None, 30.0, None))


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("seed", [0, 1])
def test_a_hint_for_mirrored_points_only(layout: str, seed: int) -> None:
    points = keypoints(moving(person(seed), 30, seed=seed), layout, 0.02, seed)
    assert not cues(points, layout)
    assert not cues(points @ np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), layout)  # a turn
    assert len(cues(points * [-1.0, 1.0, 1.0], layout)) >= 2
    assert len(cues(exchanged(points, layout), layout)) >= 2
    assert not cues(exchanged(points * [1.0, 1.0, -1.0], layout), layout)  # both: the body is right again


def test_too_little_to_judge() -> None:
    points = keypoints(moving(person(), 10), "coco17")
    names = LAYOUTS["coco17"]
    for gone in ("left hip", "right shoulder"):
        some = np.array(points) * [-1.0, 1.0, 1.0]
        some[:, names.index(gone)] = np.nan
        assert not cues(some, "coco17")


def test_the_note_says_what_to_do() -> None:
    points = keypoints(moving(person(), 20), "body25", 0.005) * [-1.0, 1.0, 1.0]
    fit = mk.fit_points(mk.human(), points, "body25")
    assert any("left and right seem to be exchanged: the face" in note for note in fit.notes)
    assert "negate one axis" in str(fit)
    right = mk.fit_points(mk.human(), points * [-1.0, 1.0, 1.0], "body25")
    assert not any("exchanged" in note for note in right.notes)
