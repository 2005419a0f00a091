"""`manikin points FILE`: the motion of a figure from the 3-D keypoints of a pose estimator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say

if TYPE_CHECKING:
    from manikin.motion.points.points_fit import PointsFit


@click.command()
@click.argument("source", metavar="FILE", type=click.Path())
@click.option(
    "--layout",
    metavar="NAME",
    help="coco17, body25, halpe26, h36m17, mediapipe33 or smpl24. Files that name their points need no layout.",
)
@click.option("--figure", default="human", show_default=True, help="The figure: a file, or human.")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="A file to write: .bvh, .glb, .usda, .csv, .gif …; may be given several times.",
)
@click.option("--rate", type=float, help="Frames per second, for files without times.  [default: 30]")
@click.option("--unit", type=float, help="Unit of FILE in metres: 0.001 for mm.  [default: that of FILE, or 1]")
@click.option("--up", help="The up axis of FILE: y, z, -y …  [default: found]")
@click.option("--smooth", type=float, default=6.0, show_default=True, help="Smoothing in Hz; 0 for the least.")
@click.option("--bones", type=click.Path(exists=True), metavar="MAP", help="A map file of the figure.")
@click.option("--keep-lengths", is_flag=True, help="Scale the figure as a whole; keep its proportions.")
@click.option("--no-travel", is_flag=True, help="Do not rebuild the travel of hip-centred points.")
@click.option("--sheet", type=click.Path(dir_okay=False, path_type=Path), help="Write the errors of the points as CSV.")
@click.option("--at-most", type=float, metavar="MM", help="Exit with code 1 if the RMS is above this, in millimetres.")
@click.option("--json", "as_json", is_flag=True, help="Print the sheet as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def points(
    source: str,
    out: tuple[Path, ...],
    sheet: Path | None,
    at_most: float | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Fit a figure to the 3-D keypoints in FILE (.npy, .npz, .csv, or a .trc of Pose2Sim).

    Lengths of the body are calibrated from FILE. Points in images (2-D) must be triangulated first.

    \b
    Example:
        manikin points dance.npy --layout mediapipe33 --rate 30 -o dance.bvh -o dance.glb
        manikin points pose-3d/walk.trc -o walk.usda --sheet errors.csv
    """
    from manikin import arrays
    from manikin.base import writing
    from manikin.cli import clips, report
    from manikin.cli.progress import bar

    at_most = None if at_most is None else arrays.positive(at_most, "--at-most")
    given = (source, options["bones"])
    clips.check_outputs(*out, *([] if sheet is None else [sheet]), formats=out, inputs=given)
    with bar("fitting", not (as_json or quiet)) as progress:
        fit, heard = run(source, measured=at_most is not None, progress=progress, **options)
    unit = fit.figure.unit
    clips.write(fit, out, as_json or quiet)
    if sheet is not None:
        writing.write(sheet, fit.to_csv())
    if as_json:
        report.echo_json(fit.to_dict() | {"warnings": heard})
    elif not quiet:
        say.lines(str(fit))
        for text in heard:
            say.line(f"warning: {text}")
    above = at_most is not None and unit is not None and not 1000.0 * unit * fit.rms <= at_most
    return clips.UNREACHED if above or not fit.complete else 0


def run(
    source: str,
    *,
    layout: str | None = None,
    figure: str = "human",
    rate: float | None = None,
    unit: float | None = None,
    up: str | None = None,
    smooth: float | None = None,
    bones: str | None = None,
    keep_lengths: bool = False,
    no_travel: bool = False,
    measured: bool = False,
    progress: Any = None,
) -> tuple[PointsFit, list[str]]:
    """The fit, and the warnings of the readers. If `measured` is true, errors must have a unit."""
    import manikin as mk
    from manikin.cli import loading
    from manikin.errors import BadValue

    heard: list[str] = []
    points = loading.hear(heard, mk.load_points, source, rate=rate, unit=unit)
    loaded = loading.load(figure, lenient=True)
    if loaded.figure is None:
        raise BadValue(f"--figure is {figure}, which contains no figure")
    if measured:
        _check_units(figure, loaded.figure.unit, source, points.unit)
    fit = mk.fit_points(
        loaded.figure,
        points,
        layout,
        up=up,
        smooth=smooth or None,
        bones=bones,
        lengths=not keep_lengths,
        travel=False if no_travel else None,
        progress=progress,
    )
    return fit, [*points.notes, *heard, *loaded.warnings]


def _check_units(figure: str, figure_unit: float | None, source: str, unit: float | None) -> None:
    """Raises an error if the errors of the fit cannot be given in millimetres."""
    from manikin.errors import BadValue

    if figure_unit is None:
        raise BadValue(
            f"--at-most is in millimetres, but the unit of --figure {figure} is not known; use a figure with a unit, "
            "such as human, or leave out --at-most"
        )
    if unit is None:
        raise BadValue(
            f"--at-most is in millimetres, but the unit of {source} is not known; state it with --unit 0.001 "
            "(millimetres) or --unit 1 (metres)"
        )
