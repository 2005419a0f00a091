"""`Journal`: the commands of a session, on disk as they happen, with undo and redo.

The file is text with one JSON object on each line, and lines are only ever appended:

    {"n": 0, "time": 1.79e9, "name": "begin", "args": {"scene": {…}}}
    {"n": 1, "time": …, "name": "pin", "args": {"segment": "RightHand"}, "before": "…", "after": "…"}
    {"n": 2, "time": …, "name": "undo"}
    {"n": 3, "time": …, "name": "close"}

`before` and `after` are the poses, as `commands.pose_text` writes them. A whole scene is written every 100 lines
("checkpoint"). A line that was cut off at the end of the file, by a crash, is dropped. If a line in the middle is
damaged, the journal continues from the next checkpoint, without the undo steps before it. If lines could not be
written, for example because the disk was full, the next line is a new "begin".
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

from manikin.errors import BadFile, ManikinError
from manikin.figure.figure import Figure
from manikin.studio.commands import apply, pose_text
from manikin.studio.roles import Roles
from manikin.studio.scene import StudioScene, View

CHECKPOINT = 100
"""A whole scene is written after this many lines."""
MOST_UNDO = 500
"""Largest number of steps that can be undone."""
MOST_BYTES = 512 * 2**20
"""Largest journal that is read, in bytes."""


class UndoSteps:
    """A scene with its undo and redo steps. A new command discards the steps that were undone."""

    def __init__(self, scene: StudioScene, figure: Figure) -> None:
        self.figure, self.roles = figure, Roles.of(figure)
        self._scenes, self._at = [scene.checked(figure)], 0

    @property
    def scene(self) -> StudioScene:
        """The present scene."""
        return self._scenes[self._at]

    @property
    def undo_steps(self) -> int:
        """Number of steps that can be undone."""
        return self._at

    @property
    def redo_steps(self) -> int:
        """Number of steps that can be done again."""
        return len(self._scenes) - 1 - self._at

    def do(self, name: str, args: Mapping[str, Any]) -> StudioScene:
        """Applies a command."""
        after = apply(self.scene, self.figure, self.roles, name, args)
        self._scenes = [*self._scenes[: self._at + 1], after][-MOST_UNDO - 1 :]
        self._at = len(self._scenes) - 1
        return after

    def trial(self, name: str, args: Mapping[str, Any]) -> StudioScene:
        """The scene after a command, which is not applied."""
        return apply(self.scene, self.figure, self.roles, name, args)

    def look(self, view: View) -> None:
        """Changes the view of the present scene and of all steps, so that undo does not change it."""
        self._scenes = [replace(scene, view=view) for scene in self._scenes]

    def undo(self) -> bool:
        """Takes the last command back. Returns False if there is none."""
        if not self.undo_steps:
            return False
        self._at -= 1
        return True

    def redo(self) -> bool:
        """Applies the command again that was taken back last. Returns False if there is none."""
        if not self.redo_steps:
            return False
        self._at += 1
        return True


class Journal:
    """A history that is written to a file."""

    def __init__(self, path: Path, history: UndoSteps, count: int, clock: Callable[[], float]) -> None:
        self.path, self.history = path, history
        self._count, self._clock, self._closed = count, clock, False
        self._behind = False  # whether a line could not be written
        self._forgotten = False

    @classmethod
    def begin(cls, path: str | os.PathLike[str], scene: StudioScene, figure: Figure, clock: Any = time.time) -> Journal:
        """Starts a journal. The file must not exist."""
        where = Path(path)
        os.close(os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        journal = cls(where, UndoSteps(scene, figure), 0, clock)
        journal._write("begin", {"scene": scene.to_dict()})
        return journal

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        folders: Sequence[Path] = (Path(),),
        *,
        safe: bool = False,
        clock: Any = time.time,
    ) -> Journal:
        """Opens a journal and brings back its scene, with its undo steps.

        Args:
            path: the journal.
            folders: where the file of the figure may lie.
            safe: whether that file is read in a separate process.
            clock: gives the time of new lines.

        Raises:
            BadFile: the journal has no scene, or a command in it gives another pose than it gave before.
        """
        where = Path(path)
        history, count, length = replayed(where, folders, safe)
        os.truncate(where, length)
        return cls(where, history, count, clock)

    @property
    def scene(self) -> StudioScene:
        """The present scene."""
        return self.history.scene

    def do(self, name: str, args: Mapping[str, Any]) -> StudioScene:
        """Applies a command and writes it down."""
        before = self.scene
        after = self.history.do(name, args)
        self._write(name, args, pose_text(before.pose), pose_text(after.pose))
        return after

    def undo(self) -> bool:
        """Takes the last command back. Returns False if there is none."""
        return self._step("undo", self.history.undo_steps > 0, self.history.undo)

    def redo(self) -> bool:
        """Applies the command again that was taken back last. Returns False if there is none."""
        return self._step("redo", self.history.redo_steps > 0, self.history.redo)

    def look(self, view: View) -> None:
        """Changes the view. It is not a step of undo."""
        self.history.look(view)
        self._write("view", vars(view))

    def forget(self) -> None:
        """Writes nothing any more: the file has another owner."""
        self._closed = self._forgotten = True

    def close(self) -> None:
        """Ends the journal. A journal without this last line was ended by a crash."""
        if not self._closed:
            self._write("close", None)
            self._closed = True

    def _step(self, name: str, can: bool, step: Callable[[], bool]) -> bool:
        if can:
            step()
            self._write(name, None)
        return can

    def _write(self, name: str, args: Mapping[str, Any] | None, before: str = "", after: str = "") -> None:
        if self._forgotten:
            return
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            with os.fdopen(os.open(self.path, flags, 0o600), "ab", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                if name != "begin" and (self._behind or size == 0):
                    # Lines are missing, or the file is gone: what is written now stands for itself.
                    name, args, before, after = "begin", {"scene": self.scene.to_dict()}, "", ""
                self._append(file, size, self._line(name, args, before, after))
        except OSError:
            self._behind = True
            raise
        self._behind = False
        self._count += 1
        if self._count % CHECKPOINT == 0:
            self._write("checkpoint", {"scene": self.scene.to_dict()})

    def _line(self, name: str, args: Mapping[str, Any] | None, before: str, after: str) -> bytes:
        entry: dict[str, Any] = {"n": self._count, "time": round(float(self._clock()), 3), "name": name}
        if args is not None:
            entry["args"] = dict(args)
        if after:
            entry |= {"before": before, "after": after}
        return json.dumps(entry, allow_nan=False, separators=(",", ":")).encode() + b"\n"

    @staticmethod
    def _append(file: FileIO, size: int, line: bytes) -> None:
        """Writes a line, or nothing: half of a line would spoil the next one."""
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(file.fileno(), size)
            raise


def replayed(path: Path, folders: Sequence[Path] = (Path(),), safe: bool = False) -> tuple[UndoSteps, int, int]:
    """The history of a journal, the number of its lines, and the number of bytes of its complete lines."""
    if path.stat().st_size > MOST_BYTES:
        raise BadFile(path, f"the journal is larger than {MOST_BYTES // 2**20} MB")
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.split(b"\n")[:-1]
    history: UndoSteps | None = None
    damage = "it is empty"
    for number, line in enumerate(lines, 1):
        try:
            history = _replay(history, json.loads(line), folders, safe)
        except (ManikinError, ValueError, KeyError, TypeError, AttributeError) as error:
            history, damage = None, f"line {number}: {error}"
    if history is None:
        raise BadFile(path, f"no scene can be brought back: {damage}")
    return history, len(lines), len(whole)


def was_closed(path: Path) -> bool:
    """Whether a session ended properly: the last complete line is "close"."""
    lines = path.read_bytes().split(b"\n")
    try:
        return len(lines) > 1 and json.loads(lines[-2]).get("name") == "close"
    except (ValueError, AttributeError):
        return False


def _replay(
    history: UndoSteps | None, entry: Mapping[str, Any], folders: Sequence[Path], safe: bool
) -> UndoSteps | None:
    """The history after one line; None while a checkpoint is awaited."""
    name, args = entry["name"], entry.get("args", {})
    if name in ("begin", "checkpoint"):
        scene = StudioScene.from_dict(args["scene"])
        if history is None or name == "begin":
            return UndoSteps(scene, scene.source.figure(folders, safe))
        if scene.pose.tobytes() != history.scene.pose.tobytes():
            raise ValueError("the checkpoint has a pose that differs from the result of the commands before it")
        return history
    if history is None:
        return None
    if name == "undo":
        history.undo()
    elif name == "redo":
        history.redo()
    elif name == "view":
        history.look(View(**args))
    elif name != "close":
        after = history.do(name, args)
        if pose_text(after.pose) != entry["after"]:
            raise ValueError(f"command {name!r} gives another pose than before")
    return history
