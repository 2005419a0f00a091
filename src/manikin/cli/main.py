"""The command `manikin`. Subcommands are imported when they are used. Every error is one line and an exit code.

Exit codes: 0 success, 1 a goal was missed or a check failed, 2 bad input.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, NoReturn

import click

from manikin.cli import say
from manikin.jobs import JOBS, find
from manikin.jobs.options import BadOption

COMMANDS = {
    "batch": "manikin.cli.batch",
    "chapter": "manikin.cli.chapter",
    "demo": "manikin.cli.demo",
    "doctor": "manikin.cli.doctor",
    "info": "manikin.cli.info",
    "map": "manikin.cli.map",
    "play": "manikin.cli.play",
    "solve": "manikin.cli.solve",
    "studio": "manikin.cli.studio",
}
"""The module of each command that is not a job. The module has a click command of that name."""
NAMES = sorted((*COMMANDS, *JOBS))
BAD_INPUT = 2


class Commands(click.Group):
    """A group that imports commands when they are used, and turns exceptions into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return NAMES

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in JOBS:
            from manikin.cli import job

            return job.command(find(cmd_name))
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in NAMES and not args[0].startswith("-"):
            from manikin.errors import unknown_name

            ctx.fail(str(unknown_name("manikin", "command", args[0], NAMES)))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a command and ends the process with the exit code. Errors are one line on stderr."""
        kwargs["standalone_mode"] = False
        say.prepare()
        try:
            code = super().main(*args, **kwargs)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.Abort:
            _fail("interrupted", 130)
        except click.ClickException as error:
            _fail(error.format_message(), BAD_INPUT)
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error), BAD_INPUT)
        except Exception as error:
            from manikin.errors import ManikinError

            if isinstance(error, ImportError) and "_core" in str(error):
                _fail(f"the native core is missing: {error}; install manikin again, or build it", BAD_INPUT)
            if not isinstance(error, ManikinError):
                raise
            _fail(error.typed() if isinstance(error, BadOption) else str(error), BAD_INPUT)
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    """Prints one line on stderr and ends the process."""
    say.line("manikin: " + " ".join(message.split()), err=True)
    sys.exit(code)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from manikin import __version__

        say.line(f"manikin {__version__}")
        ctx.exit()


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version and exit."
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Poses any articulated figure. You say where hands, feet, head and gaze should be; manikin finds the joint angles.

    \b
    Example:
        manikin demo
    """
    if ctx.invoked_subcommand is None:
        say.lines(ctx.get_help())
