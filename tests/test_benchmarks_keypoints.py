"""The benchmark of keypoints: its truth, its judges, and its page."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import manikin as mk

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import keypoints
from benchmarks.keypoint_clips import Truth, centers, truth, twist_errors
from benchmarks.keypoint_clips import keypoints as seen
from benchmarks.machine import header
from manikin.motion.points.points_fit import PointsFit

pytestmark = [
    pytest.mark.needs("data"),
    pytest.mark.skipif(not mk.backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver"),
]


@pytest.fixture(scope="module")
def known() -> Truth:
    return truth("walk", 7, 40)


@pytest.fixture(scope="module")
def row(known: Truth) -> dict[str, float]:
    return keypoints.one(known, "coco17", 7, "noise")


def test_people_differ_by_seed(known: Truth) -> None:
    assert truth("walk", 8, 4).motion.figure.size != known.motion.figure.size


def test_kinds_of_noise_differ(known: Truth) -> None:
    noise, gaps, bias = (seen(known, "coco17", 7, kind) for kind in keypoints.KINDS)
    assert np.isfinite(noise).all()
    assert 0.15 <= np.isnan(gaps[..., 0]).mean() < 0.3
    assert np.std(bias - noise) == pytest.approx(0.015, rel=0.3)
    assert (seen(known, "coco17", 7) == noise).all()


def test_the_judges_are_zero_on_the_truth_and_see_a_twist(known: Truth) -> None:
    motion = known.motion
    empty = np.zeros((len(motion), 0))
    same = PointsFit(
        motion=motion,
        names=(),
        targets=np.zeros((len(motion), 0, 3)),
        residuals=empty,
        rejected=empty > 0.0,
        scales={},
        deviations={},
        at_limits={},
        layout="",
        attachments={},
        travel="seen",
    )
    assert twist_errors(known, same, "left upper arm").max() < 1e-4
    bone = known.calibration.bone("left upper arm")
    steps = np.zeros((len(motion), motion.figure.nv))
    first = motion.figure.step_of("LeftArm")
    steps[:, first : first + 3] = np.deg2rad(20.0) * bone / np.linalg.norm(bone)
    turned = replace(same, motion=motion.replaced(poses=motion.figure.integrate(motion.poses, steps)))
    assert twist_errors(known, turned, "left upper arm") == pytest.approx(20.0, abs=1e-6)
    assert set(centers(known.calibration, motion.poses)) >= {"hips", "left hand", "head"}


def test_a_fit_has_its_figures(row: dict[str, float]) -> None:
    assert 3.0 < row["seen_mm"] < 30.0
    assert row["seen_mm"] < row["all_mm"]
    assert 0.0 < row["ms"] < 1000.0


def test_cells_above_the_bounds_are_listed(row: dict[str, float]) -> None:
    cell = keypoints.cell("coco17", "walk", "noise", [row, row])
    json.dumps(asdict(cell))
    good = replace(cell, seen_mm=10.0, all_mm=10.0, arm_twist_deg=5.0)
    assert keypoints.outside([good]) == []
    assert "baseline 15.4 mm" in keypoints.outside([replace(good, seen_mm=17.0)])[0]
    assert "bound 10°" in keypoints.outside([replace(good, arm_twist_deg=11.0)])[0]
    text = keypoints.page(header(True, 0), [good], busy=True)
    assert "ms a frame (busy)" in text
    assert "None." in text
