"""`mk.open_studio(figure)`: the page of the studio in a notebook or in a window, and the pose that was made on it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from manikin.arrays import Vector
from manikin.base.names import html
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.human.human import human
from manikin.studio.figures import FigureSource
from manikin.studio.opening import Opening
from manikin.studio.scene import StudioScene
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs

if TYPE_CHECKING:
    import uvicorn

ELSEWHERE = ("JUPYTERHUB_USER", "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE", "SSH_CONNECTION", "CODESPACES")
"""Environment variables that show that the kernel runs on another machine than the browser."""
LONGEST_START = 10.0
"""Seconds that the server has to start."""


class StudioSession:
    """A running studio. It ends with `close`, or with Python."""

    def __init__(
        self, tabs: Tabs, address: str, server: uvicorn.Server, thread: threading.Thread, first: Vector
    ) -> None:
        self._tabs, self._server, self._thread, self._first = tabs, server, thread, first
        self.address = address
        """The address of the page. Whoever has it can use the studio."""

    @property
    def pose(self) -> Vector:
        """(nq,) the pose on the page that was used last; the first pose if no page was opened yet."""
        session = self._tabs.newest()
        return self._first if session is None else session.scene.pose

    @property
    def scene(self) -> StudioScene | None:
        """The scene of the page that was used last: pose, goals, keys; None if no page was opened yet."""
        session = self._tabs.newest()
        return None if session is None else session.scene

    def close(self) -> None:
        """Ends the studio. Scenes stay in the state folder."""
        self._server.should_exit = True
        self._thread.join(LONGEST_START)

    def __repr__(self) -> str:
        return f"<Studio at {self.address.partition('#')[0]}{'' if self._thread.is_alive() else ', closed'}>"

    def _repr_html_(self) -> str:
        if not self._thread.is_alive():
            return "<p>This studio is closed.</p>"
        frame = (
            f'<iframe src="{html(self.address)}" title="manikin studio" width="100%" height="720" '
            'style="border: 1px solid #e4dccd; border-radius: 12px" allow="clipboard-write"></iframe>'
        )
        return frame + (f"<p>{html(remote_words(self.address))}</p>" if is_remote() else "")


def is_remote() -> bool:
    """Whether the kernel probably runs on another machine than the browser."""
    return any(os.environ.get(name) for name in ELSEWHERE)


def remote_words(address: str) -> str:
    """What to do if the kernel runs on another machine."""
    port = address.split(":")[2].split("/")[0]
    return (
        f"This kernel runs on another machine: forward its port with `ssh -L {port}:127.0.0.1:{port} that-machine`, "
        f"then open {address}"
    )


def open_studio(figure: Figure | None = None, pose: ArrayLike | None = None) -> StudioSession:
    """Opens the studio: in a notebook as the result of a cell, elsewhere at the address it prints.

    Args:
        figure: the figure to pose; None takes the built-in person.
        pose: (nq,) the first pose; None takes the rest pose.

    Returns:
        the session. Its `pose` is the pose on the page at any time.

    Raises:
        Unsupported: the extra `studio` is not installed.

    Example:
        >>> session = mk.open_studio(mk.human())  # doctest: +SKIP
        >>> session.pose  # doctest: +SKIP
        >>> session.close()  # doctest: +SKIP
    """
    try:
        from manikin.studio.app import Address, make_app
        from manikin.studio.serve import bound, server_of
    except ImportError as error:
        raise Unsupported(
            f'the studio needs {error.name}, which is not installed; pip install "manikin[studio]"'
        ) from error
    made = human() if figure is None else figure
    if not isinstance(made, Figure):
        raise BadValue(f"figure is {made!r}; it needs a Figure, such as manikin.human()")
    opened = _opening(made, pose)
    state = StateFolder()
    listener = bound("127.0.0.1", 0)
    listener.listen()
    address = Address("127.0.0.1", listener.getsockname()[1])
    token = state.token(address.port)
    tabs = Tabs(state, opened.first)
    server = server_of(make_app(tabs, address, token, framed=True))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True, name="manikin studio")
    thread.start()
    end = time.monotonic() + LONGEST_START
    while not server.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    where = f"http://127.0.0.1:{address.port}/#{token}"
    return StudioSession(tabs, where, server, thread, opened.first()[0].pose)


def _opening(figure: Figure, pose: ArrayLike | None) -> Opening:
    source = FigureSource.of_figure(figure)
    scene = StudioScene.begin(source, figure)
    if pose is not None:
        from manikin.studio.commands import apply, pose_text
        from manikin.studio.roles import Roles

        first = figure.check(pose, "pose")
        scene = apply(scene, figure, Roles.of(figure), "paste", {"copied": pose_text(first)})
    return Opening(lambda: (scene, figure), None, Path())
