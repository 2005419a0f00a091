"""`manikin play FILE`: a page that plays a motion."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from manikin.cli import say


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.option("--clip", help="The motion to play, if FILE has several.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it: .html, .gif or .mp4.  [default: a page in a temporary folder]",
)
@click.option("--trail", multiple=True, metavar="SEGMENT", help="A segment whose path is drawn.")
@click.option("--ghosts", default=0, show_default=True, help="Number of faded poses behind the figure.")
@click.option("--open/--no-open", "opens", default=True, show_default=True, help="Show it in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def play(
    file: str, clip: str | None, out: Path | None, trail: tuple[str, ...], ghosts: int, opens: bool, as_json: bool
) -> int:
    """Write the motion in FILE as a page that plays it, and open it.

    \b
    Example:
        manikin play walk.bvh --trail LeftFoot
        manikin play walk.bvh --out walk.mp4 --no-open
    """
    import manikin as mk
    from manikin.cli import loading, report
    from manikin.cli.progress import bar
    from manikin.errors import BadValue

    motion = loading.load(file, clip=clip).motion
    if motion is None:
        raise BadValue(f"{file} has no motion to play")
    path = out if out is not None else Path(tempfile.mkdtemp(prefix="manikin-"), f"{Path(file).stem}.html")
    with bar("drawing", not as_json) as progress:
        mk.animate(motion, path, trails=list(trail) or False, ghosts=ghosts, progress=progress)
    if not path.exists():
        raise click.ClickException("stopped; nothing was written")
    if as_json:
        report.echo_json({"file": str(path), "bytes": path.stat().st_size, "frames": len(motion)})
    else:
        say.line(f"wrote {path}")
    if opens:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
    return 0
