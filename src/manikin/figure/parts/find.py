"""`bone_map`: finds the parts of a figure by names, or by structure if names are not sufficient."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import BadFile, BadValue, ManikinError, listing
from manikin.figure.kept import kept
from manikin.figure.parts.assemble import ESSENTIAL, assemble
from manikin.figure.parts.bone_map import FILE_KEYS, BoneMap, checked_parts, part_order, read_map
from manikin.figure.parts.by_hand import read_by_hand
from manikin.figure.parts.by_names import Starts, by_names
from manikin.figure.parts.by_structure import by_structure
from manikin.figure.parts.posture import stands_on_four
from manikin.figure.parts.skeleton import Skeleton, direction, skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


def bone_map(figure: Figure, bones: str | os.PathLike[str] | Mapping[str, Any] | None = None) -> BoneMap:
    """Finds the segments of each part of a body.

    Names of characters (Mixamo, CMU, VRM, Rokoko, Biovision, SMPL, MakeHuman …) and of robots are tried first. If names
    do not identify both arms and both legs, the shape of the tree and the positions and axes of the joints decide.

    Args:
        figure: a person, an animal with four legs, or a robot with arms and legs.
        bones: a map file, or the segments of some parts by the name of the part. These replace the parts that are
            found. If the segments of a part are None or an empty list, the figure lacks this part.

    Raises:
        BadValue: arms and legs are not found, left and right cannot be distinguished, or `bones` takes away the pelvis,
            an upper arm, a forearm, a thigh, a shank or a foot.
        BadFile, UnknownName: `bones` names an unknown key, part or segment.
        OSError: the map file does not exist or cannot be opened.

    Example:
        >>> import manikin as mk
        >>> bones = mk.bone_map(mk.quadruped())
        >>> bones.four_legged, bones["left foot"]
        (True, ('LeftHindPaw',))
    """
    from manikin.figure.figure import Figure

    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {type(figure).__name__}; bone_map needs a Figure")
    if bones is None:
        return _found(figure)
    if isinstance(bones, Mapping):
        data = dict(bones) if any(key in FILE_KEYS for key in bones) else {"parts": dict(bones)}
        if unknown := [key for key in data if key not in FILE_KEYS]:
            raise BadValue(
                f"bones has the unknown key {unknown[0]!r}; besides 'parts' it may have "
                f"{listing([key for key in FILE_KEYS if key != 'parts'])}"
            )
        if "parts" not in data:
            raise BadValue(
                f"bones has the key {next(iter(data))!r} of a map file, but not the key 'parts'; pass it as in "
                "{'parts': {}, " + f"{next(iter(data))!r}: …}}"
            )
        return _with_given(figure, data)
    if not isinstance(bones, (str, os.PathLike)):
        raise BadValue(
            f"bones is {bones!r}; it needs the path of a map file, or a dict such as {{'left thigh': [...]}}"
        )
    data = read_map(bones)
    try:
        return _with_given(figure, data)
    except ManikinError as error:
        raise BadFile(bones, str(error)) from error


@kept
def _found(figure: Figure) -> BoneMap:
    skeleton = skeleton_of(figure)
    owner = f"figure {figure.name!r}"
    starts, how = by_names(skeleton), "names"
    if not _settled(skeleton, starts):
        starts, how = by_structure(skeleton, owner), "structure"
    missing = [part for part in ESSENTIAL if part not in starts.first]
    if missing:
        raise BadValue(
            f"{owner} has no {missing[0]}; the parts found are {listing(sorted(starts.first)) or 'none'}; "
            f"give it as in mk.bone_map(figure, {{{missing[0]!r}: [...]}})"
        )
    named = {
        part: tuple(figure.segment_names[i] for i in indices) for part, indices in assemble(skeleton, starts).items()
    }
    parts = checked_parts(figure, named)
    lacking = [part for part in ("head", "left hand", "right hand") if part not in parts]
    notes = [f"the figure has no {part}" for part in lacking]
    if how == "structure":
        notes.append("names do not identify the parts; check them")
    return BoneMap(figure, parts, how, _on_four(figure, parts), tuple(notes))


def _settled(skeleton: Skeleton, starts: Starts) -> bool:
    """Whether names identify all essential parts, in the order of the tree."""
    if any(part not in starts.first for part in ESSENTIAL):
        return False
    chains = [("upper arm", "forearm"), ("thigh", "shank")]
    return all(
        skeleton.down(starts.first[f"{side} {upper}"], starts.first[f"{side} {lower}"])
        for side in ("left", "right")
        for upper, lower in chains
    )


def _with_given(figure: Figure, data: Mapping[str, Any]) -> BoneMap:
    """The map that is found, with the given parts in place of the found ones."""
    # Check what is given.
    owner = f"the map of figure {figure.name!r}"
    given = data["parts"]
    if not isinstance(given, Mapping):
        raise BadValue(f"{owner}: 'parts' is {given!r}; it needs a dict such as {{'left thigh': ['LeftUpLeg']}}")
    if data.get("legs", 2) not in (2, 4):
        raise BadValue(f"{owner}: 'legs' is {data['legs']!r}; it must be 2 or 4")
    part_order(owner, given)
    named = {part: names for part, names in given.items() if not _is_lacking(names)}
    wanted = checked_parts(figure, named)
    # Find the others; if the figure is not recognised, the essential parts must be given.
    try:
        found = _found(figure)
        parts, how, four = dict(found.parts), found.how, found.four_legged
    except BadValue:
        if any(part not in wanted for part in ESSENTIAL):
            raise
        parts, how, four = {}, "given", _on_four(figure, wanted)
    # A segment that is given belongs to no other part.
    before = set(parts)
    for stage in ("spine", "neck"):  # stages belong together: a file with one stage gives them all
        if any(part.startswith(stage) for part in given):
            parts = {part: names for part, names in parts.items() if not part.startswith(stage)}
    taken = {name for names in wanted.values() for name in names}
    for part in list(parts):
        left = tuple(name for name in parts[part] if name not in taken)
        if part in given or not left:
            del parts[part]
        elif left != parts[part]:
            parts[part] = _longest_run(figure, left)
    # Put both together, and check that nothing essential is lost.
    parts |= wanted
    if gone := [part for part in ("pelvis", *ESSENTIAL) if part in before and part not in parts]:
        raise BadValue(
            f"{owner} has no {gone[0]}, which every body needs; give its segments, as in {{{gone[0]!r}: [...]}}"
        )
    # Details that stand beside the parts.
    if "legs" in data:
        four = data["legs"] == 4
    how = "given" if set(given) >= set(parts) else f"{how}, some given"
    by_hand, notes = read_by_hand(figure, parts, data)
    if data.get("up", figure.up) != figure.up:
        notes += (
            f"the map was written for a figure whose up axis is {data['up']}; that of this figure is {figure.up}",
        )
    return BoneMap(figure, parts, how, four, notes, by_hand)


def _is_lacking(names: Any) -> bool:
    """Whether the segments of a part say that the figure lacks it."""
    return names is None or (isinstance(names, (list, tuple)) and not names)


def _longest_run(figure: Figure, names: tuple[str, ...]) -> tuple[str, ...]:
    """The longest consecutive piece of the remaining segments of a part."""
    runs: list[list[str]] = [[]]
    for name in names:
        if runs[-1] and figure.segment(name).parent != runs[-1][-1]:
            runs.append([])
        runs[-1].append(name)
    longest: list[str] = max(runs, key=len)
    return tuple(longest)


def _on_four(figure: Figure, parts: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether legs and arms point in the same direction, perpendicular to the trunk."""
    skeleton = skeleton_of(figure)

    def middle(limb: str) -> Any:
        paths = [[figure.segment_index(n) for n in parts[f"{side} {limb}"]] for side in ("left", "right")]
        return np.mean([skeleton.center(path) for path in paths], axis=0)

    hips, shoulders = middle("thigh"), middle("upper arm")
    hand = "hand" if "left hand" in parts and "right hand" in parts else "forearm"
    scale = float(skeleton.reach[0])
    trunk, leg = direction(shoulders - hips, scale), direction(middle("foot") - hips, scale)
    arm = direction(middle(hand) - shoulders, scale)
    return trunk is not None and leg is not None and arm is not None and stands_on_four(trunk, leg, arm)
