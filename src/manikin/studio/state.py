"""The state folder: tokens, journals and uploaded figures. Only its owner can read it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from manikin.errors import BadFile, BadValue

MOST_JOURNALS = 20
"""Number of journals that are kept. The oldest are deleted first."""
TOKEN_BYTES = 16
"""Length of a token: 128 bits."""
MOST_UPLOADS, MOST_UPLOADED = 200, 2 * 2**30
"""Number of uploaded files that are kept, and their size in bytes. The oldest are deleted first."""
ABANDONED = 24 * 3600.0
"""An upload that was cut off, by a kill, is deleted after this many seconds."""
MOST_TOKEN = 1000
"""Largest number of bytes of a token that are read."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Files of the state folder are never opened through a link, where the system can tell."""
STORED = re.compile(r"[0-9a-f]{32}\.[a-z]+")
"""The name of an uploaded file. Errors show the name that the user knows instead."""


def default_folder() -> Path:
    """MANIKIN_STATE, or the folder where programs of this system keep their state."""
    named = os.environ.get("MANIKIN_STATE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "manikin"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "manikin"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "manikin"


class StateFolder:
    """A folder of mode 0700 with files of mode 0600."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = default_folder() if path is None else path
        """
        Raises:
            BadFile: a folder in it is a link, or it belongs to another user.
        """
        for folder in (self.path, self.journals, self.files):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if folder != self.path and folder.is_symlink():
                raise BadFile(folder, "this folder of the studio's state is a link, so it is not used; delete it")
            if hasattr(os, "geteuid") and folder.stat().st_uid != os.geteuid():
                raise BadFile(folder, "the folder belongs to another user; set MANIKIN_STATE to a folder of yours")
            os.chmod(folder, 0o700)

    @property
    def journals(self) -> Path:
        """The folder of the journals."""
        return self.path / "journals"

    @property
    def files(self) -> Path:
        """The folder of the uploaded files."""
        return self.path / "files"

    def token(self, port: int) -> str:
        """The secret of the server on a port. It stays the same after a restart, so that an open page continues. A
        token that other users could read or write is replaced by a new one.

        Raises:
            BadFile: the token is a link, no plain file, or the file of another user.
        """
        path = self.path / f"token-{port}"
        found = _own_text(path)
        if len(found) >= TOKEN_BYTES:
            return found
        made = secrets.token_urlsafe(TOKEN_BYTES)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600), "w") as file:
            file.write(made)
        return made

    def journal(self, tab: str) -> Path:
        """The journal of a tab."""
        return self.journals / f"{checked_tab(tab)}.journal"

    def tidy(self, in_use: frozenset[Path] = frozenset()) -> None:
        """Deletes the oldest journals above the number that is kept, and so for the files that they leave behind."""
        for ending, used in ((".journal", in_use), (".before", frozenset()), (".damaged", frozenset())):
            old = [path for path in _newest_first(self.journals.glob(f"*{ending}")) if path not in used]
            for path in old[max(0, MOST_JOURNALS - len(used)) :]:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def make_room(self, in_use: frozenset[str], new: Path) -> None:
        """Deletes the oldest uploaded files above the number and size that are kept, with `new` as the newest.

        Args:
            in_use: names of the files that open tabs need. They stay, and so do those that the journal of a session
                names that was not closed: another server may have it open.
            new: the file that was uploaded now.

        Raises:
            BadValue: there is no room for the new file, because files that are in use take it all.
        """
        for part in self.files.glob(".*.part"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - part.stat().st_mtime > ABANDONED:
                    part.unlink()
        files = _newest_first(path for path in self.files.iterdir() if STORED.fullmatch(path.name) and path != new)
        sizes = {path: _size(path) for path in (new, *files)}
        if self._fits(sizes):
            return
        kept = in_use | frozenset(name for path in self.journals.glob("*.journal") for name in _names_in(path))
        for path in reversed(files):
            if path.name not in kept and not self._fits(sizes):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
                    del sizes[path]
        if not self._fits(sizes):
            raise BadValue(
                f"there is no room for this file: open tabs use {len(sizes) - 1} uploaded files of "
                f"{sum(sizes.values()) - sizes[new]:,} bytes; {MOST_UPLOADS} files and {MOST_UPLOADED:,} bytes are the "
                "most, so close a tab"
            )

    @staticmethod
    def _fits(sizes: Mapping[Path, int]) -> bool:
        return len(sizes) <= MOST_UPLOADS and sum(sizes.values()) <= MOST_UPLOADED


def checked_tab(tab: object) -> str:
    """The id of a tab, which may be part of a file name.

    Raises:
        BadValue: it is not 8 to 64 letters, digits, "-" or "_".
    """
    if isinstance(tab, str) and 8 <= len(tab) <= 64 and all(c.isascii() and (c.isalnum() or c in "-_") for c in tab):
        return tab
    raise BadValue("the id of the tab needs 8 to 64 letters, digits, '-' or '_'")


def _own_text(path: Path) -> str:
    """The text of a private file of this user; empty if it is missing, is not text, or others could read or write it.

    Raises:
        BadFile: it is a link, no plain file, or the file of another user.
    """
    try:
        opened = os.open(path, os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        if path.is_symlink():
            raise BadFile(path, "it is a link, so it is not used; delete it") from None
        return ""
    except OSError as error:
        if path.is_symlink():
            raise BadFile(path, "it is a link, so it is not used; delete it") from error
        raise
    try:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            raise BadFile(path, "it is not a plain file, so it is not used; delete it")
        if hasattr(os, "geteuid"):
            if found.st_uid != os.geteuid():
                raise BadFile(path, f"it belongs to user {found.st_uid}, so it is not used; delete it")
            if found.st_mode & 0o077:
                return ""
        text = os.read(opened, MOST_TOKEN)
    finally:
        os.close(opened)
    return text.decode().strip() if text.isascii() else ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _names_in(journal: Path) -> set[str]:
    """The names of uploaded files in a journal that was not closed."""
    try:
        text = journal.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    last = text.rstrip("\n").rpartition("\n")[2]
    return set() if last.endswith('"name":"close"}') else set(STORED.findall(text))


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    """The files that still exist, the newest first. Another server may delete some meanwhile."""
    times = {}
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            times[path] = path.stat().st_mtime
    return sorted(times, key=lambda path: times[path], reverse=True)
