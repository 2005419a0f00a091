"""A stopped clip on disk, so that another process can continue it: arrays in an .npz file, no pickles."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import frozen
from manikin.base import writing
from manikin.base.numpy_file import NumpyFile
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import Figure
from manikin.motion.motion import Motion
from manikin.motion.motion_solution import MotionSolution

KIND = "manikin-part-1"
NOT_A_PART = "this is not a part of a clip that solve_motion wrote"
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
    with writing.writing(path) as file:
        np.savez(file, **held)


def load_part(path: str | os.PathLike[str], figure: Figure) -> MotionSolution:
    """Reads a stopped clip, for `resume=`. Its goals are those of the call that continues it.

    Raises:
        BadFile: the file is not a stopped clip, or it is damaged.
        BadValue: it is a stopped clip of another figure.
        OSError: the file cannot be opened.
    """
    with NumpyFile(path) as file:
        if any(name not in file.names for name in ("kind", "key", "numbers", *ARRAYS)):
            raise BadFile(path, NOT_A_PART)
        if str(_text(path, file, "kind")) != KIND:
            raise BadFile(path, NOT_A_PART)
        held = {name: _numbers(path, file.array(name), name) for name in ARRAYS}
        window, ahead, first = _whole(path, file.array("numbers"), "numbers", 3)
        before = None
        if "before" in file.names and "before_first" in file.names:
            (start,) = _whole(path, file.array("before_first"), "before_first", 1)
            before = {"tracked": _numbers(path, file.array("before"), "before"), "first": start}
        state = {"key": _text(path, file, "key"), "window": window, "ahead": ahead, "before": before}
    if held["poses"].ndim == 2 and held["poses"].shape[1] != figure.nq:
        raise BadValue(f"{os.fspath(path)}: the clip was stopped with another figure")
    state |= {"rows": held["rows"], "main": {"tracked": held["tracked"], "first": first}}
    try:
        motion = Motion(figure, held["poses"], held["times"], "part")
    except ManikinError as error:
        raise BadFile(path, str(error)) from error
    none = np.zeros((len(motion), 0), dtype=bool)
    errors, targets = frozen(held["errors"]), frozen(held["targets"])
    reached = np.zeros(len(motion), dtype=bool)
    return MotionSolution(
        motion=motion,
        complete=False,
        errors=errors,
        reached=reached,
        eased=none,
        targets=targets,
        goals=(),
        tolerances=np.zeros(0),
        state=state,
    )


def _text(path: str | os.PathLike[str], file: NumpyFile, name: str) -> str:
    array = file.array(name)
    if array.shape != () or array.dtype.kind != "U":
        raise BadFile(path, f"{name} has type {array.dtype} and shape {array.shape}; it needs a text")
    return str(array)


def _numbers(path: str | os.PathLike[str], array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.dtype != np.float64:
        raise BadFile(path, f"{name} has type {array.dtype}; it needs 64-bit numbers")
    return array


def _whole(path: str | os.PathLike[str], array: NDArray[Any], name: str, count: int) -> list[int]:
    """Frame and window numbers, 0 or above."""
    if array.dtype.kind not in "iu" or array.size != count or (array < 0).any():
        raise BadFile(path, f"{name} is {np.array2string(array, threshold=4)[:60]}; it needs whole numbers")
    return [int(n) for n in array.ravel()]
