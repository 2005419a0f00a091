"""`manikin track FIGURE TARGETS.csv`: a motion that follows targets over time."""

from __future__ import annotations

from pathlib import Path

import click

from manikin.cli import say


@click.command()
@click.argument("figure", metavar="FIGURE")
@click.argument("targets", metavar="TARGETS.csv", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), multiple=True, help="A file to write: .bvh, .gif …"
)
@click.option("--noisy", is_flag=True, help="Smooth noisy targets at a frequency chosen from the data.")
@click.option("--smooth", type=float, metavar="HZ", help="Smooth targets above this frequency.  [default: none]")
@click.option(
    "--ease", type=float, default=0.4, show_default=True, help="Seconds over which goals are blended in and out."
)
@click.option("--rate", type=float, help="Frames per second, if the table has no column 'time'.")
@click.option("--limits", type=click.Choice(["human"]), help="Use human limits if the figure has none.")
@click.option(
    "--resume",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Store finished frames in this file, and resume from it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def track(
    figure: str,
    targets: Path,
    out: tuple[Path, ...],
    noisy: bool,
    smooth: float | None,
    ease: float,
    rate: float | None,
    limits: str | None,
    resume: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Move FIGURE (a file, or one of human, quadruped) so that it follows the targets in TARGETS.csv.

    The table has a column time and columns such as RightHand.x, RightHand.y, RightHand.z (a position). With
    RightHand.qw, .qx, .qy, .qz the target is a placement. Empty cells are gaps. Ctrl-C stops after the current window.
    With --resume FILE the finished frames are stored in FILE after each window of 2048 frames. If the command is
    stopped or killed, the same command continues from there and writes the same bytes. FILE is removed at the end.

    \b
    Example:
        manikin track human targets.csv --out reach.bvh --out reach.html
        manikin track dancer.bvh mocap.csv --limits human --noisy --out dance.bvh
    """
    import manikin as mk
    from manikin.cli import clips, loading, report
    from manikin.cli.progress import bar
    from manikin.errors import BadValue
    from manikin.files.targets import load_targets

    clips.check_outputs(*out, *([resume] if resume is not None else []), formats=out)
    body = loading.load(figure, lenient=True).figure
    if body is None:
        raise BadValue(f"{figure} has no figure")
    if limits is not None:
        body = body.with_limits(limits, balls=True)
    goals, times = load_targets(targets, body, rate)
    with bar("tracking", not (as_json or quiet)) as progress:
        clip = mk.solve_motion(
            body,
            goals,
            times,
            noisy if smooth is None else smooth,
            ease,
            name=targets.stem,
            progress=progress,
            resume=resume,
            store=resume,
        )
    if not clip.complete:
        where = f"; the same command continues from {resume}" if resume is not None else ""
        raise click.ClickException(f"stopped after {len(clip.motion)} of {len(times)} frames{where}")
    clips.write(clip, out, as_json or quiet)
    if resume is not None:
        resume.unlink(missing_ok=True)
    if as_json:
        report.echo_json(clip.to_dict())
    elif not quiet:
        say.lines(str(clip))
    return 0 if clip.reached.all() else clips.UNREACHED
