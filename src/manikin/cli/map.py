"""`manikin map FILE`: shows which segments belong to each part of a body."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from manikin.cli import say


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="MAP",
    help="Write the map to a file that can be edited.",
)
@click.option(
    "--bones", "given", type=click.Path(), metavar="MAP", help="A map file whose parts replace those that are found."
)
@click.option("--root", type=click.Choice(["free", "fixed"]), help="How a robot's root moves.")
@click.option("--within", type=click.Path(), metavar="FOLDER", help="Let FILE refer to files anywhere below FOLDER.")
@click.option("--safe", is_flag=True, help="Read in a separate process with limits: for files from strangers.")
@click.option("--json", "as_json", is_flag=True, help="Print the map as JSON.")
def map(file: str, out: Path | None, given: str | None, as_json: bool, **options: Any) -> None:
    """Show which segments of FILE (or of human, quadruped) are pelvis, spine, head, arms and legs.

    \b
    Example:
        manikin map g1.xml --out g1.map.json
    """
    from manikin.cli import report, tables
    from manikin.cli.job import keep_inputs
    from manikin.cli.loading import load
    from manikin.errors import BadValue
    from manikin.figure.parts.find import bone_map

    if out is not None:
        if not out.parent.is_dir():
            raise BadValue(f"{out}: there is no folder {str(out.parent)!r}")
        keep_inputs((out,), (file,))
    loaded = load(file, lenient=True, **options)
    if loaded.figure is None:
        raise BadValue(f"{file} has no figure, so it has no parts")
    bones = bone_map(loaded.figure, given)
    if out is not None:
        bones.save(out)
    if as_json:
        report.echo_json(
            {
                "figure": bones.figure.name,
                "up": bones.figure.up,
                "legs": 4 if bones.four_legged else 2,
                "how": bones.how,
                "parts": {part: list(names) for part, names in bones.items()},
                "notes": list(bones.notes),
                "warnings": list(loaded.warnings),
            }
        )
        return
    title, *_ = str(bones).splitlines()
    tables.show(["part", "segments"], [[part, ", ".join(names)] for part, names in bones.items()], title)
    for line in (*bones.notes, *(f"warning: {text}" for text in loaded.warnings)):
        say.line(line)
    if out is not None:
        say.line(f"wrote {out}")
