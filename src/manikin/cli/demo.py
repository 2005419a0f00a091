"""`manikin demo`: the built-in person takes a pose under several goals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say

if TYPE_CHECKING:
    from manikin.arrays import Placements
    from manikin.figure import Figure
    from manikin.goals import Goal
    from manikin.motion import Motion
    from manikin.solution import Solution

VIEW = (-62.0, 9.0)
"""Azimuth and elevation of the camera in degrees. Both arms, the face and the step are visible from there."""
SECONDS, RATE = 2.0, 30.0
"""Length and frames per second of the motion from rest to the pose."""


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder to write into. It is created if it does not exist.  [default: the current folder]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def demo(out: Path, as_json: bool, quiet: bool) -> int:
    """Pose the built-in person under several goals and write a picture, a BVH and a GLB.

    One hand reaches up and the gaze follows it, the other hand is stretched back, both feet are planted in a step,
    and the centre of mass stays above them.

    \b
    Example:
        manikin demo --out out
    """
    import manikin as mk
    from manikin.cli import report

    figure = mk.human()
    goals = demo_goals(figure)
    solution = mk.solve(figure, goals, start="natural")
    files, missing = write(figure, goals, solution, out)
    if as_json:
        report.echo_json({**report.data(solution), "files": [str(path) for path in files], "missing": missing})
    elif not quiet:
        report.show(solution)
        for path in files:
            say.line(f"wrote {path}")
        for line in missing:
            say.line(line, err=True)
    return 0 if solution.reached else 1


def demo_goals(figure: Figure) -> list[Goal]:
    """Goals for both hands, both feet, gaze and balance. Lengths scale with the height of the person."""
    import numpy as np

    import manikin as mk

    unit = height(figure) / 1.75
    hand = unit * np.array([0.16, 1.88, 0.52])
    return [
        mk.Position("LeftHand", hand),
        mk.Position("RightHand", unit * np.array([-0.46, 1.02, -0.40])),
        mk.Placement("LeftFoot", planted(figure, "LeftFoot", unit * np.array([0.03, 0.0, -0.34]), 32.0)),
        mk.Placement("RightFoot", planted(figure, "RightFoot", unit * np.array([-0.03, 0.0, 0.40]), -8.0)),
        mk.Aim("Head", hand, axis=(0, 0, 1), offset=(0.0, 0.04 * unit, 0.09 * unit), name="gaze"),
        mk.Balance(["LeftFoot", "RightFoot"], margin=0.02 * unit, name="balance"),
    ]


def height(figure: Figure) -> float:
    """Height of the top of the head above the ground in the rest pose."""
    return float(figure.placements(figure.rest, ["HeadTop_End"])[0, 1, 3])


def planted(figure: Figure, foot: str, move: Any, degrees: float) -> Placements:
    """(4, 4) placement of a foot in the rest pose, moved along the ground and turned about the vertical."""
    import numpy as np

    from manikin import rotations

    placement: Placements = np.array(figure.placements(figure.rest, [foot])[0])
    placement[:3, 3] += move
    placement[:3, :3] = rotations.axis_matrix("y", np.radians(degrees)) @ placement[:3, :3]
    return placement


def write(figure: Figure, goals: list[Goal], solution: Solution, folder: Path) -> tuple[list[Path], list[str]]:
    """Writes demo.png, demo.bvh and demo.glb.

    Returns the files, and a line for each file that was not written because an optional library is missing.
    """
    import manikin as mk
    from manikin.errors import Unsupported

    folder.mkdir(parents=True, exist_ok=True)
    motion = way_to(figure, solution)
    files, missing = [], []
    for name in ("demo.png", "demo.bvh", "demo.glb"):
        path = folder / name
        try:
            if path.suffix == ".png":
                mk.plot(figure, solution.pose, goals, view=VIEW, save=path)
            else:
                mk.save(motion, path)
            files.append(path)
        except Unsupported as lack:
            missing.append(f"did not write {path}: {lack}")
    return files, missing


def way_to(figure: Figure, solution: Solution) -> Motion:
    """A motion from the rest pose to the solution. It is slow at both ends and holds the last pose for a moment."""
    import numpy as np

    import manikin as mk

    frames = round(SECONDS * RATE) + 1
    part = np.clip(np.linspace(0.0, 1.15, frames), 0.0, 1.0)
    part = 0.5 - 0.5 * np.cos(np.pi * part)
    poses = figure.integrate(figure.rest, part[:, None] * figure.difference(figure.rest, solution.pose))
    return mk.Motion(figure, poses, rate=RATE, name="demo")
