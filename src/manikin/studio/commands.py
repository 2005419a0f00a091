"""Commands: each makes a new scene from a scene. Undo takes commands back, and the journal records them.

A command has a name and plain arguments that JSON can hold. It depends on nothing else, so a journal that is replayed
gives the same bits. The result of a drag is part of the arguments: the pose, as text.
"""

from __future__ import annotations

import base64
import binascii
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadValue, ManikinError, unknown_name
from manikin.figure.figure import Figure
from manikin.studio import goals as made
from manikin.studio.goals import PRIORITIES, SceneGoal
from manikin.studio.mirror import mirrored_goals
from manikin.studio.roles import Foot, Roles
from manikin.studio.scene import StudioScene
from manikin.studio.setting import Setting
from manikin.studio.time_commands import TIME_COMMANDS


def pose_text(pose: Vector) -> str:
    """A pose as text, without loss: base64 of its numbers (float64, little-endian)."""
    return base64.b64encode(np.ascontiguousarray(pose, dtype="<f8").tobytes()).decode()


def pose_of(figure: Figure, text: Any) -> Vector:
    """Reads `pose_text`.

    Raises:
        BadValue, BadShape: the text is not a pose of the figure.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise BadValue(f"the pose is not base64: {error}") from error
    if len(data) != 8 * figure.nq:
        raise BadValue(f"the pose has {len(data)} bytes; figure {figure.name!r} needs {8 * figure.nq}")
    return figure.check(np.frombuffer(data, dtype="<f8").astype(np.float64), "pose")


def apply(scene: StudioScene, figure: Figure, roles: Roles, name: str, args: Mapping[str, Any]) -> StudioScene:
    """Applies one command.

    Args:
        scene: the scene before.
        figure: its figure.
        roles: the roles of its segments.
        name: name of the command.
        args: its arguments. Every command takes `pose`: the pose after it, as text.

    Raises:
        UnknownName, BadValue, BadShape: there is no such command, or an argument does not fit. The scene is unchanged.
    """
    command = COMMANDS.get(name)
    if command is None:
        raise unknown_name("the studio", "command", name, list(COMMANDS))
    given = dict(args)
    text = given.pop("pose", None)
    if text is not None:
        scene = scene.with_pose(pose_of(figure, text))
    try:
        inspect.signature(command).bind(None, **given)
    except TypeError as error:
        raise BadValue(f"command {name!r}: {error}") from error
    try:
        return command(Setting(scene, roles), **given).checked(figure)
    except ManikinError:
        raise
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise BadValue(f"command {name!r}: an argument does not fit: {error}") from error


def set_pose(at: Setting) -> StudioScene:
    """Sets the pose that the arguments hold."""
    return at.scene


def drag(at: Setting, *, segment: str, pin: bool = False) -> StudioScene:
    """Ends a drag of a segment. A pin or a planted foot holds it at its new place; `pin` pins it there."""
    at.figure.segment(segment)
    foot = at.roles.foot_of(segment)
    if foot is not None and any(goal.group == foot.words for goal in at.scene.goals):
        return _with(at.scene, *made.planted(at.figure, at.scene.pose, foot))
    if pin or at.scene.goal(f"pin {segment}") is not None:
        return _with(at.scene, made.pin(at.figure, at.scene.pose, segment))
    return at.scene


def pinned(at: Setting, *, segment: str) -> StudioScene:
    """Holds a segment where it is. A foot is planted."""
    at.figure.segment(segment)
    foot = at.roles.foot_of(segment)
    return _with(
        at.scene,
        *(made.planted(at.figure, at.scene.pose, foot) if foot else [made.pin(at.figure, at.scene.pose, segment)]),
    )


def unpin(at: Setting, *, segment: str) -> StudioScene:
    """Frees a segment. A planted foot is free as a whole, and does not carry the balance."""
    foot = at.roles.foot_of(segment)
    if foot is None or not any(goal.group == foot.words for goal in at.scene.goals):
        return _without(at.scene, lambda goal: goal.id == f"pin {segment}", f"{at.roles.words(segment)} is not pinned")
    return _standing(_without(at.scene, lambda goal: goal.group == foot.words, ""), at.roles)


def aim(at: Setting, *, segment: str, target: Any, axis: Any = None) -> StudioScene:
    """Turns an axis of a segment toward a point: the gaze, or a pointing hand. None takes `Roles.forward_axis`."""
    chosen = at.roles.forward_axis(segment) if axis is None else axis
    return _with(at.scene, _goal("aim", "aim", segment, target, axis=chosen))


def pole(at: Setting, *, segment: str, target: Any) -> StudioScene:
    """Points an elbow or a knee toward a point."""
    return _with(at.scene, _goal("pole", "pole", segment, target))


def plane(at: Setting, *, segment: str, point: Any, normal: Any) -> StudioScene:
    """Keeps a segment on a plane."""
    parts = [arrays.numbers(x, name, (3,)) for x, name in ((point, "point"), (normal, "normal"))]
    return _with(at.scene, _goal("plane", "plane", segment, np.concatenate(parts)))


def clearance(at: Setting, *, on: bool, distance: float = 0.0) -> StudioScene:
    """Keeps the parts of the body apart, or stops that."""
    if not on:
        return _without(at.scene, lambda goal: goal.role == "clearance", "there is no clearance")
    goal = SceneGoal("clearance", "clearance", "clearance", priority=PRIORITIES["clearance"], distance=float(distance))
    return _with(at.scene, goal)


def balance(at: Setting, *, on: bool) -> StudioScene:
    """Keeps the centre of mass above the planted feet, or stops that."""
    if not on:
        return _without(at.scene, lambda goal: goal.role == "balance", "there is no balance to switch off")
    if at.figure.mass <= 0.0:
        raise BadValue(f"figure {at.figure.name!r} has no mass, so it cannot keep its balance; see figure.with_masses")
    stands = _standing(_with(at.scene, made.balance(())), at.roles)
    if stands.goal("balance") is None:
        raise BadValue("no foot is planted, so there is nothing to stand on; plant a foot first")
    return stands


def goal(at: Setting, *, id: str, **values: Any) -> StudioScene:
    """Changes the target, weight, priority, tolerance or activity of a goal."""
    found = at.scene.goal(id)
    if found is None:
        raise unknown_name("the scene", "goal", id, [g.id for g in at.scene.goals])
    allowed = ("target", "weight", "priority", "tolerance", "on")
    unknown = [name for name in values if name not in allowed]
    if unknown:
        raise BadValue(f"{unknown[0]!r} of a goal cannot be changed; it must be one of {', '.join(allowed)}")
    return _with(at.scene, replace(found, **values))


def remove(at: Setting, *, id: str) -> StudioScene:
    """Removes a goal, and the goals of its group."""
    found = at.scene.goal(id)
    if found is None:
        raise unknown_name("the scene", "goal", id, [g.id for g in at.scene.goals])
    group = found.group
    return _standing(_without(at.scene, lambda g: g.id == id or (group != "" and g.group == group), ""), at.roles)


def freeze(at: Setting, *, joints: Any, on: bool = True) -> StudioScene:
    """Freezes joints, or lets them move again."""
    names = [joints] if isinstance(joints, str) else list(joints)
    for name in names:
        at.figure.index_of(name)
    kept = [name for name in at.scene.freeze if name not in names]
    return replace(at.scene, freeze=(*kept, *dict.fromkeys(names)) if on else tuple(kept))


def mirror(at: Setting) -> StudioScene:
    """Swaps left and right in the pose and in the goals."""
    posed = at.scene.with_pose(at.figure.clamp(at.figure.mirrored(at.scene.pose)))
    return replace(posed, goals=mirrored_goals(at.figure, at.roles, at.scene.goals))


def paste(at: Setting, *, copied: str, mirrored: bool = False, pin: str = "") -> StudioScene:
    """Takes a copied pose, or its mirror image. Pins and planted feet hold their segments at the new places, and so
    does the segment `pin`."""
    pose = pose_of(at.figure, copied)
    posed = at.scene.with_pose(at.figure.clamp(at.figure.mirrored(pose)) if mirrored else pose)
    feet = {foot.words: foot for foot in at.roles.feet}
    for held in at.scene.goals:
        if held.role == "pin":
            posed = _with(posed, made.pin(at.figure, posed.pose, held.segment))
        elif held.group in feet:
            posed = _with(posed, *made.planted(at.figure, posed.pose, feet[held.group]))
    return pinned(replace(at, scene=posed), segment=pin) if pin else posed


def reset(at: Setting) -> StudioScene:
    """The rest pose with the first goals. Keys and the view stay."""
    first = StudioScene.begin(at.scene.source, at.figure)
    return replace(at.scene, pose=first.pose, goals=first.goals, freeze=())


def rename(at: Setting, *, name: str) -> StudioScene:
    """Renames the scene."""
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise BadValue("the name needs 1 to 200 characters")
    return replace(at.scene, name=name)


Command = Callable[..., StudioScene]
COMMANDS: dict[str, Command] = {
    **{f.__name__: f for f in (drag, unpin, aim, pole, plane, clearance, balance, goal, remove, freeze, mirror)},
    **{f.__name__: f for f in (paste, reset, rename)},
    "pose": set_pose,
    "pin": pinned,
    **TIME_COMMANDS,
}
"""The commands by name."""


def _goal(kind: str, role: str, segment: str, target: Any, **values: Any) -> SceneGoal:
    return SceneGoal(f"{role} {segment}", kind, role, segment, target, PRIORITIES[role], **values)


def _with(scene: StudioScene, *goals: SceneGoal) -> StudioScene:
    """The scene with goals added, or replaced if their ids are there."""
    new = {goal.id: goal for goal in goals}
    kept = [new.pop(goal.id, goal) for goal in scene.goals]
    return replace(scene, goals=(*kept, *new.values()))


def _without(scene: StudioScene, drop: Callable[[SceneGoal], bool], missing: str) -> StudioScene:
    left = tuple(goal for goal in scene.goals if not drop(goal))
    if missing and len(left) == len(scene.goals):
        raise BadValue(missing)
    return replace(scene, goals=left)


def _standing(scene: StudioScene, roles: Roles) -> StudioScene:
    """Puts the balance of a scene, if it has one, above the planted feet. Removes it if no foot is planted."""
    if scene.goal("balance") is None:
        return scene
    groups = {goal.group for goal in scene.goals}
    feet: list[Foot] = [foot for foot in roles.feet if foot.words in groups]
    if not feet:
        return replace(scene, goals=tuple(goal for goal in scene.goals if goal.role != "balance"))
    return _with(scene, made.balance(tuple(foot.sole for foot in feet)))
