"""A posture that lasts through the whole clip is a posture, not a point at another place."""

from __future__ import annotations

import numpy as np
import pytest
from keypoint_clips import keypoints, moving, person

import manikin as mk


@pytest.mark.parametrize("seed", [0, 1])
def test_a_foot_that_is_always_pointed_is_found(seed: int) -> None:
    clip = moving(person(seed), 60, seed=seed)
    figure = clip.figure
    steps = np.zeros((len(clip), figure.nv))
    for side in ("Left", "Right"):
        steps[:, figure.step_of(f"{side}Foot")] = 0.6
    true = clip.replaced(poses=figure.clamp(figure.integrate(clip.poses, steps)))
    fit = mk.fit_points(mk.human(height=1.65), keypoints(true, "smpl24", 0.005), "smpl24", times=true.times)
    a, b = (m.figure.placements(m.poses, ["LeftToeBase", "RightToeBase"])[..., :3, 3] for m in (true, fit.motion))
    assert np.linalg.norm(a - b, axis=-1).mean() < 0.015
