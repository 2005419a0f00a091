"""Finds the body part of a segment by its name: Mixamo, CMU and Acclaim, VRM, Rokoko, Biovision, SMPL, and others.

A name is split into words ("mixamorig:LeftUpLeg" into left, up, leg). The side is removed, and the rest is looked up.
Some words have different meanings in different naming families. The other segments of the same side decide:

- a *shoulder* is the clavicle if there is also an arm, otherwise the upper arm;
- a *hip* of one side is the thigh, or a fixed part of the pelvis if there is also a thigh;
- a *leg* is the shank if it is below a thigh;
- a *foot* is the toes if it is below an ankle;
- a *hand* is the fingers if it is below a wrist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

FINGERS = ("thumb", "index", "middle", "ring", "pinky")
STILL = "still"
"""A segment that does not move relative to its parent in a person: ends, the sides of the pelvis, bones of the palm."""
TWIST = "twist"
"""Suffix of the name of a limb, for a further piece of it that only twists."""

WORDS = {
    "pelvis": ("hips", "pelvis", "hip", "hipcenter", "cog", "root"),
    "spine": (
        *("spine", "chest", "upperchest", "lowerchest", "chestlower", "chestupper", "torso", "abdomen", "abdomenlower"),
        *("abdomenupper", "waist", "lowerback", "upperback", "back", "thorax", "ribcage", "tospine", "spinelower"),
        *("spineupper", "spinemid", "lowerspine", "upperspine", "midspine", "belly"),
    ),
    "neck": ("neck", "lowerneck", "upperneck", "necklower", "neckupper"),
    "head": ("head", "skull"),
    "eye": ("eye", "eyeball"),
    "clavicle": ("clavicle", "clav", "collar", "collarbone", "scapula"),
    "shoulder": ("shoulder",),
    "upper arm": ("upperarm", "uparm", "armupper", "arm", "humerus", "shldr", "shldrbend", "bicep"),
    "forearm": (
        *("forearm", "lowerarm", "loarm", "lowarm", "armlower", "elbow", "radius", "forearmbend", "lowerforearm"),
    ),
    "wrist": ("wrist",),
    "hand": ("hand",),
    "fingers": ("fingers", "fingerbase"),
    "hip": ("hip", "hipjoint", "buttock", "pelvis", "groin"),
    "thigh": ("upleg", "upperleg", "legupper", "thigh", "femur", "thighbend"),
    "leg": ("leg",),
    "shank": ("lowerleg", "loleg", "lowleg", "leglower", "shin", "calf", "knee", "tibia", "shank", "crus"),
    "ankle": ("ankle",),
    "foot": ("foot",),
    "toes": ("toe", "toes", "toebase", "ball", "bigtoe"),
    STILL: ("metatarsal", "metatarsals", "palm", "metacarpal", "carpal"),
}
"""The words of each part, joined without spaces. Those before *clavicle* have no side, except the eye."""
MIDDLE = ("pelvis", "spine", "neck", "head")
LIMBS = {
    "upper arm": ("upper arm", "forearm", "hand"),
    "forearm": ("forearm", "hand"),
    "thigh": ("thigh", "shank", "foot", "toes"),
    "shank": ("shank", "foot"),
}
"""Each limb and the part after it."""
NOISE = {
    *("j", "bip", "biped", "bone", "bones", "joint", "jnt", "jt", "def", "org", "bind", "skel", "skeleton", "rig", "c"),
    *("mixamorig", "valvebiped", "character", "char", "m", "b", "f", "armature", "sk", "avg"),
}
"""Words that programs add to a name."""
SIDES = {"l": "left", "left": "left", "lft": "left", "r": "right", "right": "right", "rgt": "right"}
ENDS = ("end", "nub", "tip", "endsite", "effector")
_FINGER = re.compile(
    r"(?P<palm>in)?(?:hand|finger)?(?P<finger>thumb|index|middle|mid|ring|pinky|pinkie|little)(?:finger)?"
    r"(?P<joint>proximal|intermediate|distal|metacarpal|meta)?"
)
_COUNTED = re.compile(r"finger(proximal|medial|intermediate|distal|metacarpal)?")
_VERTEBRA = re.compile(r"[LTC]\d{1,2}")
_BIG_TOE = re.compile(rf"foot(?:{'|'.join(FINGERS)})")
_TURNING = re.compile(r"(.*?)(?:twist|roll)")
_PREFIX = re.compile(r"[:|]")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_LONG = {"mid": "middle", "pinkie": "pinky", "little": "pinky"}
_LOOKUP = {word: part for part, words in reversed(WORDS.items()) for word in words if part != "hip"}
_HIPS = set(WORDS["hip"])
KNOWN_NAMES = 4096
"""The words and parts of this many names are remembered. Each name of a figure is looked up several times."""


@dataclass(frozen=True)
class Part:
    """A part of a person."""

    name: str
    """For example "upper arm", "spine", "index 2", "forearm twist"."""
    side: str = ""
    """"left", "right", or empty for parts in the middle."""

    def __str__(self) -> str:
        return f"{self.side} {self.name}".strip()

    @staticmethod
    @lru_cache(maxsize=KNOWN_NAMES)
    def of(name: str) -> Part:
        """The part of a name in words: "left upper arm"; stages have no number: "spine 2" is part of the spine."""
        side, _, limb = name.partition(" ")
        return Part(limb, side) if side in SIDES.values() else Part(side)


def recognised(
    names: Sequence[str], parents: Sequence[int], humanoid: Mapping[str, str] | None = None
) -> list[Part | None]:
    """The part of each segment; None if its name is unknown.

    Args:
        names: names of the segments, parents first.
        parents: index of each segment's parent, −1 for the root.
        humanoid: maps VRM's names of humanoid bones to segments. If it is given, only these count.

    Example:
        >>> [str(p) for p in recognised(["Hips", "LeftUpLeg", "LeftLeg", "Hat"], [-1, 0, 1, 0])]
        ['pelvis', 'left thigh', 'left shank', 'None']
    """
    if humanoid:
        named = {segment: _plain(bone) for bone, segment in humanoid.items()}
        found = [named.get(name) for name in names]
    else:
        found = [_plain(name) for name in names]
    there = {(p.side, p.name) for p in found if p is not None}
    settled = [None if p is None else _settled(p, there) for p in found]
    if not {("", "pelvis"), ("", "head")} & there:
        _divide_spine(settled)
    return _numbered(settled, parents)


def words(name: str) -> list[str]:
    """The words of a name, lower case: "Bip01 L UpperArm" gives bip, 01, l, upper, arm."""
    return list(_words(name))


@lru_cache(maxsize=KNOWN_NAMES)
def _words(name: str) -> tuple[str, ...]:
    bare = _PREFIX.split(name)[-1]
    return tuple(w.lower() for w in _WORD.findall(bare))


@lru_cache(maxsize=KNOWN_NAMES)
def _plain(name: str) -> Part | None:
    """The part that a name alone indicates."""
    if _VERTEBRA.fullmatch(name):  # Xsens: L5, L3, T12, T8
        return Part("spine")
    all_words = words(name)
    letters = [w for w in all_words if not w.isdigit() and w not in NOISE]
    numbers = [w for w in all_words[_last(all_words, "finger") :] if w.isdigit()]
    sides = [SIDES[w] for w in letters if w in SIDES]
    if len(set(sides)) > 1:
        return None
    side = sides[0] if sides else ""
    letters = [w for w in letters if w not in SIDES]
    base = "".join(letters)
    if not side and base[:1] in ("l", "r") and base not in _LOOKUP and _plain_part(base[1:], "left", []):
        side, base = SIDES[base[0]], base[1:]  # Acclaim: lfemur, rthumb
    if name.startswith("__") or (letters and (letters[-1] in ENDS or base in ENDS)):
        return Part(STILL, side)
    turning = _TURNING.fullmatch(base)
    if turning:
        limb = _plain_part(turning.group(1), side, [])
        return Part(f"{limb.name} {TWIST}", side) if limb is not None and side else None
    return _plain_part(base, side, numbers)


def _plain_part(base: str, side: str, numbers: list[str]) -> Part | None:
    if side and base in _HIPS:
        return Part("hip", side)
    if side and _BIG_TOE.fullmatch(base):  # HumanIK: LeftFootThumb1 is the big toe
        return Part("toes", side)
    finger = _FINGER.fullmatch(base)
    if finger and side:
        which = _LONG.get(finger["finger"], finger["finger"])
        inside = finger["palm"] or (finger["joint"] in ("metacarpal", "meta") and which != "thumb")
        return Part(STILL if inside else which, side)
    counted = _COUNTED.fullmatch(base)
    if counted and side and numbers:
        return _counted_finger(numbers, side, counted[1])
    part = _LOOKUP.get(base)
    if part is None or (part in MIDDLE) == bool(side):
        return None
    return Part(part, side)


def _counted_finger(numbers: list[str], side: str, joint: str | None) -> Part | None:
    """The thumb is finger1-1 in MakeHuman, Finger1Proximal in Rokoko, and Finger0, Finger01, Finger02 in Biped."""
    which = int(numbers[0]) - 1 if len(numbers) == 2 or joint else int(numbers[0][0])
    if joint == "metacarpal" and which > 0:
        return Part(STILL, side)
    return Part(FINGERS[which], side) if 0 <= which < len(FINGERS) else None


def _settled(part: Part, there: set[tuple[str, str]]) -> Part:
    """The part with an ambiguous name resolved by the other parts on its side."""

    def has(*names: str) -> bool:
        return any((part.side, name) in there for name in names)

    name = part.name.removesuffix(f" {TWIST}")
    if name == "shoulder":
        name = "clavicle" if has("upper arm") else "upper arm"
    elif name == "hip":
        name = STILL if has("thigh") or (has("leg") and has("shank")) else "thigh"
    elif name == "leg":
        name = "thigh" if has("shank") and not has("thigh", "hip") else "shank"
        if not has("thigh", "hip", "shank"):
            name = "thigh"
    elif name in ("wrist", "ankle"):
        name = {"wrist": "hand", "ankle": "foot"}[name]
    elif name == "hand" and has("wrist"):
        name = "fingers"
    elif name == "foot" and has("ankle"):
        name = "toes"
    return Part(f"{name} {TWIST}" if part.name.endswith(TWIST) else name, part.side)


def _divide_spine(parts: list[Part | None]) -> None:
    """Divides the spine of Rigify rigs, which use one name from the pelvis to the head: spine, spine.001 …
    spine.006."""
    spine = [i for i, p in enumerate(parts) if p == Part("spine")]
    if len(spine) < 2:
        return
    parts[spine[0]] = Part("pelvis")
    if len(spine) >= 5:
        parts[spine[-1]] = Part("head")
        for i in spine[-3:-1] if len(spine) >= 7 else spine[-2:-1]:
            parts[i] = Part("neck")


def _last(items: list[str], wanted: str) -> int:
    """Index after the last item that is wanted; 0 if there is none."""
    return max((i + 1 for i, item in enumerate(items) if item == wanted), default=0)


def _numbered(parts: list[Part | None], parents: Sequence[int]) -> list[Part | None]:
    """Numbers the joints of fingers. A second piece of a limb is a twist of it. If the names of a limb are only arm or
    leg, its pieces are its parts in order."""
    keys = [None if p is None else (p.side, p.name) for p in parts]
    there = {key for key in keys if key is not None}
    out: list[Part | None] = []
    for i, part in enumerate(parts):
        if part is None or not part.side:
            out.append(part)
            continue
        name, key = part.name, keys[i]
        above = 0
        at = parents[i] if name in FINGERS or name in LIMBS else -1
        while at >= 0:
            above += keys[at] == key
            at = parents[at]
        pieces = [p for p in LIMBS.get(name, ()) if (part.side, p) not in there or p == name]
        if name in FINGERS:
            name = f"{name} {min(above + 1, 3)}"
        elif above and name in LIMBS:
            whole = LIMBS[name][1] in pieces  # the part after it has no separate name
            name = pieces[min(above, len(pieces) - 1)] if whole else f"{name} {TWIST}"
        out.append(Part(name, part.side))
    return out
