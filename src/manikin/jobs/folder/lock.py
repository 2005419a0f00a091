"""A lock on a folder of results, so that two runs do not write to it at the same time.

The system releases the lock when the process ends, also after a crash or a kill.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from manikin.errors import BadValue
from manikin.jobs.folder.places import OURS, LocalPlace, Place


@contextlib.contextmanager
def locked(place: Place) -> Iterator[None]:
    """Holds the lock of a local folder, and removes unfinished files of earlier runs. Other places have no lock.

    Raises:
        BadValue: another run holds the lock.
    """
    if not isinstance(place, LocalPlace):
        yield
        return
    ours = os.path.join(place.root, OURS)
    os.makedirs(ours, exist_ok=True)
    if os.path.islink(ours):
        raise BadValue(f"{ours} is a link, which is not followed; remove it")
    handle = os.open(os.path.join(ours, "lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        try:
            _lock(handle)
        except OSError as error:
            raise BadValue(f"another run writes to {place.shown!r}; wait for it, or choose another folder") from error
        _clear(ours)
        yield
        shutil.rmtree(ours, ignore_errors=True)
    finally:
        os.close(handle)


def _clear(ours: str) -> None:
    for entry in os.scandir(ours):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        elif entry.name != "lock":
            os.unlink(entry.path)


def _lock(handle: int) -> None:
    """Locks an open file, or raises OSError at once."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
