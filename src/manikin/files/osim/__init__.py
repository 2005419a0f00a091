"""OpenSim models (.osim): the marker set, as attachments of a person.

Bodies become parts. Each bone of the model (thigh, shank, upper arm, forearm) is turned so that it points in the
direction of the bone of the person. The other bodies keep the axes of the neutral pose. Lengths of thigh, shank and
foot and the width of the hips become scales.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.errors import BadFile
from manikin.figure import Figure
from manikin.files.osim.model import OsimModel, read, weights
from manikin.motion.marker_fit.attachments import Attachment, Attachments
from manikin.motion.marker_fit.body import MarkerBody
from manikin.motion.marker_fit.fitter import DIGITS
from manikin.motion.marker_fit.landmarks import LANDMARKS, TRACKING, landmark_of
from manikin.motion.marker_fit.lengths import factors

__all__ = ["load_attachments", "weights"]

SIGMA = 0.005
"""Standard deviation of the place of a marker of a model, in metres, if it is calibrated again."""
PARTS = {
    "pelvis": "pelvis",
    "torso": "spine",
    "head": "head",
    "femur": "thigh",
    "tibia": "shank",
    "talus": "foot",
    "calcn": "foot",
    "toes": "foot",
    "humerus": "upper arm",
    "ulna": "forearm",
    "radius": "forearm",
    "hand": "hand",
}
"""The part of each body, without its side."""
JOINTS = {
    "thigh": "femur",
    "shank": "tibia",
    "foot": "talus",
    "upper arm": "humerus",
    "forearm": "ulna",
    "hand": "hand",
}
"""The body whose origin is the joint of a part."""
BONES = {"thigh": "tibia", "shank": "talus", "upper arm": "ulna", "forearm": "hand"}
"""The body whose origin is the end of a bone."""
SIDES = {"l": "left", "r": "right"}
TO_CANONICAL = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Converts the axes forward, up, right of OpenSim to the canonical axes left, up, forward."""


def load_attachments(path: str | os.PathLike[str], figure: Figure, bones: Any = None) -> Attachments:
    """Reads the marker set of an OpenSim model as calibrated attachments of a person.

    Args:
        path: the .osim file.
        figure: a person with a known unit.
        bones: as in `mk.bone_map`.

    Raises:
        BadFile: the file is not a model, has no markers, or lacks the legs.
    """
    model = read(path)
    if not model.markers:
        raise BadFile(path, "the model has no markers")
    for bone in ("femur_r", "femur_l", "tibia_r", "tibia_l", "talus_r", "talus_l"):
        if bone not in model.placements:
            raise BadFile(path, f"the model has no body {bone!r}, so its legs cannot be compared with the figure's")
    person = figure.in_metres()
    scales = _scales(model, MarkerBody(person, bones))
    body = MarkerBody(person.scaled(factors(MarkerBody(person, bones), scales)), bones)
    markers, unknown = [], []
    for marker in model.markers:
        part, _, letter = marker.body.rpartition("_") if marker.body[-2:] in ("_l", "_r") else (marker.body, "", "")
        found = None
        if part in PARTS and marker.body in model.placements:
            placed = model.placements[marker.body]
            point = placed[:3, :3] @ np.array(marker.location) + placed[:3, 3]
            found = _place(model, body, PARTS[part], letter, point)
        if found is None:
            unknown.append(marker.name)
            continue
        landmark = landmark_of(marker.name)
        kind = TRACKING if landmark is None else LANDMARKS[landmark[0]].kind
        offset = tuple(np.round(found[1], DIGITS).tolist())
        markers.append(Attachment(marker.name, found[0], offset, SIGMA, 1.0, kind))
    return Attachments(tuple(markers), person.name, scales, {}, True, tuple(unknown))


def _place(model: OsimModel, body: MarkerBody, part: str, letter: str, point: Vector) -> tuple[str, Vector] | None:
    """The segment and the place of a point of the neutral pose of the model."""
    side = SIDES.get(letter, "")
    if part in JOINTS:
        joint, name = part, f"{JOINTS[part]}_{letter}"
    else:
        joint, name = "hips", ""
    origin = _hips(model) if joint == "hips" else _origin(model, name)
    if origin is None:
        return None
    away = TO_CANONICAL @ (point - origin)
    end = _origin(model, f"{BONES[part]}_{letter}") if part in BONES else None
    if end is not None:
        bone = TO_CANONICAL @ (end - origin)
        away = rotations.rotate(rotations.between(bone, np.array([0.0, -1.0, 0.0])), away)
    return body.point(part, joint, side, away)


def _origin(model: OsimModel, body: str) -> Vector | None:
    return np.asarray(model.placements[body][:3, 3]) if body in model.placements else None


def _hips(model: OsimModel) -> Vector:
    return np.asarray(np.mean([model.placements[f"femur_{s}"][:3, 3] for s in SIDES], axis=0))


def _scales(model: OsimModel, body: MarkerBody) -> dict[str, float]:
    """Factors of lengths: those of the legs and hips, and their mean for the rest of the body."""
    at = {name: placed[:3, 3] for name, placed in model.placements.items()}

    def length(one: str, other: str) -> float:
        return float(np.mean([np.linalg.norm(at[f"{one}_{s}"] - at[f"{other}_{s}"]) for s in SIDES]))

    own = {p: float(np.linalg.norm(body.calibration.bone(f"left {p}"))) for p in ("thigh", "shank")}
    out = {"thigh": length("femur", "tibia") / own["thigh"], "shank": length("tibia", "talus") / own["shank"]}
    links = body.calibration.links
    width = np.linalg.norm(links["left thigh"].at_parent - links["right thigh"].at_parent)
    out["pelvis"] = float(np.linalg.norm(at["femur_l"] - at["femur_r"]) / width)
    rest = (out["thigh"] + out["shank"]) / 2.0
    out |= {name: rest for name in body.groups()[0] if name not in out}
    if "toes_l" in at and "toes_r" in at and "left toes" in body.bones:
        out["foot"] = length("talus", "toes") / float(np.linalg.norm(body.calibration.bone("left foot")))
    return {name: round(factor, DIGITS) for name, factor in out.items()}
