"""`manikin solve FIGURE`: a pose under goals given on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli.loading import BUILT_IN

if TYPE_CHECKING:
    from manikin.arrays import Vector
    from manikin.figure import Figure
    from manikin.goals import Goal

_AT = (str, float, float, float)


@click.command()
@click.argument("figure", metavar="FIGURE")
@click.option("--position", type=_AT, multiple=True, metavar="SEGMENT X Y Z", help="A segment at a point.")
@click.option(
    "--orientation",
    type=(*_AT, float),
    multiple=True,
    metavar="SEGMENT W X Y Z",
    help="A segment turned as a quaternion says.",
)
@click.option(
    "--placement",
    type=(*_AT, *[float] * 4),
    multiple=True,
    metavar="SEGMENT X Y Z QW QX QY QZ",
    help="A segment at a point and turned as a quaternion says.",
)
@click.option("--aim", type=_AT, multiple=True, metavar="SEGMENT X Y Z", help="The z axis of a segment at a point.")
@click.option(
    "--plane",
    type=(*_AT, float, float, float),
    multiple=True,
    metavar="SEGMENT X Y Z NX NY NZ",
    help="A segment on the plane through a point with a normal.",
)
@click.option("--balance", metavar="SEGMENT,…", help="The centre of mass above these segments.")
@click.option(
    "--keep",
    multiple=True,
    metavar="SEGMENT,…",
    help="Segments that stay where they are in the start pose, such as planted feet.",
)
@click.option(
    "--start",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The pose to start from: JSON (a list of numbers, or what --json printed), or a motion of the same figure.",
)
@click.option("--frame", default=0, show_default=True, help="Which frame of a motion to start from.")
@click.option("--freeze", multiple=True, metavar="JOINT", help="A joint that must not move.")
@click.option("--only", multiple=True, metavar="JOINT", help="A joint that may move; all others must not.")
@click.option("--method", default="auto", show_default=True, help="The solver.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="A file to write: .png, .bvh, .glb … May be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def solve(
    figure: str,
    method: str,
    keep: tuple[str, ...],
    start: Path | None,
    frame: int,
    freeze: tuple[str, ...],
    only: tuple[str, ...],
    out: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Pose FIGURE, a file or one of human, quadruped, so that its segments reach their goals.

    Lengths are in the figure's unit, in world space. A person without --keep walks or floats to the target: its root is
    free. Where a goal is missed, the sentences below the table say why and what would help.

    \b
    Example:
        manikin solve human --keep LeftFoot,RightFoot --position RightHand -0.4 1.2 0.3 --aim Head -0.4 1.2 0.3
        manikin solve walk.bvh --start walk.bvh --frame 40 --keep Hips --position LeftHand 5 20 3 --out pose.png
    """
    import manikin as mk
    from manikin.cli import report

    body = load(figure)
    begin = body.rest if start is None else start_pose(body, start, frame)
    goals = wanted(**wishes)
    if not goals:
        raise click.UsageError(
            "there is no goal; give at least one of --position, --orientation, --placement, --aim, --plane, --balance"
        )
    goals += kept(body, begin, keep)
    pose = begin if keep or start is not None else None
    solution = mk.solve(body, goals, pose, method=method, freeze=freeze, only=only or None)
    for path in out:
        if path.suffix.lower() in PICTURES:
            mk.plot(body, solution.pose, goals, save=path)
        else:
            mk.save(mk.Motion(body, solution.pose, name=path.stem), path)
    if as_json:
        report.echo_json({**report.data(solution), "files": [str(path) for path in out]})
    elif not quiet:
        report.show(solution)
        for path in out:
            click.echo(f"wrote {path}")
    return 0 if solution.reached else 1


PICTURES = (".png", ".jpg", ".jpeg", ".pdf", ".svg")
"""Endings that `plot` writes; all others are for `save`."""


def load(name: str) -> Figure:
    """A built-in figure, or the one in a file."""
    import manikin as mk

    if name in BUILT_IN and not Path(name).exists():
        built: Figure = getattr(mk, name)()
        return built
    return mk.load_figure(name)


def start_pose(figure: Figure, path: Path, frame: int) -> Vector:
    """The pose in a file: JSON, or a frame of a motion of this figure."""
    import manikin as mk
    from manikin.errors import BadFile, BadValue

    if path.suffix.lower() == ".json":
        try:
            held: Any = json.loads(path.read_bytes())
        except ValueError as error:
            raise BadFile(path, f"not JSON: {error}") from error
        numbers: Any = held.get("pose") if isinstance(held, dict) else held
        return figure.check(numbers, f"{path.name}: pose")
    motion = mk.load_motion(path).on(figure)
    if not -len(motion) <= frame < len(motion):
        raise BadValue(f"--frame is {frame}; {path.name} has {len(motion)} frames, 0 to {len(motion) - 1}")
    return motion[frame]


def kept(figure: Figure, pose: Vector, segments: tuple[str, ...]) -> list[Goal]:
    """A placement for each of these segments, where it is in a pose."""
    import manikin as mk

    names = [name.strip() for group in segments for name in group.split(",")]
    places = figure.placements(pose, names)
    return [mk.Placement(name, place, name=f"keep {name}") for name, place in zip(names, places, strict=True)]


def wanted(
    position: tuple[tuple[Any, ...], ...],
    orientation: tuple[tuple[Any, ...], ...],
    placement: tuple[tuple[Any, ...], ...],
    aim: tuple[tuple[Any, ...], ...],
    plane: tuple[tuple[Any, ...], ...],
    balance: str | None,
) -> list[Goal]:
    """The goals, in the order of the options' list above."""
    import manikin as mk

    goals: list[Goal] = [mk.Position(segment, point) for segment, *point in position]
    goals += [mk.Orientation(segment, quaternion) for segment, *quaternion in orientation]
    goals += [mk.Placement(segment, seven) for segment, *seven in placement]
    goals += [mk.Aim(segment, point) for segment, *point in aim]
    goals += [mk.Plane(segment, six[:3], six[3:]) for segment, *six in plane]
    if balance:
        goals.append(mk.Balance([name.strip() for name in balance.split(",")]))
    return goals
