"""A file is written whole or not at all, and what a kill leaves behind is tidied."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from manikin.base import writing


def test_text_is_written_as_utf8_and_bytes_as_they_are(tmp_path: Path) -> None:
    writing.write(tmp_path / "a", "Käfer\n")
    assert (tmp_path / "a").read_bytes() == "Käfer\n".encode()
    writing.write(str(tmp_path / "a"), b"\x00\r\n")
    assert (tmp_path / "a").read_bytes() == b"\x00\r\n"


def test_an_error_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with writing.writing(path) as file:
            file.write(b"new")
            file.flush()
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_the_old_file_stands_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with writing.writing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_missing_folder_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        writing.write(tmp_path / "nowhere" / "a", "x")


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_mode_and_link_of_an_existing_file_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    writing.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    writing.write(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_into_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    writing.write(pipe, "through")
    reader.join(timeout=60)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_very_long_name_works(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 250)
    writing.write(path, "x")
    assert path.read_text() == "x"


@pytest.mark.parametrize("name", ["手" * 80 + ".bvh", "手" * 84, "\U0001f9cd" * 63, "ä" * 127])
def test_a_name_is_as_long_as_the_file_system_lets_it_be(name: str, tmp_path: Path) -> None:
    try:
        (tmp_path / name).write_text("old")
    except OSError:
        pytest.skip("the file system has shorter names")
    writing.write(tmp_path / name, "new")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(name, "new")]


def test_a_name_that_is_too_long_is_the_systems_error_with_the_name_that_was_given(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 300)
    with pytest.raises(OSError, match="aaa") as caught:
        writing.write(path, "x")
    assert caught.value.errno == errno.ENAMETOOLONG
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


def test_a_library_that_wants_a_path_gets_one_with_the_same_ending(tmp_path: Path) -> None:
    path = tmp_path / "a.usdc"
    path.write_text("old")
    with writing.writing_path(path) as made:
        assert made.suffix == ".usdc"
        assert made.parent == tmp_path
        made.unlink()  # a library may make the file anew
        made.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.usdc"]


def test_a_failed_library_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_text("old")

    def fail() -> None:
        with writing.writing_path(path) as made:
            made.write_text("half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.mp4"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_library_that_wants_a_path_can_write_to_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gif"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with writing.writing_path(pipe) as made:
        made.write_text("through")
    reader.join(timeout=60)
    assert read == [b"through"]
    assert os.listdir(tmp_path) == ["pipe.gif"]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("old")
    path.chmod(0o600)
    with writing.writing(path) as file:
        (part,) = (p for p in tmp_path.iterdir() if p != path)
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        file.write(b"new")
    writing.write(tmp_path / "new", "x", mode=0o600)
    assert [stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("token", "new")] == [0o600, 0o600]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_file_that_may_only_be_read_keeps_that_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    writing.write(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o444)


KILLED = """
import os, signal, sys
from manikin.base import writing
with writing.writing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    if sys.argv[2] == "wait":
        print("there", flush=True)
        sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by_a_kill(path: Path) -> list[str]:
    """Kills a process while it saves, and returns what it left in the folder."""
    run = subprocess.run([sys.executable, "-c", KILLED, str(path), "now"], check=False)
    assert run.returncode == -signal.SIGKILL
    return [p.name for p in path.parent.iterdir() if p != path]


@pytest.mark.skipif(os.name != "posix", reason="whether a process is gone is known on POSIX")
def test_what_a_kill_leaves_is_tidied_by_the_next_save_to_that_folder(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    for _ in range(2):
        assert len(left_by_a_kill(path)) == 1
        assert path.read_text() == "old"
        writing._looked.clear()  # a folder that was looked through just now is looked through a little later
        writing.write(tmp_path / "b", "x")
        assert sorted(os.listdir(tmp_path)) == ["a", "b"]
        (tmp_path / "b").unlink()


@pytest.mark.skipif(os.name != "posix", reason="whether a process is gone is known on POSIX")
def test_the_file_of_a_process_that_still_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        (part,) = tmp_path.iterdir()
        os.utime(part, (0.0, 0.0))  # however old it is
        with writing.writing(tmp_path / "b") as file:
            file.write(b"x")
            writing._looked.clear()
            writing.write(tmp_path / "c", "x")  # and one of this process
        assert sorted(os.listdir(tmp_path)) == sorted([part.name, "b", "c"])
        process.communicate()
    writing._looked.clear()
    writing.write(tmp_path / "b", "y")
    assert sorted(os.listdir(tmp_path)) == ["b", "c"]


def test_only_files_of_ours_are_tidied(tmp_path: Path) -> None:
    gone = f".manikin-{writing._machine():08x}-{2**31 - 1}-{'0' * 16}.part"
    others = [".a.part", "manikin.part", gone + "x", gone[1:], ".manikin-1-2-3.part", f"{gone}.toolongending"]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / gone).mkdir()
    writing.write(tmp_path / "b", "x")
    assert sorted(os.listdir(tmp_path)) == sorted([*others, gone, "b"])


def test_a_file_of_another_machine_is_tidied_when_it_is_a_day_old(tmp_path: Path) -> None:
    part = tmp_path / f".manikin-{writing._machine() ^ 1:08x}-1-{'0' * 16}.part.usdc"
    part.write_text("half")
    writing.write(tmp_path / "b", "x")
    assert part.exists()
    os.utime(part, (0.0, 0.0))
    writing._looked.clear()
    writing.write(tmp_path / "b", "x")
    assert not part.exists()


PROTECTED = """
import os, sys
from pathlib import Path
from manikin.base import writing
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)  # whoever is root may write every file
for path in map(Path, sys.argv[1:]):
    for write in (writing.writing, writing.writing_path):
        try:
            with write(path) as file:
                Path(file).write_text("new") if write is writing.writing_path else file.write(b"new")
        except PermissionError as error:
            print(error.filename, sorted(os.listdir(path.parent)))
"""


@pytest.mark.skipif(os.name != "posix", reason="modes of files are of POSIX")
def test_a_file_that_may_not_be_written_is_not_replaced() -> None:
    with tempfile.TemporaryDirectory() as folder:
        old, link = Path(folder, "old"), Path(folder, "link")
        old.write_text("old")
        old.chmod(0o444)
        link.symlink_to(old)
        for path in (folder, old) if os.geteuid() == 0 else ():
            os.chown(path, 65534, 65534)
        command = [sys.executable, "-c", PROTECTED, str(old), str(link)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.splitlines() == [f"{path} ['link', 'old']" for path in (old, old, link, link)]
        assert old.read_text() == "old"
