"""A clip on the stage, as plain data: where its motion comes from, and the edits that were blended into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from manikin import arrays
from manikin.errors import BadValue
from manikin.studio.goals import SceneGoal

MOST_EDITS = 200
"""Largest number of edits of a clip."""


@dataclass(frozen=True)
class ClipSource:
    """Says which file the clip was read from."""

    name: str
    """Name of the file for the user."""
    file: str
    """Name of the stored file, without folders."""
    sha256: str
    """Checksum of the file."""
    retargeted: bool = False
    """Whether the file moves another figure, so that its motion was retargeted."""

    def __post_init__(self) -> None:
        if not self.file or Path(self.file).name != self.file:
            raise BadValue(f"clip: the file is {self.file!r}; it needs a name without folders")
        if not isinstance(self.retargeted, bool) or not all(isinstance(x, str) for x in (self.name, self.sha256)):
            raise BadValue("clip: name and sha256 need text, and retargeted needs true or false")

    @classmethod
    def from_dict(cls, data: Any) -> ClipSource:
        """Reads `to_dict`."""
        return cls(**_fields(cls, data, "clip"))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


@dataclass(frozen=True)
class ClipEdit:
    """Goals that a clip meets in some frames, with a blend before and after."""

    goals: tuple[SceneGoal, ...]
    first: int
    """The first frame in which the goals are met."""
    last: int
    """The last one."""
    blend: int = 20
    """Number of frames before and after in which the motion eases in and out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "goals", tuple(self.goals))
        if not self.goals:
            raise BadValue("an edit has no goals; it needs at least one")
        for name in ("first", "last", "blend"):
            arrays.whole(getattr(self, name), f"edit: {name}", 0)
        if self.first > self.last:
            raise BadValue(f"edit: frames are {self.first} to {self.last}; the first must not be after the last")

    @classmethod
    def from_dict(cls, data: Any) -> ClipEdit:
        """Reads `to_dict`."""
        given = _fields(cls, data, "edit")
        return cls(**{**given, "goals": tuple(SceneGoal.from_dict(goal) for goal in given["goals"])})

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        goals = [goal.to_dict() for goal in self.goals]
        return {"goals": goals, "first": self.first, "last": self.last, "blend": self.blend}


def _fields(cls: type[Any], data: Any, name: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise BadValue(f"{name}: it is {type(data).__name__}; it needs an object")
    unknown = sorted(set(data) - {f.name for f in fields(cls)})
    if unknown:
        raise BadValue(f"{name}: unknown field {unknown[0]!r}")
    return dict(data)
