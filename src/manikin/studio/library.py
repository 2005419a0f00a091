"""`PoseLibrary`: poses with names, in the state folder. A pose fits any figure that has its joints."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.base import writing
from manikin.errors import BadValue, ManikinError, unknown_name
from manikin.figure.figure import Figure
from manikin.studio.protocol import deeper_than
from manikin.studio.shapes import pose_rows

MOST_POSES = 500
"""Largest number of poses in the library."""
MOST_DELETED = 50
"""Number of deleted poses that are kept, so that a deletion can be undone."""
MOST_BYTES = 2**20
"""Largest file of a pose, in bytes."""


class PoseLibrary:
    """A folder with one JSON file for each pose."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: frozenset[str] = frozenset()
        """Names of the files that could not be read when the library was last listed. They stay in the folder."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chmod(folder, 0o700)

    def names(self, figure: Figure) -> list[str]:
        """The names of the poses that fit a figure, in alphabetical order."""
        return [name for name, _ in self._fitting(figure)]

    def data(self, figure: Figure) -> dict[str, list[str]]:
        """What the page shows: the names of the poses that fit a figure, and the placements of the segments in each,
        as base64 of `pose_rows`."""
        found = self._fitting(figure)
        poses = np.array([pose for _, pose in found]).reshape(len(found), figure.nq)
        rows = pose_rows(figure, poses)
        return {
            "names": [name for name, _ in found],
            "rows": [base64.b64encode(np.ascontiguousarray(row).tobytes()).decode() for row in rows],
        }

    def act(self, message: Mapping[str, Any], figure: Figure, pose: Vector) -> None:
        """Does what a message of the page says.

        Args:
            message: `action`: list, save, rename, delete or restore; `name`; and `to`, the new name.
            figure: the figure on the stage.
            pose: (nq,) the pose to save.

        Raises:
            BadValue, UnknownName: there is no such action or pose, or a name does not fit.
        """
        action, name = message.get("action", "list"), message.get("name", "")
        if action == "save":
            self.save(name, figure, pose)
        elif action == "rename":
            self.rename(name, message.get("to", ""), figure)
        elif action == "delete":
            self.delete(name, figure)
        elif action == "restore":
            self.restore(name)
        elif action != "list":
            raise BadValue(f"action is {action!r}; it must be list, save, use, rename, delete or restore")

    def save(self, name: str, figure: Figure, pose: Vector) -> None:
        """Stores a pose. A pose with the same name is replaced; `restore` brings it back.

        Raises:
            BadValue: the name is empty or too long, or the library is full.
        """
        path = self._path(_checked(name))
        if path.exists():
            self._bury(path)
        elif sum(1 for _ in self.folder.glob("*.json")) >= MOST_POSES:
            raise BadValue(f"the library has {MOST_POSES} poses, which is the most; delete one of them")
        joints = {}
        for segment in figure.segments:
            if segment.joint.nq:
                first = figure.index_of(segment.joint.name)
                joints[segment.joint.name] = pose[first : first + segment.joint.nq].tolist()
        self._write(path, {"manikin-pose": 1, "name": name, "figure": figure.name, "joints": joints})

    def load(self, name: str, figure: Figure) -> Vector:
        """(nq,) a stored pose, inside the limits of the figure.

        Raises:
            UnknownName: there is no such pose.
            BadValue: it does not fit the figure.
        """
        entry = self._read(self._known(name, figure))
        numbers = None if entry is None else _numbers(figure, entry["joints"])
        if numbers is None:
            raise BadValue(f"pose {name!r} was made with other joints than those of figure {figure.name!r}")
        return numbers

    def rename(self, name: str, to: str, figure: Figure) -> None:
        """Gives a pose another name.

        Raises:
            UnknownName: there is no such pose.
            BadValue: the new name is empty, too long, or the name of another pose.
        """
        path, target = self._known(name, figure), self._path(_checked(to))
        if target == path:
            return
        if target.exists():
            raise BadValue(f"there is already a pose {to!r}; choose another name")
        entry = self._read(path)
        if entry is None:
            raise BadValue(f"the file of pose {name!r} is damaged")
        self._write(target, {**entry, "name": to})
        path.unlink()

    def delete(self, name: str, figure: Figure) -> None:
        """Deletes a pose. `restore` brings it back.

        Raises:
            UnknownName: there is no such pose.
        """
        self._bury(self._known(name, figure))

    def restore(self, name: str) -> None:
        """Brings a pose back that was deleted or replaced. A pose that took its name meanwhile is replaced.

        Raises:
            BadValue: no such pose was deleted.
        """
        path = self._path(_checked(name))
        kept = self._deleted / path.name
        if not kept.exists():
            raise BadValue(f"no pose {name!r} was deleted")
        now = path.read_bytes() if path.exists() else None
        os.replace(kept, path)
        if now is not None:
            writing.write(kept, now, mode=0o600)
            os.chmod(kept, 0o600)

    @property
    def _deleted(self) -> Path:
        return self.folder / "deleted"

    def _bury(self, path: Path) -> None:
        """Moves a file to the deleted ones. The oldest of them are dropped."""
        self._deleted.mkdir(mode=0o700, exist_ok=True)
        os.replace(path, self._deleted / path.name)
        os.utime(self._deleted / path.name)
        by_age = sorted(self._deleted.glob("*.json"), key=lambda kept: kept.stat().st_mtime_ns)
        for kept in by_age[:-MOST_DELETED]:
            kept.unlink()

    def _fitting(self, figure: Figure) -> list[tuple[str, Vector]]:
        """The names and numbers of the poses that fit a figure, in alphabetical order."""
        found, damaged = [], set()
        for path in self.folder.glob("*.json"):
            entry = self._read(path)
            try:
                numbers = None if entry is None else _numbers(figure, entry["joints"])
            except ManikinError:
                entry = None
            if entry is None:
                damaged.add(path.name)
            elif numbers is not None:
                found.append((entry["name"], numbers))
        self.damaged = frozenset(damaged)
        return sorted(found, key=lambda one: one[0])

    def _known(self, name: str, figure: Figure) -> Path:
        """The file of a pose."""
        if not isinstance(name, str) or not self._path(name).exists():
            raise unknown_name("the library", "pose", name, self.names(figure))
        return self._path(name)

    def _write(self, path: Path, entry: dict[str, Any]) -> None:
        writing.write(path, json.dumps(entry), mode=0o600)
        os.chmod(path, 0o600)

    def _path(self, name: str) -> Path:
        text = name.encode("utf-8", "surrogatepass")
        return self.folder / f"{text.hex() if len(text) <= 100 else hashlib.sha256(text).hexdigest()}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        """A file of the library; None if it is missing or damaged."""
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return None
            entry = json.loads(path.read_text(encoding="utf-8"))
            good = isinstance(entry, dict) and isinstance(entry.get("joints"), dict) and not deeper_than(entry, 3)
            return entry if good and self._path(_checked(entry.get("name"))) == path else None
        except (OSError, ValueError, RecursionError, ManikinError):
            return None


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not 0 < len(name.strip()) <= 60 or not name.isprintable():
        raise BadValue("the name of a pose needs 1 to 60 characters that can be printed")
    return name


def _numbers(figure: Figure, joints: dict[str, Any]) -> Vector | None:
    """(nq,) the numbers of a pose by joint names, inside the limits; None if the figure has other joints.

    Raises:
        BadValue: a number is missing, or is not finite.
    """
    own = {s.joint.name: s.joint.nq for s in figure.segments if s.joint.nq}
    if set(own) != set(joints):
        return None
    pose: Vector = figure.rest.copy()
    for name, count in own.items():
        numbers = arrays.numbers(joints[name], f"joint {name!r}", (None,))
        if len(numbers) != count:
            return None
        first = figure.index_of(name)
        pose[first : first + count] = numbers
    return figure.clamp(pose)
