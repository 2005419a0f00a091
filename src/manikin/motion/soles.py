"""The points of a figure that touch the floor: a toe and a heel under each foot, and each wrist.

A toe point lies under the ball of the foot, a heel point under and behind the ankle. Both are fixed to the foot. They
are found in a pose in which the figure stands: the rest pose, or a frame of the clip if the rest pose does not stand.
Lengths are in legs: thigh and shank together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Points, Poses, Vector
from manikin.figure import Box, Capsule, Figure, Sphere
from manikin.figure.parts.bone_map import SIDES, BoneMap
from manikin.figure.parts.skeleton import skeleton_of
from manikin.figure.parts.standing import body_axes, standing_pose

FRONT = 0.08
"""A toe point is at least this far in front of the ankle, in legs."""
BACK = 0.05
"""A heel point is this far behind the ankle, in legs."""
FEET = tuple(f"{side} foot" for side in SIDES)
UNDER = 0.015
"""The sole is this far below the lowest joint of a foot without shapes, in legs."""


@dataclass(frozen=True, eq=False)
class Soles:
    """Points that can touch the floor."""

    names: tuple[str, ...]
    """ "left toe", "left heel", "right toe", "right heel", then "left hand" and "right hand" where there are hands."""
    segments: tuple[str, ...]
    """The segment that each point is fixed to."""
    points: Points
    """(P, 3) in the space of the segment."""
    leg: float
    """Length of thigh and shank, the unit of all thresholds."""
    parts: tuple[str, ...]
    """The part that each point belongs to: "left foot", "left hand", or the same of the right side."""
    feet: int = 4
    """The first points are those of feet: four, or six for an animal that stands on its hands too."""

    @property
    def under_feet(self) -> list[int]:
        """Indices of the points under feet; hands of animals on four legs do not count."""
        return [k for k, part in enumerate(self.parts) if part in FEET]

    def only_feet(self) -> Soles:
        """The points that the figure stands on."""
        n = self.feet
        return Soles(self.names[:n], self.segments[:n], self.points[:n], self.leg, self.parts[:n], n)

    def over(self, figure: Figure, poses: Poses) -> Points:
        """(P, frames, 3) positions of the points in each pose."""
        return self.at(figure.placements(poses, list(self.segments)))

    def at(self, world: Placements) -> Points:
        """(P, frames, 3) positions of the points, from the placements (frames, P, 4, 4) of their segments."""
        turned = np.einsum("fpij,pj->pfi", world[..., :3, :3], self.points)
        return np.asarray(turned + np.swapaxes(world[..., :3, 3], 0, 1))


def find_soles(figure: Figure, poses: Poses, bones: BoneMap, pose: Vector | None = None) -> Soles:
    """The sole points and wrists of a figure.

    Args:
        figure: the figure.
        poses: (frames, nq) of a clip, used if the rest pose does not stand.
        bones: the parts of the figure.
        pose: (nq,) a pose that stands on level feet; None uses that of the map, or finds one.

    Raises:
        BadValue: neither the rest pose nor any frame stands.
    """
    pose = bones.by_hand.standing(figure) if pose is None else pose
    world = figure.placements(standing_pose(figure, poses, bones).pose if pose is None else pose)
    _, up, facing = body_axes(figure, world, bones).T
    leg = float(np.mean([_leg(figure, world, bones, side) for side in SIDES]))
    names, segments, points, parts = [], [], [], []
    for side in SIDES:
        main = figure.segment_index(bones.main(f"{side} foot"))
        ankle = world[figure.segment_index(bones.first(f"{side} foot")), :3, 3]
        front = _ball(figure, world, bones, side) - ankle
        front = front - up * (front @ up)
        length = float(np.linalg.norm(front))
        forward = front / length if length > 0.01 * leg else facing
        low = _lowest(figure, world, bones, f"{side} foot", up, leg)
        flat = ankle + up * (low - ankle @ up)
        R, origin = world[main, :3, :3], world[main, :3, 3]
        for name, ahead in (("toe", max(length, FRONT * leg)), ("heel", -BACK * leg)):
            names.append(f"{side} {name}")
            parts.append(f"{side} foot")
            segments.append(bones.main(f"{side} foot"))
            given = bones.by_hand.soles.get(names[-1])
            points.append(R.T @ (flat + ahead * forward - origin) if given is None else np.array(given))
    for side in bones.hands:
        names.append(f"{side} hand")
        parts.append(f"{side} hand")
        if bones.four_legged:
            segments.append(bones.main(f"{side} hand"))
            points.append(_paw(figure, world, bones, side, up, leg))
        else:
            segments.append(bones.first(f"{side} hand"))
            points.append(np.zeros(3))
    feet = len(names) if bones.four_legged else 4
    return Soles(tuple(names), tuple(segments), np.array(points), leg, tuple(parts), feet)


def _leg(figure: Figure, world: Placements, bones: BoneMap, side: str) -> float:
    at = [world[figure.segment_index(bones.first(f"{side} {p}")), :3, 3] for p in ("thigh", "shank", "foot")]
    return float(np.linalg.norm(at[1] - at[0]) + np.linalg.norm(at[2] - at[1]))


def _ball(figure: Figure, world: Placements, bones: BoneMap, side: str) -> Vector:
    """The beginning of the toes. Without toes, the mean of the children of the foot."""
    if f"{side} toes" in bones:
        return np.array(world[figure.segment_index(bones.first(f"{side} toes")), :3, 3])
    main = figure.segment_index(bones.main(f"{side} foot"))
    return np.array(world[skeleton_of(figure).below(main), :3, 3][-1:].mean(axis=0))


def _paw(figure: Figure, world: Placements, bones: BoneMap, side: str, up: Vector, leg: float) -> Vector:
    """The point of a forefoot that touches the floor, in the space of the hand: below the end of the hand."""
    main = figure.segment_index(bones.main(f"{side} hand"))
    tip = world[skeleton_of(figure).below(main)[-1], :3, 3]
    low = _lowest(figure, world, bones, f"{side} hand", up, leg)
    point = tip + up * (low - tip @ up)
    return np.asarray(world[main, :3, :3].T @ (point - world[main, :3, 3]))


def _lowest(figure: Figure, world: Placements, bones: BoneMap, part: str, up: Vector, leg: float) -> float:
    """The height of the sole: the lowest point of the shapes of foot and toes, or just below the lowest joint."""
    below = skeleton_of(figure).below(figure.segment_index(bones.first(part)))
    heights: list[float] = []
    for i in below:
        R, p = world[i, :3, :3], world[i, :3, 3]
        for shape in figure.segments[i].shapes:
            if isinstance(shape, Sphere):
                heights.append(float((p + R @ shape.center) @ up - shape.radius))
            elif isinstance(shape, Capsule):
                heights += [float((p + R @ end) @ up - shape.radius) for end in (shape.start, shape.end)]
            elif isinstance(shape, Box):
                turn = R @ rotations.to_matrix(np.array(shape.rotation))
                heights.append(float((p + R @ shape.center) @ up - np.abs(up @ turn) @ shape.half))
    return min(heights) if heights else float((world[below, :3, 3] @ up).min()) - UNDER * leg
