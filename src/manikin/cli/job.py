"""The command of a job: its options for click, and a run on one file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.cli import say
from manikin.errors import BadValue
from manikin.jobs import Job
from manikin.jobs.options import Option, checked, flag

if TYPE_CHECKING:
    from manikin.jobs import JobOutcome

NOT_GOOD = 1
"""Exit code if a goal is missed, a check fails or a result is not good."""
TYPES: dict[str, Any] = {
    "number": float,
    "positive": float,
    "whole": int,
    "frames": (int, int),
    "points": (str, float, float, float),
}
"""Types of click for the kinds of options. All others are texts."""
METAVARS = {
    "frames": "FIRST LAST",
    "points": "SEGMENT X Y Z",
    "ending": "EXTENSION",
    "figure": "FIGURE",
    **dict.fromkeys(("file", "output", "outputs", "motions"), "FILE"),
}
SHOWN = (
    click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
)


def command(job: Job) -> click.Command:
    """The command that does a job on one file."""
    options = job.options_of("file")
    arguments = [
        click.argument(name, metavar=metavar, nargs=-1 if metavar.endswith("...") else 1, required=True)
        for name, metavar in job.arguments.items()
    ]
    others = [click_option(option) for option in options if option.name not in job.arguments]

    def run(**given: Any) -> int:
        return _run(job, **given)

    return made(job.name, job.help, job.examples, (*arguments, *others, *SHOWN), run)


def made(
    name: str, text: str, examples: Iterable[str], parts: Iterable[Callable[[Any], Any]], run: Callable[..., int]
) -> click.Command:
    """A command with these arguments and options. Its help ends with the examples."""
    for part in reversed(tuple(parts)):
        run = part(run)
    shown = "".join(f"\n    {example}" for example in examples)
    return click.command(name, help=f"{inspect.cleandoc(text)}\n\n\b\nExample:{shown}")(run)


def click_option(option: Option) -> Any:
    """An option of a job for click."""
    flags = (option.flags or flag(option.name)).replace("-o/", "-o ").split()
    if option.kind == "switch":
        return click.option(*flags, option.name, is_flag=True, default=option.default, help=option.help)
    many = option.kind in ("texts", "points", "outputs", "motions")
    return click.option(
        *flags,
        option.name,
        type=click.Choice(option.choices) if option.kind == "choice" else TYPES.get(option.kind, str),
        multiple=many,
        required=option.required and not many,
        default=None if many else option.default,
        show_default=option.default is not None and not many,
        metavar=METAVARS.get(option.kind),
        help=option.help,
    )


def keep_inputs(outputs: Iterable[str | Path], inputs: Iterable[str | Path]) -> None:
    """Raises BadValue if an output would replace a file that is read."""
    for path in map(Path, outputs):
        if path.exists() and any(Path(given).exists() and path.samefile(given) for given in inputs):
            raise BadValue(f"{path} is an input, which would be lost; choose another name for the output")


def _run(job: Job, source: str, as_json: bool, quiet: bool, **given: Any) -> int:
    """Does a job on a file, writes the results and prints the outcome. Returns the exit code."""
    from manikin.cli.loading import hear
    from manikin.cli.progress import bar

    known = job.options_of("file")
    options = checked(job.name, known, given)
    read = [options[o.name] for o in known if o.is_file and options[o.name] is not None]
    outputs = {o.name: options[o.name] for o in known if o.kind == "output" and options[o.name] is not None}
    results: list[str] = options.get("out", [])
    keep_inputs((*results, *outputs.values()), read if job.replaces else (source, *read))
    heard: list[str] = []
    hear(heard, job.check, options)
    with bar(job.doing or job.name, not (as_json or quiet)) as progress:
        outcome: JobOutcome = hear(heard, job.run, source, options, progress)
    holds = [(path, hear(heard, outcome.write, path)) for path in results]
    for name, path in outputs.items():
        if name in outcome.files:
            hear(heard, outcome.files[name], path)
            holds.append((path, None))
    outcome.close()
    silent = [text for text in outcome.oddities if not any(text in warning for warning in heard)]
    warnings = [text for text in dict.fromkeys((*silent, *heard)) if text not in outcome.notes]
    _show(outcome, holds, warnings, as_json, quiet)
    return 0 if outcome.good else NOT_GOOD


def _show(
    outcome: JobOutcome, holds: list[tuple[str, str | None]], warnings: list[str], as_json: bool, quiet: bool
) -> None:
    from manikin.cli import report, tables

    if as_json:
        report.echo_json({**outcome.data(), "warnings": warnings})
    elif not quiet:
        if outcome.rows:
            tables.show(outcome.columns, outcome.rows, outcome.text)
        else:
            say.lines(outcome.text)
        for path, what in holds:
            say.line(f"wrote {path}" + (f": {what}" if what else ""))
        for note in outcome.notes:
            if note not in outcome.text:
                say.line(note)
        for text in warnings:
            say.line(f"warning: {text}", err=True)
