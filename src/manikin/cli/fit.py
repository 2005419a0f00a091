"""`manikin fit MARKERS`: a person fitted to the markers of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say

if TYPE_CHECKING:
    from manikin.motion.marker_fit.result import MarkerFit
    from manikin.motion.markers import Markers

FILE = click.Path(dir_okay=False, path_type=Path)
GIVEN = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("source", metavar="MARKERS", type=GIVEN)
@click.option("--figure", default="human", show_default=True, help="The person: a file, or human.")
@click.option("--out", type=FILE, multiple=True, help="A file to write: .bvh, .glb, .mot, .csv, .gif …")
@click.option("--attach", type=GIVEN, help="Places of the markers: an attachment file (.json), or an .osim model.")
@click.option("--save-attach", type=FILE, help="Write the calibrated places and scales to this .json file.")
@click.option("--calibrate", type=GIVEN, metavar="TRIAL", help="Calibrate on this trial (.c3d, .trc) instead.")
@click.option("--no-calibrate", is_flag=True, help="Use --attach unchanged.")
@click.option("--subject", help="Which person, if names begin with several subjects.")
@click.option(
    "--scales",
    type=click.Choice(["symmetric", "each", "one", "none"]),
    default="symmetric",
    show_default=True,
    help="Which lengths are fitted.",
)
@click.option("--weights", type=GIVEN, metavar="SETUP", help="Weights of an OpenSim set-up (.xml).")
@click.option("--plain", is_flag=True, help="Least squares: do not reject bad samples.")
@click.option("--smooth", type=float, default=15.0, show_default=True, metavar="HZ", help="Frequency; 0 for none.")
@click.option("--slack", type=float, default=10.0, show_default=True, help="Widen joint ranges by this many degrees.")
@click.option("--unit", type=float, help="Unit of MARKERS in metres, if the file does not state it.")
@click.option("--bones", type=click.Path(exists=True), metavar="MAP", help="A map file of the figure.")
@click.option("--sheet", type=FILE, help="Write RMS, worst frame and gaps of each marker to this .csv file.")
@click.option("--at-most", type=float, metavar="MM", help="Exit code 1 if the RMS is above this.")
@click.option("--json", "as_json", is_flag=True, help="Print the sheet as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def fit(
    source: Path,
    figure: str,
    out: tuple[Path, ...],
    save_attach: Path | None,
    sheet: Path | None,
    at_most: float | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Fit a person to the markers in MARKERS (.c3d or .trc): lengths of bones, places of markers, and all poses.

    Marker names of common sets are known. Others are attached to the segment with which they move. Ctrl-C stops, and
    writes the frames that are done.

    \b
    Example:
        manikin fit walk.c3d --out walk.bvh --sheet rms.csv --save-attach anna.json
        manikin fit run.c3d --attach anna.json --no-calibrate --out run.bvh --at-most 15
        manikin fit walk.trc --attach subject.osim --out walk.mot
    """
    from manikin import arrays
    from manikin.base import writing
    from manikin.cli import clips, report
    from manikin.cli.progress import bar
    from manikin.errors import counted

    at_most = None if at_most is None else arrays.positive(at_most, "--at-most")
    given = (source, *(options[key] for key in ("calibrate", "weights", "bones")))
    clips.check_outputs(*out, *(p for p in (save_attach, sheet) if p is not None), formats=out, inputs=given)
    with bar("fitting", not (as_json or quiet)) as progress:
        found, heard = run(source, figure, progress=progress, **options)
    clips.write(found, out, as_json or quiet)
    for path, text in ((save_attach, found.attachments.to_json()), (sheet, found.to_csv())):
        if path is not None:
            writing.write(path, text)
            if not (as_json or quiet):
                say.line(f"wrote {path}")
    if as_json:
        report.echo_json(found.to_dict() | {"warnings": heard})
    elif not quiet:
        say.lines(str(found))
        for text in (t for t in heard if t not in found.notes):
            say.line(f"warning: {text}")
    if not found.complete:
        raise click.ClickException(f"stopped after {counted(len(found.motion), 'frame')}; what is done was written")
    return clips.UNREACHED if at_most is not None and not 1e3 * found.rms <= at_most else 0


def run(
    source: Path,
    figure: str,
    *,
    attach: Path | None = None,
    calibrate: Path | None = None,
    no_calibrate: bool = False,
    subject: str | None = None,
    scales: str = "symmetric",
    weights: Path | None = None,
    plain: bool = False,
    smooth: float = 15.0,
    slack: float = 10.0,
    unit: float | None = None,
    bones: str | None = None,
    progress: Any = None,
) -> tuple[MarkerFit, list[str]]:
    """The fit, and the warnings of readers and of the fit."""
    import manikin as mk
    from manikin.cli import loading
    from manikin.errors import BadValue
    from manikin.files import fit_options

    if no_calibrate and calibrate is not None:
        raise BadValue("--calibrate and --no-calibrate exclude each other")
    heard: list[str] = []
    loaded = loading.load(figure, lenient=True)
    if loaded.figure is None:
        raise BadValue(f"{figure} contains no figure")
    trial = _markers(heard, source, unit)
    found = loading.hear(
        heard,
        mk.fit_markers,
        loaded.figure,
        trial,
        None if attach is None else fit_options.load_attachments(attach, loaded.figure, bones),
        calibrate=False if no_calibrate else None if calibrate is None else _markers(heard, calibrate, unit),
        subject=subject,
        scales=None if scales == "none" else scales,
        weights=None if weights is None else fit_options.load_weights(weights, trial),
        robust=not plain,
        smooth=smooth or None,
        slack=slack,
        bones=bones,
        progress=progress,
    )
    return found, [*loaded.warnings, *heard]


def _markers(heard: list[str], path: Path, unit: float | None) -> Markers:
    import manikin as mk
    from manikin.cli import loading

    markers: Markers = loading.hear(heard, mk.load_markers, path)
    return markers if unit is None else markers.replaced(unit=unit)
