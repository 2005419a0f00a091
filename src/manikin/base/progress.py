"""`Progress`: what long calls take as `progress=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from manikin.errors import BadValue

Progress: TypeAlias = Callable[[int, int | None], bool | None]
"""Called with (done, total): frames, clips or iterations, and None for a total that is not known. If it returns False,
the call ends and keeps what is done."""


def require_progress(progress: object) -> None:
    """Checks a `progress` before the work begins.

    Raises:
        BadValue: it is neither a function nor None.
    """
    if progress is not None and not callable(progress):
        raise BadValue(f"progress is {progress!r}; it needs a function of what is done and the total")


def goes_on(progress: Progress | None, done: int, total: int | None = None) -> bool:
    """Tells the caller how far a call is. False if the caller cancels it."""
    return progress is None or progress(done, total) is not False
