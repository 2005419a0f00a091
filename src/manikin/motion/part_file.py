"""A stopped clip on disk, so that another process can continue it: arrays in an .npz file, no pickles."""

from __future__ import annotations

import os
import zipfile
from typing import Any

import numpy as np

from manikin.arrays import frozen
from manikin.errors import BadFile
from manikin.figure import Figure
from manikin.motion.motion import Motion
from manikin.motion.motion_solution import MotionSolution

KIND = "manikin-part-1"
ARRAYS = ("poses", "times", "errors", "targets", "rows", "tracked")


def save_part(clip: MotionSolution, path: str | os.PathLike[str]) -> None:
    """Writes the state from which `solve_motion(resume=…)` continues."""
    state, before = clip.state, clip.state["before"]
    held: dict[str, Any] = {
        "kind": np.array(KIND),
        "key": np.array(state["key"]),
        "poses": clip.motion.poses,
        "times": clip.motion.times,
        "errors": clip.errors,
        "targets": clip.targets,
        "rows": state["rows"],
        "tracked": state["main"]["tracked"],
        "numbers": np.array([state["window"], state["ahead"], state["main"]["first"]]),
    }
    if before is not None:
        held |= {"before": before["tracked"], "before_first": np.array(before["first"])}
    unfinished = f"{os.fspath(path)}.unfinished"
    with open(unfinished, "wb") as file:
        np.savez(file, **held)
    os.replace(unfinished, path)  # an older part is kept until the new one is whole


def load_part(path: str | os.PathLike[str], figure: Figure) -> MotionSolution:
    """Reads a stopped clip, for `resume=`. Its goals are those of the call that continues it.

    Raises:
        BadFile: the file is not a stopped clip.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise BadFile(path, "this is not a part of a clip that solve_motion wrote")
        with loaded as file:
            held = {name: file[name] for name in file.files}
    except BadFile:
        raise
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        raise BadFile(path, f"this is not a part of a clip: {error}") from error
    if str(held.get("kind")) != KIND or any(name not in held for name in ("numbers", *ARRAYS)):
        raise BadFile(path, "this is not a part of a clip that solve_motion wrote")
    window, ahead, first = (int(n) for n in held["numbers"])
    before = {"tracked": held["before"], "first": int(held["before_first"])} if "before" in held else None
    state = {"key": str(held["key"]), "window": window, "ahead": ahead, "before": before, "rows": held["rows"]}
    state["main"] = {"tracked": held["tracked"], "first": first}
    motion = Motion(figure, held["poses"], held["times"], "part")
    none = np.zeros((len(motion), 0), dtype=bool)
    errors, targets = frozen(held["errors"]), frozen(held["targets"])
    reached = np.zeros(len(motion), dtype=bool)
    return MotionSolution(motion, errors, reached, none, targets, (), np.zeros(0), (), False, state)
