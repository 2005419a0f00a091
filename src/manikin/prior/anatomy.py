"""Finds the joints that belong to each part of a person, and the effectors.

A part is a piece of a chain from the pelvis outward: spine, neck, head, and on each side upper arm, forearm, hand,
thigh, shank, foot, toes. With B the anatomical axes of a segment in the world (`figure.parts.axes`: x left, y up, z
forward of a person who stands with hanging arms), the turn of a part is B⁻¹ of the part before it times B of the part
itself. The coordinates of a part are the rotation vector of its turn. They have the same meaning on every figure,
whatever its names, axes and rest pose.

The twist of the forearm belongs to the hand, because some rigs put it before the wrist and others in the wrist.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Quaternions, Vector
from manikin.errors import BadValue, listing
from manikin.figure.figure import Figure
from manikin.figure.joint import Ball, Euler, Joint
from manikin.figure.parts.bone_names import TWIST, Part
from manikin.figure.parts.find import bone_map
from manikin.figure.parts.segment_axes import segment_axes
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.skeleton import Skeleton, skeleton_of

SIDES = ("left", "right")
LIMBS = ("upper arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
PARTS = ("spine", "neck", "head", *(f"{side} {name}" for side in SIDES for name in LIMBS))
"""The 17 parts, in the order of the outputs of the net."""
EFFECTORS = ("head", "left hand", "right hand", "left foot", "right foot", "pelvis")
"""The effectors that are inputs of the net, in its order."""
BEFORE = {"neck": "spine", "head": "neck", "upper arm": "spine", "forearm": "upper arm", "hand": "forearm"} | {
    "shank": "thigh",
    "foot": "shank",
    "toes": "foot",
}
"""The parent of each part. The parent of all other parts is the pelvis."""
NEEDED = ("head", *(f"{side} {name}" for side in SIDES for name in LIMBS if name != "toes"))
"""A figure without these parts is not a person."""
LEAST_UPRIGHT = 0.5
"""A figure stands if the cosine between its up axis and the direction from hips to head is at least this."""


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A figure of a person, part by part. Made by `anatomy_of`."""

    figure: Figure
    pelvis: int
    """Index of the segment."""
    joints: dict[str, tuple[int, ...]]
    """The segments of each part whose joints turn it, from the pelvis outward."""
    axes: Quaternions
    """(S, 4) the anatomical axes of each segment in its own space."""
    effectors: tuple[int, ...]
    """The segment of each of `EFFECTORS`."""
    hips: Vector
    """(3,) from the pelvis segment to the middle between the hip joints, in its anatomical axes, length. Rigs put the
    pelvis segment at different heights, but the middle between the hip joints is the same place on all rigs."""
    frame: Matrix
    """(3, 3) columns: left, up and forward of the body at rest, in the world. Up is `figure.up`."""
    leg: float
    """Length of thigh and shank together."""
    proportions: Vector
    """(7,) lengths in legs: from the hips to the middle of the shoulders, from there to the head, half the width of the
    shoulders, upper arm, forearm, half the width of the hips, thigh."""

    def end(self, part: str) -> int:
        """The last segment of a part. If the part has no segments, the last one of its parent."""
        own = self.joints.get(part)
        return own[-1] if own else self.before(part)

    def before(self, part: str) -> int:
        """The last segment of the parent of a part."""
        side, name = divided(part)
        above = BEFORE.get(name)
        if above is None:
            return self.pelvis
        return self.end(above if above in PARTS else f"{side} {above}")


def divided(part: str) -> tuple[str, str]:
    """The side and the bare name of a part: ("left", "upper arm"), ("", "spine")."""
    found = Part.of(part)
    return found.side, found.name


def anatomy_of(figure: Figure, pose: Vector | None = None) -> Anatomy:
    """The parts of a figure of a person.

    Args:
        figure: a person, whose segments are recognised by their names or by its bone map.
        pose: (nq,) a pose in which the person stands; None means the rest pose.

    Raises:
        BadValue: the figure is not a person, or does not stand. The message names what is missing.
    """
    owner = f"figure {figure.name!r}"
    stand = figure.rest if pose is None else pose
    skeleton, parts = skeleton_of(figure), segment_parts(figure)
    places = figure.placements(stand)
    missing = _missing(skeleton.named)
    if missing and (_missing(parts) or not _is_character(figure)):
        raise BadValue(
            f"{owner} is not recognised as a person: it has no {listing(missing)}. Segments are recognised by "
            "their names (Mixamo, CMU, VRM, Rokoko, Biovision, SMPL or the like) or by the shape of the figure "
            "(manikin.bone_map)"
        )
    found = segment_axes(figure, parts, places)
    pelvis = _pelvis(skeleton, parts)
    joints = _joints(skeleton, parts, pelvis, places[:, :3, 3])
    wanted = [*(joints[name][-1] for name in EFFECTORS[:-1]), pelvis]
    body = rotations.to_matrix(found.body)
    up = np.array(rotations.AXES[figure.up])
    if body[:, 1] @ up < LEAST_UPRIGHT:
        raise BadValue(f"{owner} does not stand along its up axis ({figure.up}) in its rest pose")
    forward = np.cross(body[:, 0], up)
    forward /= np.linalg.norm(forward)
    at = places[:, :3, 3]
    leg = np.mean([_way(at, joints, side, ("thigh", "shank", "foot")) for side in SIDES])
    frame = np.stack([np.cross(up, forward), up, forward], axis=1)
    middle = np.mean([at[joints[f"{side} thigh"][0]] for side in SIDES], axis=0)
    hips = (places[pelvis, :3, :3] @ rotations.to_matrix(found.local[pelvis])).T @ (middle - at[pelvis])
    sizes = _proportions(at, joints) / leg
    return Anatomy(figure, pelvis, joints, found.local, tuple(wanted), hips, frame, float(leg), sizes)


def _is_character(figure: Figure) -> bool:
    """Whether the bone map is that of a character that stands on two legs.

    The shoulders and hips of a character are joints of three axes. Robots have several hinges there.
    """
    bones = bone_map(figure)
    limbs = [bones.first(f"{side} {name}") for side in SIDES for name in ("upper arm", "thigh")]
    return not bones.four_legged and all(_turns_freely(figure.segment(name).joint) for name in limbs)


def _pelvis(skeleton: Skeleton, parts: Sequence[Part | None]) -> int:
    """The lowest segment called pelvis that carries both the legs and the head. In some rigs (MakeHuman) the hips carry
    only the legs, and the root above them carries the spine."""
    own = [i for i, part in enumerate(parts) if part == Part("pelvis")]
    ends = [parts.index(part) for part in (Part("thigh", "left"), Part("head"))]
    return next((i for i in reversed(own) if all(skeleton.is_below(end, i) for end in ends)), own[0])


def _turns_freely(joint: Joint) -> bool:
    last = joint.motions[-1] if joint.motions else None
    return isinstance(last, Ball) or (isinstance(last, Euler) and len(last.order) == 3)


def _missing(parts: Sequence[Part | None]) -> list[str]:
    there = {str(part) for part in parts if part is not None}
    return [name for name in ("pelvis", *NEEDED) if name not in there]


def _joints(skeleton: Skeleton, parts: Sequence[Part | None], pelvis: int, at: Matrix) -> dict[str, tuple[int, ...]]:
    """The segments of each part that lie on one chain."""
    out: dict[str, tuple[int, ...]] = {}
    for name in PARTS:
        side, bare = divided(name)
        own = [i for i, p in enumerate(parts) if p == Part(bare, side)]
        if not own:
            continue
        if bare in ("spine", "neck"):  # only those that carry the head; a rig may have others
            tip = parts.index(Part("head"))
            chain = [i for i in own if skeleton.is_below(tip, i)] or own[:1]
            if bare == "spine":  # with segments of unknown names between them and the pelvis
                between = [i for i in range(len(parts)) if parts[i] is None and skeleton.is_below(chain[-1], i)]
                chain += [i for i in between if skeleton.is_below(i, pelvis)]
        elif bare == "hand":
            last = own[0]
            # CMU rigs put the wrist's turn in a second segment at the same place.
            second = [i for i, p in enumerate(parts) if p == Part("fingers", side) and skeleton.parents[i] == last]
            last = next((i for i in second if np.allclose(at[i], at[last])), last)
            twists = (Part("hand", side), Part(f"forearm {TWIST}", side))
            chain = [i for i, p in enumerate(parts) if p in twists and skeleton.is_below(last, i)] + [last]
        else:
            chain = own[:1]
        out[name] = tuple(sorted(set(chain)))
    return out


def _proportions(at: Matrix, joints: dict[str, tuple[int, ...]]) -> Vector:
    """`Anatomy.proportions` as lengths."""
    first = {name: at[joints[name][0]] for name in NEEDED}
    hips, shoulders = ([first[f"{side} {name}"] for side in SIDES] for name in ("thigh", "upper arm"))
    middle = np.mean(shoulders, axis=0)
    lengths = [
        np.linalg.norm(middle - np.mean(hips, axis=0)),
        np.linalg.norm(first["head"] - middle),
        0.5 * np.linalg.norm(shoulders[0] - shoulders[1]),
        np.mean([_way(at, joints, side, ("upper arm", "forearm")) for side in SIDES]),
        np.mean([np.linalg.norm(at[joints[f"{side} hand"][-1]] - first[f"{side} forearm"]) for side in SIDES]),
        0.5 * np.linalg.norm(hips[0] - hips[1]),
        np.mean([_way(at, joints, side, ("thigh", "shank")) for side in SIDES]),
    ]
    return np.array(lengths, dtype=np.float64)


def _way(at: Matrix, joints: dict[str, tuple[int, ...]], side: str, names: Sequence[str]) -> float:
    points = [at[joints[f"{side} {name}"][0]] for name in names]
    return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(points)))
