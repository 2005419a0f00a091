"""Tabs of the studio and the folder of their state, without a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from studio_sessions import HUMAN

import manikin as mk
from manikin.errors import BadFile, BadValue
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session
from manikin.studio.state import StateFolder, checked_tab
from manikin.studio.tabs import IDLE, MOST_TABS, Tabs


def first() -> tuple[StudioScene, mk.Figure]:
    return StudioScene.begin(FigureSource("builtin", "human"), HUMAN), HUMAN


def test_a_tab_finds_its_session_again_in_another_process(tmp_path: Path) -> None:
    tabs = Tabs(StateFolder(tmp_path), first)
    session, _ = tabs.open("tab-one-1")
    assert tabs.open("tab-one-1")[0] is session
    session.receive({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}})
    other, note = Tabs(StateFolder(tmp_path), first).open("tab-one-1")
    assert not note
    assert other.scene.to_json() == session.scene.to_json()
    assert tabs.open("tab-two-2")[0].scene.goal("pin LeftHand") is None


def test_a_damaged_journal_does_not_stop_the_studio(tmp_path: Path) -> None:
    state_folder = StateFolder(tmp_path)
    state_folder.journal("tab-one-1").write_text("nonsense\n")
    session, note = Tabs(state_folder, first).open("tab-one-1")
    assert "could not be brought back" in note
    assert session.scene.to_json() == first()[0].to_json()


def test_a_deep_line_of_a_journal_does_not_lock_its_tab(tmp_path: Path) -> None:
    tabs = Tabs(StateFolder(tmp_path), first)
    session, _ = tabs.open("tab-one-1")
    session.receive({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}})
    with open(tabs.state.journal("tab-one-1"), "ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    again, note = Tabs(StateFolder(tmp_path), first).open("tab-one-1")
    assert "line 3" in note
    assert again.scene.to_json() == session.scene.to_json()


def test_tabs_are_bounded_and_idle_ones_give_way(tmp_path: Path) -> None:
    now = [0.0]
    tabs = Tabs(StateFolder(tmp_path), first, clock=lambda: now[0])
    for k in range(MOST_TABS):
        tabs.open(f"tab-number-{k}")
    with pytest.raises(BadValue, match="tabs are open"):
        tabs.open("one-too-many")
    now[0] = IDLE + 1.0
    for k in range(1, MOST_TABS):
        tabs.touch(f"tab-number-{k}")
    tabs.open("one-too-many")
    assert tabs.session("tab-number-0") is None
    assert tabs.state.journal("tab-number-0").exists()


def test_the_state_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path / "state"))
    folder = StateFolder()
    token = folder.token(8770)
    assert len(token) >= 22
    assert folder.token(8770) == token
    assert folder.token(8771) != token
    assert folder.path == tmp_path / "state"
    assert [path.stat().st_mode & 0o777 for path in (folder.path, folder.journals, folder.files)] == [0o700] * 3
    assert (folder.path / "token-8770").stat().st_mode & 0o777 == 0o600


def test_a_token_through_a_link_is_refused(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path / "state")
    other = tmp_path / "known"
    other.write_text("known-to-someone-else-1234")
    for target in (other, tmp_path / "nothing"):
        link = folder.path / "token-8770"
        link.symlink_to(target)
        with pytest.raises(BadFile, match="is a link"):
            folder.token(8770)
        assert link.is_symlink()
        link.unlink()
    assert other.read_text() == "known-to-someone-else-1234"
    assert not (tmp_path / "nothing").exists()


def test_a_token_that_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    os.mkfifo(folder.path / "token-8770")
    (folder.path / "token-8771").mkdir()
    for port in (8770, 8771):
        with pytest.raises(BadFile, match="not a plain file"):
            folder.token(port)


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    token = folder.token(8770)
    (folder.path / "token-8770").chmod(0o640)
    new = folder.token(8770)
    assert new != token
    assert folder.token(8770) == new
    assert (folder.path / "token-8770").stat().st_mode & 0o777 == 0o600


def test_a_token_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = StateFolder(tmp_path)
    folder.token(8770)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(BadFile, match="belongs to user"):
        folder.token(8770)
    with pytest.raises(BadFile, match="another user"):
        StateFolder(tmp_path)


@pytest.mark.parametrize("name", ["journals", "files"])
def test_a_linked_folder_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "state" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFile, match="is a link"):
        StateFolder(tmp_path / "state")
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o755


def test_old_journals_are_deleted(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    for k in range(30):
        folder.journal(f"tab-number-{k:02}").write_text("x")
    keep = folder.journal("tab-number-00")
    folder.tidy(frozenset({keep}))
    left = list(folder.journals.glob("*.journal"))
    assert len(left) == 20
    assert keep in left


@pytest.mark.parametrize("ending", [".before", ".damaged"])
def test_what_old_journals_left_behind_is_deleted_too(ending: str, tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    for k in range(30):
        folder.journal(f"tab-number-{k:02}").with_suffix(ending).write_text("x")
    folder.tidy()
    assert len(list(folder.journals.iterdir())) == 20


@pytest.mark.parametrize("tab", ["", "short", "../../etc/passwd", "a" * 65, "with space", "ünicode-tab", None, 3])
def test_a_tab_id_is_no_path(tab: Any) -> None:
    with pytest.raises(BadValue):
        checked_tab(tab)


def test_a_session_needs_no_web() -> None:
    web = ("starlette", "uvicorn", "anyio", "websockets")
    code = f"import sys, manikin.studio.tabs; print([name for name in {web} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_idle_page_that_gives_way_is_told(tmp_path: Path) -> None:
    now = [0.0]

    class Line:
        ended = False

        def show(self, session: Session) -> None: ...

        def tell(self, messages: Any) -> None: ...

        def end(self) -> None:
            self.ended = True

    tabs = Tabs(StateFolder(tmp_path), first, clock=lambda: now[0])
    lines = [Line() for _ in range(MOST_TABS)]
    for k, line in enumerate(lines):
        tabs.open(f"tab-number-{k}")
        tabs.connect(f"tab-number-{k}", line)
    now[0] = IDLE + 1.0
    for k in range(1, MOST_TABS):
        tabs.touch(f"tab-number-{k}")
    tabs.open("one-too-many")
    assert [line.ended for line in lines] == [True] + [False] * (MOST_TABS - 1)
    tabs.close()


def test_pages_that_are_opened_and_closed_quickly_are_never_refused(tmp_path: Path) -> None:
    """A journal brings a tab back, so a page that was closed must not keep its place."""

    class Line:
        def show(self, session: Session) -> None: ...

        def tell(self, messages: Any) -> None: ...

        def end(self) -> None: ...

    tabs = Tabs(StateFolder(tmp_path), first, clock=lambda: 0.0)
    stays = Line()
    tabs.open("tab-that-stays")
    tabs.connect("tab-that-stays", stays)
    for k in range(3 * MOST_TABS):
        line = Line()
        session, note = tabs.open(f"tab-number-{k}")
        assert note == ""
        session.receive({"type": "cmd", "name": "rename", "args": {"name": f"scene {k}"}})
        tabs.connect(f"tab-number-{k}", line)
        tabs.disconnect(f"tab-number-{k}", line, closed=True)
    assert tabs.session("tab-that-stays") is not None
    assert tabs.session("tab-number-0") is None
    back, note = tabs.open(f"tab-number-{3 * MOST_TABS - MOST_TABS}")
    assert (back.scene.name, note) == (f"scene {2 * MOST_TABS}", "")
    tabs.close()
