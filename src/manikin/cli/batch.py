"""`manikin batch JOB IN_DIR OUT_DIR`: one job on every clip of a folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from manikin import jobs
from manikin.cli import say
from manikin.errors import counted, unknown_name
from manikin.jobs.options import Option

COMMON = (
    click.option("--workers", type=click.IntRange(1), help="Number of processes.  [default: all processors]"),
    click.option("--cluster", metavar="ADDRESS", help="Use the Dask cluster of this scheduler: tcp://127.0.0.1:8786."),
    click.option("--insecure", is_flag=True, help="Allow a cluster on another host without tls://."),
    click.option("--pattern", default="*", help="Only clips whose name or path matches, such as 'walk*.bvh'."),
    click.option("--protocol", multiple=True, help="Allow URLs of this protocol of fsspec, such as s3."),
    click.option("--retry", is_flag=True, help="Repeat clips that failed in an earlier run."),
    click.option("--force", is_flag=True, help="Replace files in OUT_DIR even if it has no manifest."),
    click.option("--no-report", is_flag=True, help="Do not write report.html."),
    click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
)
TYPES: dict[str, Any] = {
    "text": str,
    "number": float,
    "positive": float,
    "whole": int,
    "file": str,
    "figure": str,
    "ending": str,
    "frames": (int, int),
    "texts": str,
    "points": (str, float, float, float),
}
METAVARS = {
    "frames": "FIRST LAST",
    "points": "SEGMENT X Y Z",
    "ending": "EXTENSION",
    "file": "FILE",
    "figure": "FIGURE",
}


class _Jobs(click.Group):
    """One command for each job. A job is imported when its command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(jobs.JOBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in jobs.JOBS:
            ctx.fail(str(unknown_name("manikin batch", "job", cmd_name, list(jobs.JOBS))))
        return _command(jobs.find(cmd_name))


@click.group(cls=_Jobs, invoke_without_command=True)
@click.pass_context
def batch(ctx: click.Context) -> None:
    """Do one job on every clip of a folder, on all processors or on a Dask cluster.

    If a run was stopped or killed, the same command continues it. A clip that fails does not stop the others. OUT_DIR
    gets the results, manifest.jsonl (the outcome of each clip) and report.html (plots, the worst and the failed clips).

    \b
    Example:
        manikin batch retarget clips out --figure g1.xml --workers 4
    """
    if ctx.invoked_subcommand is None:
        say.lines(ctx.get_help())


def _command(job: jobs.Job) -> click.Command:
    """The command of a job, with its options."""

    def run(in_dir: str, out_dir: str, as_json: bool, quiet: bool, **given: Any) -> int:
        return _run(job, in_dir, out_dir, as_json, quiet, given)

    wrapped: Callable[..., int] = run
    for option in reversed((*map(_option, job.options), *COMMON)):
        wrapped = option(wrapped)
    wrapped = click.argument("out_dir", metavar="OUT_DIR")(wrapped)
    wrapped = click.argument("in_dir", metavar="IN_DIR")(wrapped)
    text = (
        f"{job.summary}\n\nIN_DIR is searched with its subfolders; links are not followed. The exit code is 1 if a "
        f"clip failed or its result is not good.\n\n\b\nExample:\n    {job.example}"
    )
    return click.command(job.name, help=text)(wrapped)


def _option(option: Option) -> Any:
    """An option of a job for click."""
    flag = f"--{option.name.replace('_', '-')}"
    if option.kind == "switch":
        return click.option(option.flags or flag, option.name, is_flag=True, default=option.default, help=option.help)
    many = option.kind in ("texts", "points")
    return click.option(
        flag,
        option.name,
        type=click.Choice(option.choices) if option.choices else TYPES[option.kind],
        multiple=many,
        required=option.required and not many,
        default=None if many else option.default,
        show_default=option.default is not None and not many,
        metavar=METAVARS.get(option.kind),
        help=option.help,
    )


def _run(job: jobs.Job, in_dir: str, out_dir: str, as_json: bool, quiet: bool, given: dict[str, Any]) -> int:
    import manikin as mk
    from manikin.cli import clips, report, tables
    from manikin.cli.progress import bar

    common = {key: given.pop(key) for key in ("workers", "insecure", "pattern", "retry", "force")}
    common |= {"executor": given.pop("cluster"), "protocols": given.pop("protocol")}
    common |= {"report": not given.pop("no_report")}
    with bar(f"batch {job.name}", not (as_json or quiet)) as progress:
        result = mk.batch(job.name, in_dir, out_dir, progress=progress, **common, **given)
    if as_json:
        report.echo_json(result.to_dict())
    elif not quiet:
        tables.show(["", "median", "worst", "clip"], result.rows(), result.headline())
        for line in result.lines():
            say.line(line)
        if result.report is not None:
            say.line(f"wrote {result.report}")
    if not result.complete:
        raise click.ClickException(f"stopped after {counted(len(result.records), 'clip')}; the same command continues")
    return 0 if result.good else clips.UNREACHED
