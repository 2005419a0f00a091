"""Runs the server of the studio until it is stopped."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from manikin.errors import BadValue
from manikin.studio.app import Address, make_app
from manikin.studio.opening import Opening
from manikin.studio.protocol import MOST_TEXT
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs
from manikin.studio.visitors import protocols

FIRST_PORT, PORTS = 8770, 10
"""The default port, and the number of ports that are tried if none is given."""
LONGEST_GOODBYE = 2
"""Seconds that open connections have to end."""


def serve(
    opened: Opening, state: StateFolder, host: str, port: int | None, listening: Callable[[str, bool], object]
) -> None:
    """Serves the page.

    Args:
        opened: the first scene.
        state: the folder of tokens and journals.
        host: the address to listen on.
        port: the port; None takes the first free one from `FIRST_PORT` on, 0 any.
        listening: is called with the address of the page, and whether other machines can reach it.

    Raises:
        BadValue: the host is a wildcard.
        OSError: the port is in use, or the host is not of this machine.
    """
    with bound(host, port) as listener:
        listener.listen()
        address = Address(host, listener.getsockname()[1])
        token = state.token(address.port)
        app = make_app(Tabs(state, opened.first, opened.saves, opened.folder), address, token)
        shown = f"[{host}]" if ":" in host else host
        listening(f"http://{shown}:{address.port}/#{token}", not is_loopback(host))
        with contextlib.suppress(KeyboardInterrupt):
            server_of(app).run([listener])


def server_of(app: Starlette) -> uvicorn.Server:
    """The server of an application. It is not running yet."""
    config = uvicorn.Config(
        app,
        log_level="error",
        **protocols(app.state.visitors),
        ws_max_size=16 * MOST_TEXT,  # longer messages end the socket; those above MOST_TEXT are answered by an error
        ws_per_message_deflate=False,  # compressing a pose of 2 kB takes longer than sending it
        timeout_graceful_shutdown=LONGEST_GOODBYE,
    )
    return uvicorn.Server(config)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    Raises:
        BadValue: the host is a wildcard. The server compares the header `Host` with its address, so it needs one.
    """
    if host == "localhost":
        return True
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return False
    if number.is_unspecified:
        raise BadValue(f"--host is {host!r}, which is every address; give the address of one network of this machine")
    return number.is_loopback


def bound(host: str, port: int | None) -> socket.socket:
    """A socket on a free port."""
    is_loopback(host)
    ports = range(FIRST_PORT, FIRST_PORT + PORTS) if port is None else [port]
    problem: OSError | None = None
    for number in ports:
        try:
            family, kind, _, _, at = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
            made = socket.socket(family, kind)
            try:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                made.bind(at)
            except OSError:
                made.close()
                raise
            return made
        except OSError as error:
            problem = error
    assert problem is not None
    named = ports[0] if len(ports) == 1 else f"{ports[0]} to {ports[-1]}"
    raise OSError(f"port {named} of {host} cannot be used: {problem.strerror or problem}") from problem
