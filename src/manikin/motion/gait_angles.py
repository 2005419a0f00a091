"""Joint angles of a person with the names and signs of OpenSim's gait models (gait2392).

Each angle compares the canonical axes of two parts (`figure.parts.calibration`), so it does not depend on how a figure
draws its rest pose. All angles are 0 in the neutral stance. Axes are x forward, y up, z right; three angles of a joint
are the rotations Rz Rx Ry.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Rotations, Vector
from manikin.errors import BadValue
from manikin.figure.parts.calibration import calibrate
from manikin.figure.parts.find import bone_map
from manikin.motion.motion import Motion

FROM_CANONICAL = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Converts the canonical axes left, up, forward to the axes forward, up, right of OpenSim."""
SIDES = {"r": ("right", 1.0), "l": ("left", -1.0)}


def gait_angles(motion: Motion) -> dict[str, Vector]:
    """The coordinates (T,) of gait2392 by name: angles in radians, and the place of the hips in metres.

    `pelvis_tx`, `pelvis_ty` and `pelvis_tz` belong to the point midway between the hip joints. Angles of joints that
    the figure does not have, such as those of the subtalar joint, are 0.

    Raises:
        BadValue: the figure is not a person, or its unit is not known.
    """
    figure = motion.figure
    if figure.unit is None:
        raise BadValue(f"figure {figure.name!r} has no unit; set it in metres with figure.replaced(unit=…)")
    bones = bone_map(figure)
    if bones.four_legged:
        raise BadValue(f"figure {figure.name!r} stands on four legs; the angles are those of a person")
    axes = calibrate(figure, bones)
    placed = figure.placements(motion.poses, axes.mains())
    world = FROM_CANONICAL @ axes.world.T
    turns = {part: world @ placed[:, k, :3, :3] @ A @ FROM_CANONICAL.T for k, (part, A) in enumerate(axes.axes.items())}
    pelvis = list(axes.axes).index("pelvis")
    hips = placed[:, pelvis, :3, :3] @ axes.hips + placed[:, pelvis, :3, 3]
    out = dict(zip(("pelvis_tilt", "pelvis_list", "pelvis_rotation"), _three(turns["pelvis"]).T, strict=True))
    out |= dict(zip(("pelvis_tx", "pelvis_ty", "pelvis_tz"), (figure.unit * hips @ world.T).T, strict=True))
    nothing = np.zeros(len(motion))
    for letter, (side, sign) in SIDES.items():
        flexion, adduction, rotation = _three(_between(turns["pelvis"], turns[f"{side} thigh"])).T
        out[f"hip_flexion_{letter}"] = flexion
        out[f"hip_adduction_{letter}"], out[f"hip_rotation_{letter}"] = sign * adduction, sign * rotation
        out[f"knee_angle_{letter}"] = _three(_between(turns[f"{side} thigh"], turns[f"{side} shank"]))[:, 0]
        out[f"ankle_angle_{letter}"] = _three(_between(turns[f"{side} shank"], turns[f"{side} foot"]))[:, 0]
        out[f"subtalar_angle_{letter}"] = out[f"mtp_angle_{letter}"] = nothing
    spine = [part for part in turns if part.startswith("spine")]
    back = _three(_between(turns["pelvis"], turns[spine[-1]])) if spine else np.zeros((len(motion), 3))
    return out | dict(zip(("lumbar_extension", "lumbar_bending", "lumbar_rotation"), back.T, strict=True))


def _between(parent: Rotations, child: Rotations) -> Rotations:
    return np.asarray(np.swapaxes(parent, 1, 2) @ child)


def _three(turns: Rotations) -> Matrix:
    """(T, 3) angles about z, x and y, without jumps by a whole turn."""
    return np.asarray(np.unwrap(rotations.to_euler("zxy", rotations.from_matrix(turns)), axis=0))
