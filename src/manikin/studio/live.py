"""`Live`: one socket. The newest drag wins, other messages keep their order, and nothing waits for a slow page."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import anyio.abc
from starlette.websockets import WebSocket, WebSocketDisconnect

from manikin.errors import ManikinError
from manikin.studio.compare import example_scene
from manikin.studio.figures import BUILT_IN, FigureSource
from manikin.studio.protocol import CLIP, VERSION, error_message, kind_of, parsed
from manikin.studio.session import Session
from manikin.studio.state import checked_tab
from manikin.studio.tabs import Tabs

FRAME = 0.016
"""Seconds between two frames at rest."""
GREETING = 10.0
"""Seconds that a page has for its first message."""
MOST_WAITING = 256
"""Largest number of messages that wait for the solver, or for the page. A page beyond that is disconnected."""
NO_TOKEN, TOO_MUCH, REPLACED = 4401, 4413, 4409
"""Codes with which a socket is closed."""
CLOSED = (1000, 1001)
"""Codes of a socket whose page was closed. Other codes mean that the connection was lost."""


class Inbox:
    """Messages to the session, in order. A drag replaces the drag before it, unless a message came in between."""

    def __init__(self) -> None:
        self._waiting: deque[dict[str, Any]] = deque()
        self.came = asyncio.Event()

    def put(self, message: dict[str, Any]) -> bool:
        """Adds a message. Returns False if too many wait."""
        if message["type"] == "drag" and self._waiting and self._waiting[-1]["type"] == "drag":
            self._waiting[-1] = message
        else:
            self._waiting.append(message)
        self.came.set()
        return len(self._waiting) <= MOST_WAITING

    def take(self) -> dict[str, Any] | None:
        """The next message; None if there is none."""
        if self._waiting:
            return self._waiting.popleft()
        self.came.clear()
        return None


class Outbox:
    """Messages to the page: texts and frames of clips in order, and the newest pose."""

    def __init__(self) -> None:
        self._texts: deque[str | bytes] = deque()
        self._pose: bytes | None = None
        self._came = asyncio.Event()

    def put(self, messages: list[str | bytes]) -> None:
        """Adds messages."""
        for message in messages:
            if isinstance(message, bytes) and kind_of(message) != CLIP:
                self._pose = message
            else:
                self._texts.append(message)
        self._came.set()

    @property
    def full(self) -> bool:
        """Whether too many messages wait, because the page does not read them."""
        return len(self._texts) > MOST_WAITING

    async def next(self) -> str | bytes:
        """The next message: texts first."""
        while not self._texts and self._pose is None:
            self._came.clear()
            await self._came.wait()
        if self._texts:
            return self._texts.popleft()
        pose, self._pose = self._pose, None
        assert pose is not None
        return pose


class Live:
    """One socket of one tab."""

    def __init__(self, tabs: Tabs, knows: Callable[[str], bool]) -> None:
        """
        Args:
            tabs: the sessions.
            knows: whether a token is right.
        """
        self.tabs, self.knows = tabs, knows
        self.inbox, self.outbox = Inbox(), Outbox()
        self.tab = ""
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def show(self, session: Session) -> None:
        """Sends a session that is new in this tab."""
        self.outbox.put(session.greeting())
        self.inbox.came.set()

    def tell(self, messages: Sequence[str | bytes]) -> None:
        """Sends messages."""
        self.outbox.put(list(messages))
        self.inbox.came.set()

    def end(self) -> None:
        """Ends the connection, because the tab has another one, or its place was needed. Any thread may call it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended.set)

    async def serve(self, socket: WebSocket) -> None:
        """Serves a socket until it ends."""
        await socket.accept()
        self._loop = asyncio.get_running_loop()
        try:
            hello = parsed(await asyncio.wait_for(socket.receive_text(), GREETING))
            token = hello.get("token")
            if hello["type"] != "hello" or not isinstance(token, str) or not self.knows(token):
                await socket.close(NO_TOKEN, "the token is missing or wrong")
                return
            if hello.get("v") != VERSION:
                await self._refuse(socket, f"the page speaks version {hello.get('v')!r}; load it again")
                return
            self.tab = checked_tab(hello.get("tab"))
            session, note = await asyncio.to_thread(self.tabs.open, self.tab)
        except (ManikinError, OSError) as error:
            await self._refuse(socket, str(error))
            return
        except (WebSocketDisconnect, KeyError, asyncio.TimeoutError):
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(NO_TOKEN)
            return
        self.outbox.put([*([error_message(note)] if note else []), *session.greeting()])
        self.tabs.connect(self.tab, self)
        closed = False
        try:
            async with anyio.create_task_group() as group:

                async def first_to_end(work: Awaitable[None]) -> None:
                    nonlocal closed
                    try:
                        await work
                    except WebSocketDisconnect as end:
                        closed = closed or end.code in CLOSED
                    group.cancel_scope.cancel()

                for work in (self._read(socket), self._send(socket), self._until_replaced(socket)):
                    group.start_soon(first_to_end, work)
                group.start_soon(first_to_end, self._work(session, group))
        finally:
            self.tabs.disconnect(self.tab, self, closed)

    async def _until_replaced(self, socket: WebSocket) -> None:
        await self._ended.wait()
        await socket.close(REPLACED, "this tab is open elsewhere")

    async def _refuse(self, socket: WebSocket, text: str) -> None:
        await socket.send_text(error_message(text))
        await socket.close(TOO_MUCH, "refused")

    async def _read(self, socket: WebSocket) -> None:
        while True:
            try:
                message = parsed(await socket.receive_text())
            except ManikinError as error:
                self.outbox.put([error_message(str(error))])
                continue
            except KeyError:
                self.outbox.put([error_message("messages to the server are text")])
                continue
            self.tabs.touch(self.tab)
            if not self.inbox.put(message):
                await socket.close(TOO_MUCH, "too many messages wait")
                return

    async def _send(self, socket: WebSocket) -> None:
        while True:
            message = await self.outbox.next()
            if isinstance(message, str):
                await socket.send_text(message)
            else:
                await socket.send_bytes(message)

    async def _work(self, session: Session, group: anyio.abc.TaskGroup) -> None:
        """Handles messages. Between them the figure comes to rest, and a drag that misses its target is explained."""
        asked = -1
        while not self.outbox.full:
            session = self.tabs.session(self.tab) or session
            message = self.inbox.take()
            if message is not None and message["type"] == "open":
                self.outbox.put(await self._safely(self._open, message))
            elif message is not None:
                self.outbox.put(await self._safely(session.receive, message))
            elif session.resting:
                begun = asyncio.get_running_loop().time()
                self.outbox.put(await self._safely(session.rest))
                left = FRAME - (asyncio.get_running_loop().time() - begun)
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.inbox.came.wait(), max(0.0, left))
            else:
                if session.missed and session.drag is not None and asked != session.stamp:
                    asked = session.stamp
                    group.start_soon(self._explain, session, asked)
                await self.inbox.came.wait()

    async def _safely(self, work: Callable[..., list[str | bytes]], *arguments: Any) -> list[str | bytes]:
        """Does work in another thread, and returns its messages. If it raises, the page gets an error message."""
        try:
            return await asyncio.to_thread(work, *arguments)
        except Exception as fault:  # a bug: the page would connect again and meet it again
            traceback.print_exception(fault)
            return [error_message(f"the studio failed to do this: {type(fault).__name__}; nothing is lost")]

    def _open(self, message: dict[str, Any]) -> list[str | bytes]:
        """Opens a figure that needs no file."""
        name = message.get("figure")
        try:
            if name in BUILT_IN:
                source = FigureSource("builtin", str(name))
                return self.tabs.show(self.tab, source, source.figure()).greeting()
            return self.tabs.begin(self.tab, *example_scene(str(name))).greeting()
        except (ManikinError, OSError) as error:
            return [error_message(str(error))]

    async def _explain(self, session: Session, stamp: int) -> None:
        text = await asyncio.to_thread(session.why, stamp)
        if text is not None:
            self.outbox.put([text])
