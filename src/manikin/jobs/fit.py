"""Job `fit`: a person fitted to the markers of a recording."""

from __future__ import annotations

import math

from manikin import arrays, files
from manikin.base import writing
from manikin.base.progress import Progress
from manikin.errors import counted
from manikin.files import fit_options, osim
from manikin.files.formats import FORMATS
from manikin.jobs import Job, JobOutcome, Measure, Options, clips
from manikin.jobs.loading import load_figure
from manikin.jobs.options import BadOption, Option
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.marker_fit.fit import fit_markers
from manikin.motion.marker_fit.result import MarkerFit
from manikin.motion.markers import Markers

TRIALS = frozenset(ending for ending, kind in FORMATS.items() if kind.markers is not None)
OPTIONS = (
    Option("figure", "figure", "The person: a file, or human.", "human"),
    clips.OUT,
    Option("attach", "file", "Places of the markers: an attachment file (.json), or an .osim model."),
    Option("save_attach", "output", "Write the calibrated places and scales to this .json file.", only="file"),
    Option("calibrate", "file", "Calibrate on this trial (.c3d, .trc).  [default: on the trial, unless calibrated]"),
    Option("no_calibrate", "switch", "Use --attach unchanged.", False),
    Option("subject", "text", "Which person, if names begin with several subjects."),
    Option("scales", "choice", "Which lengths are fitted.", "symmetric", choices=("symmetric", "each", "one", "none")),
    Option("weights", "file", "Weights of an OpenSim set-up (.xml)."),
    Option("plain", "switch", "Least squares: do not reject bad samples.", False),
    Option("smooth", "number", "Frequency in Hz above which motion is removed; 0 for none.", 15.0),
    Option("slack", "number", "Degrees by which joint ranges are wider.", 10.0),
    Option("unit", "positive", "The unit of the trial in metres, if the file does not state it."),
    Option("bones", "file", "A map file of the figure (manikin map)."),
    Option("sheet", "output", "Write RMS, worst frame and gaps of each marker to this .csv file.", only="file"),
    Option("at_most", "positive", "A result with a larger RMS, in mm, is not good (exit code 1)."),
    clips.to(".bvh", ".bvh"),
    clips.SAFE,
)
MEASURES = (
    Measure("rms_mm", "RMS of all markers, mm"),
    Measure("marker_rms_mm", "largest RMS of a marker, mm"),
    Measure("worst_mm", "largest error of a sample, mm"),
    Measure("missing_percent", "samples that are missing, %"),
    Measure("rejected_percent", "samples that were rejected, %"),
)


def check(options: Options) -> None:
    """Also reads the files that the options name, so that a bad file ends the run before it begins."""
    for name in ("smooth", "slack"):
        arrays.non_negative(options[name], name)
    if options["no_calibrate"] and options["calibrate"] is not None:
        raise BadOption(("calibrate", "no_calibrate"), "exclude each other")
    if options["no_calibrate"] and options["attach"] is None:
        raise BadOption("no_calibrate", "needs the places of the markers; give attach")
    clips.check_figure(options)
    _attachments(options)
    if options["calibrate"] is not None:
        _markers(options["calibrate"], options)
    if options["weights"] is not None:
        osim.weights(options["weights"])


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:
    trial = _markers(source, options)
    calibrate = options["calibrate"]
    found = fit_markers(
        load_figure(options["figure"]),
        trial,
        _attachments(options),
        calibrate=False if options["no_calibrate"] else None if calibrate is None else _markers(calibrate, options),
        subject=options["subject"],
        scales=None if options["scales"] == "none" else options["scales"],
        weights=None if options["weights"] is None else fit_options.load_weights(options["weights"], trial),
        robust=not options["plain"],
        smooth=options["smooth"] or None,
        slack=options["slack"],
        bones=options["bones"],
        progress=progress,
    )
    quality, most = figures(found), options["at_most"]
    above = most is not None and not quality["rms_mm"] <= most
    poor = [f"the RMS is {quality['rms_mm']:.1f} mm; at_most is {most:g} mm"] if above else []
    poor += [] if found.complete else [f"stopped after {counted(len(found.motion), 'frame')}"]
    return JobOutcome(
        frames=len(found.motion),
        quality=quality,
        write=lambda out: clips.save(found, out),
        data=found.to_dict,
        text=str(found),
        good=not poor,
        notes=(*found.notes, *poor),
        oddities=trial.notes,
        files={
            "save_attach": lambda path: writing.write(path, found.attachments.to_json()),
            "sheet": lambda path: writing.write(path, found.to_csv()),
        },
    )


def figures(found: MarkerFit) -> dict[str, float]:
    """The summary of the sheet of a fit."""
    rows = [row for row in found.table() if row["rms_mm"] is not None]
    known = found.residuals == found.residuals
    return {
        "rms_mm": 1e3 * found.rms,
        "marker_rms_mm": max((row["rms_mm"] for row in rows), default=math.nan),
        "worst_mm": max((row["worst_mm"] for row in rows), default=math.nan),
        "missing_percent": 100.0 * float((~known).mean()),
        "rejected_percent": 100.0 * float(found.rejected[known].mean()) if known.any() else 0.0,
    }


def _markers(path: str, options: Options) -> Markers:
    markers = files.load_markers(path, safe=options["safe"])
    return markers if options["unit"] is None else markers.replaced(unit=options["unit"])


def _attachments(options: Options) -> Attachments | None:
    if options["attach"] is None:
        return None
    return fit_options.load_attachments(options["attach"], load_figure(options["figure"]), options["bones"])


JOB = Job(
    "fit",
    """Fit a person to the markers in MARKERS (.c3d or .trc): lengths of bones, places of markers, and all poses.

    Marker names of common sets are known. Others are attached to the segment with which they move. Ctrl-C stops, and
    writes the frames that are done.""",
    (
        "manikin fit walk.c3d --out walk.bvh --sheet rms.csv --save-attach anna.json",
        "manikin fit run.c3d --attach anna.json --no-calibrate --out run.bvh --at-most 15",
        "manikin fit walk.trc --attach subject.osim --out walk.mot",
        "manikin batch fit trials out --attach anna.json --at-most 15",
    ),
    {"source": "MARKERS"},
    OPTIONS,
    lambda _: TRIALS,
    lambda _, options: options["to"],
    run,
    MEASURES,
    check,
    doing="fitting",
)
