"""Points whose left and right are exchanged, or whose axes are mirrored: the body then seems to look backward.

If left and right are what they say, left × up points forward. Face, feet and bent knees show where forward is. If they
say the opposite in most frames, the sides or the axes are wrong.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Points, Vector
from manikin.motion.points.inputs import GivenPoints

CUES = (
    ("the face", ("nose", "face"), ("left ear", "right ear", "neck", "neck joint")),
    ("the left foot", ("left big toe", "left foot"), ("left heel", "left ankle")),
    ("the right foot", ("right big toe", "right foot"), ("right heel", "right ankle")),
)
"""What points forward: the front point, and the point behind it. The first name that is known counts."""
BENT = 0.15
"""A knee is bent if it is beside the line from hip to ankle by more than this share of its length."""
CLEAR = 0.7
"""A cue says backward if it does so in this share of the frames in which it is seen."""
LEAST = 2
"""Number of cues that must say backward. No cue may say forward."""


def mirrored(given: GivenPoints) -> tuple[str, ...]:
    """What points backward, if left and right seem to be exchanged; empty if they do not, or if it is not clear."""
    forward = _forward(given)
    if forward is None:
        return ()
    found = {cue: _share_backward(_cue(given, fronts, backs), forward) for cue, fronts, backs in CUES}
    for side in ("left", "right"):
        found[f"the {side} knee"] = _share_backward(_knee(given, side), forward)
    known = {cue: share for cue, share in found.items() if share is not None}
    backward = tuple(cue for cue, share in known.items() if share >= CLEAR)
    if len(backward) < LEAST or any(share <= 1.0 - CLEAR for share in known.values()):
        return ()
    return backward


def _point(given: GivenPoints, *names: str) -> Points | None:
    """(T, 3) the first of some points that is given."""
    found = next((n for n in names if n in given.names), None)
    return None if found is None else given.points[:, given.names.index(found)]


def _forward(given: GivenPoints) -> Points | None:
    """(T, 3) left × up."""
    ends = {word: [_point(given, f"{side} {word}") for side in ("left", "right")] for word in ("hip", "shoulder")}
    (left_hip, right_hip), (left_shoulder, right_shoulder) = ends["hip"], ends["shoulder"]
    if left_hip is None or right_hip is None or left_shoulder is None or right_shoulder is None:
        return None
    left = left_hip - right_hip + left_shoulder - right_shoulder
    return np.cross(left, left_shoulder + right_shoulder - left_hip - right_hip)


def _cue(given: GivenPoints, fronts: tuple[str, ...], backs: tuple[str, ...]) -> Points | None:
    front, back = _point(given, *fronts), _point(given, *backs)
    if backs[0].endswith("ear") and (right := _point(given, backs[1])) is not None and back is not None:
        back = 0.5 * (back + right)
    return None if front is None or back is None else front - back


def _knee(given: GivenPoints, side: str) -> Points | None:
    """(T, 3) from the line between hip and ankle to the knee; NaN if the leg is nearly straight."""
    hip, knee, ankle = (_point(given, f"{side} {word}") for word in ("hip", "knee", "ankle"))
    if hip is None or knee is None or ankle is None:
        return None
    line = ankle - hip
    length = np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-100)
    away = knee - hip
    away = away - (away * line).sum(axis=1, keepdims=True) / length**2 * line
    return np.where(np.linalg.norm(away, axis=1, keepdims=True) > BENT * length, away, np.nan)


def _share_backward(cue: Points | None, forward: Points) -> float | None:
    """The share of the frames in which a cue points backward; None if it is never seen."""
    if cue is None:
        return None
    along: Vector = (cue * forward).sum(axis=1)
    along = along[np.isfinite(along)]
    return float((along < 0.0).mean()) if len(along) else None
