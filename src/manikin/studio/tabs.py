"""`Tabs`: the sessions of a server, one for each tab. A tab that comes back finds its session again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from manikin.errors import BadValue, ManikinError
from manikin.figure.figure import Figure
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session
from manikin.studio.state import StateFolder

MOST_TABS = 8
"""Largest number of sessions at a time."""
MOST_READING = 2
"""Largest number of uploads that are read at the same time."""
IDLE = 1800.0
"""A session without a message for this many seconds is closed when another tab needs its place. Its journal stays."""
LEFT = 10.0
"""A session that lost its connection this many seconds ago is closed too when another tab needs its place. A session
whose page was closed does not wait. The journal stays, so nothing is lost if the tab comes back."""


class PageLink(Protocol):
    """The connection to a page."""

    def show(self, session: Session) -> None:
        """Sends a session that is new in this tab."""

    def tell(self, messages: Sequence[str | bytes]) -> None:
        """Sends messages."""

    def end(self) -> None:
        """Ends the connection, because the tab has another one."""


class Tabs:
    """The sessions by the id of their tab."""

    def __init__(
        self,
        state: StateFolder,
        first: Callable[[], tuple[StudioScene, Figure]],
        file: Path | None = None,
        folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            state: the folder of journals and uploaded files.
            first: makes the scene of a new tab, and its figure.
            file: the scene file that "save" writes.
            folder: where the file of the first figure lies.
            clock: seconds.
        """
        self.state, self.file = state, file
        self.folders = (state.files, *((folder,) if folder is not None else ()))
        """Where the files of figures and clips lie."""
        self.library = PoseLibrary(state.path / "poses")
        self._first, self._clock = first, clock
        self.reading = asyncio.Semaphore(MOST_READING)
        """Limits the number of uploads that are read at the same time."""
        self._lines: dict[str, PageLink] = {}
        self._opening = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._seen: dict[str, float] = {}
        self._gives_way: dict[str, float] = {}  # the time from which another tab may take the place

    def open(self, tab: str) -> tuple[Session, str]:
        """The session of a tab, and a sentence for its user if its journal could not be read.

        Raises:
            BadValue: the id is not valid, or too many tabs are open.
        """
        with self._opening:
            return self._open(tab)

    def _open(self, tab: str) -> tuple[Session, str]:
        path = self.state.journal(tab)
        if tab in self._sessions:
            self._seen[tab] = self._clock()
            return self._sessions[tab], ""
        self._make_room()
        note = ""
        journal: Journal | None = None
        if path.exists():
            try:
                journal = Journal.resume(path, self.folders, safe=True)
                note = journal.note
            except (ManikinError, OSError) as error:
                os.replace(path, path.with_suffix(".damaged"))
                note = f"the last session could not be brought back: {error}"
        if journal is None:
            scene, figure = self._first()
            journal = Journal.begin(path, scene, figure)
        self._sessions[tab] = Session(journal, self.file, self.folders, self.library)
        self._seen[tab] = self._clock()
        self.state.tidy(frozenset(self.state.journal(name) for name in self._sessions))
        return self._sessions[tab], note

    def connect(self, tab: str, line: PageLink) -> None:
        """Connects a page to a tab. An earlier connection of this tab ends."""
        before = self._lines.get(tab)
        self._lines[tab] = line
        self._gives_way.pop(tab, None)
        if before is not None:
            before.end()

    def disconnect(self, tab: str, line: PageLink, closed: bool = False) -> None:
        """Forgets a connection.

        Args:
            tab: id of the tab.
            line: its connection.
            closed: whether the page was closed. Otherwise the connection was lost, and the page may connect again.
        """
        if self._lines.get(tab) is line:
            del self._lines[tab]
            self._gives_way[tab] = self._clock() + (0.0 if closed else LEFT)

    def shown(self, tab: str) -> None:
        """Tells the page of a tab that it has a new session."""
        if tab in self._lines:
            self._lines[tab].show(self._sessions[tab])

    def tell(self, tab: str, messages: Sequence[str | bytes]) -> None:
        """Sends messages to the page of a tab, if it is connected."""
        if tab in self._lines:
            self._lines[tab].tell(messages)

    def touch(self, tab: str) -> None:
        """Notes that a tab is in use."""
        self._seen[tab] = self._clock()

    def show(self, tab: str, source: FigureSource, figure: Figure, name: str = "") -> Session:
        """Opens another figure in a tab. The journal starts again with it.

        Args:
            tab: id of the tab.
            source: where the figure comes from.
            figure: the figure.
            name: name of the scene; by default that of the figure.

        Raises:
            BadValue: the tab has no session.
        """
        scene = StudioScene.begin(source, figure)
        return self.begin(tab, replace(scene, name=name) if name else scene, figure)

    def begin(self, tab: str, scene: StudioScene, figure: Figure) -> Session:
        """Opens another scene in a tab. The journal starts again with it.

        Raises:
            BadValue: the tab has no session.
        """
        if tab not in self._sessions:
            raise BadValue("this tab has no session; connect first")
        path = self.state.journal(tab)
        self._sessions[tab].journal.forget()
        with contextlib.suppress(FileNotFoundError):
            os.replace(path, path.with_suffix(".before"))
        self._sessions[tab] = Session(Journal.begin(path, scene, figure), self.file, self.folders, self.library)
        return self._sessions[tab]

    def session(self, tab: str) -> Session | None:
        """The session of a tab, if it is open."""
        return self._sessions.get(tab)

    def newest(self) -> Session | None:
        """The session that was used last."""
        tabs = [tab for tab in self._seen if tab in self._sessions]
        return self._sessions[max(tabs, key=lambda tab: self._seen[tab])] if tabs else None

    def make_room(self, new: Path) -> None:
        """Deletes the oldest uploaded files, if there are too many with a new one. Those that open tabs need stay.

        Raises:
            BadValue: those of the open tabs leave no room for the new one.
        """
        in_use = {name for session in list(self._sessions.values()) for name in session.journal.history.files}
        self.state.make_room(frozenset(in_use), new)

    def close(self) -> None:
        """Closes all journals."""
        for tab in list(self._sessions):
            self._close(tab)

    def _make_room(self) -> None:
        now = self._clock()
        gone = sorted((then, tab) for tab, then in self._gives_way.items() if then <= now)
        idle = sorted((seen, tab) for tab, seen in self._seen.items() if now - seen > IDLE)
        for _, tab in (*gone, *idle):
            if len(self._sessions) >= MOST_TABS and tab in self._sessions:
                self._close(tab)
        if len(self._sessions) >= MOST_TABS:
            raise BadValue(f"{MOST_TABS} tabs are open, which is the most; close one of them")

    def _close(self, tab: str) -> None:
        line = self._lines.pop(tab, None)
        if line is not None:  # an idle page; it can take its tab back
            line.end()
        self._seen.pop(tab, None)
        self._gives_way.pop(tab, None)
        with contextlib.suppress(OSError):
            self._sessions.pop(tab).journal.close()
