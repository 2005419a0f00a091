"""Job `points`: a motion from the 3-D keypoints of a pose estimator."""

from __future__ import annotations

import math

import numpy as np

from manikin import arrays
from manikin.base import writing
from manikin.base.progress import Progress
from manikin.files import load_points
from manikin.files.formats import FORMATS
from manikin.jobs import Job, JobOutcome, Measure, Options, clips
from manikin.jobs.loading import load_figure
from manikin.jobs.options import BadOption, Option
from manikin.motion.points.fit import fit_points
from manikin.motion.points.points_fit import PointsFit

OPTIONS = (
    Option(
        "layout",
        "text",
        "coco17, body25, halpe26, h36m17, mediapipe33 or smpl24. Files that name their points need no layout.",
    ),
    Option("figure", "figure", "The figure: a file, or human.", "human"),
    clips.OUT,
    Option("rate", "positive", "Frames per second, for files without times.  [default: 30]"),
    Option("unit", "positive", "Unit of the file in metres: 0.001 for mm.  [default: that of the file, or 1]"),
    Option("up", "text", "The up axis of the file: y, z, -y …  [default: found]"),
    Option("smooth", "number", "Smoothing in Hz; 0 for the least.", 6.0),
    Option("bones", "file", "A map file of the figure (manikin map)."),
    Option("keep_lengths", "switch", "Scale the figure as a whole; keep its proportions.", False),
    Option("no_travel", "switch", "Do not rebuild the travel of hip-centred points.", False),
    Option("sheet", "output", "Write the errors of the points as CSV.", only="file"),
    clips.SAFE,
    Option("at_most", "positive", "A result with a larger RMS, in mm, is not good (exit code 1)."),
    clips.to(".bvh", ".bvh"),
)
MEASURES = (
    Measure("rms_mm", "RMS of all points, mm"),
    Measure("worst_mm", "largest error of a sample, mm"),
    Measure("missing_percent", "samples that are missing, %"),
    Measure("rejected_percent", "samples that were rejected, %"),
)


def check(options: Options) -> None:
    """Also reads the figure and its map, so that a bad file ends the run before it begins."""
    arrays.non_negative(options["smooth"], "smooth")
    clips.check_figure(options)


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:
    points = load_points(source, rate=options["rate"], unit=options["unit"], safe=options["safe"])
    figure = load_figure(options["figure"])
    most = options["at_most"]
    if most is not None:
        check_units(options["figure"], figure.unit, source, points.unit)
    fit = fit_points(
        figure,
        points,
        options["layout"],
        up=options["up"],
        smooth=options["smooth"] or None,
        bones=options["bones"],
        lengths=not options["keep_lengths"],
        travel=False if options["no_travel"] else None,
        progress=progress,
    )
    quality = figures(fit)
    above = most is not None and not quality["rms_mm"] <= most
    return JobOutcome(
        frames=len(fit.motion),
        quality=quality,
        write=lambda out: clips.save(fit, out),
        data=fit.to_dict,
        text=str(fit),
        good=fit.complete and not above,
        notes=(*fit.notes, *([f"the RMS is {quality['rms_mm']:.1f} mm; at_most is {most:g} mm"] if above else [])),
        oddities=points.notes,
        files={"sheet": lambda path: writing.write(path, fit.to_csv())},
    )


def figures(fit: PointsFit) -> dict[str, float]:
    """The summary of the sheet of a fit. Lengths are in the unit of the file if the figure has none."""
    length = 1000.0 * (fit.figure.unit or 1.0)
    known = np.isfinite(fit.residuals)
    return {
        "rms_mm": length * fit.rms,
        "worst_mm": length * float(fit.residuals[known].max()) if known.any() else math.nan,
        "missing_percent": 100.0 * float((~known).mean()),
        "rejected_percent": 100.0 * float(fit.rejected[known].mean()) if known.any() else 0.0,
    }


def check_units(figure: str, figure_unit: float | None, source: str, unit: float | None) -> None:
    """Raises BadOption if the errors of the fit cannot be given in millimetres."""
    for name, known, help in (
        (f"the figure {figure}", figure_unit, "use a figure with a unit, such as human, or leave it out"),
        (source, unit, "state it with unit=0.001 (--unit 0.001, millimetres) or unit=1 (metres)"),
    ):
        if known is None:
            raise BadOption("at_most", f"is in millimetres, but the unit of {name} is not known; {help}")


JOB = Job(
    "points",
    """Fit a figure to the 3-D keypoints in FILE (.npy, .npz, .csv, or a .trc of Pose2Sim).

    Lengths of the body are calibrated from FILE. Points in images (2-D) must be triangulated first.""",
    (
        "manikin points dance.npy --layout mediapipe33 --rate 30 -o dance.bvh -o dance.glb",
        "manikin points pose-3d/walk.trc -o walk.usda --sheet errors.csv",
        "manikin batch points clips out --layout coco17",
    ),
    {"source": "FILE"},
    OPTIONS,
    lambda _: frozenset(ending for ending, found in FORMATS.items() if found.points is not None),
    lambda _, options: options["to"],
    run,
    MEASURES,
    check,
    doing="fitting",
)
