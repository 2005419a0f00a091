"""Downloads: an export of the scene of a tab, and the skin of its figure. The server chooses the names of files."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from manikin.errors import ManikinError
from manikin.files.safe import load
from manikin.studio.exports import exported
from manikin.studio.tabs import Tabs


async def send_export(request: Request, tabs: Tabs) -> Response:
    """Handles `POST /export?tab=…&kind=…`. The answer is the file, or {"error": …} in one line."""
    tab, kind = request.query_params.get("tab", ""), request.query_params.get("kind", "")
    session = tabs.session(tab)
    if session is None:
        return JSONResponse({"error": "this tab has no session; connect first"}, 409)
    try:
        name, data = await asyncio.to_thread(
            exported, session.scene, session.figure, session.timeline, kind, tabs.folders
        )
    except (ManikinError, OSError) as error:
        return JSONResponse({"error": " ".join(str(error).split())}, 400)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def send_skin(request: Request, tabs: Tabs) -> Response:
    """Handles `POST /skin?tab=…`. The answer is a GLB with the meshes of the figure, or {"error": …} in one line.

    A separate process writes a new GLB (`files.gltf.display`). The page never gets the uploaded bytes.
    """
    session = tabs.session(request.query_params.get("tab", ""))
    if session is None:
        return JSONResponse({"error": "this tab has no session; connect first"}, 409)
    source = session.scene.source
    found = [folder / source.name for folder in tabs.folders if (folder / source.name).is_file()]
    if not source.skinned or not found:
        return JSONResponse({"error": "this figure has no skin"}, 404)
    try:
        async with tabs.reading:
            data = await asyncio.to_thread(load, "skin", str(found[0]), {})
    except (ManikinError, OSError) as error:
        text = str(error).replace(f"{found[0].parent}/", "")
        return JSONResponse({"error": " ".join(text.split())}, 400)
    return Response(data, media_type="model/gltf-binary", headers={"Cache-Control": "no-store"})
