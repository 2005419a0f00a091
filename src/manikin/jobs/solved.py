"""The outcome of jobs that meet goals over time (`track`, `edit`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.jobs import JobOutcome, Measure, clips
from manikin.jobs.check import figures
from manikin.motion.motion_solution import MotionSolution

MEASURES = (
    Measure("missed_frames", "frames that miss a goal", 0.0),
    Measure("worst_error", "largest error, in multiples of the tolerance", 1.0),
    Measure("slide_mm", "largest foot slide, mm"),
    Measure("joint_speed", "fastest joint, rad/s"),
    Measure("jerk_99", "99th percentile of the jerk, rad/s³"),
)


def outcome(clip: MotionSolution, like: str | None, oddities: tuple[str, ...] = (), **more: Any) -> JobOutcome:
    """Goals and quality of a solved clip. Its file is written like another one."""
    frame, goal, error = clip.worst
    ratio = clip.errors / clip.tolerances if clip.errors.size else np.zeros(0)
    known = ratio[np.isfinite(ratio)]
    quality = {
        "missed_frames": float((~clip.reached).sum()),
        "worst_error": float(known.max()) if len(known) else float("nan"),
        **{key: value for key, value in figures(clip.quality).items() if key != "bad_frames"},
    }
    reached = bool(clip.reached.all())
    missed = () if reached else (f"{goal} is off by {error:.3g} in frame {frame}",)
    return JobOutcome(
        frames=len(clip.motion),
        quality=quality,
        write=lambda out: clips.save(clip, out, like),
        data=clip.to_dict,
        text=str(clip),
        good=reached,
        notes=(*clip.notes, *missed),
        oddities=oddities,
        **more,
    )
