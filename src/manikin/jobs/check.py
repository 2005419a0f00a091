"""Job `check`: the quality of every motion, as one JSON file for each clip."""

from __future__ import annotations

import warnings

from manikin.base import writing
from manikin.jobs import ClipOutcome, Job, Measure, Options, clips
from manikin.jobs.options import Option
from manikin.motion.quality import Quality

OPTIONS = (
    Option("limits", "choice", "Check against the limits of a person.", choices=("human",)),
    Option("curves", "switch", "Write the curves over all frames too.", False),
    *clips.READING,
    clips.TABLE_RATE,
)
MEASURES = (
    Measure("bad_frames", "bad frames", 0.0),
    Measure("slide_mm", "largest foot slide, mm"),
    Measure("sinking_mm", "deepest sinking, mm"),
    Measure("joint_speed", "fastest joint, rad/s"),
    Measure("jerk_99", "99th percentile of the jerk, rad/s³"),
    Measure("outside", "outside of limits, rad"),
)


def figures(found: Quality) -> dict[str, float]:
    """The worst value of each curve. Lengths are in millimetres. A figure without a unit counts as being as tall as a
    person."""
    length = 1000.0 * found.scale
    return {
        "bad_frames": float(found.bad.sum()),
        "slide_mm": length * _worst(found.slide),
        "sinking_mm": length * _worst(found.sinking),
        "joint_speed": _worst(found.speed),
        "jerk_99": found.jerk99,
        "outside": _worst(found.outside),
    }


def _worst(curve: object) -> float:
    import numpy as np

    values = np.asarray(curve)
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else float("nan")


def run(source: str, out: str, options: Options) -> ClipOutcome:
    motion = clips.load_motion(source, options)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        figure = motion.figure.with_limits(options["limits"], balls=True) if options["limits"] is not None else None
    found = motion.quality(figure)
    writing.write(out, found.to_json(options["curves"]) + "\n")
    notes = (*clips.reader_notes(motion), *(str(w.message) for w in heard), *found.notes())
    return ClipOutcome(len(motion), figures(found), not found.bad.any(), notes)


JOB = Job(
    "check",
    "Measure the quality of every motion.",
    "manikin batch check clips sheets --limits human",
    OPTIONS,
    clips.motion_endings,
    lambda ending, _: f"{ending}.quality.json",
    run,
    MEASURES,
)
