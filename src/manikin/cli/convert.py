"""`manikin convert IN OUT`: from one format to others."""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.base import names
from manikin.cli import say

if TYPE_CHECKING:
    from manikin.cli.loading import Loaded
    from manikin.figure import Figure
    from manikin.motion import Markers, Motion

Stage = Callable[[str], None]


@click.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("out", metavar="OUT...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--clip", help="Which motion, if IN has several.  [default: the first]")
@click.option(
    "--like",
    type=click.Path(path_type=Path),
    help="A file of the format of OUT. Its mesh, text and other content are kept.  "
    "[default: IN, if it has that format]",
)
@click.option("--new", is_flag=True, help="Keep only the figure and the motion of IN, even if OUT has the same format.")
@click.option("--rate", type=float, help="Frames per second of OUT.  [default: those of IN]")
@click.option("--of", metavar="FIGURE", help="The figure of a table (.csv, .npz): a file, or a built-in figure.")
@click.option("--root", type=click.Choice(["free", "fixed"]), help="How a robot's root moves.")
@click.option(
    "--unit", type=float, metavar="METRES", help="The unit of IN, if the file does not define it: 0.01 for cm."
)
@click.option("--up", type=click.Choice(["x", "y", "z"]), help="The up axis of IN, if the file does not define it.")
@click.option(
    "--figure", "only_figure", is_flag=True, help="Write only the figure in its rest pose, without the motion."
)
@click.option(
    "--within", type=click.Path(), metavar="FOLDER", help="Allow IN to refer to other files anywhere below FOLDER."
)
@click.option("--safe", is_flag=True, help="Read in a separate process with limits, for files from strangers.")
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def convert(source: str, out: tuple[Path, ...], as_json: bool, quiet: bool, **options: Any) -> None:
    """Convert IN (a file, or one of human, quadruped) to each OUT. The extensions select the formats.

    A motion is converted with its figure if both formats have motions. Markers are converted to formats for markers.
    Existing files are replaced only with --force, and a file is written completely or not at all.

    \b
    Example:
        manikin convert dancer.bvh dancer.glb dancer.usda
    """
    from manikin.cli import report

    with _stages(not (as_json or quiet)) as stage:
        done = run(source, out, stage=stage, **options)
    if as_json:
        report.echo_json(done)
    elif not quiet:
        for line in summary(done):
            say.line(line)
        for line in done["warnings"]:
            say.line(f"warning: {line}", err=True)


def run(
    source: str,
    out: tuple[Path, ...],
    *,
    clip: str | None = None,
    like: Path | None = None,
    new: bool = False,
    rate: float | None = None,
    of: str | None = None,
    root: str | None = None,
    unit: float | None = None,
    up: str | None = None,
    only_figure: bool = False,
    within: str | None = None,
    safe: bool = False,
    force: bool = False,
    stage: Stage = lambda _: None,
) -> dict[str, Any]:
    """Converts, and returns what was done. The options are checked before the file is read."""
    import manikin as mk
    from manikin.cli import loading
    from manikin.errors import BadValue, listing

    begun = time.perf_counter()
    _check_outputs(out, force)
    if rate is not None and not 0.0 < rate < float("inf"):
        raise BadValue(f"--rate is {rate:g}; it needs frames per second above 0")
    if like is not None and new:
        raise BadValue("--like and --new exclude each other")
    stage(f"reading {source}")
    loaded = _stated(loading.load(source, clip=clip, of=of, rate=rate, root=root, within=within, safe=safe), unit, up)
    heard = list(loaded.warnings)
    if clip is None and len(loaded.clips) > 1 and loaded.motion is not None and not only_figure:
        others = [name for name in loaded.clips if name != loaded.motion.name]
        heard.append(
            f"of {len(loaded.clips)} clips, {loaded.motion.name} is used; --clip selects another: {listing(others)}"
        )
    things = [_thing(loaded, path, only_figure, heard) for path in out]
    if rate is not None:
        stage("resampling")
        things = [thing if isinstance(thing, mk.Figure) else thing.resampled(rate) for thing in things]
    outputs = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for path, thing in zip(out, things, strict=True):
            stage(f"writing {path}")
            mk.save(thing, path, **_like(loaded, thing, path, like, new, within))
            outputs.append({"file": str(path), "holds": type(thing).__name__.lower(), "bytes": path.stat().st_size})
    heard += [str(w.message) for w in said]
    held = loaded.markers or loaded.motion
    return {
        "input": {
            "file": source,
            "format": loaded.format,
            "segments": None if loaded.figure is None else len(loaded.figure.segments),
            "markers": None if loaded.markers is None else len(loaded.markers.names),
            "frames": None if held is None else len(held),
            "clip": loaded.motion.name if loaded.motion is not None and loaded.clips else None,
            "text": _describe(loaded),
        },
        "outputs": outputs,
        "warnings": list(dict.fromkeys(heard)),
        "seconds": round(time.perf_counter() - begun, 3),
    }


def summary(done: dict[str, Any]) -> list[str]:
    """What was done, one line for each file."""
    return [
        f"read {done['input']['file']}: {done['input']['text']}",
        *(f"wrote {o['file']}: {o['holds']}, {_size(o['bytes'])}" for o in done["outputs"]),
    ]


def _check_outputs(out: tuple[Path, ...], force: bool) -> None:
    from manikin.errors import BadValue, Unsupported
    from manikin.files.formats import FORMATS, WRITTEN

    if len(set(out)) < len(out):
        raise BadValue("the same file is named twice as an output")
    for path in out:
        kind = FORMATS.get(path.suffix.lower())
        if kind is None or not any(getattr(kind, role) is not None for role in WRITTEN):
            able = sorted({e for e, f in FORMATS.items() if any(getattr(f, r) is not None for r in WRITTEN)})
            raise Unsupported(f"{path}: files can be written as {', '.join(able)}")
        if path.exists() and not force:
            raise BadValue(f"{path} already exists; --force replaces it")


def _stated(loaded: Loaded, unit: float | None, up: str | None) -> Loaded:
    """The input with the unit and the up axis that the user gave."""
    changes = {key: value for key, value in (("unit", unit), ("up", up)) if value is not None}
    if not changes:
        return loaded
    if loaded.markers is not None:
        return replace(loaded, markers=loaded.markers.replaced(**changes))
    assert loaded.figure is not None
    figure = loaded.figure.replaced(**changes)
    motion = None if loaded.motion is None else loaded.motion.replaced(figure=figure)
    return replace(loaded, figure=figure, motion=motion)


def _thing(loaded: Loaded, path: Path, only_figure: bool, heard: list[str]) -> Figure | Motion | Markers:
    """The part of the input that is written to an output: everything that its format can hold."""
    from manikin.errors import BadValue
    from manikin.files.formats import FORMATS

    kind = FORMATS[path.suffix.lower()]
    if loaded.markers is not None:
        if only_figure:
            raise BadValue(f"{loaded.name} has markers but no figure")
        if kind.save_markers is None:
            raise BadValue(f"{loaded.name} has markers, which {kind.name} cannot hold; use .c3d or .trc")
        return loaded.markers
    assert loaded.figure is not None
    if kind.save_figure is None and kind.save_motion is None:
        raise BadValue(f"{loaded.name} has a figure, which {kind.name} cannot hold")
    if loaded.motion is not None and not only_figure:
        if kind.save_motion is not None:
            return loaded.motion
        heard.append(f"{path}: {kind.name} holds no motion; only the figure is written")
    return loaded.figure


def _like(loaded: Loaded, thing: Any, path: Path, like: Path | None, new: bool, within: str | None) -> dict[str, Any]:
    """The options of `save`: `like` is --like, or the input if it has the same format."""
    from manikin.files.formats import FORMATS

    kind, given = FORMATS[path.suffix.lower()], FORMATS.get(Path(loaded.name).suffix.lower())
    takes = getattr(kind, f"save_{type(thing).__name__.lower()}") or ()
    if like is None:
        same = given is not None and given.module == kind.module and "like" in takes
        if new or not same:
            return {}
    options = {"like": loaded.name if like is None else like}
    return options if within is None or "within" not in takes else {**options, "within": within}


def _describe(loaded: Loaded) -> str:
    """The input in one line."""
    from manikin.cli.facts import span
    from manikin.errors import counted

    if loaded.markers is not None:
        what = f"{counted(len(loaded.markers.names), 'marker')}, "
        return what + span(len(loaded.markers), loaded.markers.duration, loaded.markers.rate)
    assert loaded.figure is not None
    text = f"{counted(len(loaded.figure.segments), 'segment')}, {loaded.figure.nv:,} degrees of freedom"
    if loaded.motion is not None:
        named = f", clip {loaded.motion.name}" if loaded.clips else ""
        text += f"{named}, {span(len(loaded.motion), loaded.motion.duration, loaded.motion.rate)}"
    return text


def _size(count: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count} bytes"


@contextlib.contextmanager
def _stages(wanted: bool) -> Iterator[Stage]:
    """Shows the current step and its duration on stderr. It is shown only on a terminal and removed at the end."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.progress import Progress, SpinnerColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), say.described(), TimeElapsedColumn())
    with Progress(*columns, console=say.console(err=True), transient=True) as shown:
        task = shown.add_task("beginning", total=None)
        yield lambda what: shown.update(task, description=names.line(what))
