"""The folder that contains all files to which a file may refer.

A file may refer to others: MJCF includes, USD layers, glTF buffers. By default only files in the folder of the file or
below are opened, so that a file from a stranger cannot read the rest of the disk. `within=FOLDER` selects another
folder. Symbolic links are resolved before the check, so neither they nor `..` lead out of the folder.
"""

from __future__ import annotations

import os

from manikin.errors import BadValue


class Within:
    """A folder, and the test whether a file is in it."""

    def __init__(self, path: str, folder: str | os.PathLike[str] | None = None) -> None:
        """Uses the folder of the file at `path`, or `folder`, which must contain that file.

        Raises:
            BadValue: `folder` is not a folder, or the file is not in it.
        """
        self._own = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        self._given = None if folder is None else os.fspath(folder)
        self._folder = self._own if self._given is None else os.path.realpath(self._given)
        if self._given is not None:
            if not os.path.isdir(self._folder):
                raise BadValue(f"within is {self._given!r}, which is not a folder")
            if not self.holds(path):
                raise BadValue(f"within is {self._given!r}, but {path} is not in that folder")

    def holds(self, path: str) -> bool:
        """Whether a file is in the folder or below, with links resolved. The file need not exist."""
        real = os.path.realpath(path)
        try:
            return real != self._folder and os.path.commonpath([self._folder, real]) == self._folder
        except ValueError:  # another drive
            return False

    @property
    def hint(self) -> str:
        """The end of a message: how to allow a file that is not in the folder."""
        if self._given is None:
            return "within=FOLDER allows the files in another folder"
        return f"within={self._given!r} does not contain it"
