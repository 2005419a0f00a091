"""Scenes of the person, for tests of the studio without a page."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import manikin as mk
from manikin.studio.commands import apply
from manikin.studio.figures import FigureSource
from manikin.studio.roles import Roles
from manikin.studio.scene import StudioScene


@cache
def person() -> tuple[mk.Figure, Roles, StudioScene]:
    figure = mk.human()
    source = FigureSource("builtin", "human")
    return figure, Roles.of(figure), StudioScene.begin(source, figure)


def bent(seed: int = 0) -> Any:
    figure = person()[0]
    rng = np.random.default_rng(seed)
    return figure.clamp(figure.integrate(figure.rest, rng.normal(0.0, 0.2, figure.nv)))


def do(scene: StudioScene, name: str, **args: Any) -> StudioScene:
    figure, roles, _ = person()
    return apply(scene, figure, roles, name, args)


def same(a: StudioScene, b: StudioScene) -> bool:
    return a.to_json() == b.to_json() and a.pose.tobytes() == b.pose.tobytes()


def ids(scene: StudioScene) -> list[str]:
    return [goal.id for goal in scene.goals]
