"""What the page draws: the segments of a figure, its solids, and its placements as numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.goals.support import contact_points, ground_axes, hull
from manikin.studio.roles import Roles
from manikin.studio.wishes import why_not_natural
from manikin.view.hull import Hull
from manikin.view.solids import mostly_shaped, solids
from manikin.view.turned import Turned

DETAIL = 0.7
"""Resolution of the solids on the page; 1 is that of a picture."""

DIRECTIONS = ("axis", "across", "rotation")
"""Numbers of a solid that are no lengths."""


def figure_data(figure: Figure, roles: Roles) -> dict[str, Any]:
    """The segments and the solids of a figure as plain data, in the figure's own unit."""
    return {
        "name": figure.name,
        "up": figure.up,
        "unit": figure.unit,
        "size": figure.size,
        "mass": figure.mass > 0.0,
        "not_natural": why_not_natural(figure),
        "segments": [
            {
                "name": s.name,
                "parent": s.parent,
                "words": roles.words(s.name),
                "joint": s.joint.name if s.joint.nq else None,
            }
            for s in figure.segments
        ],
        "shapes": [_shape(solid, digits(figure)) for solid in solids(figure, mostly_shaped(figure), DETAIL)],
    }


def pose_rows(figure: Figure, pose: ArrayLike) -> NDArray[np.float32]:
    """(..., S, 7) the placement of each segment in one or many poses: x, y, z, then the quaternion x, y, z, w."""
    places = figure.placements(pose)
    turns = rotations.from_matrix(places[..., :3, :3])
    return np.concatenate([places[..., :3, 3], turns[..., 1:], turns[..., :1]], axis=-1).astype("<f4")


def support_polygon(figure: Figure, pose: Vector, segments: tuple[str, ...]) -> list[list[float]]:
    """The corners of the polygon on which a figure stands, in world coordinates; empty if there is none."""
    points = [
        contact_points(figure, name) @ place[:3, :3].T + place[:3, 3]
        for name, place in zip(segments, figure.placements(pose, list(segments)), strict=True)
    ]
    every = np.concatenate(points) if points else np.zeros((0, 3))
    if len(every) < 3:
        return []
    corners: list[list[float]] = every[hull(every @ ground_axes(figure.up).T)].round(digits(figure)).tolist()
    return corners


def digits(figure: Figure) -> int:
    """The digits after the point that a length of a figure needs: 5 for a person in metres."""
    return 5 - math.floor(math.log10(figure.size))


def _shape(solid: Any, places: int) -> dict[str, Any]:
    shape = solid.shape
    if isinstance(shape, Turned):
        numbers: dict[str, Any] = {"origin": shape.origin, "axis": shape.axis, "along": shape.along}
        numbers |= {"radii": shape.radii}
        kind = "turned"
    elif isinstance(shape, Hull):
        numbers, kind = {"center": shape.center, "axis": shape.axis, "radii": shape.radii}, "hull"
        numbers["across"] = rotations.perpendicular(shape.axis)
    else:
        numbers = {"half": shape.half, "center": shape.center, "rotation": shape.rotation}
        kind = "box"
    rounded = {}
    for name, values in numbers.items():
        many = 5 if name in DIRECTIONS else places
        rounded[name] = np.round(np.asarray(values, dtype=float), many).tolist()
    return {"segment": solid.segment, "joint": solid.kind == "joint", "kind": kind, **rounded}
