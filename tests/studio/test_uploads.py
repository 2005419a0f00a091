"""Uploads to the server of the studio, and exports from it. No browser."""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import data_file
from studio_client import HELLO, ORIGIN, TOKEN, client_of, first, greeting, socket, until

from manikin.errors import BadFile
from manikin.studio import state, uploads
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Spine
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


@pytest.fixture
def client(tmp_path: Path) -> Any:
    with client_of(tmp_path) as made:
        yield made


def post(client: Any, data: bytes, name: str = "a.bvh", tab: str = "tab-one-1", **headers: str) -> Any:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN, **headers}
    return client.post("/upload", params={"tab": tab, "name": name}, content=data, headers=sent)


def test_an_uploaded_figure_is_shown_and_comes_back_after_a_restart(client: Any, tmp_path: Path) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode()).json()["segments"] >= 2
        scene = until(live, "scene")
        assert [s["name"] for s in scene["segments"]][:2] == ["Hips", "Spine"]
        assert not until(live, "state")["keys"]
        live.send_text(json.dumps({"type": "cmd", "name": "key", "args": {"frame": 3}}))
        assert until(live, "state")["keys"]
    again, note = Tabs(StateFolder(tmp_path), first).open("tab-one-1")
    assert not note
    assert again.scene.keys[0].frame == 3
    assert again.figure.segment_names[:2] == ("Hips", "Spine")


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"this is no figure", "a.bvh", 400),
        (b"glTF\x02\x00\x00\x00", "a.glb", 400),
        (b"", "a.bvh", 400),
        (b"", "\x1b[31m\x07\u202ea.bvh", 400),
        (b"MZ", "a.\x1b[31m\u202e", 415),
        (BVH.encode()[:200], "a.bvh", 400),
        (b"MZ", "a.exe", 415),
        (b"x", "../../a", 415),
    ],
)
def test_a_broken_upload_is_one_line_and_changes_nothing(client: Any, data: bytes, name: str, code: int) -> None:
    with socket(client) as live:
        greeting(live)
        answer = post(client, data, name)
        assert answer.status_code == code
        error = answer.json()["error"]
        assert error.isprintable()
        assert str(client.tabs.state.path) not in error
        assert client.tabs.session("tab-one-1").scene.source.name == "human"
        assert not list(client.tabs.state.files.iterdir())  # nothing of it is kept


def test_a_broken_upload_of_a_known_file_does_not_take_it_away(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode()).status_code == 200
        kept = list(client.tabs.state.files.iterdir())

        def fails(path: Path) -> Any:
            raise BadFile(path, "no memory left")

        monkeypatch.setattr(uploads, "read_figure", fails)
        assert post(client, BVH.encode()).json()["error"] == "a.bvh: no memory left"
        assert list(client.tabs.state.files.iterdir()) == kept


def test_who_may_upload(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert post(client, b"x").status_code == 409  # no session
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode(), authorization="Bearer wrong").status_code == 401
        assert post(client, BVH.encode(), authorization="").status_code == 401
        assert post(client, BVH.encode(), origin="http://evil.example").status_code == 403
        assert post(client, BVH.encode(), host="evil.example:8770").status_code == 403
        monkeypatch.setattr(uploads, "MOST_BYTES", 100)
        assert post(client, BVH.encode()).status_code == 413
        assert (
            client.post(
                "/upload",
                params={"tab": "tab-one-1", "name": "a.bvh"},
                content=iter([b"x" * 80, b"y" * 80]),
                headers={"authorization": f"Bearer {TOKEN}", "origin": ORIGIN},
            ).status_code
            == 413
        )
        assert not list(client.tabs.state.files.glob("*.part"))


def moving(frames: int = 3) -> bytes:
    """The BVH file with a clip of some frames."""
    rows = "".join(f"{k} 0 0 0 0 0 0 0 0\n" for k in range(frames))
    return BVH.replace("Frames: 1", f"Frames: {frames}").replace("0 0 0 0 0 0 0 0 0\n", rows).encode()


def test_a_file_with_a_motion_brings_its_clip_along(client: Any) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, moving(), "Jump.bvh").status_code == 200
        shown = until(live, "state")
        assert shown["timeline"]["clip"] == "Jump.bvh"
        assert shown["timeline"]["frames"] == 3
        live.send_text(json.dumps({"type": "clip", "first": 0, "count": 128}))
        message = b""
        while message[:4] != b"\x02\0\0\0":
            message = live.receive().get("bytes") or b""
        rows = np.frombuffer(message, "<f4", offset=20).reshape(3, -1, 7)
        assert rows[:, 0, 0].tolist() == [0.0, 1.0, 2.0]


def test_a_clip_that_does_not_fit_is_refused_in_one_line(client: Any) -> None:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
    with socket(client) as live:
        greeting(live)
        where = {"tab": "tab-one-1", "name": "a.bvh", "as": "clip"}
        answer = client.post("/upload", params=where, content=moving(), headers=sent)
        assert answer.status_code == 400
        assert "\n" not in answer.json()["error"]
        assert client.tabs.session("tab-one-1").scene.clip is None


def export(client: Any, kind: str, tab: str = "tab-one-1", **headers: str) -> Any:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN, **headers}
    return client.post("/export", params={"tab": tab, "kind": kind}, headers=sent)


def test_exports_need_the_token_and_get_a_safe_name(client: Any) -> None:
    assert export(client, "bvh").status_code == 409
    with socket(client) as live:
        greeting(live)
        live.send_text(json.dumps({"type": "cmd", "name": "rename", "args": {"name": '../"x\r\ny'}}))
        until(live, "state")
        answer = export(client, "bvh")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == 'attachment; filename="x_y.bvh"'
        assert answer.content.startswith(b"HIERARCHY")
        assert export(client, "exe").status_code == 400
        assert export(client, "bvh", authorization="Bearer wrong").status_code == 401
        assert export(client, "bvh", origin="http://evil.example").status_code == 403
        assert client.get("/export", params={"tab": "tab-one-1", "kind": "bvh"}).status_code in (404, 405)


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_a_gltf_with_its_files_in_a_zip_is_drawn_with_its_skin(client: Any) -> None:
    path = data_file("gltf/SimpleSkin.gltf")
    root = json.loads(path.read_bytes())
    raw = base64.b64decode(root["buffers"][0]["uri"].split(",")[1])
    root["buffers"][0]["uri"] = "parts/a.bin"
    files = {"model/a.gltf": json.dumps(root).encode(), "model/parts/a.bin": raw}
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
    with socket(client) as live:
        greeting(live)
        assert client.post("/skin", params={"tab": "tab-one-1"}, headers=sent).status_code == 404
        answer = post(client, zipped({f"{k:03}.txt": b"" for k in range(3)} | files), "a.zip")
        assert answer.status_code == 200, answer.text
        assert until(live, "scene")["skin"] is True
        skin = client.post("/skin", params={"tab": "tab-one-1"}, headers=sent)
        assert skin.status_code == 200
        assert skin.content[:4] == b"glTF"
        assert client.post("/skin", params={"tab": "tab-one-1"}).status_code == 403
        sent["authorization"] = "Bearer x"
        assert client.post("/skin", params={"tab": "tab-one-1"}, headers=sent).status_code == 401


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../a.gltf": b"{}"}, "leads out of it"),
        ({"/a.gltf": b"{}"}, "leads out of it"),
        ({"a.txt": b""}, "has 0 .gltf files"),
        ({"a.gltf": b"{}", "b.gltf": b"{}"}, "has 2 .gltf files"),
        ({"a.gltf": b"{}"}, "asset"),
        ({f"{k}.txt": b"" for k in range(1001)}, "too large"),
        ({"a/" * 1000 + "a.gltf": b"{}"}, "at most 20 are read"),
        ({f"{k}" + "x" * 60_000: b"" for k in range(150)}, "its list of files is larger than 8 MB"),
    ],
)
def test_odd_archives_are_refused(client: Any, files: dict[str, bytes], message: str) -> None:
    with socket(client) as live:
        greeting(live)
        answer = post(client, zipped(files), "a.zip")
        assert answer.status_code == 400
        assert message in answer.json()["error"]
        assert post(client, b"PK\x03\x04 no archive", "a.zip").status_code == 400
        assert not list(client.tabs.state.files.iterdir())


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_in_one_line(client: Any, how: int) -> None:
    rng = np.random.default_rng(how)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        archive.writestr("a.gltf", b"{}")
        archive.writestr("a.bin", rng.bytes(300) + bytes(3000))
    with socket(client) as live:
        greeting(live)
        for _ in range(25):
            data = bytearray(packed.getvalue())
            for at in rng.integers(0, len(data), 2):
                data[at] ^= 1 << int(rng.integers(0, 8))
            answer = post(client, bytes(data), "a.zip")
            assert answer.status_code == 400
            assert answer.json()["error"].startswith("a.zip")
        assert not list(client.tabs.state.files.iterdir())


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_can_only_be_unpacked_at_once_is_refused(client: Any, how: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        archive.writestr("a.gltf", b"{}")
    with socket(client) as live:
        greeting(live)
        answer = post(client, packed.getvalue(), "a.zip")
    assert answer.status_code == 400
    assert f"a.zip: the archive is packed with method {how}" in answer.json()["error"]


def stored(client: Any) -> set[str]:
    return {path.name for path in client.tabs.state.files.iterdir()}


def age(client: Any, *names: str) -> None:
    """Makes files old, the first as the oldest."""
    for k, name in enumerate(names):
        os.utime(client.tabs.state.files / name, (1e9 + k, 1e9 + k))


def test_the_oldest_uploads_are_deleted_but_none_that_an_open_tab_needs(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "MOST_UPLOADS", 3)
    names = []
    with socket(client) as one, socket(client) as two:
        greeting(one)
        greeting(two, {**HELLO, "tab": "tab-two-2"})

        def upload(text: str, tab: str) -> str:
            before = stored(client)
            answer = post(client, text.encode(), tab=tab)
            assert answer.status_code == 200, answer.text
            (name,) = stored(client) - before
            return name

        names.append(upload(BVH, "tab-one-1"))  # stays on the stage of the first tab
        for k in range(5):
            names.append(upload(BVH.replace("OFFSET 0 10 0", f"OFFSET 0 {k + 20} 0", 1), "tab-two-2"))
            age(client, *(name for name in names if name in stored(client)))
        assert stored(client) == {names[0], *names[-2:]}
        assert client.tabs.session("tab-one-1").scene.source.name == names[0]
    assert Tabs(StateFolder(client.tabs.state.path), first).open("tab-one-1")[1] == ""


def test_a_clip_that_undo_brings_back_is_kept(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MOST_UPLOADS", 3)
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
    with socket(client) as live, socket(client) as other:
        greeting(live)
        greeting(other, {**HELLO, "tab": "tab-two-2"})
        assert post(client, moving()).status_code == 200
        live.send_text(json.dumps({"type": "cmd", "name": "close-clip"}))
        (clip,) = stored(client)
        age(client, clip)
        for k in range(3):
            data = BVH.replace("OFFSET 0 10 0", f"OFFSET 0 {k + 20} 0", 1).encode()
            assert post(client, data, tab="tab-two-2").status_code == 200
        assert clip in stored(client)
        live.send_text(json.dumps({"type": "cmd", "name": "undo"}))
        where = {"tab": "tab-one-1", "kind": "bvh"}
        assert client.post("/export", params=where, headers=sent).status_code == 200


def test_bytes_count_too_and_what_is_in_use_may_leave_no_room(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    large = BVH.encode() + b"\n" * 1000
    with socket(client) as live:
        greeting(live)
        assert post(client, large).status_code == 200
        (kept,) = stored(client)
        monkeypatch.setattr(state, "MOST_UPLOADED", 2 * len(large) - 1)
        answer = post(client, large + b"\n")
        assert answer.status_code == 400
        assert "there is no room for this file" in answer.json()["error"]
        assert "close a tab" in answer.json()["error"]
        assert stored(client) == {kept}
        live.send_text(json.dumps({"type": "open", "figure": "human"}))
        while client.tabs.session("tab-one-1").scene.source.name != "human":
            until(live, "scene")
        assert post(client, large + b"\n").status_code == 200
        assert kept not in stored(client)


def test_uploads_of_a_session_that_another_server_has_open_are_kept(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "MOST_UPLOADS", 1)
    with socket(client) as live:
        greeting(live)
        other = client.tabs.state
        names = [f"{k:032x}.bvh" for k in range(2)]
        for k, name in enumerate(names):
            (other.files / name).write_text("x")
            ended = '{"n":1,"time":1.0,"name":"close"}\n' if k else ""
            (other.journals / f"other-tab-{k}.journal").write_text(f'{{"n":0,"args":{{"file":"{name}"}}}}\n{ended}')
        age(client, *names)
        assert post(client, BVH.encode()).status_code == 400  # no room
        assert stored(client) == {names[0]}
        (other.journals / "other-tab-0.journal").unlink()
        assert post(client, BVH.encode()).status_code == 200
        assert names[0] not in stored(client)


def test_an_upload_that_a_kill_cut_off_is_tidied(client: Any) -> None:
    old, new = (client.tabs.state.files / f".{name}.part" for name in ("0123", "4567"))
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode()).status_code == 200
    assert not old.exists()
    assert new.exists()
