"""Uploads: a figure file as the raw body of a POST. A separate process reads it, and the page never gets it back."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from manikin.errors import ManikinError
from manikin.figure.figure import Figure
from manikin.files.formats import FORMATS
from manikin.studio.figures import FigureSource
from manikin.studio.tabs import Tabs

MOST_BYTES = 256 * 2**20
"""Largest upload, in bytes."""
TOO_LARGE = f"the file is larger than {MOST_BYTES // 2**20} MB"
READ = (*(ending for ending, known in FORMATS.items() if known.figure is not None), ".xml")
"""Endings of the files that can be uploaded."""


async def receive_upload(request: Request, tabs: Tabs) -> Response:
    """Handles `POST /upload?tab=…&name=…`. The answer is {"name": …}, or {"error": …} in one line."""
    tab, name = request.query_params.get("tab", ""), request.query_params.get("name", "")
    ending = Path(name).suffix.lower()
    if ending not in READ:
        return _refused(f"{ending or 'a file without an ending'} is not read; there are {', '.join(READ)}", 415)
    if tabs.session(tab) is None:
        return _refused("this tab has no session; connect first", 409)
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > MOST_BYTES:
        return _refused(TOO_LARGE, 413)
    digest: str | None = None
    part = tabs.state.files / f".{secrets.token_hex(8)}.part"
    try:
        digest = await _store(request, part)
        if digest is None:
            return _refused(TOO_LARGE, 413)
        path = tabs.state.files / f"{digest[:32]}{ending}"
        os.replace(part, path)
        async with tabs.reading:
            source, figure = await asyncio.to_thread(read_figure, path)
        await asyncio.to_thread(tabs.show, tab, source, figure)
        tabs.shown(tab)
    except ClientDisconnect:
        return _refused("the upload was cut off", 400)
    except (ManikinError, OSError) as error:
        text = str(error).replace(f"{tabs.state.files}{os.sep}", "")
        if digest:
            text = text.replace(f"{digest[:32]}{ending}", Path(name).name)
        return _refused(" ".join(text.split()), 400)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    return JSONResponse({"name": figure.name, "segments": len(figure.segments)})


def read_figure(path: Path) -> tuple[FigureSource, Figure]:
    """Reads a file from a stranger, in a separate process with limits of time and memory."""
    from manikin.files import load_figure

    return FigureSource.of_file(path), load_figure(path, safe=True)


async def _store(request: Request, part: Path) -> str | None:
    """Writes the body to a file. Returns its checksum, or None if it is too large."""
    size, digest = 0, hashlib.sha256()
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        async for block in request.stream():
            size += len(block)
            if size > MOST_BYTES:
                return None
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _refused(text: str, code: int) -> JSONResponse:
    return JSONResponse({"error": text}, code)
