"""`Journal`: the commands of a session, on disk as they happen, with undo and redo.

The file is text with one JSON object on each line, and lines are only ever appended:

    {"n": 0, "time": 1.79e9, "name": "begin", "args": {"scene": {…}}}
    {"n": 1, "time": …, "name": "pin", "args": {"segment": "RightHand"}, "before": "…", "after": "…"}
    {"n": 2, "time": …, "name": "undo"}
    {"n": 3, "time": …, "name": "close"}

`before` and `after` are the poses, as `commands.pose_text` writes them. A whole scene is written every 100 lines
("checkpoint"). A line that was cut off at the end of the file, by a crash, is dropped. A line in the middle that is
damaged is skipped, and so are later ones that depend on it: a command counts if it gives the pose that it gave before,
and undo counts again after the next checkpoint. The lines stay in the file, and the user is told once: the next line is
then a checkpoint with "told". If lines could not be written, for example because the disk was full, the next line is a
new "begin".
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import Any

from manikin.errors import BadFile
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
LONGEST_REASON = 200
"""Largest number of characters of a reason why a line was skipped."""


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

    @property
    def files(self) -> frozenset[str]:
        """Names of the files that the scene and its steps need."""
        figures = {scene.source.name for scene in self._scenes if scene.source.kind == "file"}
        return frozenset(figures | {scene.clip.file for scene in self._scenes if scene.clip is not None})

    def do(self, name: str, args: Mapping[str, Any], expected: str | None = None) -> StudioScene:
        """Applies a command.

        Args:
            name: name of the command.
            args: its arguments.
            expected: the pose after it, as text, if it is known. Another result raises a ValueError, and is dropped.
        """
        after = apply(self.scene, self.figure, self.roles, name, args)
        if expected is not None and pose_text(after.pose) != expected:
            raise ValueError(f"command {name!r} gives another pose than before")
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
        self.note = ""
        """A sentence for the user, if lines of the file were skipped."""

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
        """Opens a journal and brings back its scene, with its undo steps. `note` tells which lines were skipped.

        Args:
            path: the journal.
            folders: where the file of the figure may lie.
            safe: whether that file is read in a separate process.
            clock: gives the time of new lines.

        Raises:
            BadFile: the journal has no scene, is too large, or is not a plain file.
        """
        where = Path(path)
        found = replayed(where, folders, safe)
        os.truncate(where, found.length)
        journal = cls(where, found.history, found.lines, clock)
        if found.skipped:
            journal.note = (
                f"{len(found.skipped)} lines of the journal are damaged, or depend on damaged ones, and were skipped; "
                f"the first is {found.skipped[0]}"
            )
            with contextlib.suppress(OSError):  # then the user is told again
                journal._write("checkpoint", {"scene": journal.scene.to_dict(), "told": True})
        return journal

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
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
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


@dataclass(frozen=True)
class Replayed:
    """What a journal holds."""

    history: UndoSteps
    lines: int
    """Number of its complete lines."""
    length: int
    """Number of bytes of its complete lines."""
    skipped: tuple[str, ...]
    """Each line that was skipped since the user was told, and why."""


def replayed(path: Path, folders: Sequence[Path] = (Path(),), safe: bool = False) -> Replayed:
    """Reads a journal. Whatever is in it, it gives a history or `BadFile`."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise BadFile(path, "the journal is a link, or no plain file, so it is not used")
    if found.st_size > MOST_BYTES:
        raise BadFile(path, f"the journal is larger than {MOST_BYTES // 2**20} MB")
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.split(b"\n")[:-1]
    reader = _Reader(folders, safe)
    for number, line in enumerate(lines, 1):
        reader.read(number, line)
    if reader.history is None:
        raise BadFile(path, f"no scene can be brought back: {reader.skipped[0] if reader.skipped else 'it is empty'}")
    return Replayed(reader.history, len(lines), len(whole), tuple(reader.skipped))


def was_closed(path: Path) -> bool:
    """Whether a session ended properly: the last complete line is "close"."""
    lines = path.read_bytes().split(b"\n")
    try:
        return len(lines) > 1 and json.loads(lines[-2]).get("name") == "close"
    except (ValueError, AttributeError, RecursionError):
        return False


class _Reader:
    """Applies the lines of a journal."""

    def __init__(self, folders: Sequence[Path], safe: bool) -> None:
        self.history: UndoSteps | None = None
        self.skipped: list[str] = []
        self._certain = True  # whether no line was skipped since the last whole scene
        self._folders, self._safe = folders, safe

    def read(self, number: int, line: bytes) -> None:
        """Applies one line, or skips it."""
        try:
            self._apply(json.loads(line))
        except Exception as error:  # a damaged file may hold anything
            words = " ".join(str(error).split()) or type(error).__name__
            self.skipped.append(f"line {number}: {words[:LONGEST_REASON]}")
            self._certain = False

    def _apply(self, entry: Mapping[str, Any]) -> None:
        name, args = entry["name"], entry.get("args", {})
        if name in ("begin", "checkpoint"):
            self._whole_scene(name, args)
            return
        if self.history is None:
            raise ValueError("the scene before it is missing")
        if name in ("undo", "redo"):
            if not self._certain:
                raise ValueError(f"{name!r} depends on a line that was skipped")
            self.history.undo() if name == "undo" else self.history.redo()
        elif name == "view":
            self.history.look(View(**args))
        elif name != "close":
            self.history.do(name, args, entry["after"])

    def _whole_scene(self, name: str, args: Mapping[str, Any]) -> None:
        scene, now = StudioScene.from_dict(args["scene"]), self.history
        if now is None or name == "begin":
            self.history = UndoSteps(scene, scene.source.figure(self._folders, self._safe))
        elif scene.to_dict() != now.scene.to_dict():
            same = scene.source == now.scene.source
            figure = now.figure if same else scene.source.figure(self._folders, self._safe)
            self.history = UndoSteps(scene, figure)
            if self._certain:
                self.skipped.append(
                    "a line that is missing: the scene after it differs from the result of those before"
                )
        self._certain = True
        if args.get("told") is True:
            self.skipped = []
