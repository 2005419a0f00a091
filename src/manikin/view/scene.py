"""The content of a picture before it is drawn: the selected poses, their solids, and the marks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Placements, Points, Poses
from manikin.figure import Figure
from manikin.view.marks import Marks
from manikin.view.solids import Solid, solids

MAX_FADE = 0.78
"""How far the first of several poses is faded into the paper (0 to 1). The last is not faded."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One pose of the picture."""

    placements: Placements
    """(S, 4, 4) of all segments."""
    fade: float
    """0 is not faded, 1 is completely faded."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A figure in one or more poses, with marks."""

    figure: Figure
    solids: list[Solid]
    stages: list[Stage]
    """In the order of time. The last is drawn last and not faded."""
    marks: Marks

    def points(self) -> Points:
        """(n, 3) corners of all solids in all poses, and joints, in world space."""
        parts = [solid.in_world(stage.placements).reshape(-1, 3) for stage in self.stages for solid in self.solids]
        parts += [stage.placements[:, :3, 3] for stage in self.stages]
        return np.concatenate(parts)


def build(figure: Figure, poses: Poses, marks: Marks, shapes: bool, max_poses: int, detail: float) -> Scene:
    """A scene of at most `max_poses` of the poses (T, nq), evenly spaced in time, including the first and the last."""
    count = min(len(poses), max_poses)
    chosen = np.unique(np.round(np.linspace(len(poses) - 1, 0, count)).astype(int))
    placements = figure.placements(poses[chosen])
    fades = np.linspace(MAX_FADE, 0.0, len(chosen)) if len(chosen) > 1 else np.zeros(1)
    stages = [Stage(at, float(fade)) for at, fade in zip(placements, fades, strict=True)]
    return Scene(figure, solids(figure, shapes, detail if len(chosen) < 3 else 0.65 * detail), stages, marks)
