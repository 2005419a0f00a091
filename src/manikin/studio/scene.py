"""`StudioScene`: everything that the user of the studio sees and can save. Commands make a new scene from a scene."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Vector, frozen
from manikin.base import writing
from manikin.base.json_file import read_json
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure.figure import Figure
from manikin.files.figure_json import MOST_BYTES
from manikin.motion.keys import PACES
from manikin.studio.clip import MOST_EDITS, ClipEdit, ClipSource
from manikin.studio.figures import FigureSource
from manikin.studio.goals import SceneGoal, balance, planted
from manikin.studio.roles import Roles

FORMAT = 1
"""Version of the scene file. A newer version raises an error."""
MOST_FRAMES, MOST_KEYS, MOST_GOALS = 100_000, 10_000, 1_000
"""Bounds of a scene: the last frame, the number of keys and the number of goals."""


@dataclass(frozen=True, eq=False)
class Key:
    """A pose at a frame."""

    frame: int
    pose: Vector
    easing: str = "smooth"

    def __post_init__(self) -> None:
        if not isinstance(self.frame, int) or not 0 <= self.frame <= MOST_FRAMES:
            raise BadValue(f"a key is at frame {self.frame!r}; it needs a frame from 0 to {MOST_FRAMES}")
        if self.easing not in PACES:
            raise BadValue(f"the key at frame {self.frame} has easing {self.easing!r}; it is one of {', '.join(PACES)}")
        object.__setattr__(self, "pose", frozen(self.pose))


@dataclass(frozen=True)
class View:
    """How the scene is looked at. It is saved with the scene, and undo does not change it."""

    camera: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position of the camera; all zero lets the page choose."""
    looks_at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    theme: str = "auto"
    """auto, light or dark."""
    ghosts: bool = True
    """Whether the pose at the grab is shown during a drag."""
    key_ghosts: bool = False
    """Whether other keys, or other frames of a clip, are shown beside the present frame."""
    ghost_step: int = 10
    """Frames between two ghosts of a clip."""
    trails: bool = False
    bones: bool = False
    natural: bool = False
    """Whether a drag prefers a natural pose to the pose at the grab."""

    def __post_init__(self) -> None:
        for name in ("camera", "looks_at"):
            at = arrays.numbers(getattr(self, name), f"view: {name}", (3,))
            object.__setattr__(self, name, tuple(float(x) for x in at))
        for name in ("ghosts", "trails", "bones"):
            if not isinstance(getattr(self, name), bool):
                raise BadValue(f"view: {name} is {getattr(self, name)!r}; it needs true or false")
        if self.theme not in ("auto", "light", "dark"):
            raise BadValue(f"view: theme is {self.theme!r}; it is auto, light or dark")
        for name in ("ghosts", "key_ghosts", "trails", "bones", "natural"):
            if not isinstance(getattr(self, name), bool):
                raise BadValue(f"view: {name} is {getattr(self, name)!r}; it is true or false")
        if type(self.ghost_step) is not int or not 1 <= self.ghost_step <= MOST_FRAMES:
            raise BadValue(f"view: ghost_step is {self.ghost_step!r}; it needs a whole number from 1 to {MOST_FRAMES}")


@dataclass(frozen=True, eq=False)
class StudioScene:
    """A figure in a pose, with its goals, keys and view."""

    source: FigureSource
    pose: Vector
    """(nq,)"""
    goals: tuple[SceneGoal, ...] = ()
    freeze: tuple[str, ...] = ()
    """Names of the joints that do not move."""
    keys: tuple[Key, ...] = ()
    """By frame."""
    clip: ClipSource | None = None
    """The clip that plays. A scene has a clip or keys."""
    edits: tuple[ClipEdit, ...] = ()
    """The edits of the clip, in the order in which they are applied."""
    fps: float = 30.0
    last_frame: int = 120
    name: str = "Untitled"
    view: View = field(default_factory=View)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "pose", frozen(self.pose))
        set_(self, "goals", tuple(self.goals))
        set_(self, "freeze", tuple(self.freeze))
        set_(self, "edits", tuple(self.edits))
        set_(self, "keys", tuple(sorted(self.keys, key=lambda key: key.frame)))
        ids = [goal.id for goal in self.goals]
        twice = [name for k, name in enumerate(ids) if name in ids[:k]]
        if twice:
            raise BadValue(f"two goals have the id {twice[0]!r}; ids must be unique in a scene")
        frames = [key.frame for key in self.keys]
        if len(set(frames)) < len(frames):
            raise BadValue("two keys are at the same frame")
        if len(ids) > MOST_GOALS or len(frames) > MOST_KEYS:
            raise BadValue(f"the scene has {len(ids)} goals and {len(frames)} keys; {MOST_GOALS} and {MOST_KEYS} fit")
        if (self.clip is None and self.edits) or (self.clip is not None and self.keys):
            raise BadValue("the scene has edits without a clip, or keys and a clip; it needs either keys or a clip")
        if len(self.edits) > MOST_EDITS:
            raise BadValue(f"the clip has {len(self.edits)} edits; at most {MOST_EDITS} are allowed")
        if not 0.0 < self.fps <= 1000.0 or type(self.last_frame) is not int or not 0 < self.last_frame <= MOST_FRAMES:
            raise BadValue(
                f"the scene has {self.fps} frames a second and ends at frame {self.last_frame!r}; it needs at most "
                f"1000 a second, and a whole number from 1 to {MOST_FRAMES}"
            )

    @classmethod
    def begin(cls, source: FigureSource, figure: Figure) -> StudioScene:
        """The first scene of a figure: the rest pose, feet planted, in balance if the figure has a mass and soles."""
        roles = Roles.of(figure)
        goals = [goal for foot in roles.feet for goal in planted(figure, figure.rest, foot)]
        soles = all(figure.segment(foot.sole).shapes for foot in roles.feet)
        if len(roles.feet) > 1 and figure.mass > 0.0 and soles:
            goals.append(balance(tuple(foot.sole for foot in roles.feet)))
        return cls(source, figure.rest, tuple(goals), name=figure.name)

    def checked(self, figure: Figure) -> StudioScene:
        """The scene, if it fits the figure.

        Raises:
            BadValue, BadShape, UnknownName: a pose, a goal or a joint does not fit the figure.
        """
        for pose in (self.pose, *(key.pose for key in self.keys)):
            if np.ndim(figure.check(pose, "pose")) != 1:
                raise BadValue(f"the pose has shape {pose.shape}; a scene has one pose, ({figure.nq},)")
        for goal in (*self.goals, *(goal for change in self.edits for goal in change.goals)):
            goal.goal(figure)
        for joint in self.freeze:
            figure.index_of(joint)
        return self

    def goal(self, name: str) -> SceneGoal | None:
        """The goal with an id."""
        return next((goal for goal in self.goals if goal.id == name), None)

    def with_pose(self, pose: ArrayLike) -> StudioScene:
        """The scene with another pose."""
        return replace(self, pose=frozen(np.asarray(pose, dtype=np.float64)))

    # As plain data

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without loss."""
        return {
            "manikin-scene": FORMAT,
            "name": self.name,
            "figure": self.source.to_dict(),
            "pose": self.pose.tolist(),
            "goals": [goal.to_dict() for goal in self.goals],
            "freeze": list(self.freeze),
            "keys": [{"frame": k.frame, "pose": k.pose.tolist(), "easing": k.easing} for k in self.keys],
            **({} if self.clip is None else {"clip": self.clip.to_dict()}),
            **({"edits": [change.to_dict() for change in self.edits]} if self.edits else {}),
            "fps": self.fps,
            "last_frame": self.last_frame,
            "view": vars(self.view).copy(),
        }

    @classmethod
    def from_dict(cls, data: Any) -> StudioScene:
        """Reads `to_dict`.

        Raises:
            BadValue: it is not a scene, it has a newer version, or a value is wrong.
        """
        version = data.get("manikin-scene") if isinstance(data, Mapping) else None
        if version != FORMAT:
            hint = "; a newer manikin wrote it" if isinstance(version, int) and version > FORMAT else ""
            raise BadValue(f"this is not a scene of version {FORMAT}: its key 'manikin-scene' is {version!r}{hint}")
        try:
            return cls(
                FigureSource.from_dict(data["figure"]),
                np.array(data["pose"], dtype=np.float64),
                tuple(SceneGoal.from_dict(goal) for goal in data.get("goals", ())),
                tuple(data.get("freeze", ())),
                tuple(
                    Key(k["frame"], np.array(k["pose"], dtype=np.float64), k["easing"]) for k in data.get("keys", ())
                ),
                None if data.get("clip") is None else ClipSource.from_dict(data["clip"]),
                tuple(ClipEdit.from_dict(change) for change in data.get("edits", ())),
                float(data.get("fps", 30.0)),
                int(data.get("last_frame", 120)),
                str(data.get("name", "Untitled")),
                View(**data.get("view", {})),
            )
        except ManikinError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadValue(f"the scene is malformed: {type(error).__name__}: {error}") from error

    def to_json(self) -> str:
        """The scene file as text: one line for each field."""
        lines = [f" {json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in self.to_dict().items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene file, completely or not at all."""
        writing.write(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> StudioScene:
        """Reads a scene file.

        Raises:
            BadFile: the file is not a scene, or a value in it is wrong.
        """
        try:
            return cls.from_dict(read_json(path, MOST_BYTES, "a scene"))
        except BadFile:
            raise
        except ManikinError as error:
            raise BadFile(Path(path), str(error)) from error
