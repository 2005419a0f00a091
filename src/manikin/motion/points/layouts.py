"""Layouts of keypoints: which point of the body each column is, and the names that programs give to these points.

A layout is a tuple of points of the body in the order of the estimator. `places` says where each point is on a figure.

Sources of the orders:

- **coco17**: "keypoints" in the annotations of COCO 2017 (cocodataset.org, keypoint detection).
- **body25**: OpenPose, doc/02_output.md, "Keypoint Ordering in C++/Python", model BODY_25.
- **halpe26**: github.com/Fang-Haoshu/Halpe-FullBody, the first 26 keypoints; also RTMPose and AlphaPose.
- **h36m17**: the 17 joints of Human3.6M that VideoPose3D and the "h36m" dataset of MMPose use.
- **mediapipe33**: MediaPipe Pose (BlazePose), "Pose landmark model", 33 landmarks.
- **smpl24**: the 24 joints of SMPL in the order of `smplx.joint_names`. Only the joints: no model file is needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manikin.errors import BadShape, BadValue, listing, unknown_name

_FACE = ("nose", "left eye", "right eye", "left ear", "right ear")


def _pairs(*names: str) -> tuple[str, ...]:
    """For each name, the left point and then the right point."""
    return tuple(f"{side} {name}" for name in names for side in ("left", "right"))


def _side(side: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{side} {name}" for name in names)


_ARM, _LEG = ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")
_COCO = (*_FACE, *_pairs(*_ARM, *_LEG))

LAYOUTS: dict[str, tuple[str, ...]] = {
    "coco17": _COCO,
    "body25": (
        *("nose", "neck", *_side("right", *_ARM), *_side("left", *_ARM), "mid hip"),
        *(*_side("right", *_LEG), *_side("left", *_LEG), "right eye", "left eye", "right ear", "left ear"),
        *(*_side("left", "big toe", "small toe", "heel"), *_side("right", "big toe", "small toe", "heel")),
    ),
    "halpe26": (*_COCO, "head top", "neck", "mid hip", *_pairs("big toe", "small toe", "heel")),
    "h36m17": (
        *("mid hip", *_side("right", *_LEG), *_side("left", *_LEG), "mid spine", "neck", "face", "head top"),
        *(*_side("left", *_ARM), *_side("right", *_ARM)),
    ),
    "mediapipe33": (
        *("nose", *_side("left", "eye inner", "eye", "eye outer"), *_side("right", "eye inner", "eye", "eye outer")),
        *("left ear", "right ear", "left mouth", "right mouth", *_pairs(*_ARM, "pinky", "index", "thumb")),
        *_pairs(*_LEG, "heel", "big toe"),
    ),
    "smpl24": (
        *("pelvis", "left hip", "right hip", "spine 1", "left knee", "right knee", "spine 2", "left ankle"),
        *("right ankle", "spine 3", "left foot", "right foot", "neck joint", "left collar", "right collar"),
        *("head joint", *_pairs(*_ARM, "hand")),
    ),
}
"""The points of each layout, in order."""

_ALIASES = {
    **dict.fromkeys(("hip", "c hip", "mid hip", "hips", "root", "hip center", "mid hips"), "mid hip"),
    **dict.fromkeys(("head", "head top", "top head", "vertex"), "head top"),
    **dict.fromkeys(("neck", "thorax", "mid shoulder"), "neck"),
    **dict.fromkeys(("spine", "belly", "mid spine"), "mid spine"),
    **dict.fromkeys(("neck nose", "face", "jaw"), "face"),
    **dict.fromkeys(("spine1", "spine 1"), "spine 1"),
    **dict.fromkeys(("spine2", "spine 2"), "spine 2"),
    **dict.fromkeys(("spine3", "spine 3"), "spine 3"),
    **{name: name for name in ("nose", "pelvis", "neck joint", "head joint")},
}
_SIDED = {
    **{name: name for name in (*_ARM, *_LEG, "eye", "ear", "eye inner", "eye outer", "mouth", "heel")},
    **{name: name for name in ("small toe", "pinky", "index", "thumb", "collar", "hand", "foot")},
    **dict.fromkeys(("big toe", "foot index", "toe"), "big toe"),
}
_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}


def point_named(name: str) -> str | None:
    """The point of the body that a name means ("RBigToe", "left_hip", "MidHip"), or None if it is unknown.

    Example:
        >>> point_named("RBigToe"), point_named("left_foot_index"), point_named("CHip"), point_named("r.ASIS_study")
        ('right big toe', 'left big toe', 'mid hip', None)
    """
    apart = re.sub(r"[_\-./:]+", " ", name.strip())
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", apart).lower().split()
    text = " ".join(words)
    if text in _ALIASES:
        return _ALIASES[text]
    for at in (0, -1):
        if len(words) > 1 and words[at] in _SIDES:
            rest = " ".join(words[1:] if at == 0 else words[:-1])
            return f"{_SIDES[words[at]]} {_SIDED[rest]}" if rest in _SIDED else None
    return None


def layout_points(layout: str, count: int) -> tuple[str, ...]:
    """The points of a layout.

    Args:
        layout: the name of a layout.
        count: the number of points in the data.

    Raises:
        UnknownName, BadShape: the layout is unknown, or has another number of points.
    """
    if layout not in LAYOUTS:
        raise unknown_name("fit_points", "layout", layout, list(LAYOUTS))
    points = LAYOUTS[layout]
    if len(points) != count:
        fits = [name for name, other in LAYOUTS.items() if len(other) == count]
        others = f"{listing(fits)} {'has' if len(fits) == 1 else 'have'} {count}" if fits else "no layout has so many"
        raise BadShape(f"points has {count} points a frame; layout {layout!r} has {len(points)}; {others}")
    return points


def points_by_names(names: Sequence[str]) -> tuple[str | None, ...]:
    """The point of the body of each name; None for unknown names and for a second name of the same point.

    Raises:
        BadValue: no name is known.
    """
    out: list[str | None] = []
    for name in names:
        point = point_named(name)
        out.append(point if point not in out else None)
    if not any(out):
        raise BadValue(
            f"none of the points has a known name ({listing(list(names), 6)}); rename them as in LHip, RKnee, Nose, "
            f"or pass layout= if their order is that of {listing(list(LAYOUTS))}"
        )
    return tuple(out)
