"""The server of the studio: routes, checks and headers. It is the only part that needs the extra `studio`.

Checks of every request:
- `Host` must name the address that the server listens on, so that another site cannot point its name at it.
- `Origin` of a socket and of a POST must be this host.
- The token is in the first message of a socket, and in the header `Authorization: Bearer …` of a POST. It is never in
  an address that is sent or logged: the page reads it from the fragment. There is no cookie.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from manikin.studio.downloads import send_export, send_skin
from manikin.studio.live import Live
from manikin.studio.tabs import Tabs
from manikin.studio.uploads import receive_upload
from manikin.studio.visitors import Limits, Visitors

STATIC = Path(__file__).parent / "static"
"""The page that vite builds."""
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob:; worker-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'"
)
FRAMES = "http://127.0.0.1:* http://localhost:* http://[::1]:*"
"""The sites that may show the page in a frame, if it is made for a notebook: those of this machine."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Headers of every answer."""
THREADS = 32
"""Number of pieces of work at the same time, such as the frames of a drag, an export or an explanation."""
NO_PAGE = """<!doctype html><html lang="en"><title>manikin studio</title>
<h1>manikin studio</h1>
<p>This build has no page yet. The server runs, and programs can talk to it by its socket.</p></html>
"""


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    host: str
    port: int

    @property
    def allowed(self) -> frozenset[str]:
        """The values of the header `Host` that name this server."""
        names = {self.host}
        if self.host in ("127.0.0.1", "localhost", "::1"):
            names |= {"127.0.0.1", "localhost", "::1"}
        return frozenset(f"[{name}]:{self.port}" if ":" in name else f"{name}:{self.port}" for name in names)


def make_app(tabs: Tabs, address: Address, token: str, framed: bool = False, limits: Limits | None = None) -> Starlette:
    """The application for an ASGI server.

    Args:
        tabs: the sessions.
        address: where the server listens.
        token: the secret.
        framed: whether pages of this machine, such as a notebook, may show the page in a frame.
        limits: the limits of its connections; `state.visitors` of the application keeps them.
    """
    # Whoever has the token is trusted.
    visitors = Visitors(limits)

    def knows(given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="surrogatepass"), token.encode())

    async def socket(websocket: WebSocket) -> None:
        def admits(given: str) -> bool:
            if not knows(given):
                return False
            visitors.trust(websocket.client)
            return True

        await Live(tabs, admits).serve(websocket)

    def with_token(handle: Callable[[Request, Tabs], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            scheme, _, given = request.headers.get("authorization", "").partition(" ")
            if scheme != "Bearer" or not knows(given):
                return JSONResponse({"error": "the token is missing or wrong"}, 401)
            visitors.trust(request.client)
            return await handle(request, tabs)

        return checked

    async def no_page(_: Request) -> Response:
        return HTMLResponse(NO_PAGE)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # By default there are as few threads as cores and four; slow exports would then stop every drag.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "studio"))
        try:
            yield
        finally:
            tabs.close()

    # The page, if it is built, and what it asks for.
    page: Any = Route("/", no_page)
    if (STATIC / "index.html").exists():
        page = Mount("/", StaticFiles(directory=STATIC, html=True))
    routes = [
        WebSocketRoute("/ws", socket),
        Route("/upload", with_token(receive_upload), methods=["POST"]),
        Route("/export", with_token(send_export), methods=["POST"]),
        Route("/skin", with_token(send_skin), methods=["POST"]),
        page,
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.visitors = visitors
    app.add_middleware(Checked, address=address, framed=framed)
    return app


class Checked:
    """Refuses requests from elsewhere, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, address: Address, framed: bool = False) -> None:
        self.app, self.address = app, address
        policy = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {FRAMES}") if framed else POLICY
        self.headers = {**HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": problem})
            return
        if problem:
            await PlainTextResponse(problem + "\n", 403, headers=self.headers)(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.setdefault("headers", [])
                names = {name.lower() for name, _ in given}
                extra = [(k.lower().encode(), v.encode()) for k, v in self.headers.items()]
                message["headers"] = [*given, *((k, v) for k, v in extra if k not in names)]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _problem(self, scope: Scope) -> str:
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or hosts[0].lower() not in self.address.allowed:
            return "this server does not answer to that host"
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            return ""
        origins = [value for name, value in headers if name == "origin"]
        if origins != [f"http://{hosts[0]}"]:
            return "requests from other sites are refused"
        return ""
