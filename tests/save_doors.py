"""Every door that saves something, for the tests of what a full disk and a kill do to the file that was there.

As a script, `save_doors.py full FOLDER` saves through each door, then again with a disk that is full after a few bytes,
and prints what became of the files. `save_doors.py kill FOLDER DOOR` is killed while it saves.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from manikin.cli.main import main
from manikin.files.formats import FORMATS
from manikin.motion.marker_fit.attachments import Attachment, Attachments
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene

ROOM = 48
"""Bytes that a file may have on the full disk."""


@functools.cache
def person() -> mk.Figure:
    return mk.human()


@functools.cache
def motion() -> mk.Motion:
    return mk.Motion(person(), np.tile(person().rest, (4, 1)), rate=30.0, name="still")


def markers() -> mk.Markers:
    return mk.Markers(["a", "b"], np.arange(24.0).reshape(4, 2, 3), rate=10.0, unit=1.0)


def attachments() -> Attachments:
    return Attachments((Attachment("a", "Hips", (0.0, 0.1, 0.0)),), figure="human")


def scene() -> StudioScene:
    return StudioScene(FigureSource("builtin", "human"), person().rest)


def command(*args: object) -> None:
    """Runs a command of the shell. An error is raised, as it would end the command."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        try:
            main([str(a) for a in args])
        except SystemExit as done:
            if done.code not in (0, None):
                raise OSError(f"exit code {done.code}") from None


def keypoints(path: Path) -> None:
    """The sheet of `manikin points`."""
    from keypoint_clips import keypoints as made
    from keypoint_clips import moving
    from keypoint_clips import person as small

    given = path.parent / "given" / "points.npy"
    given.parent.mkdir(exist_ok=True)
    if not given.exists():
        np.save(given, made(moving(small(), 6), "coco17", 0.0))
    command("points", given, "--layout", "coco17", "--sheet", path, "--quiet")


def stopped(path: Path) -> None:
    """A clip that is stopped after its first frames."""
    calls = iter([True])
    mk.solve_motion(
        person(),
        mk.Over(mk.Position("RightHand", (0.3, 1.2, 0.3)), np.tile([0.3, 1.2, 0.3], (60, 1))),
        np.arange(60) / 30.0,
        progress=lambda *_: next(calls, False),
        store=path,
    )


def _given(path: Path, ending: str = ".bvh") -> Path:
    given = path.parent / "given" / f"motion{ending}"
    given.parent.mkdir(exist_ok=True)
    if not given.exists():
        mk.save(motion(), given)
    return given


def _endings(kind: str) -> list[str]:
    """Endings of the formats that hold a new thing of a kind. A VRM is only written into another one."""
    return [e for e, f in FORMATS.items() if getattr(f, kind) is not None and e not in (".vrm", ".vrma")]


DOORS: dict[str, Callable[[Path], Any]] = {
    **{f"figure{e}": lambda p: mk.save(person(), p) for e in _endings("save_figure")},
    **{f"motion{e}": lambda p: mk.save(motion(), p) for e in _endings("save_motion")},
    **{f"markers{e}": lambda p: mk.save(markers(), p) for e in _endings("save_markers")},
    "like.glb": lambda p: mk.save(mk.load_motion(_given(p, ".glb")), p, like=_given(p, ".glb")),
    "like.bvh": lambda p: mk.save(mk.load_motion(_given(p)), p, like=_given(p)),
    "map.json": lambda p: mk.bone_map(person()).save(p),
    "attachments.json": lambda p: attachments().save(p),
    "scene.manikin.json": lambda p: scene().save(p),
    "stopped.npz": stopped,
    "picture.png": lambda p: mk.plot(person(), save=p),
    "picture.svg": lambda p: mk.plot(person(), save=p),
    "quality.pdf": lambda p: mk.plot_quality(motion().quality(), save=p),
    "film.html": lambda p: mk.animate(motion(), p),
    "film.gif": lambda p: mk.animate(motion(), p, size=(64, 64)),
    "sheet.csv": keypoints,
    "command_map.json": lambda p: command("map", "human", "--out", p),
    "command_convert.bvh": lambda p: command("convert", "human", p, "--force", "--quiet"),
    "command_play.html": lambda p: command("play", _given(p), "--out", p, "--no-open", "--json"),
}
"""What saves to a path, by the name of the file."""


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can have more than a few bytes."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def on_a_full_disk(folder: Path, name: str) -> str:
    """What is wrong after a save on a full disk; empty if the old file is there and nothing else."""
    here = folder / name.replace(".", "_")
    here.mkdir()
    path, save = here / name, DOORS[name]
    try:
        save(path)
    except Exception:
        return traceback.format_exc()
    old, there = path.read_bytes(), sorted(os.listdir(here))
    if len(old) <= ROOM:
        return f"the file has {len(old)} bytes, which the full disk would hold"
    try:
        with full_disk():
            save(path)
    except (OSError, mk.errors.ManikinError):
        pass
    except BaseException:
        return traceback.format_exc()
    else:
        return "no error"
    if path.read_bytes() != old:
        return "the old file is lost"
    return "" if sorted(os.listdir(here)) == there else f"left behind: {os.listdir(here)}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "full":
        print(json.dumps({name: on_a_full_disk(Path(sys.argv[2]), name) for name in sys.argv[3:] or DOORS}))
    else:
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        DOORS[sys.argv[3]](Path(sys.argv[2], sys.argv[3]))
