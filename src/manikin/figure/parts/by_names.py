"""Finds the first segment of each part of a body by the names of segments and joints.

`bone_names` knows the names of characters. Names of robots are simplified first: "left_hip_pitch_link" becomes "left
hip", "thigh_left:hip_x_left" becomes "thigh left". If the name of a segment is only "arm", "leg" or a number, the name
of its joint is used.
"""

from __future__ import annotations

from dataclasses import dataclass

from manikin.figure.parts.bone_names import SIDES, Part, recognised, words
from manikin.figure.parts.sides import SIDE_WORDS
from manikin.figure.parts.skeleton import Skeleton

LIMBS = ("clavicle", "upper arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
"""The parts of each side of a body, those of the arm first."""
MACHINE_WORDS = {
    *("link", "joint", "body", "frame", "base", "pitch", "roll", "yaw", "pan", "tilt"),
    *("x", "y", "z", "rx", "ry", "rz"),
}
"""Words in names of robots that do not help to find the part."""
SHORT_WORDS = {"sho": "shoulder", "el": "elbow", "ank": "ankle"}
"""Short forms in names of robots (ROBOTIS)."""
LIMB_WORDS = {"larm": ["l", "arm"], "rarm": ["r", "arm"], "lleg": ["l", "leg"], "rleg": ["r", "leg"]}
SPECIFIC = {"shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "foot"}
"""If a name has one of these words, "arm" and "leg" in it are ignored."""
PAWS = {"forepaw": "hand", "frontpaw": "hand", "hindpaw": "foot", "backpaw": "foot", "rearpaw": "foot"}
TOES = {"foretoes": "fingers", "fronttoes": "fingers", "hindtoes": "toes", "backtoes": "toes", "reartoes": "toes"}
"""Words for the limbs of animals, joined without spaces."""
FRONT, HIND = {"f", "front", "fore"}, {"h", "hind", "rear", "back"}
"""Words for the ends of an animal. "fl" is the front left leg."""


@dataclass(frozen=True)
class Starts:
    """The first segments of parts. Parts that were not found are left out."""

    first: dict[str, int]
    """The first segment of each limb part ("left thigh") and of the head."""
    tails: dict[str, list[int]]
    """The segments of parts that no other part follows: the joints of a wrist, an ankle or a head."""
    necks: list[int]
    """Segments that belong to the neck according to their names."""
    pelvis: int | None = None
    """The segment that is called pelvis, if the thighs hang on the spine above it."""


def by_names(skeleton: Skeleton) -> Starts:
    """The first segments of the parts that names identify."""
    figure, parents = skeleton.figure, skeleton.parents
    names = [_readable(skeleton, i) for i in range(len(parents))]
    if skeleton.hinged:
        names = _feet_called_toes(names)
    humanoid = figure.source.get("humanoid")
    every = recognised(figure.segment_names if humanoid else names, parents, humanoid)
    # Fixed pieces carry meshes and sensors. They must not change the meaning of the name of a moving segment.
    moving = recognised(
        figure.segment_names if humanoid else [n if m else "" for n, m in zip(names, skeleton.moves, strict=True)],
        parents,
        humanoid,
    )
    parts = [m if moves else e for m, e, moves in zip(moving, every, skeleton.moves, strict=True)]
    parts = [_wrist_hand(p, name) for p, name in zip(parts, names, strict=True)]
    where: dict[str, list[int]] = {}
    for i, part in enumerate(parts):
        if part is not None:
            where.setdefault(str(part), []).append(i)
    first: dict[str, int] = {}
    for name in ("head", *(f"{side} {limb}" for side in ("left", "right") for limb in LIMBS)):
        start = _first(skeleton, where.get(name, []), name)
        if start is not None:
            first[name] = start
    for side in ("left", "right"):
        _hand(skeleton, parts, first, side)
        _toes(skeleton, parts, first, side)
    tails = {name: _tail(skeleton, parts, i) for name, i in first.items()}
    necks = [i for i, p in enumerate(parts) if p == Part("neck") and skeleton.moves[i]]
    return Starts(first, tails, necks, _pelvis(skeleton, parts, first))


def side_of(name: str) -> str:
    """ "left", "right", or "" if the name has no side, or both."""
    found = {SIDE_WORDS[w][1] for w in _machine_words(name) if w in SIDE_WORDS}
    return found.pop() if len(found) == 1 else ""


def end_of(name: str) -> str:
    """The word for the front or hind end of an animal: "f" in "FL_hip", "hind" in "HindLeg"; "" if there is none."""
    ends = [SIDE_WORDS[w][0] if w in SIDE_WORDS else w for w in words(name)]
    return next((end for end in ends if end in FRONT | HIND), "")


def body_of(name: str) -> str:
    """The body of a segment that the MJCF reader made for one of several joints: "thigh:hip_x" belongs to "thigh"."""
    return name.split(":")[0]


def _readable(skeleton: Skeleton, i: int) -> str:
    """The name of a segment in a form that `bone_names` can read; empty if it does not identify a part."""
    segment = skeleton.figure.segments[i]
    joined = "".join(w for w in words(segment.name) if w not in SIDES)
    for table in (PAWS, TOES):
        if joined in table:
            return f"{side_of(segment.name)} {table[joined]}"
    if not skeleton.hinged:
        return segment.name
    for name in (body_of(segment.name), segment.joint.name):
        said = _machine_words(name)
        if SPECIFIC & set(said):
            said = [w for w in said if w not in ("arm", "leg")]
        if set(said) - set(SIDES) - {"arm", "leg"}:
            return " ".join(said)
    return segment.name if len(words(segment.name)) <= 2 else ""


def _machine_words(name: str) -> list[str]:
    said = [part for w in words(name) if not w.isdigit() for part in LIMB_WORDS.get(w, [w])]
    if len(said) > 2 and said[-1] in ("p", "r", "y") and SIDES.keys() & set(said[:-1]):
        said = said[:-1]  # LARM_SHOULDER_R: roll, not right
    return [SHORT_WORDS.get(w, w) for w in said if w not in MACHINE_WORDS]


def _feet_called_toes(names: list[str]) -> list[str]:
    """The names of a robot. If it has toes, but neither feet nor ankles, its toes are its feet (Agility Digit)."""
    said = {w for name in names for w in words(name)}
    if said & {"foot", "feet", "ankle"}:
        return names
    return [" ".join("foot" if w in ("toe", "toes") else w for w in name.split()) for name in names]


def _pelvis(skeleton: Skeleton, parts: list[Part | None], first: dict[str, int]) -> int | None:
    """The pelvis of a rig whose thighs hang on the first bone of the spine: the parent of this bone (3ds Max Biped).

    A segment called root is not used, because it may stand on the floor.
    """
    if "left thigh" not in first or "right thigh" not in first:
        return None
    carrier = skeleton.common(first["left thigh"], first["right thigh"])
    above = skeleton.parents[carrier]
    if above < 0 or parts[carrier] != Part("spine") or parts[above] != Part("pelvis"):
        return None
    return None if "root" in words(skeleton.figure.segment_names[above]) else above


def _wrist_hand(part: Part | None, name: str) -> Part | None:
    """A hand below a wrist is part of the hand. `recognised` classifies it as fingers."""
    if part is not None and part.name == "fingers" and name.lower().endswith("hand"):
        return Part("hand", part.side)
    return part


def _first(skeleton: Skeleton, found: list[int], name: str) -> int | None:
    """The first moving one of the segments of a part, or else the first one. Fixed toes are not used."""
    moving = [i for i in found if skeleton.moves[i]]
    if name.endswith("toes"):
        return min(moving, key=lambda i: _numbers(skeleton, i), default=None)
    return next(iter(moving or found), None)


def _numbers(skeleton: Skeleton, i: int) -> list[int]:
    """The numbers in a name: the big toe is the first of five."""
    return [int(w) for w in words(skeleton.figure.segment_names[i]) if w.isdigit()]


def _hand(skeleton: Skeleton, parts: list[Part | None], first: dict[str, int], side: str) -> None:
    """If no name identifies the hand, it is the segment below the forearm that carries the middle or another finger."""
    forearm = first.get(f"{side} forearm")
    if f"{side} hand" in first or forearm is None:
        return
    for finger in ("middle", "index", "ring", "pinky", "thumb"):
        for i, part in enumerate(parts):
            path = skeleton.down(forearm, i) if part == Part(f"{finger} 1", side) else []
            if len(path) > 2:
                first[f"{side} hand"] = path[1]
                return


def _toes(skeleton: Skeleton, parts: list[Part | None], first: dict[str, int], side: str) -> None:
    """A second piece of the foot is the toes. Toes that begin at the ankle are not used."""
    foot = first.get(f"{side} foot")
    if foot is None:
        return
    if f"{side} toes" not in first and not skeleton.hinged:
        second = [i for i in skeleton.below(foot)[1:] if parts[i] == Part("foot", side) and skeleton.moves[i]]
        if second:
            first[f"{side} toes"] = second[0]
    toes = first.get(f"{side} toes")
    if toes is not None and skeleton.apart(foot, toes) <= 1e-6 * skeleton.reach[0]:
        del first[f"{side} toes"]


def _tail(skeleton: Skeleton, parts: list[Part | None], start: int) -> list[int]:
    """A segment and, in a robot, the further joints of the same part, with the body that they carry."""
    out = [start]
    while skeleton.hinged:
        body = body_of(skeleton.figure.segment_names[out[-1]])
        further = [
            i
            for i in skeleton.children[out[-1]]
            if (parts[i] == parts[start] and skeleton.moves[i]) or skeleton.figure.segment_names[i] == body
        ]
        if len(further) != 1:
            break
        out += further
    return out
