"""Knees whose shanks lean outward or inward: the angle is found, kept in the attachment file, and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from synthetic_markers import recorded

import manikin as mk
from manikin.errors import BadFile, BadValue, UnknownName
from manikin.motion.marker_fit.body import MarkerBody
from manikin.motion.marker_fit.knees import Knee, aligned, knees_of, leans, loosened

LEANS = {"LeftLeg": 0.07, "RightLeg": -0.05}


def outward(figure: mk.Figure, poses: np.ndarray, side: str) -> np.ndarray:
    """The angle of the shank from the plane of the hinge, positive outward."""
    knee, foot = (figure.placements(poses, [f"{side}{part}"])[:, 0, :3] for part in ("Leg", "Foot"))
    shank = (foot[:, :, 3] - knee[:, :, 3]) / np.linalg.norm(foot[:, :, 3] - knee[:, :, 3], axis=1)[:, None]
    thigh = figure.placements(poses, [f"{side}UpLeg"])[:, 0, :3, 0]
    return np.asarray(np.arcsin((shank * thigh).sum(axis=1)) * (1.0 if side == "Left" else -1.0))


def test_the_knees_of_the_person() -> None:
    person = mk.human()
    assert knees_of(MarkerBody(person)) == (Knee("LeftLeg", "x", "z", 1.0), Knee("RightLeg", "x", "z", -1.0))


def test_a_positive_angle_leans_the_shank_outward() -> None:
    person = mk.human()
    bent = aligned(person, MarkerBody(person), LEANS)
    for side in ("Left", "Right"):
        assert outward(bent, person.rest[None], side)[0] == pytest.approx(LEANS[f"{side}Leg"], abs=1e-3)


def test_a_loosened_knee_at_the_median_is_the_aligned_one() -> None:
    person = mk.human()
    body = MarkerBody(person)
    free = loosened(person, knees_of(body))
    rng = np.random.default_rng(5)
    poses = np.tile(free.rest, (3, 1))
    for name, sign in (("LeftLeg", 1.0), ("RightLeg", -1.0)):
        poses[:, free.index_of(name)] = sign * LEANS[name]
        poses[:, free.index_of(name) + 1] = rng.uniform(0.1, 1.0, 3)
    found, rest = leans(free, knees_of(body), poses)
    assert found == pytest.approx(LEANS)
    fixed = aligned(person, body, found)
    assert np.abs(fixed.placements(rest) - free.placements(poses)).max() < 1e-12


def test_the_angle_is_found_and_saved(tmp_path: Path) -> None:
    true = recorded(80, noise=0.001, valgus=LEANS)
    fit = mk.fit_markers(mk.human(), true.markers)
    straight = mk.fit_markers(mk.human(), true.markers, fit.attachments.replaced(valgus={}), calibrate=False)
    errors = []
    for found in (fit, straight):
        knees = ["LeftLeg", "RightLeg"]
        a = found.figure.placements(found.motion.poses, knees)[..., :3, 3]
        b = true.figure.placements(true.poses, knees)[..., :3, 3]
        errors.append(float(np.linalg.norm(a - b, axis=-1).mean()))
    for name, angle in LEANS.items():
        # The prior pulls the angle toward 0, and a lean can be taken for markers in other places.
        assert 0.3 * abs(angle) < np.sign(angle) * fit.attachments.valgus[name] < 1.2 * abs(angle), name
    assert errors[0] < 0.012
    assert errors[0] < errors[1]
    path = tmp_path / "person.json"
    fit.attachments.save(path)
    assert mk.Attachments.load(path).valgus == fit.attachments.valgus
    again = mk.fit_markers(mk.human(), true.markers, path)
    assert np.array_equal(again.motion.poses, fit.motion.poses)


def test_lengths_that_are_not_fitted_leave_the_knees_alone() -> None:
    markers = recorded(40).markers
    for scales in (None, "one"):
        assert not mk.fit_markers(mk.human(), markers, scales=scales).attachments.valgus


def test_bad_angles(tmp_path: Path) -> None:
    markers = recorded(40).markers
    attach = mk.Attachments.from_names(markers.names, mk.human())
    with pytest.raises(BadValue, match=r"valgus of 'LeftLeg' is 1 rad; it must be within ±0.5 rad"):
        attach.replaced(valgus={"LeftLeg": 1.0})
    with pytest.raises(UnknownName, match="LeftArm"):
        mk.fit_markers(mk.human(), markers, attach.replaced(valgus={"LeftArm": 0.1}), calibrate=False)
    path = tmp_path / "bad.json"
    path.write_text('{"format": "manikin-attachments", "version": 1, "markers": [], "valgus": 3}')
    with pytest.raises(BadFile, match="'valgus' is 3; it needs an object such as"):
        mk.Attachments.load(path)
