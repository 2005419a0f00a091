"""The state folder: tokens, journals and uploaded figures. Only its owner can read it."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

from manikin.errors import BadValue

MOST_JOURNALS = 20
"""Number of journals that are kept. The oldest are deleted first."""
TOKEN_BYTES = 16
"""Length of a token: 128 bits."""


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
        for folder in (self.path, self.journals, self.files):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        """The secret of the server on a port. It stays the same after a restart, so that an open page continues."""
        path = self.path / f"token-{port}"
        try:
            found = path.read_text(encoding="ascii").strip()
            if len(found) >= TOKEN_BYTES:
                os.chmod(path, 0o600)
                return found
        except (FileNotFoundError, UnicodeDecodeError):
            pass
        made = secrets.token_urlsafe(TOKEN_BYTES)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
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
                path.unlink(missing_ok=True)


def checked_tab(tab: object) -> str:
    """The id of a tab, which may be part of a file name.

    Raises:
        BadValue: it is not 8 to 64 letters, digits, "-" or "_".
    """
    if isinstance(tab, str) and 8 <= len(tab) <= 64 and all(c.isascii() and (c.isalnum() or c in "-_") for c in tab):
        return tab
    raise BadValue("the id of the tab needs 8 to 64 letters, digits, '-' or '_'")


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    """The files that still exist, the newest first. Another server may delete some meanwhile."""
    times = {}
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            times[path] = path.stat().st_mtime
    return sorted(times, key=lambda path: times[path], reverse=True)
