"""A drag at a frame of the motion: the pose and the goals it begins with, and the command it ends with."""

from __future__ import annotations

from typing import Any

from manikin.arrays import Vector
from manikin.errors import ManikinError
from manikin.studio import goals as made
from manikin.studio.clip import ClipEdit
from manikin.studio.commands import apply, pose_text
from manikin.studio.drag import Drag
from manikin.studio.goals import SceneGoal
from manikin.studio.roles import Roles
from manikin.studio.scene import StudioScene
from manikin.studio.timeline import Timeline

BLEND = 0.4
"""An edit is blended in and out over this many seconds, unless the page says otherwise."""


def posed_at(scene: StudioScene, timeline: Timeline, roles: Roles, frame: int) -> tuple[Vector, tuple[SceneGoal, ...]]:
    """The pose of a frame, and the goals that hold there.

    In a clip, feet that are on the floor in this frame stay in place. Between keys, pins and planted feet hold their
    segments where they are in this frame.
    """
    pose, figure = timeline.pose(scene, frame), roles.figure
    if scene.clip is None:
        moved = apply(scene, figure, roles, "paste", {"copied": pose_text(pose)})
        return moved.pose, moved.goals
    found = timeline.contacts(scene)
    down = set() if found is None else {c.point.rsplit(" ", 1)[0] for c in found if c.first <= frame <= c.last}
    standing = [foot for foot in roles.feet if foot.words.split()[0] in down]
    return pose, tuple(goal for foot in standing for goal in made.planted(figure, pose, foot))


def released_at(
    scene: StudioScene, roles: Roles, drag: Drag, segment: str, frame: int, message: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of the command that ends a drag: an edit of the clip, or a new pose of the scene."""
    if scene.clip is None:
        return "paste", {"copied": pose_text(drag.pose), "pin": segment if message.get("pin") is True else ""}
    dragged = drag.row[drag.held]
    kind, target = ("position", dragged) if len(dragged) == 3 else ("placement", dragged)
    numbers = tuple(float(x) for x in target)
    goal = SceneGoal(f"{roles.words(segment)} at {frame}", kind, "goal", segment, numbers, offset=drag.offset)
    blend = message.get("blend", round(BLEND * scene.fps))
    return "edit", {"change": ClipEdit((goal,), frame, frame, blend).to_dict()}


def timeline_data(scene: StudioScene, timeline: Timeline, roles: Roles) -> dict[str, Any] | None:
    """Data for the timeline of the page; None if nothing moves."""
    try:
        take = timeline.take(scene)
        found = timeline.contacts(scene)
    except (ManikinError, OSError) as error:
        return {"version": 0, "frames": 0, "notes": [" ".join(str(error).split())]}
    if take is None:
        return None
    edits = [
        {"words": [roles.words(g.segment) for g in e.goals], "first": e.first, "last": e.last, "blend": e.blend}
        for e in scene.edits
    ]
    return {
        "version": take.version,
        "frames": len(take.motion),
        "clip": None if scene.clip is None else scene.clip.name,
        "retargeted": scene.clip is not None and scene.clip.retargeted,
        "edits": edits,
        "contacts": [] if found is None else [[c.point, c.first, c.last] for c in found],
        "notes": list(take.notes),
    }
