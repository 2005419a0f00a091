"""Progress of long commands: a bar on a terminal, and a clean stop after Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

from manikin.base.progress import Progress
from manikin.cli import say


@contextlib.contextmanager
def bar(what: str, wanted: bool = True) -> Iterator[Progress]:
    """Yields a function for `progress=`. It draws a bar on stderr if that is a terminal, and returns False after
    Ctrl-C. A second Ctrl-C, or one before the first call of the function, interrupts at once."""
    stopped, called = False, False

    def stop(*_: object) -> None:
        nonlocal stopped
        if stopped or not called:
            raise KeyboardInterrupt
        stopped = True

    def ask() -> bool:
        nonlocal called
        called = True
        return not stopped

    before = signal.signal(signal.SIGINT, stop)
    try:
        if not (wanted and sys.stderr.isatty()):
            yield lambda _done, _count: ask()
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (say.described(), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        with Progress(*columns, TimeRemainingColumn(), console=say.console(err=True), transient=True) as shown:
            task = shown.add_task(what, total=None)

            def report(done: int, count: int | None) -> bool:
                shown.update(task, completed=done, total=count)
                return ask()

            yield report
    finally:
        signal.signal(signal.SIGINT, before)
