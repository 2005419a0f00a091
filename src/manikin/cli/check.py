"""`manikin check FILE`: the quality of a motion."""

from __future__ import annotations

import json
from pathlib import Path

import click

from manikin.cli import say


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.option("--clip", help="The motion to check, if FILE has several.")
@click.option("--limits", type=click.Choice(["human"]), help="Check against the limits of a person.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="A picture of the curves: .png, .svg …")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@click.option("--curves", is_flag=True, help="With --json: every frame too.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def check(
    file: str, clip: str | None, limits: str | None, plot: Path | None, as_json: bool, curves: bool, quiet: bool
) -> int:
    """Say how good the motion in FILE is: foot slide, sinking, speed, jerk, limits, balance.

    The exit code is 1 if a frame is bad.

    \b
    Example:
        manikin check walk.bvh --limits human --plot walk.png
    """
    import manikin as mk
    from manikin.cli import clips, loading, report, tables
    from manikin.errors import BadValue

    motion = loading.load(file, clip=clip).motion
    if motion is None:
        raise BadValue(f"{file} has no motion to check")
    figure = motion.figure.with_limits(limits, balls=True) if limits is not None else None
    found = motion.quality(figure)
    if plot is not None:
        mk.plot_quality(found, save=plot)
    if as_json:
        report.echo_json(json.loads(found.to_json(curves)))
    elif not quiet:
        tables.show(["", "median", "worst", "in frame"], found.rows(), found.headline())
        for note in found.notes():
            say.line(note)
    return clips.UNREACHED if found.bad.any() else 0
