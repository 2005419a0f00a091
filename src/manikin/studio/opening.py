"""What `manikin studio FILE` opens: a scene, a figure, or the built-in person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from manikin.base.json_file import read_json
from manikin.errors import BadFile
from manikin.figure.figure import Figure
from manikin.files.figure_json import MOST_BYTES
from manikin.studio.figures import BUILT_IN, FigureSource
from manikin.studio.scene import StudioScene

SCENE_ENDING = ".manikin.json"
"""Ending of scene files. A file with this ending may be new."""


@dataclass(frozen=True)
class Opening:
    """The first scene of every tab."""

    first: Callable[[], tuple[StudioScene, Figure]]
    """Makes the scene. A scene file is read again for each tab."""
    saves: Path | None
    """The scene file, which "save" writes; None if nothing is ever written."""
    folder: Path | None
    """Where the file of the figure is."""


def opening(name: str | None, folders: Sequence[Path] = ()) -> Opening:
    """Checks and opens what the user named.

    Args:
        name: a scene file, a figure file, the name of a built-in figure, or None for the person. A scene file that does
            not exist starts with the person and is written by "save".
        folders: further folders in which the figure of a scene may be.

    Raises:
        BadFile, BadValue, OSError: the file cannot be read.
    """
    if name is None or (name in BUILT_IN and not Path(name).exists()):
        return Opening(lambda: _built_in(name or "human"), None, None)
    path = Path(name)
    if path.name.lower().endswith(SCENE_ENDING) and not path.exists():
        if not path.parent.is_dir():
            raise BadFile(path, f"there is no folder {str(path.parent)!r}")
        return Opening(lambda: _built_in("human"), path, path.parent)
    opened = Opening(lambda: _from_scene(path, folders), path, path.parent)
    if not is_scene(path):
        opened = Opening(lambda: _from_figure(path), None, path.parent)
    opened.first()
    return opened


def _built_in(name: str) -> tuple[StudioScene, Figure]:
    source = FigureSource("builtin", name)
    figure = source.figure()
    return StudioScene.begin(source, figure), figure


def _from_figure(path: Path) -> tuple[StudioScene, Figure]:
    source, figure = FigureSource.read(path)
    return StudioScene.begin(source, figure), figure


def _from_scene(path: Path, folders: Sequence[Path]) -> tuple[StudioScene, Figure]:
    scene = StudioScene.load(path)
    figure = scene.source.figure([path.parent, *folders])
    return scene.checked(figure), figure


def is_scene(path: Path) -> bool:
    """Whether a file is a scene. Files that are no JSON are not."""
    if path.suffix.lower() != ".json":
        return False
    try:
        data = read_json(path, MOST_BYTES, "a scene")
    except (BadFile, RecursionError):
        return False
    return isinstance(data, dict) and "manikin-scene" in data
