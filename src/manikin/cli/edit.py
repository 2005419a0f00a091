"""`manikin edit FILE`: goals for some frames of a clip."""

from __future__ import annotations

from pathlib import Path

import click

from manikin.cli import say

_AT = (str, float, float, float)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.option("--frames", type=(int, int), required=True, metavar="FIRST LAST", help="Frames that meet the goals.")
@click.option("--blend", default=20, show_default=True, help="Frames before and after over which goals are blended.")
@click.option("--position", type=_AT, multiple=True, metavar="SEGMENT X Y Z", help="Put a segment at a point.")
@click.option("--by", type=_AT, multiple=True, metavar="SEGMENT X Y Z", help="Move a segment by this much.")
@click.option("--joint", multiple=True, help="A joint that may move.  [default: those that are needed]")
@click.option("--clip", help="The motion to edit, if FILE has several.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), multiple=True, help="A file to write.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def edit(
    file: str,
    frames: tuple[int, int],
    blend: int,
    position: tuple[tuple[str, float, float, float], ...],
    by: tuple[tuple[str, float, float, float], ...],
    joint: tuple[str, ...],
    clip: str | None,
    out: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> int:
    """Change some frames of the motion in FILE so that segments reach their goals, and blend them in.

    Only the joints that are needed move. If the output has the format of FILE, all other numbers keep their text.

    \b
    Example:
        manikin edit walk.bvh --frames 100 160 --by RightHand 0 10 5 --out wave.bvh
    """
    import numpy as np

    import manikin as mk
    from manikin.cli import clips, loading, report
    from manikin.errors import BadValue

    clips.check_outputs(*out, formats=out)
    motion = loading.load(file, clip=clip).motion
    if motion is None:
        raise BadValue(f"{file} has no motion to edit")
    goals = [mk.Over(mk.Position(segment, point)) for segment, *point in position]
    for segment, *way in by:
        places = motion.placements([segment])[:, 0, :3, 3] + np.array(way)
        goals.append(mk.Over(mk.Position(segment, (0, 0, 0)), places))
    if not goals:
        raise click.UsageError("there is no goal; give at least one of --position, --by")
    found = mk.edit(motion, goals, frames, blend, joints=list(joint) or None)
    clips.write(found, out, as_json or quiet, like=Path(file))
    if as_json:
        report.echo_json(found.to_dict())
    elif not quiet:
        say.lines(str(found))
    return 0 if found.reached.all() else clips.UNREACHED
