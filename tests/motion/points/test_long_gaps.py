"""Clips in which most frames have no point at all."""

from __future__ import annotations

import numpy as np
import pytest
from keypoint_clips import keypoints, moving

import manikin as mk


@pytest.mark.parametrize("seen", [1, 2, 4])
def test_a_clip_with_points_in_its_first_frames_only_stands_still_after_them(seen: int) -> None:
    points = np.array(keypoints(moving(mk.human(), 40), "coco17"))
    points[seen:] = np.nan
    fit = mk.fit_points(mk.human(), points, "coco17", rate=60.0)
    at = fit.figure.placements(fit.motion.poses, ["Hips"])[:, 0, :3, 3]
    assert len(fit.motion) == 40
    assert np.ptp(at, axis=0).max() < 0.2
    assert any(f"{40 - seen} frames have no points" in note for note in fit.notes)


def test_a_gap_longer_than_a_window_is_bridged_evenly() -> None:
    truth = moving(mk.human(), 1000)
    points = np.array(keypoints(truth, "coco17"))
    points[60:-60] = np.nan
    fit = mk.fit_points(mk.human(), points, "coco17", rate=60.0)
    found, true = (m.figure.placements(m.poses, ["Hips"])[:, 0, :3, 3] for m in (fit.motion, truth))
    even = np.linalg.norm(np.diff(true, axis=0), axis=1).max()
    assert np.linalg.norm(np.diff(found, axis=0), axis=1).max() < 2.0 * even
    assert np.linalg.norm(found - true, axis=1).max() < 0.1  # this person walks evenly
