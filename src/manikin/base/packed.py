"""ZIP archives from strangers: which of them can be unpacked piece by piece."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable

from manikin.errors import BadFile

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods that Python unpacks in pieces of a given size. With bzip2 and LZMA, it unpacks whatever 4 kB of an archive
hold at once, which can be 5 GB."""


def require_bounded(path: str | os.PathLike[str], entries: Iterable[zipfile.ZipInfo]) -> None:
    """Raises BadFile if a file of an archive is not packed with one of `METHODS`."""
    for entry in entries:
        if entry.compress_type not in METHODS:
            raise BadFile(
                path,
                f"the archive is packed with method {entry.compress_type}: {entry.filename[:60]!r}; pack it again "
                "without compression or with the usual one (deflate)",
            )
