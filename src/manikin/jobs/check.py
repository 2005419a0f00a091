"""Job `check`: the quality of a motion."""

from __future__ import annotations

import warnings

from manikin.base import writing
from manikin.base.progress import Progress
from manikin.jobs import Job, JobOutcome, Measure, Options, clips
from manikin.jobs.loading import load_motion
from manikin.jobs.options import Option
from manikin.motion.quality import Quality

OPTIONS = (
    Option("limits", "choice", "Check against the limits of a person.", choices=("human",)),
    Option("curves", "switch", "Write the curves over all frames too (with --json).", False),
    Option("plot", "output", "A picture of the curves: .png, .svg …", only="file"),
    clips.RATE,
    *clips.READING,
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


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:  # noqa: ARG001
    motion, oddities = load_motion(source, options)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        figure = motion.figure.with_limits(options["limits"], balls=True) if options["limits"] is not None else None
    found = motion.quality(figure)
    return JobOutcome(
        frames=len(motion),
        quality=figures(found),
        write=lambda out: writing.write(out, found.to_json(options["curves"]) + "\n"),
        data=lambda: found.to_dict(options["curves"]),
        text=found.headline(),
        columns=("", "median", "worst", "in frame"),
        rows=found.rows(),
        good=not found.bad.any(),
        notes=(*(str(w.message) for w in heard), *found.notes()),
        oddities=oddities,
        files={"plot": lambda path: _plot(found, path)},
    )


def _plot(found: Quality, path: str) -> None:
    from manikin.view.curves import plot_quality

    plot_quality(found, save=path)


JOB = Job(
    "check",
    """Say how good the motion in FILE is: foot slide, sinking, speed, jerk, limits, balance.

    The exit code is 1 if a frame is bad.""",
    (
        "manikin check walk.bvh --limits human --plot walk.png",
        "manikin batch check clips sheets --limits human",
    ),
    {"source": "FILE"},
    OPTIONS,
    clips.motion_endings,
    lambda ending, _: f"{ending}.quality.json",
    run,
    MEASURES,
)
