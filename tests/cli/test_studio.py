"""`manikin studio`: what it opens, where it listens, and what it prints."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import manikin as mk
from manikin.errors import BadFile, BadValue
from manikin.studio.opening import opening
from manikin.studio.scene import StudioScene

pytest.importorskip("uvicorn")

from manikin.studio.serve import FIRST_PORT, bound, is_loopback

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.033
0 0 0 0 0 0 0 0 0
"""


def test_without_a_file_the_person_is_on_the_stage_and_nothing_is_written() -> None:
    opened = opening(None)
    scene, figure = opened.first()
    assert figure == mk.human()
    assert scene.name == "human"
    assert opened.saves is None


def test_a_figure_file_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "chest.bvh"
    path.write_text(BVH)
    opened = opening(str(path))
    assert opened.saves is None
    assert opened.folder == tmp_path
    scene, figure = opened.first()
    assert figure.segment_names[:2] == ("Hips", "Chest")
    assert scene.source.name == "chest.bvh"


def test_a_scene_file_may_be_new_and_is_read_again_for_each_tab(tmp_path: Path) -> None:
    path = tmp_path / "dance.manikin.json"
    opened = opening(str(path))
    assert opened.saves == path
    assert not path.exists()
    scene, figure = opened.first()
    scene.with_pose(figure.rest).save(path)
    again = opening(str(path))
    assert again.saves == path
    assert again.first()[0].name == "human"
    StudioScene.from_dict({**scene.to_dict(), "name": "Dance"}).save(path)
    assert again.first()[0].name == "Dance"


def test_what_cannot_be_opened_is_an_error_at_once(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT")
    with pytest.raises(BadFile, match=r"broken\.bvh"):
        opening(str(broken))
    with pytest.raises(OSError, match=r"none\.bvh"):
        opening(str(tmp_path / "none.bvh"))
    with pytest.raises(BadFile, match="there is no folder"):
        opening(str(tmp_path / "none" / "a.manikin.json"))


def test_only_one_address_is_listened_on() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("localhost")
    assert not is_loopback("192.168.1.4")
    for host in ("0.0.0.0", "::"):
        with pytest.raises(BadValue, match="the address of one network"):
            is_loopback(host)


def test_a_port_in_use_is_an_error_only_if_it_was_given() -> None:
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"port {port} of 127\.0\.0\.1 cannot be used"):
            bound("127.0.0.1", port)
    with bound("127.0.0.1", None) as first:
        first.listen()
        with bound("127.0.0.1", None) as second:
            ports = [one.getsockname()[1] for one in (first, second)]
            assert FIRST_PORT <= ports[0] < ports[1] < FIRST_PORT + 10


def test_the_command_prints_its_address_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "manikin", "studio", "--port", "0", "--no-browser"]
    environment = {**os.environ, "MANIKIN_STATE": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[\w-]{20,}\n", address)
        with urllib.request.urlopen(address.split("#")[0], timeout=120) as answer:
            assert "default-src 'self'" in answer.headers["content-security-policy"]
            assert b"manikin studio" in answer.read()
        process.send_signal(signal.SIGINT)
        out, wrong = process.communicate(timeout=120)
        assert (process.returncode, out, wrong) == (0, "", "")


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "manikin", "studio", "--port", port, "--no-browser"],
            capture_output=True,
            text=True,
            env={**os.environ, "MANIKIN_STATE": str(tmp_path)},
            check=False,
            timeout=120,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(f"manikin: port {port} of 127.0.0.1 cannot be used")
    assert done.stderr.count("\n") == 1
