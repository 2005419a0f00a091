"""The quality figures of a solved clip (`track`, `edit`) for the manifest."""

from __future__ import annotations

from manikin.jobs import ClipOutcome, Measure
from manikin.jobs.check import figures
from manikin.motion.motion_solution import MotionSolution

MEASURES = (
    Measure("missed_frames", "frames that miss a goal", 0.0),
    Measure("worst_error", "largest error, in multiples of the tolerance", 1.0),
    Measure("slide_mm", "largest foot slide, mm"),
    Measure("joint_speed", "fastest joint, rad/s"),
    Measure("jerk_99", "99th percentile of the jerk, rad/s³"),
)


def outcome(clip: MotionSolution, notes: tuple[str, ...]) -> ClipOutcome:
    """Goals and quality of a solved clip."""
    import numpy as np

    frame, goal, error = clip.worst
    ratio = clip.errors / clip.tolerances if clip.errors.size else np.zeros(0)
    known = ratio[np.isfinite(ratio)]
    quality = {
        "missed_frames": float((~clip.reached).sum()),
        "worst_error": float(known.max()) if len(known) else float("nan"),
        **{key: value for key, value in figures(clip.quality).items() if key != "bad_frames"},
    }
    missed = () if clip.reached.all() else (f"{goal} is off by {error:.3g} in frame {frame}",)
    return ClipOutcome(len(clip.motion), quality, bool(clip.reached.all()), (*notes, *clip.notes, *missed))
