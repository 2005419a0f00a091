"""Uploads: a figure or a clip as the raw body of a POST. A separate process reads it. The page never gets it back."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from manikin.base import writing
from manikin.base.names import line
from manikin.errors import ManikinError
from manikin.figure.figure import Figure
from manikin.files.formats import FORMATS
from manikin.studio.archive import gltf_of
from manikin.studio.figures import FigureSource
from manikin.studio.opening import is_scene
from manikin.studio.scene import StudioScene
from manikin.studio.state import STORED
from manikin.studio.tabs import Tabs

MOST_BYTES = 256 * 2**20
"""Largest upload, in bytes."""
TOO_LARGE = f"the file is larger than {MOST_BYTES // 2**20} MB"
LONGEST_NAME = 80
"""Largest number of characters of a file's name that the scene takes over."""
STALLED = 30.0
"""An upload ends if nothing of it comes for this many seconds."""
READ = (*(ending for ending, known in FORMATS.items() if known.figure is not None), ".xml")
"""Endings of the files that can be uploaded."""
TABLES = tuple(ending for ending, known in FORMATS.items() if known.motion is not None and known.figure is None)
"""Endings of files with a motion of the figure on the stage, but without a figure."""


async def receive_upload(request: Request, tabs: Tabs) -> Response:
    """Handles `POST /upload?tab=…&name=…&as=…`. `as` is "figure", or "clip" for a motion of the figure on the stage.

    The answer is {"name": …}, or {"error": …} in one line.
    """
    tab, name, role = (request.query_params.get(key, "") for key in ("tab", "name", "as"))
    ending = Path(name).suffix.lower()
    read = (*READ, *TABLES) if role == "clip" else READ
    if ending not in (*read, ".zip"):
        return _refused(f"{line(ending) or 'a file without an ending'} is not read; there are {', '.join(read)}", 415)
    if tabs.session(tab) is None:
        return _refused("this tab has no session; connect first", 409)
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > MOST_BYTES:
        return _refused(TOO_LARGE, 413)
    shown = Path(name).name[-LONGEST_NAME:]
    try:
        with writing.temporary(tabs.state.files) as part:
            digest = await _store(request, part)
            if digest is None:
                return _refused(TOO_LARGE, 413)
            path = tabs.state.files / f"{digest[:32]}{ending}"
            known = path.exists()
            await asyncio.to_thread(writing.put, part, path)
        async with tabs.reading:
            with _kept_if_opened(path, known):
                made, messages = await asyncio.to_thread(_open, tabs, tab, path, shown, role)
        if messages is None:
            tabs.shown(tab)
        else:
            tabs.tell(tab, messages)
    except asyncio.TimeoutError:
        return _refused(f"the upload stopped: nothing came for {STALLED:g} s", 408)
    except ClientDisconnect:
        return _refused("the upload was cut off", 400)
    except (ManikinError, OSError) as error:
        text = STORED.sub(lambda _: line(shown), str(error).replace(f"{tabs.state.files}{os.sep}", ""))
        return _refused(" ".join(text.split()), 400)
    return JSONResponse(made)


def _open(
    tabs: Tabs, tab: str, path: Path, name: str, role: str
) -> tuple[dict[str, Any], Sequence[str | bytes] | None]:
    """Opens a stored file in a tab.

    If the file of a figure has a motion of several frames, it is opened as a clip too.

    Returns:
        the answer, and messages to the page. Messages are None if the page must show a new figure.
    """
    if path.suffix == ".zip":
        data = gltf_of(path)
        path.unlink()
        whole = tabs.state.files / f"{hashlib.sha256(data).hexdigest()[:32]}.gltf"
        with _kept_if_opened(whole, whole.exists()):
            return _open(tabs, tab, stored(tabs, data, ".gltf"), name, role)
    tabs.make_room(path)
    session = tabs.session(tab)
    if role == "clip" and session is not None:
        messages = session.open_clip(path, name)
        return {"name": name, "frames": session.scene.last_frame + 1}, messages
    if is_scene(path):
        scene = StudioScene.load(path)
        figure = scene.source.figure(tabs.folders, safe=True)
        tabs.begin(tab, scene.checked(figure), figure)
        return {"name": scene.name, "segments": len(figure.segments)}, None
    source, figure = read_figure(path)
    session = tabs.show(tab, source, figure, Path(name).stem[:LONGEST_NAME])
    known = FORMATS.get(path.suffix)
    if known is not None and known.motion is not None:
        with contextlib.suppress(ManikinError):  # a file without a clip
            session.open_clip(path, name)
    return {"name": session.scene.name, "segments": len(figure.segments)}, None


@contextlib.contextmanager
def _kept_if_opened(path: Path, known: bool) -> Iterator[None]:
    """Deletes a stored file if it cannot be opened, unless it was known before."""
    try:
        yield
    except (ManikinError, OSError):
        if not known:
            path.unlink(missing_ok=True)
        raise


def stored(tabs: Tabs, data: bytes, ending: str) -> Path:
    """A file of the state folder with this content, named by its checksum."""
    path = tabs.state.files / f"{hashlib.sha256(data).hexdigest()[:32]}{ending}"
    writing.write(path, data, mode=0o600)
    return path


def read_figure(path: Path) -> tuple[FigureSource, Figure]:
    """Reads a file from a stranger, in a separate process with limits of time and memory."""
    return FigureSource.read(path, safe=True)


async def _store(request: Request, part: Path) -> str | None:
    """Writes the body to a file. Returns its checksum, or None if it is too large.

    Raises:
        TimeoutError: nothing came for too long.
        ClientDisconnect: the connection ended before the body did.
    """
    size, digest = 0, hashlib.sha256()
    with open(part, "r+b") as file:
        blocks = request.stream()
        while True:
            try:
                block = await asyncio.wait_for(blocks.__anext__(), STALLED)
            except StopAsyncIteration:
                return digest.hexdigest()
            size += len(block)
            if size > MOST_BYTES:
                return None
            digest.update(block)
            file.write(block)


def _refused(text: str, code: int) -> JSONResponse:
    return JSONResponse({"error": text}, code)
