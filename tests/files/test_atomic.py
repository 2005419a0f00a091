"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from manikin.files import atomic


def test_text_is_written_as_utf8_and_bytes_as_they_are(tmp_path: Path) -> None:
    atomic.write(tmp_path / "a", "Käfer\n")
    assert (tmp_path / "a").read_bytes() == "Käfer\n".encode()
    atomic.write(str(tmp_path / "a"), b"\x00\r\n")
    assert (tmp_path / "a").read_bytes() == b"\x00\r\n"


def test_an_error_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with atomic.writing(path) as file:
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
    with atomic.writing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_missing_folder_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic.write(tmp_path / "nowhere" / "a", "x")


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_mode_and_link_of_an_existing_file_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    atomic.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    atomic.write(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_into_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    atomic.write(pipe, "through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_very_long_name_works(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 250)
    atomic.write(path, "x")
    assert path.read_text() == "x"
