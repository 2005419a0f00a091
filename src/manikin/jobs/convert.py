"""Job `convert`: a file in other formats."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from manikin import files
from manikin.base.progress import Progress
from manikin.errors import BadValue, OddFile, Unsupported, counted
from manikin.figure import Figure
from manikin.files.formats import FORMATS, WRITTEN
from manikin.jobs import Job, JobOutcome, Measure, Options, clips
from manikin.jobs.loading import Loaded, load, span
from manikin.jobs.options import BadOption, Option
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion

WRITABLE = tuple(e for e, f in FORMATS.items() if f.save_motion is not None or f.save_markers is not None)
OPTIONS = (
    Option("out", "outputs", "", required=True, only="file"),
    Option("to", "ending", "Format of the results, such as .glb.", required=True, choices=WRITABLE, only="folder"),
    Option(
        "like",
        "file",
        "A file of the format of OUT. Its mesh, text and other content are kept.  [default: IN, if it has that format]",
        only="file",
    ),
    Option("new", "switch", "Keep only the figure and the motion, even if the format stays the same.", False),
    Option(
        "rate", "positive", "Frames per second of the result, and of tables without times.  [default: as in the file]"
    ),
    Option("root", "choice", "How a robot's root moves.", choices=("free", "fixed"), only="file"),
    Option("unit", "positive", "The unit of files that do not define it, in metres: 0.01 for cm."),
    Option("up", "choice", "The up axis of files that do not define it.", choices=("x", "y", "z")),
    Option("figure", "switch", "Write only the figure in its rest pose, without the motion.", False, only="file"),
    Option("within", "text", "Allow IN to refer to other files anywhere below this folder.", only="file"),
    Option("force", "switch", "Replace existing files.", False, only="file"),
    *clips.READING,
)


def check(options: Options) -> None:
    if options.get("like") is not None and options["new"]:
        raise BadOption(("like", "new"), "exclude each other")
    for path in map(Path, options.get("out", ())):
        kind = FORMATS.get(path.suffix.lower())
        if kind is None or not any(getattr(kind, role) is not None for role in WRITTEN):
            able = sorted({e for e, f in FORMATS.items() if any(getattr(f, r) is not None for r in WRITTEN)})
            raise Unsupported(f"{path}: files can be written as {', '.join(able)}")
        if path.exists() and not options["force"]:
            raise BadValue(f"{path} already exists; --force replaces it")


def inputs(options: Options) -> frozenset[str]:
    """Extensions of the clips: those of markers if the results are markers, else those of motions."""
    if FORMATS[options["to"]].save_markers is not None:
        return frozenset(e for e, f in FORMATS.items() if f.markers is not None)
    return clips.motion_endings(options)


def run(source: str, options: Options, progress: Progress | None) -> JobOutcome:  # noqa: ARG001
    begun = time.perf_counter()
    reading: dict[str, Any] = {key: options.get(key) for key in ("clip", "of", "rate", "root", "within", "safe")}
    given = _stated(load(source, **reading), options)
    if "to" in options and given.motion is None and given.markers is None:
        raise BadValue(f"{source} has no motion; a batch converts motions and markers")
    text, loaded = _describe(given), _resampled(given, options["rate"])
    things = {out: _thing(loaded, Path(out), options) for out in options.get("out", ())}
    outputs: list[dict[str, Any]] = []
    quality: dict[str, float] = {}

    def write(out: str) -> str:
        thing = things[out] if out in things else _thing(loaded, Path(out), options)
        files.save(thing, out, **_like(loaded, thing, out, options))
        holds, size = type(thing).__name__.lower(), Path(out).stat().st_size
        outputs.append({"file": out, "holds": holds, "bytes": size})
        quality["bytes"] = float(size)
        return f"{holds}, {_size(size)}"

    def data() -> dict[str, Any]:
        held = given.markers or given.motion
        about = {
            "file": source,
            "format": given.format,
            "segments": None if given.figure is None else len(given.figure.segments),
            "markers": None if given.markers is None else len(given.markers.names),
            "frames": None if held is None else len(held),
            "clip": given.motion.name if given.motion is not None and given.clips else None,
            "text": text,
        }
        return {"input": about, "outputs": outputs, "seconds": round(time.perf_counter() - begun, 3)}

    frames = len(loaded.markers or loaded.motion or ())
    return JobOutcome(frames, quality, write, data, f"read {source}: {text}", oddities=loaded.notes)


def _stated(loaded: Loaded, options: Options) -> Loaded:
    """The input with the unit and the up axis that the user gave."""
    changes = {key: options[key] for key in ("unit", "up") if options[key] is not None}
    markers, figure, motion = loaded.markers, loaded.figure, loaded.motion
    if changes and markers is not None:
        markers = markers.replaced(**changes)
    if changes and figure is not None:
        figure = figure.replaced(**changes)
        motion = None if motion is None else motion.replaced(figure=figure)
    return replace(loaded, markers=markers, figure=figure, motion=motion)


def _resampled(loaded: Loaded, rate: float | None) -> Loaded:
    if rate is not None and loaded.motion is not None:
        return replace(loaded, motion=loaded.motion.resampled(rate))
    if rate is not None and loaded.markers is not None:
        return replace(loaded, markers=loaded.markers.resampled(rate))
    return loaded


def _thing(loaded: Loaded, path: Path, options: Options) -> Figure | Motion | Markers:
    """The part of the input that is written to an output: everything that its format can hold."""
    kind = FORMATS[path.suffix.lower()]
    if loaded.markers is not None:
        if options.get("figure"):
            raise BadValue(f"{loaded.name} has markers but no figure")
        if kind.save_markers is None:
            raise BadValue(f"{loaded.name} has markers, which {kind.name} cannot hold; use .c3d or .trc")
        return loaded.markers
    assert loaded.figure is not None
    if kind.save_figure is None and kind.save_motion is None:
        raise BadValue(f"{loaded.name} has a figure, which {kind.name} cannot hold")
    if loaded.motion is not None and not options.get("figure"):
        if kind.save_motion is not None:
            return loaded.motion
        warnings.warn(f"{path}: {kind.name} holds no motion; only the figure is written", OddFile, stacklevel=2)
    return loaded.figure


def _like(loaded: Loaded, thing: Any, out: str, options: Options) -> dict[str, Any]:
    """The options of `save`: `like` is the file that the user named, or the input if it has the same format."""
    like, within = options.get("like"), options.get("within")
    if like is None:
        if options["new"] or not clips.takes_like(thing, out, loaded.name):
            return {}
        like = loaded.name
    takes = getattr(FORMATS[Path(out).suffix.lower()], f"save_{type(thing).__name__.lower()}") or ()
    return {"like": like} if within is None or "within" not in takes else {"like": like, "within": within}


def _describe(loaded: Loaded) -> str:
    """The input in one line."""
    if loaded.markers is not None:
        return f"{counted(len(loaded.markers.names), 'marker')}, {span(loaded.markers)}"
    assert loaded.figure is not None
    text = f"{counted(len(loaded.figure.segments), 'segment')}, {loaded.figure.nv:,} degrees of freedom"
    if loaded.motion is None:
        return text
    named = f", clip {loaded.motion.name}" if loaded.clips else ""
    return f"{text}{named}, {span(loaded.motion)}"


def _size(count: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count} bytes"


JOB = Job(
    "convert",
    """Convert IN (a file, or one of human, quadruped) to each OUT. The extensions select the formats.

    A motion is converted with its figure if both formats have motions. Markers are converted to formats for markers.
    Existing files are replaced only with --force, and a file is written completely or not at all.""",
    (
        "manikin convert dancer.bvh dancer.glb dancer.usda",
        "manikin batch convert clips out --to .glb",
    ),
    {"source": "IN", "out": "OUT..."},
    OPTIONS,
    inputs,
    lambda _, options: options["to"],
    run,
    (Measure("bytes", "size of the result, bytes"),),
    check,
    replaces=True,
)
