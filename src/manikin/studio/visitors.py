"""`Visitors`: the connections to the server, with limits of time and number for those that have not shown the token.

A connection waits for a request, or its request is being answered. Each of these stages has a limit of time. The number
of connections without the token is limited too: the one that has been in its stage for longest makes room for a new
one. So those who send half a request, or nothing, never keep the owner of the token out: a page and a browser go from
stage to stage within milliseconds, and a connection that has shown the token never makes room.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
import socket
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

from manikin.errors import BadValue

AT_ONCE = struct.pack("ii", 1, 0)
"""With this option of a socket (SO_LINGER), its end throws away what the system still holds of its answers."""
Client = tuple[str, int]
"""The address and the port of the other side. No two open connections have the same."""


@dataclass(frozen=True)
class Limits:
    """Limits of the connections of a server."""

    request: float = 10.0
    """Seconds to the end of a request's headers: from the connection, or from the end of the last answer."""
    answer: float = 60.0
    """Seconds in which an answer must be taken, or a socket must show the token, counted from the headers."""
    connections: int = 128
    """Number of connections without the token, in all."""
    of_address: int = 64
    """Number of connections without the token, from one address."""
    queue: int = 64
    """Number of connections that the system lets wait until the server takes them."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise BadValue(f"Limits.{name} is {value!r}; it needs to be above 0")


@dataclass
class Visitor:
    """One connection."""

    transport: asyncio.Transport
    address: str
    turn: int
    """Counts up with every new stage, so the smallest has been in its stage for longest."""
    known: bool = False
    """Whether it has shown the token."""
    silent: bool = True
    """Whether it has sent nothing since its last answer."""
    answered: bool = False
    """Whether it has had an answer."""
    timer: asyncio.TimerHandle | None = None
    left: float = math.inf
    """Bytes of the last answer that the other side had not taken when the limit of time was over."""


class Visitors:
    """The open connections of a server."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = Limits() if limits is None else limits
        self._all: dict[Client, Visitor] = {}
        self._turns = itertools.count()

    def enter(self, client: Client | None, transport: asyncio.Transport) -> None:
        """A connection begins. It waits for a request. If there are too many, another one makes room for it."""
        if client is None:  # it is gone already
            transport.abort()
            return
        self._all[client] = Visitor(transport, client[0], 0)
        self.waits(client)
        self._make_room(client)

    def leave(self, client: Client | None) -> None:
        """A connection has ended."""
        gone = self._all.pop(client, None) if client is not None else None
        if gone is not None and gone.timer is not None:
            gone.timer.cancel()

    def waits(self, client: Client | None) -> None:
        """A connection waits for a request. This has a limit with the token too."""
        self._begin(client, self.limits.request, self._late)

    def asks(self, client: Client | None) -> None:
        """A request has come, and is being answered."""
        if client in self._all:
            self._all[client].answered = True
        self._begin(client, self.limits.answer, self._slow)

    def speaks(self, client: Client | None) -> None:
        """A connection has sent something."""
        if client in self._all:
            self._all[client].silent = False

    def trust(self, client: Any) -> None:
        """A connection has shown the token. Its present answer may take as long as it likes."""
        visitor = self._all.get((client[0], client[1])) if client is not None else None
        if visitor is not None:
            visitor.known = True
            if visitor.timer is not None:
                visitor.timer.cancel()

    def _begin(self, client: Client | None, seconds: float, end: Callable[[Visitor], None]) -> None:
        visitor = self._all.get(client) if client is not None else None
        if visitor is None:
            return
        if visitor.timer is not None:
            visitor.timer.cancel()
        visitor.turn = next(self._turns)
        visitor.silent, visitor.left = end == self._late, math.inf
        if visitor.silent or not visitor.known:
            visitor.timer = asyncio.get_running_loop().call_later(seconds, end, visitor)

    def _late(self, visitor: Visitor) -> None:
        left = visitor.transport.get_write_buffer_size()
        if 0 < left < visitor.left:  # the other side still takes the last answer
            visitor.left = left
            visitor.timer = asyncio.get_running_loop().call_later(self.limits.request, self._late, visitor)
            return
        words = f"the request did not come within {self.limits.request:g} s"
        self._end(visitor, b"" if visitor.silent else refusal("408 Request Timeout", words))

    def _slow(self, visitor: Visitor) -> None:
        self._end(visitor)

    def _make_room(self, client: Client) -> None:
        """Ends the connection that has been in its stage for longest, if there are too many without the token."""
        others = [v for v in self._all.values() if not v.known and v is not self._all[client]]
        counts = Counter(v.address for v in others)
        if counts[client[0]] >= self.limits.of_address:
            others = [v for v in others if v.address == client[0]]
        elif len(others) < self.limits.connections:
            return
        else:  # those from the address with the most connections
            most = max(counts.values())
            others = [v for v in others if counts[v.address] == most]
        self._end(min(others, key=lambda visitor: visitor.turn))

    def _end(self, visitor: Visitor, words: bytes = b"") -> None:
        """Ends a connection at once, even if the other side does not take what was sent to it. The words are for those
        who have had no answer, so that nothing stands before them."""
        self.leave(next(client for client, one in self._all.items() if one is visitor))
        if words and not visitor.answered:
            visitor.transport.write(words)
            visitor.transport.close()
            return
        own = visitor.transport.get_extra_info("socket")
        if own is not None:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        visitor.transport.abort()


def refusal(status: str, words: str) -> bytes:
    """An answer of one sentence, after which the connection ends."""
    body = f"{words}\n"
    head = (
        f"HTTP/1.1 {status}",
        "content-type: text/plain; charset=utf-8",
        f"content-length: {len(body)}",
        "connection: close",
    )
    return ("\r\n".join((*head, "", body))).encode("ascii")


class Requests(H11Protocol):
    """A connection that sends requests."""

    def __init__(self, *arguments: Any, visitors: Visitors, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.visitors = visitors

    def connection_made(self, transport: Any) -> None:
        """Called by the event loop."""
        super().connection_made(transport)
        self.visitors.enter(self.client, transport)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        before = self.cycle
        self.visitors.speaks(self.client)
        super().data_received(data)
        if self.cycle is not before and not self.cycle.response_complete:
            self.visitors.asks(self.client)

    def send_400_response(self, msg: str) -> None:
        """Called for bytes that are not HTTP. If they belong to a request that is being answered, or was, there is no
        place for a second answer, so the connection ends."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if not answering and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
            return
        if answering:
            self.cycle.disconnected = True  # what is still sent of its answer goes nowhere
            self.cycle.message_event.set()
        self.transport.close()

    def on_response_complete(self) -> None:
        """Called after an answer. The next request may have come already."""
        before = self.cycle
        self.visitors.waits(self.client)
        super().on_response_complete()
        if self.cycle is not before:
            self.visitors.asks(self.client)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self.visitors.leave(self.client)
        super().connection_lost(exc)


class Sockets(WebSocketsSansIOProtocol):
    """A connection that became a socket. It counts as a request that is being answered."""

    def __init__(self, *arguments: Any, visitors: Visitors, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.visitors = visitors

    def connection_made(self, transport: Any) -> None:
        """Called by the connection that became a socket."""
        super().connection_made(transport)
        self.visitors.asks(self.client)

    def send_receive_event_to_app(self) -> None:
        """Called with a whole message. Text that is not UTF-8 ends the socket, without a line in the log."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self.visitors.leave(self.client)
        super().connection_lost(exc)


def protocols(visitors: Visitors) -> dict[str, Any]:
    """The settings of uvicorn with which its connections are counted and limited."""
    return {
        "http": functools.partial(Requests, visitors=visitors),
        "ws": functools.partial(Sockets, visitors=visitors),
        "backlog": visitors.limits.queue,
        "proxy_headers": False,  # a header must not change the address of a connection
    }
