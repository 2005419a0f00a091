"""Downloads: an export of the scene of a tab. The server chooses the name of the file."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from manikin.errors import ManikinError
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
