"""Code that the clip commands share: a record of what was done, and writing of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from manikin.motion import Motion, MotionSolution

MOVING = (".gif", ".mp4", ".html")
UNREACHED = 1
"""Exit code if a goal is missed or a check fails."""


def data(clip: MotionSolution) -> dict[str, Any]:
    """A solved clip for programs."""
    frame, goal, error = clip.worst if clip.errors.size else (0, "", 0.0)
    return {
        "frames": len(clip.motion),
        "complete": clip.complete,
        "reached": int(clip.reached.sum()),
        "missed_frames": np.flatnonzero(~clip.reached).tolist(),
        "worst": {"frame": frame, "goal": goal, "error": error if np.isfinite(error) else None},
        "goals": [
            {
                "name": g.label,
                "frames": int(np.isfinite(clip.errors[:, k]).sum()),
                "mean": float(np.nanmean(clip.errors[:, k])) if np.isfinite(clip.errors[:, k]).any() else None,
                "tolerance": float(clip.tolerances[k]),
            }
            for k, g in enumerate(clip.goals)
        ],
        "notes": list(clip.notes),
    }


def write(shown: Motion | MotionSolution, motion: Motion, paths: tuple[Path, ...], quiet: bool) -> None:
    """Writes a motion to files: as an animation, or in a motion format."""
    import manikin as mk

    for path in paths:
        if path.suffix.lower() in MOVING:
            mk.animate(shown, path)
        else:
            mk.save(motion, path)
        if not quiet:
            click.echo(f"wrote {path}")
