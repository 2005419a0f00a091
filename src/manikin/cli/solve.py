"""`manikin solve FIGURE`: finds a pose for goals that are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say
from manikin.jobs.options import BUILT_IN

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
    help="The orientation of a segment, as a quaternion.",
)
@click.option(
    "--placement",
    type=(*_AT, *[float] * 4),
    multiple=True,
    metavar="SEGMENT X Y Z QW QX QY QZ",
    help="The position and the orientation of a segment.",
)
@click.option(
    "--aim", type=_AT, multiple=True, metavar="SEGMENT X Y Z", help="The z axis of a segment points at a point."
)
@click.option(
    "--plane",
    type=(*_AT, float, float, float),
    multiple=True,
    metavar="SEGMENT X Y Z NX NY NZ",
    help="A segment on the plane through a point with a normal.",
)
@click.option(
    "--above",
    type=(*_AT, float, float, float),
    multiple=True,
    metavar="SEGMENT X Y Z NX NY NZ",
    help="A segment on a plane or on the side to which its normal points.",
)
@click.option("--balance", metavar="SEGMENT,…", help="The centre of mass above these segments.")
@click.option(
    "--keep",
    multiple=True,
    metavar="SEGMENT,…",
    help="Segments that stay where they are in the start pose, such as planted feet. They come before all other goals.",
)
@click.option(
    "--start",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The pose to start from: .json (a list of numbers, or what --json printed), a table of numbers (.csv, .npz), "
    "or a motion of the same figure.  [default: the rest pose]",
)
@click.option("--frame", default=0, show_default=True, help="Which frame of a table or a motion to start from.")
@click.option("--freeze", multiple=True, metavar="JOINT,…", help="Joints that must not move.")
@click.option("--only", multiple=True, metavar="JOINT,…", help="Joints that may move; all others must not.")
@click.option(
    "--hold",
    type=(str, click.Choice(["twist", "swing"])),
    multiple=True,
    metavar="JOINT PART",
    help="A ball that keeps its twist or its swing as in the start pose.",
)
@click.option(
    "--within", type=click.Path(), metavar="FOLDER", help="Allow FIGURE to refer to other files anywhere below FOLDER."
)
@click.option("--natural", is_flag=True, help="Start from a natural pose, if FIGURE is a person.")
@click.option(
    "--method",
    default="auto",
    show_default=True,
    help="The solver. auto, stacked and bounded-dls use priorities; in other methods --keep has no precedence.",
)
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
    natural: bool,
    keep: tuple[str, ...],
    start: Path | None,
    frame: int,
    freeze: tuple[str, ...],
    only: tuple[str, ...],
    hold: tuple[tuple[str, str], ...],
    within: str | None,
    out: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Pose FIGURE, a file or one of human, quadruped, so that its segments reach their goals.

    Lengths are in the figure's unit, in world space. The root of a person is free: without --keep the body floats to
    the target. Options that take a list of names (SEGMENT,… and JOINT,…) can also be given several times. If a goal is
    missed, the sentences below the table say why and what would help.

    Exit code: 0 every goal is reached, 1 a goal is missed, 2 the input is wrong.

    \b
    Example:
        manikin solve human --position RightHand -0.4 1.2 0.3 --keep LeftFoot,RightFoot --balance LeftFoot,RightFoot
        manikin solve human --position RightHand -0.4 1.2 0.3 --aim Head -0.4 1.2 0.3 --keep Hips --freeze Spine,Spine1
        manikin solve human --placement RightHand -0.3 1.1 0.4 1 0 0 0 --keep Hips --out pose.png --out pose.glb
        manikin solve human --orientation Head 0.96 0 0.28 0 --only Neck,Neck1,Head --json
        manikin solve human --plane LeftHand 0 0.9 0 0 1 0 --keep LeftFoot,RightFoot
        manikin solve human --position RightHand -0.4 1.2 0.3 --above LeftHand 0 1.1 0 0 1 0 --hold RightArm twist
        manikin solve arm.urdf --position tool 0.4 0.1 0.3 --start poses.csv --frame 7 --method bounded-dls
        manikin solve walk.bvh --start walk.bvh --frame 40 --only RightArm,RightForeArm --position RightHand 5 18 -19
        manikin solve models/hand/hand.xml --within models --position tip 0.02 0.01 0.1
    """
    import manikin as mk
    from manikin.cli import report
    from manikin.cli.loading import hear

    heard: list[str] = []
    body = hear(heard, load, figure, within)
    begin = body.rest if start is None else hear(heard, start_pose, body, start, frame, within)
    goals = wanted(priority=1 if keep else 0, **wishes)
    if not goals:
        raise click.UsageError(
            "there is no goal; give at least one of --position, --orientation, --placement, --aim, --plane, --above, "
            "--balance"
        )
    goals += kept(body, begin, listed("keep", keep, [s.name for s in body.segments]))
    joints = [*(s.joint.name for s in body.segments), *body.number_names]
    if natural and start is not None:
        raise click.UsageError("--natural and --start both set the start; give one of them")
    for joint, part in hold:
        if part != dict(hold)[joint]:
            raise click.UsageError(f"--hold names {joint} with twist and with swing; --freeze {joint} keeps both")
    pose: Any = "natural" if natural else begin if keep or start is not None else None
    solution = hear(
        heard,
        mk.solve,
        body,
        goals,
        pose,
        method=method,
        freeze=listed("freeze", freeze, joints),
        only=listed("only", only, joints) if only else None,
        hold=dict(hold) or None,
    )
    if not quiet:
        for line in dict.fromkeys(heard):
            say.line(f"warning: {' '.join(line.split())}", err=True)
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
            say.line(f"wrote {path}")
    return 0 if solution.reached else 1


LARGEST_POSE = 2**20
"""Largest size of a file with a pose, in bytes."""
PICTURES = (".png", ".jpg", ".jpeg", ".pdf", ".svg")
"""Extensions that `plot` writes. `save` writes all others."""


def load(name: str, within: str | None = None) -> Figure:
    """A built-in figure, or the one in a file."""
    import manikin as mk
    from manikin.errors import BadValue

    if name in BUILT_IN and not Path(name).exists():
        if within is not None:
            raise BadValue(f"--within has no effect on {name}, which is built in")
        built: Figure = getattr(mk, name)()
        return built
    return mk.load_figure(name, within=within)


def listed(option: str, groups: tuple[str, ...], known: Sequence[str]) -> list[str]:
    """The names in comma-separated lists. A known name may contain a comma if it is given alone."""
    parts = [[group] if group in known else group.split(",") for group in groups]
    names = [name.strip() for part in parts for name in part if name.strip()]
    if groups and not names:
        raise click.UsageError(f"--{option} is {','.join(groups)!r}; it needs at least one name")
    return list(dict.fromkeys(names))


def start_pose(figure: Figure, path: Path, frame: int, within: str | None = None) -> Vector:
    """The pose in a file: JSON, or a frame of a table or of a motion of this figure."""
    import manikin as mk
    from manikin import files
    from manikin.base.json_file import read_json
    from manikin.errors import BadValue
    from manikin.jobs.loading import TABLES, load_table

    if path.suffix.lower() == ".json":
        held: Any = read_json(path, LARGEST_POSE, "a pose")
        numbers: Any = held.get("pose") if isinstance(held, dict) else held
        return figure.check(numbers, f"{path.name}: pose")
    if path.suffix.lower() in TABLES:
        motion = load_table(path, figure, rate=1.0)  # the times of the frames are not used
    else:
        follows = within is not None and "within" in (files.format_of(path).motion or ())
        motion = mk.load_motion(path, within=within if follows else None).on(figure)
    if not -len(motion) <= frame < len(motion):
        raise BadValue(f"--frame is {frame}; {path.name} has {len(motion)} frames, 0 to {len(motion) - 1}")
    return motion[frame]


def kept(figure: Figure, pose: Vector, names: list[str]) -> list[Goal]:
    """A goal of the first priority for each segment, which keeps it at its placement in a pose."""
    import manikin as mk

    places = figure.placements(pose, names)
    return [mk.Placement(name, place, name=f"keep {name}") for name, place in zip(names, places, strict=True)]


def wanted(
    position: tuple[tuple[Any, ...], ...],
    orientation: tuple[tuple[Any, ...], ...],
    placement: tuple[tuple[Any, ...], ...],
    aim: tuple[tuple[Any, ...], ...],
    plane: tuple[tuple[Any, ...], ...],
    above: tuple[tuple[Any, ...], ...],
    balance: str | None,
    priority: int,
) -> list[Goal]:
    """The goals in the order of the options above. All have the same priority."""
    import manikin as mk

    goals: list[Goal] = [mk.Position(segment, point, priority=priority) for segment, *point in position]
    goals += [mk.Orientation(segment, quaternion, priority=priority) for segment, *quaternion in orientation]
    goals += [mk.Placement(segment, seven, priority=priority) for segment, *seven in placement]
    goals += [mk.Aim(segment, point, priority=priority) for segment, *point in aim]
    goals += [mk.Plane(segment, six[:3], six[3:], priority=priority) for segment, *six in plane]
    goals += [mk.Plane(segment, six[:3], six[3:], above=True, priority=priority) for segment, *six in above]
    if balance:
        goals.append(mk.Balance([name.strip() for name in balance.split(",")], priority=priority))
    return goals
