"""`Timeline`: the motion of a scene. It is a clip with its edits, or the poses between the keys."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from manikin.arrays import Poses, Vector
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure.figure import Figure
from manikin.motion.contacts import Contacts, contacts
from manikin.motion.edit import edit
from manikin.motion.keys import inbetween
from manikin.motion.motion import Motion
from manikin.studio.clip import ClipEdit, ClipSource
from manikin.studio.figures import checksum
from manikin.studio.protocol import CLIP, CLIP_HEADER
from manikin.studio.scene import MOST_FRAMES, Key, StudioScene
from manikin.studio.shapes import pose_rows

BLOCK = 128
"""Largest number of frames of one message to the page."""
MOST_KEPT = 8
"""Number of motions that are kept, so that undo and redo are quick."""


VERSIONS = count(1)
"""The next version of a motion. No two motions of a server have the same."""


@dataclass(frozen=True, eq=False)
class Take:
    """The motion of a scene."""

    motion: Motion
    version: int
    """Differs for each motion, so that the page can tell old frames from new ones."""
    notes: tuple[str, ...] = ()
    """Sentences for the user on goals that an edit misses."""


class Timeline:
    """Makes the motions of the scenes of one figure."""

    def __init__(self, figure: Figure, folders: Sequence[Path] = (Path(),), safe: bool = True) -> None:
        """
        Args:
            figure: the figure on the stage.
            folders: where the files of clips may lie.
            safe: whether clips are read in a separate process, as for files from strangers.
        """
        self.figure, self.folders, self.safe = figure, tuple(folders), safe
        self._takes: OrderedDict[Any, Take] = OrderedDict()
        self._contacts: tuple[Motion, Contacts | None] | None = None

    def take(self, scene: StudioScene) -> Take | None:
        """The motion of a scene; None if it has no clip and fewer than two keys.

        Raises:
            BadFile, BadValue, OSError: the clip cannot be read, or does not fit the figure.
        """
        if scene.clip is not None:
            return self._edited(scene.clip, scene.edits)
        if len(scene.keys) < 2:
            return None
        return self._kept(
            (scene.keys, scene.fps, scene.last_frame),
            lambda: (keyed(self.figure, scene.keys, scene.fps, scene.last_frame), ()),
        )

    def pose(self, scene: StudioScene, frame: int) -> Vector:
        """(nq,) the pose of a frame; that of the scene if nothing moves."""
        take = self.take(scene)
        if take is None:
            return scene.pose
        pose: Vector = take.motion.poses[min(max(frame, 0), len(take.motion) - 1)]
        return pose

    def contacts(self, scene: StudioScene) -> Contacts | None:
        """Where feet and hands of the motion touch the floor; None if nothing moves, or for figures without feet."""
        take = self.take(scene)
        if take is None:
            return None
        if self._contacts is None or self._contacts[0] is not take.motion:
            try:
                found: Contacts | None = contacts(take.motion)
            except ManikinError:
                found = None
            self._contacts = (take.motion, found)
        return self._contacts[1]

    def block(self, scene: StudioScene, first: int, most: int) -> bytes:
        """Frames of the motion for the page, from `first` on, at most `most` and `BLOCK`.

        Raises:
            BadValue: the motion does not have these frames.
        """
        take = self.take(scene)
        frames = 0 if take is None else len(take.motion)
        if take is None or not 0 <= first < frames or most < 1:
            raise BadValue(f"frames {first} to {first + most - 1} were requested; the motion has {frames} frames")
        poses = take.motion.poses[first : first + min(most, BLOCK)]
        rows = pose_rows(self.figure, poses)
        return CLIP_HEADER.pack(CLIP, take.version, first, len(poses), rows.shape[1]) + rows.tobytes()

    def open(self, path: Path, name: str) -> tuple[ClipSource, Motion]:
        """Reads a clip for the figure on the stage. The motion of another figure is retargeted.

        Raises:
            BadFile, BadValue, Unsupported, OSError: it cannot be read, or cannot be retargeted.
        """
        digest = checksum(path)
        motion = self._read(path)
        for retargeted in (False, True):
            source = ClipSource(name, path.name, digest, retargeted)
            try:
                take = self._kept((source, ()), lambda r=retargeted: (self._fitted(motion, r), ()))
            except BadValue:
                if retargeted:
                    raise
            else:
                return source, take.motion
        raise AssertionError("unreachable")

    # Inside

    def _kept(self, key: Any, make: Any) -> Take:
        if key in self._takes:
            self._takes.move_to_end(key)
            return self._takes[key]
        motion, notes = make()
        self._takes[key] = Take(motion, next(VERSIONS), tuple(notes))
        while len(self._takes) > MOST_KEPT:
            self._takes.popitem(last=False)
        return self._takes[key]

    def _edited(self, clip: ClipSource, edits: tuple[ClipEdit, ...]) -> Take:
        """The clip with its edits. Each edit changes the result of the one before."""
        if not edits:
            return self._kept((clip, ()), lambda: (self._fitted(self._load(clip), clip.retargeted), ()))
        before = self._edited(clip, edits[:-1])
        return self._kept((clip, edits), lambda: self._blended(before, edits[-1]))

    def _blended(self, before: Take, change: ClipEdit) -> tuple[Motion, list[str]]:
        goals = [goal.goal(self.figure) for goal in change.goals]
        found = edit(before.motion, goals, (change.first, change.last), change.blend)
        inside = slice(change.first, change.last + 1)
        notes = list(before.notes)
        for k, goal in enumerate(change.goals):
            worst = float(np.nanmax(found.errors[inside, k]))
            if not found.reached[inside].all() and worst > goals[k].allowed:
                unit = self.figure.unit
                length = f"{worst:.3g}" if unit is None else f"{worst * unit:.3g} m"
                notes.append(f"{goal.id} misses its target by {length}")
        return found.motion, notes

    def _load(self, clip: ClipSource) -> Motion:
        path = next((f / clip.file for f in self.folders if (f / clip.file).exists()), Path(clip.file))
        if clip.sha256 and checksum(path) != clip.sha256:
            raise BadFile(path, "this is not the file that the scene was made with: its checksum differs")
        return self._read(path)

    def _read(self, path: Path) -> Motion:
        from manikin.files import load_motion
        from manikin.files.formats import FORMATS

        known = FORMATS.get(path.suffix.lower())
        table = known is not None and known.figure is None  # it holds the motion of a figure that it does not hold
        motion: Motion = load_motion(path, safe=self.safe, figure=self.figure if table else None)
        if len(motion) < 2:
            raise BadFile(path, "the file has one frame; a clip needs at least two")
        if len(motion) > MOST_FRAMES:
            raise BadFile(path, f"the clip has {len(motion)} frames; the studio takes at most {MOST_FRAMES}")
        return motion

    def _fitted(self, motion: Motion, retargeted: bool) -> Motion:
        if not retargeted:
            return motion if motion.figure is self.figure else motion.on(self.figure)
        from manikin.motion.retarget.retarget import retarget

        return retarget(motion, self.figure).motion


def keyed(figure: Figure, keys: Sequence[Key], fps: float, last_frame: int) -> Motion:
    """The motion through keys, from frame 0 to the last frame. Before the first key and after the last one the figure
    rests."""
    first, end = keys[0].frame, keys[-1].frame
    times = [key.frame / fps for key in keys]
    found = inbetween(
        Motion(figure, np.stack([key.pose for key in keys]), times), rate=fps, pace=[key.easing for key in keys]
    )
    inside: Poses = found.motion.poses
    last = max(last_frame, end)
    poses = np.concatenate([np.tile(inside[:1], (first, 1)), inside, np.tile(inside[-1:], (last - end, 1))])
    return Motion(figure, poses, rate=fps, name="keys")
