"""`manikin info FIGURE`: what is in a file, or in a built-in figure."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.motion import Motion


@click.command()
@click.argument("file", metavar="FIGURE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(file: Path, as_json: bool) -> None:
    """Show FIGURE, a file or one of human, quadruped: its tree, joints, limits, unit, and what was odd about the file.

    \b
    Example:
        manikin info dancer.bvh
    """
    from manikin.cli import report
    from manikin.errors import listing

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        figure, motion = load(file)
    said = list(dict.fromkeys(str(w.message) for w in heard))
    if as_json:
        clip = None if motion is None else {"frames": len(motion), "seconds": motion.duration, "rate": motion.rate}
        report.echo_json({**data(figure), "file": str(file), "motion": clip, "warnings": said})
        return
    click.echo(figure.describe())
    free, kinds = unlimited(figure), joint_kinds(figure)
    click.echo("joints: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    if free:
        click.echo(f"without limits: {listing(free)}" + (f" ({len(free)} in all)" if len(free) > 8 else ""))
    if motion is not None:
        click.echo(
            f"motion: {len(motion)} frames, {motion.duration:.4g} s"
            + (f", {motion.rate:.4g} a second" if motion.rate else "")
        )
    if figure.unit is None:
        click.echo("the file has no unit of length; sizes are in its own")
    for line in said:
        click.echo(f"warning: {line}")


def load(file: Path) -> tuple[Figure, Motion | None]:
    """A built-in figure, or the one in a file, and its motion where the format has one and the file holds frames."""
    import manikin as mk
    from manikin import files
    from manikin.cli.solve import BUILT_IN
    from manikin.cli.solve import load as load_figure
    from manikin.errors import BadFile

    if str(file) in BUILT_IN:
        return load_figure(str(file)), None
    kind = files.FORMATS.get(file.suffix.lower())
    if kind is not None and kind.motion is not None:
        try:
            motion = mk.load_motion(file)
        except BadFile:
            return mk.load_figure(file), None  # the figure may be whole where the frames are not, or are none
        return motion.figure, motion
    return mk.load_figure(file), None


def data(figure: Figure) -> dict[str, Any]:
    """A figure for programs: counts, unit, axes, and a list of segments with joints and limits."""
    import numpy as np

    def bound(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    segments = []
    for s in figure.segments:
        first = figure.index_of(s.joint.name)
        numbers = range(first, first + s.joint.nq)
        segments.append(
            {
                "name": s.name,
                "parent": s.parent,
                "joint": s.joint.name,
                "kind": s.joint.kind,
                "numbers": [figure.number_names[i] for i in numbers],
                "lower": [bound(figure.lower[i]) for i in numbers],
                "upper": [bound(figure.upper[i]) for i in numbers],
                "mass": s.mass,
                "shapes": len(s.shapes),
            }
        )
    return {
        "name": figure.name,
        "degrees_of_freedom": figure.nv,
        "numbers": figure.nq,
        "unit": figure.unit,
        "up": figure.up,
        "size": figure.size,
        "mass": figure.mass,
        "joints": joint_kinds(figure),
        "unlimited": unlimited(figure),
        "segments": segments,
    }


def joint_kinds(figure: Figure) -> dict[str, int]:
    """How many joints of each kind."""
    kinds: dict[str, int] = {}
    for s in figure.segments:
        kinds[s.joint.kind] = kinds.get(s.joint.kind, 0) + 1
    return kinds


def unlimited(figure: Figure) -> list[str]:
    """Names of the numbers that may grow without end, and of balls that may turn freely.

    Left out are free joints, which are meant to have no limits, and joints that follow another.
    """
    import numpy as np

    from manikin.figure import Ball

    free = []
    for s in figure.segments:
        if s.joint.coupling is not None or s.joint.kind == "free":
            continue
        first, last = figure.index_of(s.joint.name), s.joint.motions[-1] if s.joint.motions else None
        plain = s.joint.nq - (4 if isinstance(last, Ball) else 0)
        for i in range(first, first + plain):
            if np.isinf(figure.lower[i]) and np.isinf(figure.upper[i]):
                free.append(figure.number_names[i])
        if isinstance(last, Ball) and last.limits is None:
            free.append(s.joint.name)
    return free
