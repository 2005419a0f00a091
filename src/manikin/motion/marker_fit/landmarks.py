"""Landmarks of a person, and the marker names that stand for them.

A landmark is a place on a part of the body. It is measured from a joint centre in the canonical axes of the part (see
`figure.parts.calibration`): outward, up and forward in the neutral stance, in metres for a person with the proportions
of `mk.human()`, whose stature is 1.75 m. Markers are balls on the skin, so places are about 1 cm outside of the bone.

The places of pelvis, knee, ankle and foot were compared with subject01_walk1.trc, walking2.c3d and cmu_02_01.c3d. The
places of clusters are rough, so their standard deviation is large.
"""

from __future__ import annotations

import re
from typing import NamedTuple

BONY, TRACKING, JOINT = "bony", "tracking", "joint"
"""Kinds of markers: over a bone, on soft tissue or a plate, and a computed joint centre."""
TIGHT, LOOSE, WIDE = 0.0075, 0.015, 0.04
"""Standard deviations of places in metres: over a bone, over a bone that is felt less well, and of clusters."""


class Landmark(NamedTuple):
    """A place on a part of the body."""

    part: str
    """The part that carries it, without its side. "spine" is one stage of the spine, see `height`."""
    joint: str
    """The part at whose joint centre the place is measured, without its side; "hips" is midway between the thighs."""
    place: tuple[float, float, float]
    """Outward, up, forward, in metres."""
    sigma: float
    """Standard deviation of the place in each direction, in metres."""
    kind: str
    first: bool = False
    """Whether the first segment of the part carries it. By default the main segment does."""
    height: float = 1.0
    """For "spine": the carrier is the last stage whose joint is at most this high, 0 at the hips and 1 at the
    shoulders."""


def _bony(part: str, joint: str, *place: float, sigma: float = TIGHT, **more: float) -> Landmark:
    return Landmark(part, joint, place, sigma, BONY, **more)  # type: ignore[arg-type]


def _soft(part: str, joint: str, *place: float, sigma: float = WIDE, **more: float) -> Landmark:
    return Landmark(part, joint, place, sigma, TRACKING, **more)  # type: ignore[arg-type]


LANDMARKS: dict[str, Landmark] = {
    # Pelvis
    "asis": _bony("pelvis", "hips", 0.120, 0.098, 0.085),
    "psis": _bony("pelvis", "hips", 0.048, 0.150, -0.095),
    "sacrum": _bony("pelvis", "hips", 0.0, 0.110, -0.105),
    "iliac crest": _bony("pelvis", "hips", 0.140, 0.160, 0.010, sigma=LOOSE),
    "pelvis front": _soft("pelvis", "hips", 0.150, 0.080, 0.100),
    "pelvis rear": _soft("pelvis", "hips", 0.150, 0.080, -0.100),
    # Leg
    "trochanter": _bony("thigh", "thigh", 0.085, 0.0, -0.010, sigma=LOOSE),
    "thigh": _soft("thigh", "thigh", 0.090, -0.220, 0.030),
    "thigh upper": _soft("thigh", "thigh", 0.090, -0.160, 0.010),
    "thigh front": _soft("thigh", "thigh", 0.030, -0.210, 0.090),
    "thigh rear": _soft("thigh", "thigh", 0.080, -0.290, 0.010),
    "thigh low": _soft("thigh", "thigh", 0.050, -0.290, 0.070),
    "lateral knee": _bony("thigh", "shank", 0.055, 0.0, 0.0),
    "medial knee": _bony("thigh", "shank", -0.052, 0.0, 0.0),
    "tibial tuberosity": _bony("shank", "shank", 0.0, -0.060, 0.050, sigma=LOOSE),
    "fibula head": _bony("shank", "shank", 0.045, -0.040, -0.020, sigma=LOOSE),
    "shank": _soft("shank", "shank", 0.045, -0.190, 0.010),
    "shank upper": _soft("shank", "shank", 0.050, -0.110, 0.0),
    "shank front": _soft("shank", "shank", 0.020, -0.140, 0.050),
    "shank rear": _soft("shank", "shank", 0.050, -0.190, -0.020),
    "shank low": _soft("shank", "shank", 0.020, -0.270, 0.030),
    "lateral ankle": _bony("shank", "foot", 0.045, -0.002, -0.006),
    "medial ankle": _bony("shank", "foot", -0.045, 0.004, 0.006),
    "heel": _bony("foot", "foot", 0.0, -0.035, -0.075, sigma=LOOSE),
    "toe": _bony("foot", "foot", 0.010, -0.030, 0.140, sigma=LOOSE),
    "metatarsal 1": _bony("foot", "foot", -0.035, -0.035, 0.135, sigma=LOOSE),
    "metatarsal 5": _bony("foot", "foot", 0.055, -0.045, 0.105, sigma=LOOSE),
    "midfoot": _bony("foot", "foot", -0.025, -0.005, 0.080, sigma=LOOSE),
    "outer foot": _bony("foot", "foot", 0.055, -0.035, 0.060, sigma=LOOSE),
    "toe tip": _bony("foot", "foot", 0.0, -0.040, 0.200, sigma=LOOSE),
    "inner toes": _bony("foot", "foot", -0.045, -0.040, 0.150, sigma=LOOSE),
    "outer toes": _bony("foot", "foot", 0.060, -0.045, 0.135, sigma=LOOSE),
    "foot front": _soft("foot", "foot", 0.045, -0.050, 0.080),
    "foot top": _soft("foot", "foot", 0.010, 0.0, 0.070),
    "foot rear": _soft("foot", "foot", 0.045, -0.050, 0.020),
    # Trunk and head
    "c7": _bony("spine", "neck", 0.0, 0.005, -0.055, sigma=LOOSE),
    "clavicle": _bony("spine", "neck", 0.0, -0.065, 0.080, sigma=LOOSE),
    "sternum": _bony("spine", "neck", 0.0, -0.220, 0.115, sigma=LOOSE, height=0.8),
    "upper sternum": _bony("spine", "neck", 0.0, -0.100, 0.110, sigma=LOOSE),
    "t10": _bony("spine", "neck", 0.0, -0.220, -0.085, sigma=LOOSE, height=0.6),
    "scapula": _soft("spine", "neck", 0.075, -0.090, -0.110),
    "front head": _bony("head", "head", 0.075, 0.060, 0.085, sigma=LOOSE),
    "back head": _bony("head", "head", 0.065, 0.040, -0.085, sigma=LOOSE),
    "temple": _bony("head", "head", 0.072, -0.015, 0.030, sigma=LOOSE),
    "top of head": _bony("head", "head", 0.0, 0.160, 0.020, sigma=LOOSE),
    # Arm
    "shoulder": _bony("clavicle", "upper arm", -0.005, 0.045, 0.0, sigma=LOOSE),
    "upper arm": _soft("upper arm", "upper arm", 0.050, -0.160, 0.0),
    "biceps": _soft("upper arm", "upper arm", 0.040, -0.180, 0.030),
    "lateral elbow": _bony("upper arm", "forearm", 0.040, 0.005, 0.0, sigma=LOOSE),
    "medial elbow": _bony("upper arm", "forearm", -0.040, 0.005, 0.0, sigma=LOOSE),
    "forearm": _soft("forearm", "forearm", 0.035, -0.120, 0.0, first=True),
    "thumb side of wrist": _bony("forearm", "hand", 0.005, 0.005, 0.040, sigma=0.025),
    "little finger side of wrist": _bony("forearm", "hand", 0.005, 0.005, -0.040, sigma=0.025),
    "inner wrist": _bony("forearm", "hand", -0.025, 0.005, 0.020, sigma=0.025),
    "outer wrist": _bony("forearm", "hand", 0.030, 0.005, -0.015, sigma=0.025),
    "knuckle": _bony("hand", "hand", 0.020, -0.080, 0.010, sigma=LOOSE),
    # Joint centres that a laboratory computed
    "hip centre": Landmark("pelvis", "thigh", (0.0, 0.0, 0.0), 0.010, JOINT),
    "knee centre": Landmark("thigh", "shank", (0.0, 0.0, 0.0), 0.010, JOINT),
    "ankle centre": Landmark("shank", "foot", (0.0, 0.0, 0.0), 0.010, JOINT),
}
"""All landmarks. Those with an outward coordinate, and those of limbs, exist on both sides."""

MIDDLE = {"sacrum", "c7", "clavicle", "sternum", "upper sternum", "t10", "top of head"}
"""Landmarks in the middle of the body. All others have a side."""

_WORDS = {
    "asis": "asi asis fwt",
    "psis": "psi psis bwt",
    "sacrum": "sacr sacrum vsac vsacral sacral",
    "iliac crest": "icr ic iliaccrest iliac",
    "trochanter": "grt gtr tro troch trochanter greatertrochanter",
    "thigh": "thi thigh thlat",
    "thigh upper": "th1 thighupper thighsuperior",
    "thigh front": "th2 thighfront thighlateral",
    "thigh rear": "th3 thighrear thighinferior",
    "thigh low": "th4",
    "lateral knee": "kne knee lfc lknee kneelat lek latknee kneelateral lateralknee",
    "medial knee": "mfc knm kneemed mek medknee kneemedial medialknee mknee",
    "tibial tuberosity": "ttb tt tibialtuberosity",
    "fibula head": "fib hf fibulahead",
    "shank": "tib shn shank sha",
    "shank upper": "sk1 shankupper shanksuperior",
    "shank front": "sk2 tb1 shankfront",
    "shank rear": "sk3 tb2 shankrear shanklateral",
    "shank low": "sk4 tb3 shankinferior",
    "lateral ankle": "ank ankle lma lmal lm anklelat latankle anklelateral lateralankle",
    "medial ankle": "mma mmal ankm anm mm anklemed medankle anklemedial medialankle med",
    "heel": "hee heel cal calc",
    "toe": "toe mt2 mt23",
    "metatarsal 1": "mt1 mh1 d1m",
    "metatarsal 5": "mt5 mh5 d5m",
    "midfoot": "pm1 midfootsup midfootsuperior",
    "outer foot": "midfootlat midfootlateral pm5",
    "toe tip": "toetip",
    "inner toes": "toemed toemedial",
    "outer toes": "toelat toelateral",
    "foot front": "ft1",
    "foot top": "ft2",
    "foot rear": "ft3",
    "c7": "c7",
    "clavicle": "clav ij",
    "sternum": "strn px xiph",
    "upper sternum": "sternum",
    "t10": "t10",
    "scapula": "bac bak back scap",
    "front head": "fhd frontheadband",
    "back head": "bhd backheadband",
    "temple": "temple",
    "top of head": "tophead headtop top",
    "shoulder": "sho shoulder acr acromium acromion ac",
    "upper arm": "upa upperarm",
    "biceps": "bicep biceps",
    "lateral elbow": "elb elbow lel elbowlat latelbow elbowlateral",
    "medial elbow": "elbm mel elbowmed medelbow elbowmedial",
    "forearm": "frm fra forearm",
    "thumb side of wrist": "wra radialwrist wristradius radius",
    "little finger side of wrist": "wrb ulnarwrist wristulna ulna",
    "inner wrist": "wristmed wristmedial",
    "outer wrist": "wristlat wristlateral",
    "knuckle": "fin finger hand",
    "hip centre": "hjc",
    "knee centre": "kjc",
    "ankle centre": "ajc",
}
WORDS = {word: key for key, words in _WORDS.items() for word in words.split()}
"""The landmark of each word, in lower case without separators and without the side."""
WHOLE = {
    "pv1": ("pelvis rear", "right"),
    "pv2": ("pelvis front", "right"),
    "pv3": ("pelvis rear", "left"),
    "pv4": ("pelvis front", "left"),
}
"""Names whose number tells the side."""
SIDES = {"l": "left", "r": "right", "left": "left", "right": "right"}


def landmark_of(name: str) -> tuple[str, str] | None:
    """The landmark and the side ("left", "right" or "") for which a marker name stands; None if it is not known.

    The subject is dropped. The side is a letter or a word at the beginning, or a word at the end.

    Example:
        >>> landmark_of("Anna:LASI"), landmark_of("R.Thigh.Upper"), landmark_of("V.Sacral"), landmark_of("Ball")
        (('asis', 'left'), ('thigh upper', 'right'), ('sacrum', ''), None)
    """
    bare = name.rpartition(":")[2]
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
    words = [w for w in re.split(r"[^A-Za-z0-9]+", spaced.lower()) if w]
    key = "".join(words)
    if key in WHOLE:
        return WHOLE[key]
    if key in WORDS and WORDS[key] in MIDDLE:
        return WORDS[key], ""
    for side, rest in _sides(words, key):
        if rest in WORDS and WORDS[rest] not in MIDDLE:
            return WORDS[rest], SIDES[side]
    return None


def _sides(words: list[str], key: str) -> list[tuple[str, str]]:
    """The ways to divide a name into a side and the rest."""
    out = [(words[0], "".join(words[1:])), (words[-1], "".join(words[:-1]))] if words else []
    out += [(side, key[len(side) :]) for side in ("left", "right", "l", "r") if key.startswith(side)]
    return [(side, rest) for side, rest in out if side in SIDES and rest]
