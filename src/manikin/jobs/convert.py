"""Job `convert`: every file in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manikin import files
from manikin.errors import BadValue, NoMotion
from manikin.files.formats import FORMATS
from manikin.jobs import ClipOutcome, Job, Measure, Options, clips
from manikin.jobs.options import Option
from manikin.motion.motion import Motion

WRITABLE = {e for e, f in FORMATS.items() if f.save_motion is not None or f.save_markers is not None}
OPTIONS = (
    Option("to", "ending", "Format of the results, such as .glb.", required=True),
    Option("unit", "positive", "The unit of files that do not define it, in metres: 0.01 for cm."),
    Option("up", "choice", "The up axis of files that do not define it.", choices=("x", "y", "z")),
    Option("new", "switch", "Keep only the figure and the motion, even if the format stays the same.", False),
    *clips.READING,
    clips.RATE,
)


def check(options: Options) -> None:
    clips.check_ending(options["to"], WRITABLE)


def inputs(options: Options) -> frozenset[str]:
    """Extensions of the clips: those of markers if the results are markers, else those of motions."""
    if FORMATS[options["to"]].save_markers is not None:
        return frozenset(e for e, f in FORMATS.items() if f.markers is not None)
    return clips.motion_endings(options)


def run(source: str, out: str, options: Options) -> ClipOutcome:
    changes = {key: options[key] for key in ("unit", "up") if options[key] is not None}
    thing: Any
    if FORMATS[options["to"]].save_markers is not None:
        thing = files.load_markers(source, safe=options["safe"]).replaced(**changes)
        notes: tuple[str, ...] = ()
    else:
        thing, notes = _motion(source, options)
        if changes:
            thing = thing.replaced(figure=thing.figure.replaced(**changes))
    if options["rate"] is not None:
        thing = thing.resampled(options["rate"])
    clips.save(thing, out, None if options["new"] else source)
    return ClipOutcome(len(thing), {"bytes": float(Path(out).stat().st_size)}, True, notes)


def _motion(source: str, options: Options) -> tuple[Motion, tuple[str, ...]]:
    try:
        motion = clips.load_motion(source, options)
    except NoMotion as error:
        raise BadValue(f"{error}; a batch converts motions and markers") from error
    return motion, clips.reader_notes(motion)


JOB = Job(
    "convert",
    "Write every clip in another format.",
    "manikin batch convert clips out --to .glb",
    OPTIONS,
    inputs,
    lambda _, options: options["to"],
    run,
    (Measure("bytes", "size of the result, bytes"),),
    check,
)
