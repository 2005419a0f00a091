"""`manikin retarget IN FIGURE`: a motion on another figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say

if TYPE_CHECKING:
    from manikin.cli.loading import Loaded
    from manikin.motion import Motion
    from manikin.motion.retarget.results import Retargeted

RIGS = (".glb", ".gltf", ".vrm", ".usd", ".usda", ".usdc")
"""Extensions of rigs that contain more than a figure."""


@click.command()
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("figure", metavar="FIGURE", type=click.Path())
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), multiple=True, help="A file: .bvh, .csv, .gif …"
)
@click.option("--bones", type=click.Path(exists=True), metavar="MAP", help="A map file of FIGURE (manikin map).")
@click.option("--source-bones", type=click.Path(exists=True), metavar="MAP", help="A map file of the figure of IN.")
@click.option(
    "--hands",
    type=click.Choice(["arms", "body", "world"]),
    default="arms",
    show_default=True,
    help="Keep the directions of the arms, the distance of hands to the body, or the place of the hands.",
)
@click.option("--no-plant", is_flag=True, help="Let feet slide instead of keeping them on the floor.")
@click.option("--in-place", is_flag=True, help="Remove the travel: the motion stays on the spot.")
@click.option("--hold-body", is_flag=True, help="Hold the pelvis still, as for a robot on a stand.")
@click.option("--walk-on", is_flag=True, help="Let a motion that walks on the spot travel.")
@click.option("--floor", type=float, help="Height of the floor in IN.  [default: found]")
@click.option("--rate", type=float, help="Frames per second of the result.  [default: those of IN]")
@click.option("--frames", type=(int, int), metavar="FIRST LAST", help="The frames of IN to use, LAST included.")
@click.option("--clip", help="Which motion, if IN has several.  [default: the first]")
@click.option("--of", metavar="FIGURE", help="The figure of a table IN (.csv, .npz).")
@click.option("--root", type=click.Choice(["free", "fixed"]), help="How a robot's root moves.  [default: free]")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def retarget(source: str, figure: str, out: tuple[Path, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Put the motion in IN on FIGURE (a file, or one of human, quadruped).

    Parts of both figures are found by their names or their structure. Feet that stand in IN stand in the result. An OUT
    of the format of FIGURE is a copy of it with one more clip. The exit code is 1 if the result is not good, or if the
    command was interrupted. The reasons are printed: a planted foot slides by more than 5 mm, limbs do not point as in
    IN, and the like.

    \b
    Example:
        manikin retarget walk.bvh g1.xml --out walk_g1.csv --out walk_g1.gif
        manikin map rig.glb --out rig.map.json
        manikin retarget walk.bvh rig.glb --bones rig.map.json --out rig_walk.glb
    """
    from manikin.cli import clips, report
    from manikin.cli.progress import bar
    from manikin.motion.retarget.measure import joint_speeds

    given = (source, options["bones"], options["source_bones"], options["of"])
    clips.check_outputs(*out, formats=out, inputs=given)
    with bar("retargeting", not (as_json or quiet)) as progress:
        found, heard = run(source, figure, progress=progress, **options)
    motion = found.motion
    speeds = joint_speeds(motion.figure, motion.poses, motion.times)
    for path in out:
        _write(motion, path, figure, as_json or quiet)
    if as_json:
        report.echo_json(found.to_dict() | {"joint_speeds": speeds, "warnings": heard})
    elif not quiet:
        fastest = [f"fastest joint: {name}, {speed:.3g} rad/s" for name, speed in list(speeds.items())[:1]]
        say.lines(str(found))
        for line in (*fastest, *(f"warning: {text}" for text in heard)):
            say.line(line)
    return 0 if found.good and found.complete else clips.UNREACHED


def _write(motion: Motion, path: Path, figure: str, quiet: bool) -> None:
    """Writes the motion. A rig file of the format of FIGURE keeps the mesh and everything else of FIGURE."""
    import manikin as mk
    from manikin.cli import clips

    if path.suffix.lower() not in RIGS or path.suffix.lower() != Path(figure).suffix.lower():
        clips.write(motion, (path,), quiet)
        return
    mk.save(motion, path, like=figure)
    if not quiet:
        say.line(f"wrote {path}")


def run(
    source: str,
    figure: str,
    *,
    bones: str | None = None,
    source_bones: str | None = None,
    hands: str = "arms",
    no_plant: bool = False,
    in_place: bool = False,
    hold_body: bool = False,
    walk_on: bool = False,
    floor: float | None = None,
    rate: float | None = None,
    frames: tuple[int, int] | None = None,
    clip: str | None = None,
    of: str | None = None,
    root: str | None = None,
    progress: Any = None,
) -> tuple[Retargeted, list[str]]:
    """The motion on the figure, and the warnings of the readers."""
    import manikin as mk
    from manikin.cli import loading
    from manikin.errors import BadValue

    if in_place and walk_on:
        raise BadValue("--in-place and --walk-on exclude each other")
    loaded = loading.load(source, clip=clip, of=of, rate=rate)
    target = _figure(figure, root)
    motion = loaded.motion
    if motion is None:
        fit = f"; fit a person to its markers first, as in manikin fit {source} --out walk.bvh"
        raise BadValue(f"{source} has no motion{'' if loaded.markers is None else fit}")
    if frames is not None:
        first, last = frames
        if not 0 <= first <= last < len(motion):
            raise BadValue(f"--frames is {first} {last}; {source} has frames 0 to {len(motion) - 1}")
        motion = motion[first : last + 1]
    if rate is not None:
        motion = motion.resampled(rate)
    assert target.figure is not None
    made = mk.retarget(
        motion,
        target.figure,
        bones,
        source_bones,
        hands=hands,
        plant=not no_plant,
        in_place=True if in_place else False if walk_on else None,
        floor=floor,
        hold_body=hold_body,
        progress=progress,
    )
    return made, [*loaded.warnings, *target.warnings]


def _figure(name: str, root: str | None) -> Loaded:
    """The figure that gets the motion. The root of a robot is free unless the user wants it fixed."""
    from manikin import files
    from manikin.cli import loading
    from manikin.errors import BadValue

    if root is None and name not in loading.BUILT_IN and files.format_of(name).name == "URDF":
        root = "free"
    loaded = loading.load(name, root=root, lenient=True)
    if loaded.figure is None:
        raise BadValue(f"{name} has no figure")
    return loaded
