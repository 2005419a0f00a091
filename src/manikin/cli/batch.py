"""`manikin batch JOB IN_DIR OUT_DIR`: one job on every clip of a folder."""

from __future__ import annotations

import inspect
from typing import Any

import click

from manikin import jobs
from manikin.cli import say
from manikin.cli.job import NOT_GOOD, SHOWN, click_option, made
from manikin.errors import counted, unknown_name

COMMON = (
    click.option("--workers", type=click.IntRange(1), help="Number of processes.  [default: all processors]"),
    click.option("--cluster", metavar="ADDRESS", help="Use the Dask cluster of this scheduler: tcp://127.0.0.1:8786."),
    click.option("--insecure", is_flag=True, help="Allow a cluster on another host without tls://."),
    click.option("--pattern", default="*", help="Only clips whose name or path matches, such as 'walk*.bvh'."),
    click.option("--protocol", multiple=True, help="Allow URLs of this protocol of fsspec, such as s3."),
    click.option("--retry", is_flag=True, help="Repeat clips that failed in an earlier run."),
    click.option("--force", is_flag=True, help="Replace files in OUT_DIR even if it has no manifest."),
    click.option("--no-report", is_flag=True, help="Do not write report.html."),
)


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

    folders = [click.argument(name, metavar=name.upper()) for name in ("in_dir", "out_dir")]
    source, help = job.arguments["source"], inspect.cleandoc(job.help)
    text = (
        f"For every {source} in IN_DIR: {help[0].lower()}{help[1:]}\n\nIN_DIR is searched with its subfolders; links "
        f"are not followed. The exit code is 1 if a clip failed or its result is not good."
    )
    examples = [example for example in job.examples if example.startswith("manikin batch")]
    options = map(click_option, job.options_of("folder"))
    return made(job.name, text, examples, (*folders, *options, *COMMON, *SHOWN), run)


def _run(job: jobs.Job, in_dir: str, out_dir: str, as_json: bool, quiet: bool, given: dict[str, Any]) -> int:
    import manikin as mk
    from manikin.cli import report, tables
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
    return 0 if result.good else NOT_GOOD
