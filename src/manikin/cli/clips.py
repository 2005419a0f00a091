"""Code that the clip commands share: checks and writing of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from manikin.cli import say

if TYPE_CHECKING:
    from manikin.motion import Motion, MotionResult

MOVING = (".gif", ".mp4", ".html")
UNREACHED = 1
"""Exit code if a goal is missed or a check fails."""


def check_outputs(*paths: Path, formats: tuple[Path, ...], inputs: Iterable[str | Path | None] = ()) -> None:
    """Checks files before the work begins: their folders exist, none is an input, and motions can be written in these
    formats.

    Raises:
        BadValue, BadFile or Unsupported: the message names the file.
    """
    from manikin.errors import BadValue
    from manikin.files import check_motion_name

    for path in paths:
        if not path.parent.is_dir():
            raise BadValue(f"{path}: there is no folder {str(path.parent)!r}")
        if any(
            given is not None and Path(given).exists() and path.exists() and path.samefile(given) for given in inputs
        ):
            raise BadValue(f"{path} is an input, which would be lost; choose another name for the output")
    for path in formats:
        if path.suffix.lower() not in MOVING:
            check_motion_name(path)


def write(shown: Motion | MotionResult, paths: tuple[Path, ...], quiet: bool, like: Path | None = None) -> None:
    """Writes a motion to files: as an animation, or in a motion format. A file in the format of `like` is a copy of it,
    with its meshes, its other clips and the numbers that did not change."""
    import manikin as mk
    from manikin.files import check_motion_name

    for path in paths:
        if path.suffix.lower() in MOVING:
            mk.animate(shown, path)
        else:
            options = check_motion_name(path).save_motion or ()
            same = like is not None and like.suffix.lower() == path.suffix.lower() and "like" in options
            mk.save(shown, path, like=like if same else None)
        if not quiet:
            say.line(f"wrote {path}")
