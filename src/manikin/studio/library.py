"""`PoseLibrary`: poses with names, in the state folder. A pose fits any figure that has its joints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from manikin.arrays import Vector
from manikin.errors import BadValue, unknown_name
from manikin.figure.figure import Figure
from manikin.files import atomic

MOST_POSES = 500
"""Largest number of poses in the library."""
MOST_BYTES = 2**20
"""Largest file of a pose, in bytes."""


class PoseLibrary:
    """A folder with one JSON file for each pose."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chmod(folder, 0o700)

    def names(self, figure: Figure) -> list[str]:
        """The names of the poses that fit a figure, in alphabetical order."""
        found = []
        for path in self.folder.glob("*.json"):
            entry = self._read(path)
            if entry is not None and _numbers(figure, entry["joints"]) is not None:
                found.append(entry["name"])
        return sorted(found)

    def save(self, name: str, figure: Figure, pose: Vector) -> None:
        """Stores a pose. A pose with the same name is replaced.

        Raises:
            BadValue: the name is empty or too long, or the library is full.
        """
        if not isinstance(name, str) or not 0 < len(name.strip()) <= 60 or not name.isprintable():
            raise BadValue("the name of a pose needs 1 to 60 characters that can be printed")
        path = self._path(name)
        if not path.exists() and sum(1 for _ in self.folder.glob("*.json")) >= MOST_POSES:
            raise BadValue(f"the library has {MOST_POSES} poses, which is the most; delete one of them")
        joints = {}
        for segment in figure.segments:
            if segment.joint.nq:
                first = figure.index_of(segment.joint.name)
                joints[segment.joint.name] = pose[first : first + segment.joint.nq].tolist()
        atomic.write(path, json.dumps({"manikin-pose": 1, "name": name, "figure": figure.name, "joints": joints}))
        os.chmod(path, 0o600)

    def load(self, name: str, figure: Figure) -> Vector:
        """(nq,) a stored pose, inside the limits of the figure.

        Raises:
            UnknownName: there is no such pose.
            BadValue: it does not fit the figure.
        """
        entry = self._read(self._path(name)) if isinstance(name, str) else None
        if entry is None:
            raise unknown_name("the library", "pose", name, self.names(figure))
        numbers = _numbers(figure, entry["joints"])
        if numbers is None:
            raise BadValue(f"pose {name!r} was made with other joints than those of figure {figure.name!r}")
        return figure.clamp(numbers)

    def delete(self, name: str, figure: Figure) -> None:
        """Deletes a pose.

        Raises:
            UnknownName: there is no such pose.
        """
        if not isinstance(name, str) or not self._path(name).exists():
            raise unknown_name("the library", "pose", name, self.names(figure))
        self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name.encode().hex()[:240]}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        """A file of the library; None if it is missing or damaged."""
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            entry = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        good = isinstance(entry, dict) and isinstance(entry.get("joints"), dict) and isinstance(entry.get("name"), str)
        return entry if good else None


def _numbers(figure: Figure, joints: dict[str, Any]) -> Vector | None:
    """(nq,) the numbers of a pose by joint names; None if the figure has other joints."""
    own = {s.joint.name: s.joint.nq for s in figure.segments if s.joint.nq}
    if set(own) != set(joints):
        return None
    pose: Vector = figure.rest.copy()
    for name, count in own.items():
        try:
            numbers = np.asarray(joints[name], dtype=np.float64)
        except (TypeError, ValueError):
            return None
        if numbers.shape != (count,) or not np.isfinite(numbers).all():
            return None
        first = figure.index_of(name)
        pose[first : first + count] = numbers
    return pose
