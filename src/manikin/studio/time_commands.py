"""Commands of the timeline: keys, clips and their edits. `commands` describes what a command is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from manikin.errors import BadValue
from manikin.studio.clip import ClipEdit, ClipSource
from manikin.studio.scene import Key, StudioScene
from manikin.studio.setting import Setting


def key(at: Setting, *, frame: int) -> StudioScene:
    """Sets a key with the present pose at a frame."""
    if at.scene.clip is not None:
        raise BadValue("a clip is open, so there are no keys; drag a part to edit the clip, or close it")
    others = [k for k in at.scene.keys if k.frame != frame]
    return replace(at.scene, keys=(*others, Key(frame, at.scene.pose)), last_frame=max(at.scene.last_frame, frame))


def unkey(at: Setting, *, frame: int) -> StudioScene:
    """Deletes a key."""
    return replace(at.scene, keys=tuple(k for k in at.scene.keys if k is not _key_at(at.scene, frame)))


def move_key(at: Setting, *, frame: int, to: int) -> StudioScene:
    """Moves a key to another frame. A key that was there is replaced."""
    moved = replace(_key_at(at.scene, frame), frame=to)
    others = [k for k in at.scene.keys if k.frame not in (frame, to)]
    return replace(at.scene, keys=(*others, moved), last_frame=max(at.scene.last_frame, to))


def ease_key(at: Setting, *, frame: int, easing: str) -> StudioScene:
    """Sets how the motion leaves a key."""
    eased = replace(_key_at(at.scene, frame), easing=easing)
    return replace(at.scene, keys=(*(k for k in at.scene.keys if k.frame != frame), eased))


def timing(at: Setting, *, fps: float, last_frame: int) -> StudioScene:
    """Sets the frames a second and the last frame."""
    if at.scene.clip is not None:
        raise BadValue("a clip is open; its file sets the frames a second and the last frame")
    return replace(at.scene, fps=float(fps), last_frame=last_frame)


def clip(at: Setting, *, source: Any, fps: float, last_frame: int) -> StudioScene:
    """Opens a clip. Keys are removed, because a scene has either keys or a clip."""
    found = ClipSource.from_dict(source)
    return replace(at.scene, clip=found, edits=(), keys=(), fps=float(fps), last_frame=last_frame)


def close_clip(at: Setting) -> StudioScene:
    """Closes the clip. The present pose stays."""
    if at.scene.clip is None:
        raise BadValue("no clip is open")
    return replace(at.scene, clip=None, edits=())


def edit(at: Setting, *, change: Any) -> StudioScene:
    """Blends a change into the clip."""
    made = ClipEdit.from_dict(change)
    if at.scene.clip is None:
        raise BadValue("no clip is open, so there is nothing to edit")
    if made.last > at.scene.last_frame:
        raise BadValue(f"edit: the last frame is {made.last}; the clip ends at frame {at.scene.last_frame}")
    return replace(at.scene, edits=(*at.scene.edits, made))


def unedit(at: Setting, *, index: int) -> StudioScene:
    """Removes an edit of the clip, by its place in the list."""
    if type(index) is not int or not 0 <= index < len(at.scene.edits):
        raise BadValue(f"there is no edit {index!r}; the clip has {len(at.scene.edits)}")
    return replace(at.scene, edits=tuple(e for k, e in enumerate(at.scene.edits) if k != index))


TIME_COMMANDS: dict[str, Callable[..., StudioScene]] = {
    **{f.__name__: f for f in (key, unkey, timing, clip, edit, unedit)},
    "move-key": move_key,
    "ease-key": ease_key,
    "close-clip": close_clip,
}
"""The commands by name."""


def _key_at(scene: StudioScene, frame: int) -> Key:
    found = next((k for k in scene.keys if k.frame == frame), None)
    if found is None:
        raise BadValue(f"there is no key at frame {frame!r}")
    return found
